// What forgetting does: what became of all that was said, what goes next, what went; and why.

import { ask, at } from "../lib/api.js";
import { clock, dayAndTime, number, percent, timeWithSeconds } from "../lib/format.js";
import { html, useState } from "../lib/html.js";
import { words } from "../lib/words.js";
import { transcriptHref } from "./evidence.js";
import { Icon } from "./icon.js";
import { PlayButton } from "./player.js";
import { Speaker } from "./speaker.js";
import { Empty } from "./states.js";
import { toast } from "./toast.js";

/// With less than this share of the budget left, something goes with all that is new.
const FULL = 0.03;
export const isFull = (fates, stats) => fates.free_tokens < FULL * stats.memory.budget_tokens;

/// The first word whose bound a number reaches.
const worded = (value, bounds) => bounds.find(([from]) => value >= from)[1];

export const chanceWords = (chance) => worded(chance, words.memory.why.chances);

/// Whether a statement goes or stays, in a sentence.
export function verdict(standing, full) {
  const said = words.memory.why;
  if (standing.before === undefined) return said.pinned;
  if (!full) return said.room;
  return said.order(worded(1 - standing.before / Math.max(1, standing.of), said.places), standing.before, standing.of);
}

/// Why a statement is held or goes: what it is worth, its use, its age.
export function Why({ standing, node, full }) {
  const said = words.memory.why;
  const faded = standing.chance - standing.chance_now > 0.02;
  const rows = [
    [said.value, said.chance(chanceWords(standing.chance), percent(standing.chance))],
    [said.use, said.used(node.frequency)],
    [said.age, said.since(standing.said_since, faded && percent(standing.chance_now))],
  ];
  return html`<section class="why"><h3>${said.title}</h3><p>${verdict(standing, full)}</p>
    <dl class="rows small">${rows.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

/// The statements that go first when room is needed. One that should stay is pinned here.
export function Going({ session, going, index, full, selected, pick, again }) {
  const said = words.memory.going;
  const [failed, setFailed] = useState();
  const pin = async (id) => {
    try {
      await ask(at(session, `nodes/${encodeURIComponent(id)}`), { method: "PATCH", json: { pinned: true } });
      toast(words.memory.pinned, "good");
      again();
    } catch (error) {
      setFailed(error);
    }
  };
  const shown = going.map((it) => ({ ...it, node: index.byId.get(it.id) })).filter((it) => it.node);
  if (shown.length === 0) return html`<${Empty} icon="memory" title=${said.noneTitle} text=${said.none} />`;
  return html`<div class="fates"><p class="muted small">${full ? said.full : said.room}</p>
    ${failed && html`<p class="problem" role="alert">${failed.message}</p>`}
    <ol>${shown.map(({ node, ...it }, place) => html`<li key=${it.id} class=${it.id === selected ? "fate selected" : "fate"}>
      <button type="button" class="fate-main" data-node=${it.id} onClick=${() => pick(it.id)}>
        <span class="fate-words">${node.speaker && html`<${Speaker} name=${node.speaker} />`} ${node.text}</span>
        <span class="muted small">${said.why(place + 1, chanceWords(it.chance), node.frequency, it.said_since)}</span></button>
      <button type="button" class="icon-button" aria-label=${said.keep(node.text)} title=${words.memory.pin} onClick=${() => pin(it.id)}><${Icon} name="pin" size=${18} /></button>
    </li>`)}</ol></div>`;
}

/// What memory holds nothing of any more, newest first.
export function Gone({ session, fates }) {
  const said = words.memory.went;
  const { gone, transcript_only: all, nowhere } = fates;
  if (gone.length === 0 && !nowhere) return html`<${Empty} icon="check" title=${said.noneTitle} text=${said.none} />`;
  return html`<div class="fates"><p class="muted small">${said.help(all, gone.length)} ${nowhere > 0 && said.nowhere(nowhere)}</p>
    <ol>${gone.map((it) => html`<li key=${it.turn} class="fate">
      <a class="fate-main" href=${transcriptHref(session, it)}>
        <span class="fate-words"><${Speaker} name=${it.speaker} /> ${it.text}</span>
        <span class="muted small">${it.said_at ? dayAndTime(it.said_at) : words.memory.into(clock(it.session_ms))} · ${it.says_little ? said.little(percent(it.chance)) : said.room(percent(it.chance), percent(it.chance_now))}</span></a>
      ${it.sound && html`<${PlayButton} session=${session} stream=${it.stream} utterance=${it.utterance} />`}
    </li>`)}</ol></div>`;
}

const KEPT = ["said", "whole", "key", "unsorted", "transcript_only", "nowhere"];

/// What became of all that was said, counted; each figure lights up when it changes. Below it what
/// happened while the page was open.
export function Happened({ fates, sums }) {
  const said = words.memory.happened;
  const { memory, log, since } = sums;
  const counts = KEPT.filter((it) => fates[it] > 0 || it === "said" || it === "whole");
  return html`<section class="happened"><h2 class="small-head">${said.title}</h2>
    <p class="counts">${counts.map((it) => html`<span key=${it} class="count"><strong key=${fates[it]} class="figures">${number(fates[it])}</strong> <span class="small muted">${said[it]}</span></span>`)}</p>
    ${memory && html`<p class="small muted">${said.since(dayAndTime(since), said.line(memory))}</p>`}
    ${log.length > 0 && html`<ol class="small">${log.map((it) => html`<li key=${it.key}><span class="muted figures">${timeWithSeconds(it.at)}</span> ${said.line(it.data)}</li>`)}</ol>`}
  </section>`;
}
