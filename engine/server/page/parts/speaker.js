// A speaker as a chip, in a colour that belongs to the name.

import { html } from "../lib/html.js";
import { words } from "../lib/words.js";

const COLOURS = 8;

/// The colour of a name: always the same one, `0..8`; the style sheet has it as `--s0` to `--s7`.
export function colourOf(name) {
  if (!name) return undefined;
  let hash = 2166136261;
  for (const unit of name) hash = Math.imul(hash ^ unit.codePointAt(0), 16777619);
  return (hash >>> 8) % COLOURS;
}

/// The class that sets `--speaker` to it.
export const speakerClass = (name) => (name ? `speaker s${colourOf(name)}` : "speaker nobody");

/// With `onClick` it is a button; `label` then says what it does.
export function Speaker({ name, onClick, label, tabIndex }) {
  const text = name || words.parts.unknownSpeaker;
  const kind = speakerClass(name);
  return onClick
    ? html`<button type="button" class=${kind} onClick=${onClick} aria-label=${label} title=${label} tabindex=${tabIndex}>${text}</button>`
    : html`<span class=${kind}>${text}</span>`;
}
