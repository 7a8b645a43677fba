// Something that cannot be undone: asked for first, and told afterwards what was done.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { length, number } from "../lib/format.js";
import { words } from "../lib/words.js";
import { Dialog } from "./dialog.js";

/// `run` does it and returns what `receipt(result)` shows; without `receipt` the dialog closes.
/// `onDone(result)` is called when it is closed after that, `onClose` in any case.
export function Confirm({ title, children, action, danger = true, run, receipt, onDone, onClose }) {
  const [state, setState] = useState({ is: "asking" });
  const close = useRef(null);
  const go = async () => {
    setState({ is: "busy" });
    try {
      const result = await run();
      setState({ is: "done", result });
    } catch (error) {
      setState({ is: "failed", error });
    }
  };
  const leave = () => {
    if (state.is === "busy") return;
    if (state.is === "done") onDone?.(state.result);
    onClose();
  };
  useEffect(() => {
    if (state.is === "done" && !receipt) leave();
    if (state.is === "done") close.current?.focus();
  }, [state]);
  if (state.is === "done" && receipt) {
    return html`<${Dialog} title=${words.parts.receipt} onClose=${leave}>
      <div role="status">${receipt(state.result)}</div>
      <footer><button ref=${close} type="button" class="button primary" onClick=${leave}>${words.parts.done}</button></footer>
    <//>`;
  }
  return html`<${Dialog} title=${title} onClose=${leave}>
    <div class="dialog-text">${children}</div>
    ${state.is === "failed" && html`<p class="problem" role="alert">${state.error.message}</p>`}
    <footer>
      <button type="button" class="button" data-first onClick=${leave} disabled=${state.is === "busy"}>${words.parts.cancel}</button>
      <button type="button" class=${danger ? "button danger" : "button primary"} onClick=${go} disabled=${state.is === "busy"} aria-busy=${state.is === "busy"}>${action}</button>
    </footer>
  <//>`;
}

/// The receipt of an erasure (`Receipt` of the interface) as a list.
export function ErasureReceipt({ receipt }) {
  const said = words.parts.erased;
  const counted = ["utterances", "nodes", "rewritten", "summaries", "beliefs", "facts", "passages"]
    .filter((it) => receipt[it] > 0).map((it) => [said[it], number(receipt[it])]);
  const rows = [
    ...counted,
    receipt.audio_ms > 0 && [said.audio, length(receipt.audio_ms)],
    receipt.files.length > 0 && [said.files, number(receipt.files.length)],
    receipt.left.length > 0 && [said.left, receipt.left.map((it) => it.file).join(", ")],
    receipt.not_overwritten.length > 0 && [said.notOverwritten, receipt.not_overwritten.map((it) => `${it.file}: ${it.why}`).join("; ")],
    receipt.untraced > 0 && [said.untraced, number(receipt.untraced)],
  ].filter(Boolean);
  return html`<${Rows} rows=${rows} />${receipt.limits && html`<p class="muted small">${receipt.limits}</p>`}`;
}

/// Names and values in two columns.
export const Rows = ({ rows }) => html`<dl class="rows">${rows.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

