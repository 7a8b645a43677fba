// The view Search: everything held and the transcript, with the words marked.

import { ask, at } from "../lib/api.js";
import { clock, shortDay, time } from "../lib/format.js";
import { html, useCallback, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { useLoad } from "../lib/load.js";
import { words } from "../lib/words.js";
import { nodeHref, transcriptHref } from "../parts/evidence.js";
import { Icon } from "../parts/icon.js";
import { Speaker } from "../parts/speaker.js";
import { Empty, Failed, Loading } from "../parts/states.js";

const TYPED_MS = 350;
const FIRST = 50;
const MOST = 500;
const CLOSE_MAX = 8;

/// Days of the session with the session time of their beginning, or streams if no day is known.
function daysOf(line) {
  const days = [];
  for (const { name, from_ms, said_at } of line?.streams ?? []) {
    const label = said_at ? shortDay(said_at) : name;
    if (days.at(-1)?.label !== label) days.push({ label, from_ms });
  }
  return days.map((it, n) => ({ ...it, to_ms: days[n + 1]?.from_ms }));
}

export function Search({ session, go, query }) {
  const said = words.search;
  const asked = { q: query.get("q") ?? "", speaker: query.get("speaker") ?? "", from: query.get("from") ?? "", to: query.get("to") ?? "" };
  const [typed, setTyped] = useState(asked.q);
  const [limit, setLimit] = useState(FIRST);
  const timer = useRef();
  const field = useRef(null);
  const filters = useLoad(async () => {
    const [speakers, line] = await Promise.all([ask(at(session, "speakers")), ask(at(session, "timeline", { parts: 1 }))]);
    return { speakers, days: daysOf(line) };
  }, [session]);
  const change = useCallback((changed, replace = true) => {
    const wanted = Object.entries({ ...asked, ...changed }).filter(([, it]) => it !== "");
    const given = new URLSearchParams(wanted).toString();
    setLimit(FIRST);
    go(`#/${encodeURIComponent(session)}/search${given ? `?${given}` : ""}`, { replace });
  }, [session, query]);
  const latest = useRef(change);
  latest.current = change;
  const type = (event) => {
    const { value } = event.target;
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current({ q: value.trim() }), TYPED_MS);
  };
  const submit = (event) => {
    event.preventDefault();
    clearTimeout(timer.current);
    change({ q: typed.trim() });
  };
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
    return () => clearTimeout(timer.current);
  }, []);
  useEffect(() => { if (document.activeElement !== field.current) setTyped(asked.q); }, [asked.q]);
  const days = filters.value?.days ?? [];
  const option = (it) => html`<option key=${it.label} value=${it.from_ms}>${it.label}</option>`;
  return html`<div class="page search">
    <div class="page-head"><h1>${said.title}</h1></div>
    <form role="search" class="search-form" onSubmit=${submit}>
      <div class="search-field"><${Icon} name="search" />
        <input ref=${field} type="search" class="input" aria-label=${said.label} placeholder=${said.placeholder} value=${typed} onInput=${type} autocomplete="off" spellcheck="false" enterkeyhint="search" />
        <button type="submit" class="button primary">${said.action}</button></div>
      <div class="search-filters">
        <label class="tool"><span class="small muted">${said.speaker}</span><select class="input small" value=${asked.speaker} onChange=${(event) => change({ speaker: event.target.value })}>
          <option value="">${said.anyone}</option>${(filters.value?.speakers ?? []).map((it) => html`<option key=${it.name} value=${it.name}>${it.name}</option>`)}</select></label>
        <label class="tool"><span class="small muted">${said.from}</span><select class="input small" value=${asked.from} onChange=${(event) => change({ from: event.target.value })}>
          <option value="">${said.beginning}</option>${days.map(option)}</select></label>
        <label class="tool"><span class="small muted">${said.to}</span><select class="input small" value=${asked.to} onChange=${(event) => change({ to: event.target.value })}>
          <option value="">${said.end}</option>${days.map(option)}</select></label>
      </div>
    </form>
    ${asked.q ? html`<${Results} session=${session} asked=${asked} days=${days} ready=${Boolean(filters.value || filters.error)} limit=${limit} more=${() => setLimit(MOST)} clear=${() => change({ speaker: "", from: "", to: "" })} />`
      : html`<${Empty} icon="search" title=${said.firstTitle} text=${said.first} />`}
  </div>`;
}

