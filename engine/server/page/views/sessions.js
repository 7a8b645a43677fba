// The view Sessions: all that the server keeps, a new one, and the end of one.

import { ask, at } from "../lib/api.js";
import { bytes, days, length, number, percent } from "../lib/format.js";
import { html, useEffect, useState } from "../lib/html.js";
import { useLoad } from "../lib/load.js";
import { words } from "../lib/words.js";
import { Confirm, Rows } from "../parts/confirm.js";
import { Dialog } from "../parts/dialog.js";
import { Icon } from "../parts/icon.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { toast } from "../parts/toast.js";

/// Sessions that are listed at once; more are found by the filter.
const LISTED = 200;
/// Sessions that are looked into: each look reads a file.
const LOOKED = 40;
const PEOPLE = 3;
const EVERY_MS = 15_000;
/// What the server takes for a name.
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

async function load() {
  const all = await ask("/v1/sessions");
  return Promise.all(all.map(async (it, index) => ({ ...it, about: index < LOOKED ? await aboutOf(it) : known.get(it.name) })));
}

/// What is known of the sessions; one that is not open does not change.
const known = new Map();

async function aboutOf({ name, open }) {
  if (!open && known.has(name)) return known.get(name);
  try {
    known.set(name, await ask(at(name, "about")));
  } catch { /* what was known before has to do */ }
  return known.get(name);
}

/// The first few of those who spoke.
function peopleOf(people) {
  const more = people.length - PEOPLE;
  return more > 0 ? words.sessions.andMore(people.slice(0, PEOPLE).join(", "), more) : people.join(", ");
}

export function Sessions({ go, query }) {
  const list = useLoad(load, []);
  const [filter, setFilter] = useState("");
  const [making, setMaking] = useState(query.has("new"));
  const [deleting, setDeleting] = useState();
  useEffect(() => {
    // another tab or program may make and delete some
    const look = () => { if (!document.hidden) list.again(); };
    const timer = setInterval(look, EVERY_MS);
    addEventListener("focus", look);
    return () => { clearInterval(timer); removeEventListener("focus", look); };
  }, [list.again]);

  const all = list.value ?? [];
  const found = all.filter((it) => it.name.toLowerCase().includes(filter.trim().toLowerCase()));
  const make = html`<button type="button" class="button primary" onClick=${() => setMaking(true)}><${Icon} name="plus" />${words.sessions.make}</button>`;
  return html`<div class="page">
    ${!(list.value && all.length === 0) && html`<div class="page-head"><h1>${words.sessions.title}</h1>${all.length > 0 && make}
      <p>${words.sessions.about}</p></div>`}
    ${all.length > 8 && html`<div class="field"><label class="unseen" for="session-filter">${words.sessions.filter}</label>
      <input id="session-filter" class="input" type="search" placeholder=${words.sessions.filter} value=${filter} onInput=${(event) => setFilter(event.target.value)} /></div>`}
    ${list.error && all.length === 0 && html`<${Failed} error=${list.error} again=${list.again} />`}
    ${!list.value && !list.error && html`<${Loading} lines=${5} />`}
    ${list.value && all.length === 0 && html`<${Empty} whole icon="live" title=${words.sessions.emptyTitle} text=${words.sessions.emptyText}>${make}<//>
      <ul class="steps">${words.sessions.steps.map(([icon, title, text]) => html`<li key=${icon}><${Icon} name=${icon} />
        <strong>${title}</strong><span class="muted small">${text}</span></li>`)}</ul>`}
    ${found.length > 0 && html`<ul class="session-list" aria-label=${words.sessions.title}>
      ${found.slice(0, LISTED).map((it) => html`<${Item} key=${it.name} it=${it} onDelete=${() => setDeleting(it)} />`)}</ul>`}
    ${all.length > 0 && found.length === 0 && html`<p class="muted">${words.sessions.noneFound(filter)}</p>`}
    ${found.length > LISTED && html`<p class="muted small">${words.sessions.more(found.length - LISTED)}</p>`}
    ${making && html`<${Make} taken=${all.map((it) => it.name)} onClose=${() => setMaking(false)} onMade=${(name) => go(`#/${name}/live`)} />`}
    ${deleting && html`<${Delete} it=${deleting} onClose=${() => setDeleting(undefined)} onDone=${list.again} />`}
  </div>`;
}

