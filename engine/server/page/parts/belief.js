// What somebody feels about something, and how that moved: a small chart of its remarks.

import { percent, shortDay, clock } from "../lib/format.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Quote } from "./evidence.js";

const [WIDTH, HEIGHT, EDGE, LEFT] = [320, 88, 14, 58];

/// From -1, against it, to 1, for it.
const valence = (of) => of.positive - of.negative;

const when = (it) => {
  const at = it.source.evidence.said_at_unix_ms;
  return at != null ? shortDay(at) : clock(it.said_ms);
};

/// A sentiment in words with the share that decides.
function feeling(of) {
  const [kind, share] = Object.entries(of).reduce((best, it) => (it[1] > best[1] ? it : best));
  return `${words.people.feels[kind]} (${percent(share)})`;
}

export function BeliefCard({ session, belief, here }) {
  const said = words.people;
  const card = useRef(null);
  const [at, setAt] = useState(belief.history.length - 1);
  useEffect(() => { if (here) card.current.scrollIntoView({ block: "center" }); }, [here]);
  const thing = belief.aspect === "general" ? belief.object : `${belief.object}: ${belief.aspect}`;
  const chosen = belief.history[Math.min(at, belief.history.length - 1)];
  return html`<li ref=${card} class=${here ? "belief here" : "belief"}>
    <div class="belief-head"><h3>${thing}</h3><span class=${`badge ${belief.feeling.endsWith("positive") ? "good" : belief.feeling.endsWith("negative") ? "bad" : ""}`}>${said.feels[belief.feeling] ?? belief.feeling}</span>
      ${Math.abs(belief.shift) > 0.2 && html`<span class="badge warn">${said.moved}</span>`}
      <span class="small muted">${said.remarks(belief.observations)}</span></div>
    <${Shares} of=${belief.current} />
    ${belief.history.length > 1 && html`<${Chart} thing=${thing} history=${belief.history} at=${at} onAt=${setAt} />`}
    ${chosen && html`<ul class="quotes"><${Quote} plain key=${at} session=${session} item=${chosen.source.evidence} quote=${chosen.source.quote} /></ul>`}
  </li>`;
}

/// The feeling now, as shares of one bar.
function Shares({ of }) {
  const said = words.people.feels;
  const kinds = ["positive", "neutral", "negative"];
  const told = kinds.map((it) => `${said[it]} ${percent(of[it])}`).join(", ");
  return html`<div class="shares" role="img" aria-label=${told} title=${told}>${kinds.map((it) => html`<div key=${it} class=${it} style=${{ width: `${of[it] * 100}%` }}></div>`)}</div>`;
}

/// One point a remark: the feeling after it. Arrow keys go from point to point.
function Chart({ thing, history, at, onAt }) {
  const said = words.people;
  const svg = useRef(null);
  const x = (n) => LEFT + (n * (WIDTH - LEFT - EDGE)) / Math.max(1, history.length - 1);
  const y = (value) => HEIGHT / 2 - (value * (HEIGHT - 2 * EDGE)) / 2;
  const path = (of) => history.map((it, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(valence(it[of])).toFixed(1)}`).join("");
  const go = (n) => {
    const to = Math.min(Math.max(0, n), history.length - 1);
    onAt(to);
    svg.current.querySelectorAll("[role=radio]")[to]?.focus();
  };
  const key = (event) => {
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: history.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  return html`<div class="belief-chart">
    <svg ref=${svg} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="radiogroup" aria-label=${said.chart(thing, feeling(history[0].current), feeling(history.at(-1).current), history.length)} onKeyDown=${key}>
      <line class="bc-axis" x1=${LEFT} x2=${WIDTH} y1=${HEIGHT / 2} y2=${HEIGHT / 2} />
      <text class="bc-text" x="0" y=${EDGE + 4} aria-hidden="true">${said.for}</text><text class="bc-text" x="0" y=${HEIGHT - EDGE + 4} aria-hidden="true">${said.against}</text>
      <path class="bc-settled" d=${path("settled")} /><path class="bc-current" d=${path("current")} />
      ${history.map((it, n) => html`<g key=${n} role="radio" tabindex=${n === at ? 0 : -1} aria-checked=${String(n === at)} aria-label=${said.point(thing, when(it), feeling(it.current))} class=${n === at ? "bc-point chosen" : "bc-point"} onClick=${() => go(n)}>
        <circle class="bc-hit" cx=${x(n)} cy=${y(valence(it.current))} r="14" /><circle cx=${x(n)} cy=${y(valence(it.current))} r=${n === at ? 5.5 : 4} /></g>`)}
    </svg>
    <p class="small muted bc-days"><span>${when(history[0])}</span><span>${when(history.at(-1))}</span></p>
  </div>`;
}
