// What a view shows while it has nothing else to show: loading, nothing yet, an error.

import { html } from "../lib/html.js";
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

/// An error of the server or of the way to it, with what helps.
export function Failed({ error, again }) {
  const token = error.refused;
  return html`<div class="state" role="alert">
    <span class="state-icon bad"><${Icon} name=${error.unreachable ? "plug" : "warning"} size=${28} /></span>
    <h2>${token ? words.errors.tokenTitle : words.errors.title}</h2>
    <p>${error.message}</p>
    ${token && html`<p>${words.errors.tokenHelp}</p>`}
    <div class="state-actions">
      ${token && html`<a class="button primary" href="#/settings">${words.errors.toSettings}</a>`}
      ${again && html`<button type="button" class="button" onClick=${again}>${words.errors.again}</button>`}
    </div>
  </div>`;
}

/// Grey bars in the place of what comes, so that nothing jumps.
export const Loading = ({ lines = 6 }) => html`
  <div class="skeleton" role="status" aria-label=${words.shell.loading}>
    ${Array.from({ length: lines }, (_, at) => html`<div class="bar" style=${{ width: `${[92, 74, 83, 61, 88, 70][at % 6]}%` }}></div>`)}
  </div>`;
