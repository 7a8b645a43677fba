// The view Memory.

import { html } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Empty } from "../parts/states.js";

export function Memory() {
  return html`<${Empty} icon="memory" title=${words.memory.title} />`;
}
