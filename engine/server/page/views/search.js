// The view Search.

import { html } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Empty } from "../parts/states.js";

export function Search() {
  return html`<${Empty} icon="search" title=${words.search.title} />`;
}
