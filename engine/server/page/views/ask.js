// The view Ask.

import { html } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Empty } from "../parts/states.js";

export function Ask() {
  return html`<${Empty} icon="ask" title=${words.ask.title} />`;
}
