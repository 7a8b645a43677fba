// How somebody stands to people, places and things, and what else is named with them.

import { ask, at } from "../lib/api.js";
import { html } from "../lib/html.js";
import { useLoad } from "../lib/load.js";
import { words } from "../lib/words.js";
import { saidWhen, transcriptHref } from "./evidence.js";
import { Failed, Loading } from "./states.js";

/// Relations shown before the others are folded.
const RELATIONS_FIRST = 8;

function Relation({ session, relation }) {
  const item = relation.source.evidence;
  return html`<li><a href=${transcriptHref(session, item)} title=${relation.source.quote ?? ""}>
    ${relation.subject ?? words.people.unknown} ${relation.relation} <strong>${relation.object}</strong></a>${" "}
    <span class="muted small">${saidWhen(item)}</span></li>`;
}

export function Named({ session, name, follow }) {
  const said = words.people;
  const { value, error, again } = useLoad(() => ask(at(session, "entities", { of: name })), [session, name, follow]);
  const about = value?.about;
  const relations = (about?.relations ?? []).map((relation, n) => html`<${Relation} key=${n} session=${session} relation=${relation} />`);
  return html`<section class="card" aria-labelledby="named"><h2 id="named">${said.named}</h2>
    ${error && !value ? html`<${Failed} error=${error} again=${again} />` : !value && html`<${Loading} lines=${2} />`}
    ${value && relations.length + (about?.beside.length ?? 0) === 0 && html`<p class="muted">${said.namedEmpty(name)}</p>`}
    ${relations.length > 0 && html`<ul class="facts">${relations.slice(0, RELATIONS_FIRST)}</ul>`}
    ${relations.length > RELATIONS_FIRST && html`<details><summary>${said.namedMore(relations.length - RELATIONS_FIRST)}</summary>
      <ul class="facts">${relations.slice(RELATIONS_FIRST)}</ul></details>`}
    ${about?.beside.length > 0 && html`<p><span class="muted">${said.namedWith}</span> ${about.beside.map((it, n) => html`${n > 0 && ", "}
      <a key=${it.name} href=${`#/${encodeURIComponent(session)}/search?q=${encodeURIComponent(it.name)}`}>${it.name}</a>${it.statements > 1 && ` (${it.statements})`}`)}</p>`}
  </section>`;
}
