// One node of the outline: its words, what memory keeps of it, its evidence; correct, pin, delete.

import { ask, at } from "../lib/api.js";
import { clock, days, number } from "../lib/format.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { useLoad } from "../lib/load.js";
import { words } from "../lib/words.js";
import { Confirm, ErasureReceipt } from "./confirm.js";
import { Quote, nodeHref } from "./evidence.js";
import { Why } from "./forgetting.js";
import { Icon } from "./icon.js";
import { Speaker } from "./speaker.js";
import { Failed, Loading } from "./states.js";
import { toast } from "./toast.js";

/// The days between which a node was said, or how far into the talk.
export function whenOf(node) {
  if (!node.date) return words.memory.into(clock(node.said_ms));
  return days(`${node.date}T12:00`, `${node.date_last ?? node.date}T12:00`);
}

/// Words that are being written, by node: they outlast a look at something else.
const drafts = new Map();

/// `loaded` changes when memory did, so that the node is read anew and a change by somebody else is
/// noticed while its words are edited.
export function NodePanel({ session, id, loaded, full, onClose, onChanged, onDeleted }) {
  const load = useLoad(() => ask(at(session, `nodes/${encodeURIComponent(id)}`)), [session, id]);
  const { value: node, error, again } = load;
  const first = useRef(true);
  const draft = `${session} ${id}`;
  const [editing, setDraft] = useState(() => drafts.get(draft));
  const setEditing = (edit) => {
    if (edit) drafts.set(draft, edit);
    else drafts.delete(draft);
    setDraft(edit);
  };
  const [asking, setAsking] = useState(false);
  const heading = useRef(null);
  const editButton = useRef(null);
  useEffect(() => {
    if (!first.current) again();
    first.current = false;
  }, [loaded]);
  const leaveEdit = () => {
    setEditing(undefined);
    setTimeout(() => editButton.current?.focus());
  };
  const said = words.memory;
  const [failed, setFailed] = useState();
  const change = async (body, done) => {
    setFailed(undefined);
    try {
      await ask(at(session, `nodes/${encodeURIComponent(id)}`), { method: "PATCH", json: body });
      toast(done, "good");
      again();
      onChanged();
    } catch (problem) {
      setFailed(problem);
    }
  };
  // a receipt is shown to its end
  if (error?.absent && !asking) {
    return html`<div class="node-panel"><${Head} title=${said.goneTitle} heading=${heading} onClose=${onClose} />
      <p class="note warn"><${Icon} name="warning" /><span>${editing ? said.goneWhileEditing : said.gone}</span></p>
      ${editing && html`<p>${said.youWrote}</p><blockquote>${editing.text}</blockquote>`}</div>`;
  }
  if (error && !node) return html`<div class="node-panel"><${Head} title=${id} heading=${heading} onClose=${onClose} /><${Failed} error=${error} again=${again} /></div>`;
  if (!node) return html`<div class="node-panel"><${Head} title=${said.oneOf.unit} heading=${heading} onClose=${onClose} /><${Loading} lines=${5} /></div>`;
  const unit = node.kind === "unit";
  return html`<div class="node-panel">
    <${Head} title=${said.oneOf[node.kind]} heading=${heading} onClose=${onClose} />
    <p class="node-by">${node.speaker && html`<${Speaker} name=${node.speaker} />`}<span class="muted small">${whenOf(node)}</span></p>
    ${editing ? html`<${Edit} key=${`edit-${id}`} session=${session} node=${node} editing=${editing} setEditing=${setEditing} reload=${again}
        onDone=${() => { leaveEdit(); again(); onChanged(); }} onCancel=${leaveEdit} />`
      : html`<p class="node-words">${wordsOf(node)}</p>`}
    ${node.wording === "key" && html`<p class="note"><${Icon} name="info" /><span>${said.keyHeld} <em class="key-words">${node.text}</em></span></p>`}
    ${!editing && html`<div class="node-actions">
      ${unit && html`<button ref=${editButton} type="button" class="button small" onClick=${() => setEditing({ text: editable(node), was: node.text })}><${Icon} name="edit" size=${18} />${said.correct}</button>
        <button type="button" class="button small" aria-pressed=${node.pinned} onClick=${() => change({ pinned: !node.pinned }, node.pinned ? said.unpinned : said.pinned)}><${Icon} name="pin" size=${18} />${node.pinned ? said.unpin : said.pin}</button>`}
      <button type="button" class="button small" onClick=${() => setAsking(true)}><${Icon} name="trash" size=${18} />${said.delete}</button>
    </div>`}
    ${failed && html`<p class="problem" role="alert">${failed.message}</p>`}
    ${node.standing && html`<${Why} standing=${node.standing} node=${node} full=${full} />`}
    ${unit && html`<dl class="rows small">${factsOf(node).map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`}
    ${node.evidence.length > 0 && html`<h3>${said.evidence}</h3>
      <ul class="quotes">${node.evidence.map((item, it) => html`<${Quote} key=${`${item.stream} ${item.utterance}`} session=${session} item=${item} quote=${node.quotes?.[it]} />`)}</ul>
      ${node.evidence_more > 0 && html`<p class="muted small">${said.evidenceMore(node.evidence_more)}</p>`}`}
    ${asking && html`<${Confirm} title=${said.deleteTitle[node.kind]} action=${said.deleteAction}
        run=${() => ask(at(session, `nodes/${encodeURIComponent(id)}`), { method: "DELETE" })}
        receipt=${(receipt) => html`<p>${said.deleted}</p><${ErasureReceipt} receipt=${receipt} />`}
        onDone=${() => onDeleted(id)} onClose=${() => setAsking(false)}>
      <blockquote>${wordsOf(node)}</blockquote><p>${said.deleteHelp[node.kind]}</p>
    <//>`}
  </div>`;
}

/// In a dialog there is a heading already.
function Head({ title, heading, onClose }) {
  return onClose && html`<header class="node-head"><h2 ref=${heading} tabindex="-1">${title}</h2>
    <button type="button" class="icon-button" aria-label=${words.parts.close} onClick=${onClose}><${Icon} name="close" /></button></header>`;
}

/// Its words without the speaker, who stands above them.
function wordsOf(node) {
  const name = node.speaker && `${node.speaker}: `;
  return name && node.shown.startsWith(name) ? node.shown.slice(name.length) : node.shown;
}

/// What an edit begins with: where memory holds key words alone, the words as they were said.
const editable = (node) => (node.wording === "key" ? node.quotes?.[0] ?? node.text : node.text);

function factsOf(node) {
  const said = words.memory;
  return [
    [said.facts.wording, node.edited ? said.wording.edited : said.wording[node.wording]],
    node.asked && [said.facts.asked, node.asked],
    [said.facts.tokens, said.facts.ofTokens(number(node.tokens))],
  ].filter(Boolean);
}

/// New words for a statement. If somebody else changed it meanwhile, both versions are shown and a
/// person decides; nothing is lost silently.
function Edit({ session, node, editing, setEditing, reload, onDone, onCancel }) {
  const said = words.memory;
  const [state, setState] = useState({});
  const save = async (event) => {
    event?.preventDefault();
    setState({ busy: true });
    try {
      const json = { text: editing.text, was: editing.was };
      await ask(at(session, `nodes/${encodeURIComponent(node.id)}`), { method: "PATCH", json });
      toast(said.corrected, "good");
      onDone();
    } catch (error) {
      // what it says now is read anew and shown beside what was written
      if (error.class === "conflict") await reload();
      setState({ error });
    }
  };
  // the event of one's own edit may come before its reply
  const theirs = !state.busy && node.text !== editing.was ? node.text : undefined;
  const mine = () => {
    setState({});
    setEditing({ ...editing, was: theirs });
  };
  const field = useRef(null);
  useEffect(() => field.current?.focus(), []);
  return html`<form class="node-edit" onSubmit=${save}>
    <label class="unseen" for="node-text">${said.newWords}</label>
    <textarea ref=${field} id="node-text" class="input" rows="5" value=${editing.text} onInput=${(event) => setEditing({ ...editing, text: event.target.value })}
      onKeyDown=${(event) => { if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); onCancel(); } }}></textarea>
    <p class="muted small">${said.correctHelp}</p>
    ${state.error && theirs === undefined && html`<p class="problem" role="alert">${state.error.message}</p>`}
    ${theirs !== undefined && html`<div class="conflict" role="alert">
      <p><strong>${said.conflict}</strong></p>
      <p class="small muted">${said.saysNow}</p><blockquote>${theirs}</blockquote>
      <p class="small">${said.conflictHelp}</p>
      <div class="node-actions"><button type="button" class="button small" onClick=${onCancel}>${said.keepTheirs}</button>
        <button type="button" class="button small" onClick=${mine}>${said.goOnMine}</button></div>
    </div>`}
    <div class="node-actions">
      <button type="submit" class="button small primary" disabled=${state.busy || theirs !== undefined || !editing.text.trim()} aria-busy=${state.busy}>${said.save}</button>
      <button type="button" class="button small" onClick=${onCancel}>${words.parts.cancel}</button>
    </div>
  </form>`;
}
