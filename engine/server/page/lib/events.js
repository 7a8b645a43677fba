// The events of a session: one connection for all views, which resumes after the last event read.
//
// Read by `fetch` and not by `EventSource`: only so it can say after which event to go on once it
// was closed, why the server refused, and that a connection is dead. A tab that is hidden for long
// lets its connection go, since a browser opens six at most to one server, and catches up later.

import { at, problemOf } from "./api.js";
import { useEffect, useRef } from "./html.js";
import { Store, useStore } from "./load.js";

/// The server comments every 15 s; after this long without a byte the connection is dead.
const DEAD_MS = 40_000;
const HIDDEN_MS = 60_000;
const WAIT_MS = 500;
const WAIT_MOST_MS = 15_000;

const feeds = new Map();

/// States: `connecting`, `connected`, `reconnecting`, `resting` (hidden tab), `absent` (there is no
/// such session), `deleted` (there was one), `refused` (a token is needed: `why`, `problem`).
class Feed {
  state = new Store({ is: "connecting" });

  #session;

  #handlers = new Set();

  #users = 0;

  #last;

  #abort;

  #wake;

  #was = false;

  constructor(session) { this.#session = session; }

  /// `handler({ kind, data })` gets each event, and these of the page's own: `connected` (with
  /// `fresh`: nothing before it is known), `missed` (some events are gone), `gone`.
  on(handler) {
    this.#handlers.add(handler);
    this.#users += 1;
    if (this.#users === 1) this.#start();
    return () => {
      this.#handlers.delete(handler);
      this.#users -= 1;
      // a view that replaces another goes on with the same connection
      setTimeout(() => { if (this.#users === 0) this.#stop(); }, 200);
    };
  }

  /// Tries at once.
  retry() { this.#wake?.(); }

  #tell(kind, data) {
    for (const handler of [...this.#handlers]) handler({ kind, data });
  }

  #start() {
    if (this.#abort) return;
    feeds.set(this.#session, this);
    this.#abort = new AbortController();
    this.#run(this.#abort.signal);
  }

  #stop() {
    this.#abort?.abort();
    this.#abort = undefined;
    feeds.delete(this.#session);
  }

  async #run(signal) {
    const wake = () => this.#wake?.();
    addEventListener("online", wake, { signal });
    document.addEventListener("visibilitychange", wake, { signal });
    let failed = 0;
    while (!signal.aborted) {
      const began = Date.now();
      const ended = await this.#connection(signal);
      if (signal.aborted) return;
      failed = Date.now() - began > 5000 || ended === "rested" ? 0 : failed + 1;
      if (ended === "rested") {
        this.state.set({ is: "resting" });
        while (document.hidden && !signal.aborted) await this.#wait(600_000, signal);
      } else {
        const slow = ended !== "lost";
        const wait = slow ? 5000 : Math.min(WAIT_MS * 2 ** failed, WAIT_MOST_MS);
        await this.#wait(wait * (0.75 + Math.random() / 2), signal);
      }
    }
  }

  #wait(ms, signal) {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.#wake = () => { clearTimeout(timer); done(); };
      signal.addEventListener("abort", done, { once: true });
    });
  }

  /// One connection to its end: `lost`, `rested`, `absent` or `refused`.
  async #connection(outer) {
    const inner = new AbortController();
    const { signal } = inner;
    outer.addEventListener("abort", () => inner.abort(), { signal });
    let ended = "lost";
    let heard = Date.now();
    let hiddenSince = document.hidden ? Date.now() : undefined;
    const look = setInterval(() => {
      hiddenSince = document.hidden ? hiddenSince ?? Date.now() : undefined;
      if (Date.now() - heard > DEAD_MS) inner.abort();
      if (hiddenSince !== undefined && Date.now() - hiddenSince > HIDDEN_MS && !busy.value) {
        ended = "rested";
        inner.abort();
      }
    }, 5000);
    try {
      const headers = { accept: "text/event-stream" };
      if (this.#last) headers["last-event-id"] = this.#last;
      const response = await fetch(at(this.#session, "events"), { headers, signal, cache: "no-store" });
      if (!response.ok) return this.#declined(await problemOf(response));
      const fresh = !this.#last;
      this.#was = true;
      this.state.set({ is: "connected" });
      this.#tell("connected", { fresh });
      await read(response.body, (event) => this.#event(event), () => { heard = Date.now(); });
    } catch {
      // lost, or given up here
    } finally {
      clearInterval(look);
      inner.abort();
    }
    if (ended === "lost" && !outer.aborted) this.state.set({ is: "reconnecting" });
    return ended;
  }

  #declined(problem) {
    if (problem.absent) {
      this.#last = undefined;
      if (this.#was) this.#tell("gone");
      this.state.set({ is: this.#was ? "deleted" : "absent" });
      return "absent";
    }
    if (problem.refused) {
      this.state.set({ is: "refused", why: problem.message, problem });
      return "refused";
    }
    this.state.set({ is: "reconnecting", why: problem.message });
    return "lost";
  }

  #event({ id, kind, data }) {
    if (id) this.#last = id;
    let read;
    try {
      read = JSON.parse(data);
    } catch {
      return;
    }
    this.#tell(kind, read);
  }
}

/// Whether this tab captures sound: then it rests not even when it is hidden.
export const busy = new Store(false);

async function read(body, event, heard) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const said = parsed(block);
      if (said.data) event(said);
    }
  }
}

function parsed(block) {
  const said = { id: "", kind: "message", data: "" };
  for (const line of block.split("\n")) {
    const [, field, value] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    if (field === "id") said.id = value;
    if (field === "event") said.kind = value;
    if (field === "data") said.data += said.data ? `\n${value}` : value;
  }
  return said;
}

/// The events of a reply that is a stream of them, such as an answer in pieces.
export const readEvents = (response, event) => read(response.body, event, () => {});

/// The connection of a session.
export function feed(session) {
  if (!feeds.has(session)) feeds.set(session, new Feed(session));
  return feeds.get(session);
}

/// Follows the events of a session while the view is shown; see `Feed.on`.
export function useEvents(session, handler) {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => feed(session).on((event) => latest.current(event)), [session]);
}

/// The state of its connection.
export const useConnection = (session) => useStore(feed(session).state);