function Item({ it, onDelete }) {
  const { name, open, about } = it;
  const share = about && Math.min(1, about.text_tokens / about.budget_tokens);
  return html`<li class="session">
    <a class="session-main" href=${`#/${encodeURIComponent(name)}/live`}>
      <span class="session-name"><strong>${name}</strong>${open && html`<span class="badge good">${words.sessions.open}</span>`}
        ${about?.first_at && html`<span class="muted small session-days">${days(about.first_at, about.last_at)}</span>`}</span>
      ${about?.title && html`<span class="session-title">${about.title.replace(/[;,:]+$/, "")}</span>`}
      ${about && html`<span class="muted small figures">${[about.people.length > 0 && peopleOf(about.people), about.turns > 0 ? words.sessions.counts(about.turns, length(about.stream_ms)) : words.sessions.nothingYet].filter(Boolean).join(" · ")}</span>`}
      ${about?.turns > 0 && html`<span class="progress session-bar" role="meter" title=${words.sessions.memory(percent(share))} aria-label=${words.sessions.memory(percent(share))} aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(share * 100)}>
        <div style=${{ width: `${share * 100}%` }}></div></span>`}
    </a>
    <a class="icon-button" href=${at(name, "export")} download=${`${name}.jsonl`} aria-label=${words.sessions.export(name)} title=${words.sessions.export(name)}><${Icon} name="download" size=${18} /></a>
    <button type="button" class="icon-button" aria-label=${words.sessions.delete(name)} title=${words.sessions.delete(name)} onClick=${onDelete}><${Icon} name="trash" size=${18} /></button>
  </li>`;
}

function Make({ taken, onClose, onMade }) {
  const [name, setName] = useState("");
  const [tokens, setTokens] = useState("");
  const [error, setError] = useState();
  const [busy, setBusy] = useState(false);
  const wrong = name && !NAME.test(name) ? words.sessions.nameRule : taken.includes(name) ? words.sessions.taken(name) : "";
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await ask(at(name), { method: "PUT", json: tokens ? { tokens: Number(tokens) } : {} });
      toast(words.sessions.made(name), "good");
      onMade(name);
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${words.sessions.makeTitle} onClose=${onClose}>
    <form class="dialog-text" onSubmit=${submit}>
      <div class="field"><label for="session-name">${words.sessions.name}</label>
        <input id="session-name" class="input" required maxlength="64" autocomplete="off" autocapitalize="none" spellcheck=${false} value=${name}
          aria-invalid=${!!wrong} aria-describedby="session-name-hint" onInput=${(event) => setName(event.target.value)} />
        <span id="session-name-hint" class=${wrong ? "problem" : "hint"}>${wrong || words.sessions.nameRule}</span></div>
      <fieldset class="choices"><legend>${words.sessions.budget}</legend>
        ${words.sessions.budgets.map(([value, title, text]) => html`<label key=${value} class="choice"><input type="radio" name="budget" value=${value} checked=${tokens === value} onChange=${() => setTokens(value)} />
          <span><strong>${title}</strong><br /><span class="muted small">${text}</span></span></label>`)}
      </fieldset>
      ${error && html`<p class="problem" role="alert">${error.message}</p>`}
      <footer><button type="button" class="button" onClick=${onClose}>${words.parts.cancel}</button>
        <button type="submit" class="button primary" disabled=${!name || !!wrong || busy}>${words.sessions.makeIt}</button></footer>
    </form><//>`;
}

function Delete({ it, onClose, onDone }) {
  const receipt = (done) => html`<p>${words.sessions.deleted(done.name)}</p>
    <${Rows} rows=${[[words.sessions.files, number(done.files)], [words.sessions.bytes, bytes(done.bytes)]]} />`;
  return html`<${Confirm} title=${words.sessions.deleteTitle(it.name)} action=${words.sessions.deleteIt} receipt=${receipt} onClose=${onClose} onDone=${onDone}
    run=${() => ask(at(it.name), { method: "DELETE" })}>
    <p>${words.sessions.deleteText}</p>
    ${it.about && html`<${Rows} rows=${[[words.sessions.heard, number(it.about.turns)], [words.sessions.statements, number(it.about.statements)], [words.sessions.length, length(it.about.stream_ms)]]} />`}
    <p class="small"><a href=${at(it.name, "export")} download=${`${it.name}.jsonl`}>${words.sessions.exportFirst}</a></p>
  <//>`;
}
