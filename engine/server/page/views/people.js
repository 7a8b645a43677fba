// The view People: who spoke, what they said of themselves, how they feel about things.

import { ask, at, change } from "../lib/api.js";
import { useEvents } from "../lib/events.js";
import { html, useCallback, useEffect, useRef, useState } from "../lib/html.js";
import { useLoad } from "../lib/load.js";
import { words } from "../lib/words.js";
import { BeliefCard } from "../parts/belief.js";
import { Confirm } from "../parts/confirm.js";
import { Dialog } from "../parts/dialog.js";
import { Quote } from "../parts/evidence.js";
import { FactRow } from "../parts/fact.js";
import { Named } from "../parts/named.js";
import { PlayButton } from "../parts/player.js";
import { speakerClass } from "../parts/speaker.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { toast } from "../parts/toast.js";

const AGAIN_MS = 2000;
/// Beliefs of less weight rest on one weak remark, and are folded.
const LISTED_WEIGHT = 2;

async function read(session) {
  const [speakers, facts, held] = await Promise.all([
    ask(at(session, "speakers")), ask(at(session, "profile", { past: true })), ask(at(session, "beliefs")),
  ]);
  const unknown = facts.some((it) => it.speaker === null) || held.beliefs.some((it) => it.holder === null);
  return { speakers: unknown ? [...speakers, { name: null, heard_as: [], statements: 0, enrolled: false }] : speakers, facts, held };
}

/// Reads anew while things happen, but not at every word.
function useFollow(session, again) {
  const timer = useRef();
  useEffect(() => () => clearTimeout(timer.current), []);
  useEvents(session, ({ kind, data }) => {
    if (kind !== "memory" && kind !== "missed" && !(kind === "connected" && !data.fresh)) return;
    timer.current ??= setTimeout(() => { timer.current = undefined; again(); }, kind === "memory" && !data.by_hand ? AGAIN_MS : 300);
  });
}

export function People({ session, go, query }) {
  const { value, error, again } = useLoad(() => read(session), [session]);
  useFollow(session, again);
  const said = words.people;
  const choose = useCallback((name) => {
    go(`#/${encodeURIComponent(session)}/people${name ? `?of=${encodeURIComponent(name)}` : "?unknown=1"}`, { replace: true });
  }, [session]);
  const head = html`<div class="page-head"><h1>${said.title}</h1></div>`;
  if (error && !value) return html`<div class="page">${head}<${Failed} error=${error} again=${again} /></div>`;
  if (!value) return html`<div class="page">${head}<${Loading} lines=${10} /></div>`;
  const { speakers } = value;
  if (speakers.length === 0) {
    return html`<div class="page">${head}<${Empty} icon="people" title=${said.emptyTitle} text=${said.empty}>
      <a class="button primary" href=${`#/${encodeURIComponent(session)}/live`}>${words.memory.toLive}</a><//></div>`;
  }
  const wanted = query.get("fact") ? value.facts.find((it) => it.id === query.get("fact"))?.speaker
    : query.get("belief") ? value.held.beliefs.find((it) => it.id === query.get("belief"))?.holder
      : query.get("unknown") ? null : query.get("of");
  const person = speakers.find((it) => it.name === wanted || it.heard_as.includes(wanted)) ?? speakers[0];
  return html`<div class="page people">${head}
    <nav class="people-list" aria-label=${said.list}>${speakers.map((it) => html`
      <div key=${it.name} class=${it.sound ? "person-row voiced" : "person-row"}><button type="button" class=${`person ${speakerClass(it.name)}`} aria-current=${it === person ? "true" : undefined} onClick=${() => choose(it.name)}>
        <span class="person-name">${it.name ?? said.unknown}</span><span class="small muted">${said.statements(it.statements)}</span></button>
        ${it.sound && html`<${PlayButton} session=${session} ...${it.sound} label=${said.hear(it.name)} />`}</div>`)}</nav>
    <${Person} key=${person.name} session=${session} person=${person} value=${value} again=${again} choose=${choose} query=${query} />
  </div>`;
}

