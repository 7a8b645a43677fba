// The view Health.

import { html } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Empty } from "../parts/states.js";

export function Health() {
  return html`<${Empty} icon="health" title=${words.health.title} />`;
}
