// A fact of a profile with its days, its evidence and what ended it; correct, pin, delete.

import { change } from "../lib/api.js";
import { shortDay, clock } from "../lib/format.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Confirm, ErasureReceipt } from "./confirm.js";
import { Dialog } from "./dialog.js";
import { Quote } from "./evidence.js";
import { Icon } from "./icon.js";
import { toast } from "./toast.js";

/// The day on which its first evidence was said, or how far into the talk.
const begun = (fact) => {
  const said = fact.evidence[0]?.evidence.said_at_unix_ms;
  return said != null ? shortDay(said) : words.memory.into(clock(fact.from_ms));
};

function days(fact, by) {
  const from = begun(fact);
  if (fact.until_ms === null) return from;
  const until = by ? begun(by) : words.memory.into(clock(fact.until_ms));
  return words.people.fromTo(from, until);
}

export function FactRow({ session, fact, facts, here, again }) {
  const said = words.people;
  const [dialog, setDialog] = useState();
  const row = useRef(null);
  useEffect(() => { if (here) row.current.scrollIntoView({ block: "center" }); }, [here]);
  const by = fact.ended_by ? facts.find((it) => it.id === fact.ended_by) : undefined;
  const pin = async () => {
    try {
      await change(session, { pin_facts: { facts: [fact.id], pinned: !fact.pinned } });
      toast(fact.pinned ? words.memory.unpinned : words.memory.pinned, "good");
      again();
    } catch (error) {
      toast(error.message, "bad");
    }
  };
  const ended = fact.until_ms !== null;
  const button = (label, icon, onClick, pressed) => html`<button type="button" class="icon-button" aria-label=${label} title=${label} aria-pressed=${pressed} onClick=${onClick}><${Icon} name=${icon} size=${18} /></button>`;
  return html`<li ref=${row} class=${`fact ${ended ? "is-past" : ""} ${here ? "here" : ""}`}>
    <div class="fact-line"><p class="fact-words">${fact.sentence}</p>
      <span class="fact-go">
        ${button(said.correct(fact.sentence), "edit", () => setDialog("edit"))}
        ${button(fact.pinned ? said.unpin(fact.sentence) : said.pin(fact.sentence), "pin", pin, String(fact.pinned))}
        ${button(said.remove(fact.sentence), "trash", () => setDialog("delete"))}
      </span></div>
    <p class="small muted fact-about"><span>${days(fact, by)}</span><span>${said.times(fact.times)}</span>
      ${fact.pinned && html`<span class="badge good">${said.badges.pinned}</span>`}
      ${fact.edited && html`<span class="badge">${said.badges.edited}</span>`}
      ${fact.wanted && html`<span class="badge">${said.badges.wanted}</span>`}
      ${fact.contradicted ? html`<span class="badge bad">${said.badges.contradicted}</span>` : ended && html`<span class="badge warn">${said.badges.ended}</span>`}</p>
    ${by && html`<p class="small"><span class="muted">${fact.contradicted ? said.contradictedBy : said.endedBy}</span> ${by.sentence} <span class="muted">(${begun(by)})</span></p>`}
    ${fact.evidence.length > 0 && html`<details><summary class="small">${said.evidence(fact.evidence.length)}</summary>
      <ul class="quotes">${fact.evidence.map((it, n) => html`<${Quote} plain key=${n} session=${session} item=${it.evidence} quote=${it.quote} />`)}</ul></details>`}
    ${dialog === "edit" && html`<${EditFact} session=${session} fact=${fact} onClose=${() => setDialog()} onDone=${again} />`}
    ${dialog === "delete" && html`<${Confirm} title=${said.deleteTitle} action=${words.memory.deleteAction} onClose=${() => setDialog()} onDone=${again}
      run=${() => change(session, { erase: { targets: [{ fact: fact.id }] } })}
      receipt=${(done) => html`<p>${words.memory.deleted}</p>${done.receipt && html`<${ErasureReceipt} receipt=${done.receipt} />`}`}>
      <blockquote>${fact.sentence}</blockquote><p>${said.deleteHelp}</p><//>`}
  </li>`;
}

function EditFact({ session, fact, onClose, onDone }) {
  const said = words.people;
  const [value, setValue] = useState(fact.value);
  const [state, setState] = useState({});
  const save = async (event) => {
    event.preventDefault();
    setState({ busy: true });
    try {
      await change(session, { edit_fact: { fact: fact.id, value: value.trim() } });
      toast(words.memory.corrected, "good");
      onClose();
      onDone();
    } catch (error) {
      setState({ error });
    }
  };
  return html`<${Dialog} title=${said.correctTitle} onClose=${onClose}>
    <form onSubmit=${save} class="dialog-text"><blockquote>${fact.sentence}</blockquote>
      <div class="field"><label for="fact-value">${said.newValue}</label>
        <input id="fact-value" class="input" value=${value} data-first autocomplete="off" onInput=${(event) => setValue(event.target.value)} /></div>
      <p class="hint small muted">${words.memory.correctHelp}</p>
      ${state.error && html`<p class="problem" role="alert">${state.error.message}</p>`}
      <footer><button type="button" class="button" onClick=${onClose}>${words.parts.cancel}</button>
        <button type="submit" class="button primary" disabled=${state.busy || !value.trim()}>${words.memory.save}</button></footer>
    </form><//>`;
}