function Person({ session, person, value, again, choose, query }) {
  const said = words.people;
  const [dialog, setDialog] = useState();
  const [past, setPast] = useState(Boolean(query.get("fact")));
  const name = person.name ?? said.unknown;
  const facts = value.facts.filter((it) => it.speaker === person.name);
  const shown = facts.filter((it) => past || it.until_ms === null);
  const beliefs = value.held.beliefs.filter((it) => it.holder === person.name);
  const [firm, weak] = [beliefs.filter((it) => it.weight >= LISTED_WEIGHT), beliefs.filter((it) => it.weight < LISTED_WEIGHT)];
  const isHere = (it) => query.get("belief") === it.id;
  const card = (it) => html`<${BeliefCard} key=${it.id} session=${session} belief=${it} here=${isHere(it)} />`;
  const doubted = value.held.doubted.filter((it) => it.holder === person.name);
  const slots = [...new Set(shown.map((it) => it.slot))];
  const others = value.speakers.filter((it) => it.name && it.name !== person.name);
  return html`<div class="person-page">
    <section class="card" aria-label=${name}>
      <div class="person-head"><h2>${name}</h2>
        ${person.sound && html`<${PlayButton} session=${session} ...${person.sound} label=${said.hear(name)} />`}
        ${person.enrolled && html`<span class="badge good">${said.enrolled}</span>`}
        ${person.name && html`<span class="person-actions">
          <button type="button" class="button small" onClick=${() => setDialog("rename")}>${said.rename}</button>
          ${others.length > 0 && html`<button type="button" class="button small" onClick=${() => setDialog("merge")}>${said.merge}</button>`}
        </span>`}</div>
      <p class="muted">${[said.statements(person.statements), person.heard_as.length > 0 && said.heardAs(person.heard_as)].filter(Boolean).join(" · ")}</p>
      ${person.quote && html`<div><p class="small muted">${said.sample}</p><blockquote>${person.quote}</blockquote></div>`}
    </section>
    ${person.name && html`<${Named} session=${session} name=${person.name} follow=${value} />`}
    <section class="card" aria-labelledby="profile">
      <div class="person-head"><h2 id="profile">${said.profile}</h2>
        ${facts.some((it) => it.until_ms !== null) && html`<label class="switch small"><input type="checkbox" role="switch" checked=${past} onChange=${(event) => setPast(event.target.checked)} />${said.showPast}</label>`}</div>
      ${shown.length === 0 && html`<p class="muted">${said.profileEmpty(name)}</p>`}
      ${slots.map((slot) => html`<div key=${slot} class="slot"><h3>${said.slots[slot] ?? slot}</h3>
        <ul class="facts">${shown.filter((it) => it.slot === slot).map((fact) => html`<${FactRow} key=${fact.id} session=${session} fact=${fact} facts=${value.facts} here=${query.get("fact") === fact.id} again=${again} />`)}</ul></div>`)}
    </section>
    <section class="card" aria-labelledby="beliefs">
      <h2 id="beliefs">${said.beliefs}</h2>
      ${beliefs.length === 0 ? html`<p class="muted">${said.beliefsEmpty(name)}</p>`
        : html`<ul class="beliefs">${firm.map(card)}</ul>
          ${weak.length > 0 && html`<details open=${firm.length === 0 || weak.some(isHere)}><summary>${said.weaker(weak.length)}</summary><ul class="beliefs">${weak.map(card)}</ul></details>`}`}
      ${doubted.length > 0 && html`<details><summary>${said.doubted} (${doubted.length})</summary>
        <ul class="quotes doubted">${doubted.map((it, n) => html`<div key=${n}><span class="badge warn">${said.doubts[it.doubt] ?? it.doubt}</span><${Quote} session=${session} item=${it.source.evidence} quote=${it.source.quote} /></div>`)}</ul></details>`}
    </section>
    ${dialog === "rename" && html`<${Rename} session=${session} person=${person} onClose=${() => setDialog()} onDone=${(to) => { choose(to); again(); }} />`}
    ${dialog === "merge" && html`<${Merge} session=${session} person=${person} others=${others} onClose=${() => setDialog()} onDone=${(to) => { choose(to); again(); }} />`}
  </div>`;
}

function Rename({ session, person, onClose, onDone }) {
  const said = words.people;
  const [name, setName] = useState(person.name);
  const [state, setState] = useState({});
  const save = async (event) => {
    event.preventDefault();
    setState({ busy: true });
    try {
      await change(session, { name_speaker: { speaker: person.name, name: name.trim() } });
      toast(said.renamed(name.trim()), "good");
      onClose();
      onDone(name.trim());
    } catch (error) {
      setState({ error });
    }
  };
  return html`<${Dialog} title=${said.renameTitle(person.name)} onClose=${onClose}>
    <form onSubmit=${save} class="dialog-text">
      <div class="field"><label for="new-name">${said.newName}</label>
        <input id="new-name" class="input" value=${name} data-first autocomplete="off" onInput=${(event) => setName(event.target.value)} aria-describedby="new-name-help" />
        <p id="new-name-help" class="hint">${said.renameHelp}</p></div>
      ${state.error && html`<p class="problem" role="alert">${state.error.message}</p>`}
      <footer><button type="button" class="button" onClick=${onClose}>${words.parts.cancel}</button>
        <button type="submit" class="button primary" disabled=${state.busy || !name.trim() || name.trim() === person.name}>${said.rename}</button></footer>
    </form><//>`;
}

function Merge({ session, person, others, onClose, onDone }) {
  const said = words.people;
  const [into, setInto] = useState(others[0].name);
  return html`<${Confirm} title=${said.mergeTitle(person.name)} action=${said.mergeAction} onClose=${onClose}
    run=${() => change(session, { merge_speaker: { speaker: person.name, into } })} onDone=${() => { toast(said.merged(into), "good"); onDone(into); }}>
    <div class="field"><label for="merge-into">${said.mergeInto}</label>
      <select id="merge-into" class="input" value=${into} onChange=${(event) => setInto(event.target.value)}>${others.map((it) => html`<option key=${it.name} value=${it.name}>${it.name}</option>`)}</select></div>
    <p>${said.mergeHelp(person.name, into)}</p><//>`;
}

