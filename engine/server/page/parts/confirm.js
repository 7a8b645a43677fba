// Something that cannot be undone: asked for first, and told afterwards what was done.

import { html, useEffect, useRef, useState } from "../lib/html.js";
import { length, number } from "../lib/format.js";
import { Store, useStore } from "../lib/load.js";
import { words } from "../lib/words.js";
import { Dialog } from "./dialog.js";
import { toast } from "./toast.js";

/// The receipt that is shown: by the shell, since what was deleted may take the part of the page with
/// it in which that was asked for.
const shown = new Store(undefined);

export function Receipts() {
  const it = useStore(shown);
  if (!it) return null;
  const leave = () => { shown.set(undefined); it.onDone(); };
  return html`<${Dialog} title=${words.parts.receipt} onClose=${leave}>
    <div role="status">${it.content}</div>
    <footer><button type="button" class="button primary" data-first onClick=${leave}>${words.parts.done}</button></footer>
  <//>`;
}

/// `run` does it and returns what `receipt(result)` shows; without `receipt` nothing is shown.
/// `onDone(result)` is called after that, and `onClose` when this dialog is closed, in any case.
export function Confirm({ title, children, action, danger = true, run, receipt, onDone, onClose }) {
  const [state, setState] = useState({ is: "asking" });
  const there = useRef(true);
  useEffect(() => () => { there.current = false; }, []);
  const go = async () => {
    setState({ is: "busy" });
    try {
      const result = await run();
      if (receipt) shown.set({ content: receipt(result), onDone: () => onDone?.(result) });
      else onDone?.(result);
      onClose();
    } catch (error) {
      if (there.current) setState({ is: "failed", error });
      else toast(error.message, "bad");
    }
  };
  const leave = () => { if (state.is !== "busy") onClose(); };
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

