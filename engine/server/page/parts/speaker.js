// A speaker as a chip, in a colour of their own.

import { html } from "../lib/html.js";
import { words } from "../lib/words.js";

/// In the style sheet `--s0` to `--s7`, and `mark1` to `mark3`.
const COLOURS = 8;
const MARKS = 3;

/// The looks of the names that were seen in this session.
const looks = new Map();
let of;

/// Names of another session look as they would alone.
export function speakersOf(session) {
  if (session !== of) looks.clear();
  of = session;
}

function hashed(name) {
  let hash = 2166136261;
  for (const unit of name) hash = Math.imul(hash ^ unit.codePointAt(0), 16777619);
  return (hash >>> 8) % COLOURS;
}

/// The colour that belongs to a name, or the next one that nobody has. Where there are more names than
/// colours, those that share one have different marks.
function lookOf(name) {
  if (!looks.has(name)) {
    const others = [...looks.values()];
    const sharing = (colour) => others.filter((it) => it.colour === colour).length;
    const from = hashed(name);
    const order = Array.from({ length: COLOURS }, (_, it) => (from + it) % COLOURS);
    const colour = order.reduce((best, it) => (sharing(it) < sharing(best) ? it : best));
    looks.set(name, { colour, mark: sharing(colour) % (MARKS + 1) });
  }
  return looks.get(name);
}

/// The class that sets `--speaker` to the colour of a name.
export const colourClass = (name) => (name ? `s${lookOf(name).colour}` : "");

/// That, and how the name itself looks.
export function speakerClass(name) {
  if (!name) return "speaker nobody";
  const { colour, mark } = lookOf(name);
  return `speaker s${colour}${mark ? ` mark${mark}` : ""}`;
}

/// With `onClick` it is a button; `label` then says what it does.
export function Speaker({ name, onClick, label, tabIndex }) {
  const text = name || words.parts.unknownSpeaker;
  const kind = speakerClass(name);
  return onClick
    ? html`<button type="button" class=${kind} onClick=${onClick} aria-label=${label} title=${label} tabindex=${tabIndex}>${text}</button>`
    : html`<span class=${kind}>${text}</span>`;
}
