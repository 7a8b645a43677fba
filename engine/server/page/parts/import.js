// Conversations of other programs: a file is looked at first, and imported when that is wanted.

import { ask, at } from "../lib/api.js";
import { number, shortDay } from "../lib/format.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Rows } from "./confirm.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icon.js";
import { toast } from "./toast.js";

const KINDS = ".srt,.vtt,.txt,.json,.zip";
/// People and kinds of messages that are named.
const NAMED = 6;

/// Whether a file that was dropped is talk in writing and no recording.
export const isExport = (file) => !!file && KINDS.split(",").some((end) => file.name.toLowerCase().endsWith(end));

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function send(session, file, more) {
  const path = at(session, "conversations", { name: file.name, zone: zone(), ...more });
  return ask(path, { method: "POST", body: file, headers: { "content-type": "application/octet-stream" } });
}

/// A button that takes a file; `dropped` is one that was dropped on the view.
export function ImportButton({ session, dropped, onTaken }) {
  const input = useRef(null);
  const [file, setFile] = useState();
  const taken = dropped ?? file;
  const leave = () => { setFile(undefined); onTaken?.(); if (input.current) input.current.value = ""; };
  return html`<button type="button" class="button import-button" aria-label=${words.imports.button} title=${words.imports.about} onClick=${() => input.current.click()}><${Icon} name="plus" /><span>${words.imports.button}</span></button>
    <input ref=${input} type="file" hidden accept=${KINDS} onChange=${(event) => setFile(event.target.files[0])} />
    ${taken && html`<${ImportDialog} session=${session} file=${taken} onClose=${leave} />`}`;
}

function ImportDialog({ session, file, onClose }) {
  const [dates, setDates] = useState();
  const [state, setState] = useState({ is: "looking" });
  useEffect(() => {
    let shown = true;
    const told = (state) => { if (shown) setState(state); };
    setState({ is: "looking" });
    send(session, file, { dry_run: true, dates }).then((found) => told({ is: "found", found }), (error) => told({ is: "failed", error }));
    return () => { shown = false; };
  }, [session, file, dates]);
  const busy = state.is === "running";
  const run = async () => {
    setState({ ...state, is: "running" });
    try {
      const done = await send(session, file, { dates });
      toast(words.imports.done(done.imported), "good");
      onClose();
    } catch (error) {
      setState({ ...state, is: "failed", error });
    }
  };
  // the server says so where a date can be read both ways
  const asks = dates || (state.is === "failed" && /day-first or month-first/.test(state.error.message));
  const found = state.found;
  return html`<${Dialog} title=${words.imports.title} onClose=${() => { if (!busy) onClose(); }}>
    <div class="dialog-text">
      <p><strong>${file.name}</strong>${!found && html`<br /><span class="muted small">${words.imports.about}</span>`}</p>
      ${state.is === "looking" && html`<p class="muted" role="status">${words.imports.looking}</p>`}
      ${found && html`<${Found} found=${found} />`}
      ${asks && html`<fieldset class="choices"><legend>${words.imports.dates}</legend>
        ${[["day-first", words.imports.dayFirst], ["month-first", words.imports.monthFirst]].map(([value, text]) => html`<label key=${value} class="choice">
          <input type="radio" name="dates" value=${value} checked=${dates === value} onChange=${() => setDates(value)} /><span>${text}</span></label>`)}</fieldset>`}
      ${state.is === "failed" && html`<p class="problem" role="alert">${state.error.message}</p>`}
    </div>
    <footer><button type="button" class="button" onClick=${onClose} disabled=${busy}>${words.parts.cancel}</button>
      ${found?.new > 0 && html`<button type="button" class="button primary" onClick=${run} disabled=${busy} aria-busy=${busy}>${busy ? words.imports.running : words.imports.run(found.new)}</button>`}</footer>
  <//>`;
}

/// What is in a file: the preview of the server.
function Found({ found }) {
  const people = found.people.slice(0, NAMED).map((it) => `${it.name ?? words.imports.unknown} (${number(it.messages)})`);
  if (found.people.length > NAMED) people.push("…");
  const rows = [
    [words.imports.kind, words.imports.format[found.format] ?? found.format],
    [words.imports.conversations, number(found.conversations)],
    people.length > 0 && [words.imports.people, people.join(", ")],
    found.first_at && [words.imports.days, words.imports.between(shortDay(found.first_at), shortDay(found.last_at))],
    found.left_out.length > 0 && [words.imports.leftOut, found.left_out.map((it) => `${number(it.count)} ${words.imports.reasons[it.reason] ?? it.reason}`).join(", ")],
  ].filter(Boolean);
  return html`<${Rows} rows=${rows} />
    ${found.new === 0 && html`<p>${words.imports.nothing}</p>`}
    ${found.lines.map((it, index) => html`<p key=${index} class="small"><strong>${it.speaker ?? words.imports.unknown}</strong> ${it.text.length > 160 ? `${it.text.slice(0, 160)}…` : it.text}</p>`)}`;
}
