// The view Settings.

import { html } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Empty } from "../parts/states.js";

export function Settings() {
  return html`<${Empty} icon="settings" title=${words.settings.title} />`;
}
