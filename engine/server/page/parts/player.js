// Plays the sound of one utterance at a time.

import { at, send } from "../lib/api.js";
import { html } from "../lib/html.js";
import { Store, useStore } from "../lib/load.js";
import { words } from "../lib/words.js";
import { Icon } from "./icon.js";
import { toast } from "./toast.js";

/// What sounds now: `{ key, is: "loading" | "playing" }`, or nothing.
const now = new Store(undefined);
let sound;
let abort;

const keyOf = ({ session, stream, utterance }) => `${session}\n${stream ?? ""}\n${utterance}`;

export function stop() {
  abort?.abort();
  if (sound) {
    const { src } = sound;
    sound.pause();
    // what still loads ends first, else it fails on an address that is gone
    sound.removeAttribute("src");
    sound.load();
    URL.revokeObjectURL(src);
  }
  sound = undefined;
  now.set(undefined);
}

/// Plays it, or stops it if it is the one that plays. A second one replaces the first.
export async function play(which) {
  const key = keyOf(which);
  const same = now.value?.key === key;
  stop();
  if (same) return;
  abort = new AbortController();
  const { signal } = abort;
  now.set({ key, is: "loading" });
  try {
    const { session, stream, utterance } = which;
    const reply = await send(at(session, "clip", { stream, utterance }), { signal });
    const blob = await reply.blob();
    if (signal.aborted) return;
    sound = new Audio(URL.createObjectURL(blob));
    sound.addEventListener("ended", stop);
    now.set({ key, is: "playing" });
    await sound.play();
  } catch (error) {
    if (signal.aborted) return;
    stop();
    toast(error.absent ? words.parts.noSound : `${words.parts.soundFailed} ${error.message}`, "bad");
  }
}

/// What plays: true for this utterance.
export const usePlaying = (which) => useStore(now)?.key === keyOf(which);

export function PlayButton({ session, stream, utterance, label, tabIndex, onPlay }) {
  const playing = usePlaying({ session, stream, utterance });
  const text = playing ? words.parts.stop : label ?? words.parts.play;
  const click = () => {
    if (!playing) onPlay?.();
    play({ session, stream, utterance });
  };
  return html`<button type="button" class=${playing ? "icon-button playing" : "icon-button"} aria-label=${text} title=${text}
    tabindex=${tabIndex} onClick=${click}><${Icon} name=${playing ? "stop" : "play"} size=${18} /></button>`;
}

addEventListener("keydown", (event) => { if (event.key === "Escape" && now.value) stop(); });
