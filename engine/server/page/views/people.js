// The view People.

import { html } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Empty } from "../parts/states.js";

export function People() {
  return html`<${Empty} icon="people" title=${words.people.title} />`;
}
