// A dialog: the browser's own, which holds the focus inside, closes on Escape, and gives it back.

import { html, useEffect, useRef } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Icon } from "./icon.js";

let numbered = 0;

/// Shown as long as it is rendered. `onClose` is called for Escape, the cross and a click beside it.
export function Dialog({ title, onClose, children, wide }) {
  const dialog = useRef(null);
  const id = useRef(`dialog-${(numbered += 1)}`);
  useEffect(() => {
    const from = document.activeElement;
    const it = dialog.current;
    it.showModal();
    it.querySelector("[data-first], input, textarea, select")?.focus();
    // while it is open nothing beside it takes the focus; what opened it may be gone with what was deleted
    return () => { it.close(); (from?.isConnected ? from : document.getElementById("content"))?.focus(); };
  }, []);
  const cancel = (event) => { event.preventDefault(); onClose(); };
  const beside = (event) => { if (event.target === dialog.current) onClose(); };
  return html`<dialog ref=${dialog} class=${wide ? "dialog wide" : "dialog"} aria-labelledby=${id.current} onCancel=${cancel} onMouseDown=${beside}>
    <div class="dialog-inner">
      <header><h2 id=${id.current}>${title}</h2>
        <button type="button" class="icon-button" aria-label=${words.parts.close} onClick=${onClose}><${Icon} name="close" /></button></header>
      ${children}
    </div>
  </dialog>`;
}
