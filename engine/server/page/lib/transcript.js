// The transcript of a session as far as it is loaded: one stretch without holes, which grows at
// either end as it is read, and at its end as more is heard.

import { ask, at } from "./api.js";
import { Store } from "./load.js";

const PAGE = 500;
const PAGE_MOST = 1000;
/// Rows that are kept; beyond, those farthest from what is read go and are loaded again on demand.
const KEPT = 150_000;
/// Rows that are loaded anew after a change by hand; older ones are dropped.
const ANEW = 3000;
/// Utterances come in bursts: wait so long before the transcript is asked for them.
const SOON_MS = 150;

const keyOf = (stream, utterance) => `${stream}\n${utterance}`;
const line = (it) => ({ ...it, kind: "line", key: keyOf(it.stream, it.utterance) });

/// The rows with one more: at the end, but before those of its stream that come `after` it.
function placed(rows, row, after) {
  let at = rows.length;
  while (at > 0 && rows[at - 1].stream === row.stream && after(rows[at - 1])) at -= 1;
  return rows.toSpliced(at, 0, row);
}

/// `store.value`: `rows`, the position of the `first` one (lowered when older rows come before it),
/// whether there are `older` and `newer` ones on the server, `loading`, `error`.
export class Transcript {
  store = new Store({ rows: [], first: 0, older: false, newer: false, loading: true });

  #session;

  #busy = {};

  #timer;

  #marks = 0;

  constructor(session) { this.#session = session; }

  #get(query) { return ask(at(this.#session, "transcript", query)); }

  #set(changed) { this.store.set({ ...this.store.value, ...changed }); }

  get #lastTurn() {
    const { rows } = this.store.value;
    for (let it = rows.length - 1; it >= 0; it -= 1) if (rows[it].turn !== undefined) return rows[it].turn;
    return -1;
  }

  /// One at a time of each kind; errors are shown by the view.
  async #once(kind, work) {
    if (this.#busy[kind]) return;
    this.#busy[kind] = true;
    try {
      await work();
    } catch (error) {
      this.#set({ loading: false, error });
    } finally {
      this.#busy[kind] = false;
    }
  }

  /// The end of the transcript, instead of what was loaded.
  newest() {
    return this.#once("all", async () => {
      this.#set({ loading: true, error: undefined });
      const lines = await this.#get({ newest: true, limit: PAGE });
      this.store.set({ rows: lines.reverse().map(line), first: 0, older: lines[0]?.turn > 0, newer: false, loading: false });
    });
  }

  /// The part around an utterance, instead of what was loaded.
  around(turn) {
    return this.#once("all", async () => {
      this.#set({ loading: true, error: undefined });
      const lines = await this.#get({ from_turn: Math.max(0, turn - PAGE / 2), limit: PAGE });
      const newer = lines.length === PAGE;
      this.store.set({ rows: lines.map(line), first: 0, older: lines[0]?.turn > 0, newer, loading: false });
    });
  }

  older() {
    const { rows, older } = this.store.value;
    const before = rows.find((it) => it.turn !== undefined)?.turn;
    if (!older || before === undefined) return undefined;
    return this.#once("older", async () => {
      const lines = await this.#get({ to_turn: before, newest: true, limit: PAGE_MOST });
      const now = this.store.value;
      if (now.rows !== rows && now.rows[0]?.turn !== before) return;
      const added = lines.reverse().map(line);
      const all = [...added, ...now.rows];
      const cut = Math.max(0, all.length - KEPT);
      this.#set({ rows: cut ? all.slice(0, -cut) : all, first: now.first - added.length, older: lines[0]?.turn > 0, newer: now.newer || cut > 0 });
    });
  }

  /// What comes after the last row: what was heard meanwhile, or the next part of the transcript.
  newer() {
    return this.#once("newer", async () => {
      for (;;) {
        const from_turn = this.#lastTurn + 1;
        const was = this.store.value.newer;
        const lines = await this.#get({ from_turn, limit: PAGE_MOST });
        if (this.#lastTurn + 1 !== from_turn) continue;
        this.#append(lines);
        const more = lines.length === PAGE_MOST;
        this.#set({ newer: more });
        // while the end is followed, all of it is wanted; else a page a time
        if (!more || was) return;
      }
    });
  }

  #append(lines) {
    const now = this.store.value;
    const rows = [...now.rows];
    for (const it of lines) {
      const made = line(it);
      const waits = rows.findLastIndex((row, index) => index >= rows.length - 200 && row.key === made.key);
      if (waits >= 0) rows[waits] = { ...made, start_ms: rows[waits].start_ms };
      else rows.push(made);
    }
    const cut = Math.max(0, rows.length - KEPT);
    this.#set({ rows: cut ? rows.slice(cut) : rows, first: now.first + cut, older: now.older || cut > 0, loading: false });
  }

  /// An utterance was heard: it is shown at once, and soon with its time.
  heard({ id, stream, speaker, text, start_ms, end_ms, confidence }) {
    const now = this.store.value;
    if (now.newer || now.loading) return;
    const row = { kind: "line", key: keyOf(stream, id), stream, utterance: id, speaker, text, start_ms, end_ms, sound: confidence !== undefined };
    const marked = (it) => it.kind !== "line" && it.start_ms > start_ms;
    if (!now.rows.slice(-200).some((it) => it.key === row.key)) this.#set({ rows: placed(now.rows, row, marked) });
    this.soon();
  }

  soon() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // what was heard while it was asked for is asked for again
      if (this.#busy.newer) this.soon();
      else if (!this.store.value.newer) this.newer();
    }, SOON_MS);
  }

  /// Sound that was lost or not trusted, in its place among what is heard now.
  mark(kind, event) {
    const now = this.store.value;
    if (now.newer || now.loading) return;
    this.#marks += 1;
    const row = { ...event, kind, key: `${kind} ${this.#marks}`, start_ms: event.start_ms ?? event.at_ms };
    this.#set({ rows: placed(now.rows, row, (it) => it.start_ms > row.start_ms) });
  }

  /// Something was renamed, edited or erased: what is loaded is loaded anew, in its place.
  anew() {
    return this.#once("anew", async () => {
      const last = this.#lastTurn;
      const lines = [];
      while (lines.length < Math.min(this.store.value.rows.length, ANEW)) {
        const to_turn = lines[0]?.turn ?? last + 1;
        const more = await this.#get({ to_turn, newest: true, limit: PAGE_MOST });
        lines.unshift(...more.reverse());
        if (more.length < PAGE_MOST) break;
      }
      const now = this.store.value;
      const fresh = new Map(lines.map((it) => [it.turn, line(it)]));
      const from = lines[0]?.turn ?? Infinity;
      const kept = now.rows.filter((it) => it.turn === undefined || it.turn > last || it.turn >= from)
        .map((it) => (it.turn !== undefined && it.turn <= last ? fresh.get(it.turn) : it)).filter(Boolean);
      this.#set({ rows: kept, first: now.first + now.rows.length - kept.length, older: from > 0 && from !== Infinity });
      this.soon();
    });
  }
}
