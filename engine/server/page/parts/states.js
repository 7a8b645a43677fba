// What a view shows while it has nothing else to show: loading, nothing yet, an error.

import { html, useEffect } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Icon } from "./icon.js";

/// Says what is missing and what to do next; the children are the buttons or links for that. `whole`
/// where the view shows nothing else.
export const Empty = ({ icon = "info", title, text, children, whole }) => html`
  <div class="state">
    <span class="state-icon"><${Icon} name=${icon} size=${28} /></span>
    ${whole ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`}
    ${text && html`<p>${text}</p>`}
    ${children && html`<div class="state-actions">${children}</div>`}
  </div>`;

/// How often a server that did not answer is asked again.
const AGAIN_MS = 5_000;

/// An error of the server or of the way to it, with what helps. `whole` as above.
export function Failed({ error, again, whole }) {
  const { unreachable } = error;
  const token = error.status === 401;
  useEffect(() => {
    if (!unreachable || !again) return undefined;
    const timer = setTimeout(again, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [error]);
  const said = words.errors;
  const title = token ? said.tokenTitle : unreachable ? said.unreachableTitle : said.title;
  const text = token ? said.tokenHelp : unreachable && again ? said.unreachableHelp : error.message;
  return html`<div class="state" role="alert">
    <span class=${token ? "state-icon" : "state-icon bad"}><${Icon} name=${token ? "key" : unreachable ? "plug" : "warning"} size=${28} /></span>
    ${whole ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`}
    <p>${text}</p>
    ${token && html`<p><code>${said.tokenCommand}</code></p>`}
    <div class="state-actions">
      ${error.refused && html`<a class="button primary" href="#/settings">${words.errors.toSettings}</a>`}
      ${again && html`<button type="button" class="button" onClick=${again}>${words.errors.again}</button>`}
    </div>
  </div>`;
}

/// Grey bars in the place of what comes, so that nothing jumps.
export const Loading = ({ lines = 6 }) => html`
  <div class="skeleton" role="status" aria-label=${words.shell.loading}>
    ${Array.from({ length: lines }, (_, at) => html`<div class="bar" style=${{ width: `${[92, 74, 83, 61, 88, 70][at % 6]}%` }}></div>`)}
  </div>`;
