// The view Sessions.

import { html } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Empty } from "../parts/states.js";

export function Sessions() {
  return html`<${Empty} icon="sessions" title=${words.sessions.title} />`;
}