function Results({ session, asked, days, ready, limit, more, clear }) {
  const said = words.search;
  const within = useMemo(() => ({
    speaker: asked.speaker || undefined,
    from_ms: asked.from || undefined,
    to_ms: asked.to ? days.find((it) => String(it.from_ms) === asked.to)?.to_ms : undefined,
  }), [asked.speaker, asked.from, asked.to, days]);
  const { value, error, loading, again } = useLoad(
    () => (ready ? ask(at(session, "search", { q: asked.q, limit, ...within })) : new Promise(() => {})), [session, asked.q, limit, within, ready]);
  const kept = useRef();
  if (value) kept.current = value;
  const found = value ?? (loading && !error ? kept.current : undefined);
  if (error) return html`<${Failed} error=${error} again=${again} />`;
  if (!found) return html`<${Loading} lines=${8} />`;
  const none = found.held.length === 0 && found.said.length === 0;
  const filtered = asked.speaker || asked.from || asked.to;
  return html`<div class=${loading ? "results stale" : "results"} aria-busy=${String(loading)}>
    <p class="small muted" role="status">${said.summary(found.held.length, found.said.length, found.more_held || found.more_said)}</p>
    ${none ? html`<${Empty} icon="search" title=${said.nothingTitle(asked.q)} text=${said.nothing}>${filtered && html`<button type="button" class="button" onClick=${clear}>${said.clear}</button>`}<//>`
      : html`<${Group} session=${session} title=${said.held} hits=${found.held} none=${said.heldNone} />
        <${Group} session=${session} title=${said.said} hits=${found.said} none=${said.saidNone} />`}
    ${(found.more_held || found.more_said) && (limit < MOST ? html`<button type="button" class="button more" onClick=${more}>${said.more}</button>` : html`<p class="muted small">${said.mostShown}</p>`)}
    <${Close} session=${session} q=${asked.q} within=${within} found=${found} />
  </div>`;
}

const Group = ({ session, title, hits, none }) => html`<section class="hits"><h2>${title} <span class="muted figures">${hits.length}</span></h2>
  ${hits.length === 0 ? html`<p class="muted">${none}</p>` : html`<ul>${hits.map((it) => html`<${Hit} key=${`${it.kind} ${it.stream} ${it.id}`} session=${session} hit=${it} />`)}</ul>`}</section>`;

/// Where a hit leads; a passage of a source leads nowhere.
function hrefOf(session, hit) {
  const at = `#/${encodeURIComponent(session)}`;
  return {
    statement: () => nodeHref(session, hit.id),
    fact: () => `${at}/people?fact=${encodeURIComponent(hit.id)}`,
    belief: () => `${at}/people?belief=${encodeURIComponent(hit.id)}`,
    utterance: () => transcriptHref(session, { stream: hit.stream, utterance: hit.id, turn: hit.turn }),
    passage: () => undefined,
  }[hit.kind]();
}

function Hit({ session, hit }) {
  const when = hit.said_at ? `${shortDay(hit.said_at)}, ${time(hit.said_at)}` : hit.said_ms !== undefined ? words.memory.into(clock(hit.said_ms)) : hit.id;
  const text = hit.pieces.map((it, n) => (it.hit ? html`<mark key=${n}>${it.text}</mark>` : it.text));
  const href = hrefOf(session, hit);
  const inside = html`<span class="hit-head">${hit.kind !== "passage" && html`<${Speaker} name=${hit.speaker} />`}<span class="muted small">${when}</span>
    ${hit.kind !== "utterance" && html`<span class="badge">${hit.key ? words.memory.badges.key : words.search.kinds[hit.kind]}</span>`}</span><span class="hit-text">${text}</span>`;
  return html`<li>${href ? html`<a class="hit" href=${href}>${inside}</a>` : html`<div class="hit">${inside}</div>`}</li>`;
}

/// What memory recalls for the words, beyond those that have them; it comes after the rest.
function Close({ session, q, within, found }) {
  const { value } = useLoad(() => ask(at(session, "recall"), { method: "POST", json: { query: q, max_tokens: 400, speaker: within.speaker, from_ms: within.from_ms && Number(within.from_ms), to_ms: within.to_ms } }), [session, q, within]);
  const known = new Set(found.held.map((it) => it.id));
  const close = (value?.statements ?? []).filter((it) => !known.has(it.id)).slice(0, CLOSE_MAX);
  if (close.length === 0) return null;
  return html`<section class="hits"><h2>${words.search.close}</h2><p class="small muted">${words.search.closeHelp}</p>
    <ul>${close.map((it) => {
      const name = it.speaker && `${it.speaker}: `;
      const text = name && it.text.startsWith(name) ? it.text.slice(name.length) : it.text;
      return html`<li key=${it.id}><a class="hit" href=${nodeHref(session, it.id)}><span class="hit-head"><${Speaker} name=${it.speaker} /><span class="muted small">${it.date ? shortDay(`${it.date}T12:00`) : clock(it.said_ms)}</span></span><span class="hit-text">${text}</span></a></li>`;
    })}</ul></section>`;
}
