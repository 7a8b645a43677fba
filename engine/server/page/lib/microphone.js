// The microphone of this browser as live sound of a session. It goes on while other views are
// shown, and over a restart of the server: sound of half a minute waits, what is beyond is counted.

import { ask, at } from "./api.js";
import { busy } from "./events.js";
import { Store } from "./load.js";

const WAITING_MS = 30_000;
const PIECE_MS = 100;
const AGAIN_MS = 1000;
/// Attempts at the first connection; later ones go on until they succeed.
const TRIES = 2;

/// `is`: `off`, `starting`, `on`, `reconnecting`, `ending`, `failed` with the `reason`: `insecure`,
/// `denied`, `none`, `taken`, `unplugged`, `refused` with a `detail`. After `off`, `heard` is what
/// the server said of it. `lost_ms` is sound that reached no server.
export const microphone = new Store({ is: "off" });
/// Loudness of the last tenth of a second, 0 to 1.
export const loudness = new Store(0);

let capture;

export function startMicrophone(session) {
  if (capture) return;
  capture = new Capture(session);
  capture.start();
}

export const stopMicrophone = () => capture?.stop();
export const forgetMicrophone = () => { if (!capture) microphone.set({ is: "off" }); };

class Capture {
  #session;

  #since;

  #parts = [];

  #socket;

  #waiting = [];

  #lost = 0;

  #stopping = false;

  constructor(session) { this.#session = session; }

  #tell(is, more = {}) {
    microphone.set({ is, session: this.#session, since: this.#since, lost_ms: this.#lost, ...more });
  }

  async start() {
    this.#tell("starting");
    if (!isSecureContext || !navigator.mediaDevices || !window.AudioWorkletNode) return this.#fail("insecure");
    try {
      const audio = { channelCount: 1, echoCancellation: true, autoGainControl: true, noiseSuppression: false };
      const stream = await navigator.mediaDevices.getUserMedia({ audio });
      this.#parts.push(() => stream.getTracks().forEach((it) => it.stop()));
      const [track] = stream.getAudioTracks();
      track.addEventListener("ended", () => this.#fail("unplugged"));
      const context = new AudioContext();
      this.#parts.push(() => context.close());
      await context.audioWorklet.addModule("/page/lib/capture.js");
      await context.resume();
      const node = new AudioWorkletNode(context, "capture");
      node.port.onmessage = ({ data }) => this.#piece(data);
      context.createMediaStreamSource(stream).connect(node);
      // it gives silence; without a way out a browser may not run it
      node.connect(context.destination);
      this.rate = context.sampleRate;
    } catch (error) {
      const reason = { NotAllowedError: "denied", SecurityError: "denied", NotFoundError: "none", OverconstrainedError: "none", NotReadableError: "taken" }[error.name];
      return this.#fail(reason ?? "broken", error.message);
    }
    busy.set(true);
    addEventListener("beforeunload", ask_first);
    this.#wake();
    return this.#connect(1);
  }

  /// The screen stays on where it can: a phone that sleeps hears nothing.
  async #wake() {
    try {
      const lock = await navigator.wakeLock?.request("screen");
      this.#parts.push(() => lock?.release());
    } catch { /* not every browser lets it */ }
  }

  #connect(tried) {
    if (this.#stopping) return;
    const address = new URL(at(this.#session, "live", { rate: this.rate }), location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.#socket = socket;
    let opened = false;
    let last;
    socket.onopen = () => {
      opened = true;
      this.#since ??= Date.now();
      this.#tell("on");
      for (const piece of this.#waiting.splice(0)) socket.send(piece);
    };
    socket.onmessage = ({ data }) => { try { last = JSON.parse(data); } catch { /* nothing to tell */ } };
    socket.onclose = () => this.#closed({ opened, last, tried });
  }

  async #closed({ opened, last, tried }) {
    if (this.#stopping) return this.#end(last);
    if (last?.class) return this.#fail("refused", last.detail);
    if (!this.#since && tried >= TRIES) return this.#fail("refused", await this.#why());
    if (this.#since) this.#tell("reconnecting");
    setTimeout(() => this.#connect(opened ? 1 : tried + 1), AGAIN_MS * Math.min(tried, 10));
    return undefined;
  }

  /// A browser does not say why a socket was refused: ask for something else.
  async #why() {
    try {
      await ask(at(this.#session));
    } catch (error) {
      if (!error.absent) return error.message;
    }
    return undefined;
  }

  #piece({ pcm, loudness: loud }) {
    loudness.set(loud);
    const open = this.#socket?.readyState === WebSocket.OPEN;
    const behind = open ? this.#socket.bufferedAmount / (this.rate / 500) : this.#waiting.length * PIECE_MS;
    if (behind > WAITING_MS) {
      this.#lost += PIECE_MS;
      if (this.#lost % 1000 === 0) this.#tell(microphone.value.is);
    } else if (open) {
      this.#socket.send(pcm);
    } else {
      this.#waiting.push(pcm);
    }
  }

  stop() {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#release();
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      this.#socket?.close();
      this.#end();
      return;
    }
    this.#tell("ending");
    this.#socket.send(new ArrayBuffer(0));
  }

  #release() {
    for (const part of this.#parts.splice(0)) part();
    loudness.set(0);
    busy.set(false);
    removeEventListener("beforeunload", ask_first);
  }

  #end(heard) {
    capture = undefined;
    if (heard?.class) this.#tell("failed", { reason: "refused", detail: heard.detail });
    else this.#tell("off", { heard });
  }

  #fail(reason, detail) {
    this.#stopping = true;
    this.#release();
    this.#socket?.close();
    capture = undefined;
    this.#tell("failed", { reason, detail });
  }
}

/// The browser asks before a page is left that still hears.
function ask_first(event) { event.preventDefault(); }
