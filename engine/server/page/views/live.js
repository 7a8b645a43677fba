// The view Live.

import { html } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Empty } from "../parts/states.js";

export function Live() {
  return html`<${Empty} icon="live" title=${words.live.title} />`;
}
