// Short messages at the edge of the page, read by screen readers too.

import { html } from "../lib/html.js";
import { Store, useStore } from "../lib/load.js";
import { words } from "../lib/words.js";
import { Icon } from "./icon.js";

const SHOWN_MS = 6_000;
const MOST = 3;
const toasts = new Store([]);
let made = 0;

/// Shows a message; `kind` is `good`, `bad` or nothing. An error stays until it is dismissed.
export function toast(text, kind = "") {
  made += 1;
  const id = made;
  toasts.set([...toasts.value.filter((it) => it.text !== text), { id, text, kind }].slice(-MOST));
  raise();
  if (kind !== "bad") setTimeout(() => dismiss(id), SHOWN_MS);
}

const dismiss = (id) => toasts.set(toasts.value.filter((it) => it.id !== id));

/// Only a popover is drawn over a dialog, and only one that opens after it.
function raise() {
  const box = document.querySelector(".toasts");
  if (!box?.showPopover) return;
  box.popover = "manual";
  box.hidePopover();
  box.showPopover();
}

/// Where they appear; once, in the shell.
export function Toasts() {
  const shown = useStore(toasts);
  return html`<div class="toasts" role="status" aria-live="polite">
    ${shown.map((it) => html`<div key=${it.id} class=${`toast ${it.kind}`}>
      <${Icon} name=${{ good: "check", bad: "warning" }[it.kind] ?? "info"} />
      <span>${it.text}</span>
      <button type="button" class="icon-button" aria-label=${words.parts.dismiss} onClick=${() => dismiss(it.id)}><${Icon} name="close" size=${16} /></button>
    </div>`)}
  </div>`;
}
