// The view Health: how fast it answers and hears, what it holds, what was ignored or lost.

import { ask, at, send } from "../lib/api.js";
import { asked, countOf, heard, parsed, quantile, since, value as sample } from "../lib/figures.js";
import { bytes, dayAndTime, length, number, timeWithSeconds } from "../lib/format.js";
import { html, useEffect, useReducer, useRef, useState } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Chart } from "../parts/chart.js";
import { Icon } from "../parts/icon.js";
import { Failed, Loading } from "../parts/states.js";

const EVERY_MS = 3000;
/// An hour of figures; older ones go.
const KEPT = 1200;

/// Figures of each session, kept while the page is open, so that a look at another view costs none.
const series = new Map();

function kept(session) {
  if (!series.has(session)) series.set(session, { times: [], askHalf: [], askMost: [], hearHalf: [], hearMost: [], session: [], all: [], tokens: [], budget: [] });
  return series.get(session);
}

const ms = (seconds) => (seconds === undefined ? null : seconds * 1000);

function add(line, before, read) {
  const [asks, hears] = [asked(read.samples), heard(read.samples)];
  const [newAsks, newHears] = before ? [since(asks, before.asks), since(hears, before.hears)] : [[], []];
  const values = {
    times: Date.now() / 1000,
    askHalf: ms(quantile(newAsks, 0.5)), askMost: ms(quantile(newAsks, 0.95)),
    hearHalf: ms(quantile(newHears, 0.5)), hearMost: ms(quantile(newHears, 0.95)),
    session: read.stats.bytes / 1e6, all: (sample(read.samples, "weir_held_bytes") ?? 0) / 1e6,
    tokens: read.stats.memory.text_tokens, budget: read.stats.memory.budget_tokens,
  };
  for (const [name, it] of Object.entries(values)) {
    line[name].push(it);
    if (line[name].length > KEPT) line[name].shift();
  }
  return { ...read, asks, hears };
}

async function read(session, signal) {
  const [text, stats, so_far, health] = await Promise.all([
    send("/metrics", { signal }).then((it) => it.text()), ask(at(session), { signal }), ask(at(session, "since_opened"), { signal }), ask("/health", { signal }),
  ]);
  return { samples: parsed(text), stats, so_far, version: health.version, at: Date.now() };
}

/// Reads while the view is shown and the tab is not hidden.
function useFigures(session) {
  const [state, setState] = useState({});
  const [tries, again] = useReducer((count) => count + 1, 0);
  const last = useRef();
  useEffect(() => {
    const abort = new AbortController();
    let timer;
    const step = async () => {
      clearTimeout(timer);
      if (document.hidden) return;
      try {
        last.current = add(kept(session), last.current, await read(session, abort.signal));
        setState({ figures: last.current });
      } catch (error) {
        if (abort.signal.aborted) return;
        setState((was) => ({ ...was, error }));
      }
      if (!abort.signal.aborted) timer = setTimeout(step, EVERY_MS);
    };
    document.addEventListener("visibilitychange", step, { signal: abort.signal });
    step();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [session, tries]);
  return { ...state, again };
}

export function Health({ session }) {
  const { figures, error, again } = useFigures(session);
  const said = words.health;
  const head = html`<div class="page-head"><h1>${said.title}</h1><span class="muted small figures">${figures ? said.at(timeWithSeconds(figures.at)) : ""}</span><p>${said.help}</p></div>`;
  if (error && !figures) return html`<div class="page health">${head}<${Failed} error=${error} again=${again} /></div>`;
  if (!figures) return html`<div class="page health">${head}<${Loading} lines=${10} /></div>`;
  const line = kept(session);
  const chart = (names) => [line.times, ...names.map((it) => line[it])].map((it) => [...it]);
  return html`<div class="page health">${head}
    ${error && html`<p class="note warn" role="alert"><${Icon} name="warning" /><span>${said.failed(error.message)}</span></p>`}
    <${Cards} figures=${figures} />
    <${Lost} figures=${figures} />
    <${Chart} title=${said.latency} help=${said.latencyHelp} unit=${said.units.ms} format=${(it) => number(it, it < 10 ? 1 : 0)} data=${chart(["askHalf", "askMost", "hearHalf", "hearMost"])}
      series=${[{ label: said.series.askHalf, colour: "--accent" }, { label: said.series.askMost, colour: "--accent", dash: [6, 4] }, { label: said.series.hearHalf, colour: "--s1" }, { label: said.series.hearMost, colour: "--s1", dash: [6, 4] }]} />
    <div class="charts">
      <${Chart} title=${said.memory} help=${said.memoryHelp} unit=${said.units.mb} format=${(it) => number(it, it < 10 ? 1 : 0)} data=${chart(["session", "all"])}
        series=${[{ label: said.series.session, colour: "--accent" }, { label: said.series.all, colour: "--s6" }]} />
      <${Chart} title=${said.budget} help=${said.budgetHelp} unit=${said.units.tokens} format=${(it) => number(it)} data=${chart(["tokens", "budget"])}
        series=${[{ label: said.series.tokens, colour: "--accent" }, { label: said.series.budget, colour: "--s5", dash: [6, 4] }]} />
    </div>
    <p class="small muted">${said.version(figures.version)} · ${said.encoder(figures.stats.encoder.name)} · ${said.forPrograms} <a href="/metrics">/metrics</a></p>
  </div>`;
}

const took = (seconds) => length(seconds * 1000);
const short = (seconds) => (seconds < 1 ? `${number(seconds * 1000, seconds < 0.01 ? 1 : 0)} ${words.health.units.ms}` : took(seconds));

function Cards({ figures }) {
  const said = words.health;
  const { stats, so_far, samples, asks, hears } = figures;
  const latency = (of, counted) => (countOf(of)
    ? { big: short(quantile(of, 0.5)), lines: [said.half(short(quantile(of, 0.5))), said.most(short(quantile(of, 0.95))), counted(countOf(of))] }
    : { big: "–", lines: [said.noneYet] });
  const waiting = stats.unrecognised.reduce((sum, it) => sum + it.waiting_ms, 0);
  const factor = so_far.recording_ms > 0 ? so_far.recording_took_ms / so_far.recording_ms : undefined;
  const cards = [
    [said.cards.ask, latency(asks, said.questions)],
    [said.cards.hear, latency(hears, said.requests)],
    [said.cards.speed, factor === undefined ? { big: "–", lines: [said.noRecording] }
      : { big: `${number(1 / factor, 1)}×`, lines: [said.factor(number(1 / factor, 1)), said.rtf(number(factor, 2)), said.heardFor(length(so_far.recording_ms), length(so_far.recording_took_ms))] }],
    [said.cards.waiting, waiting ? { big: length(waiting), lines: [said.waits(stats.unrecognised.length)] } : { big: said.nothingWaits, lines: [said.allHeard] }],
    [said.cards.held, { big: bytes(stats.bytes), lines: [said.tokens(number(stats.memory.text_tokens), number(stats.memory.budget_tokens))] }],
    [said.cards.all, { big: bytes(sample(samples, "weir_held_bytes") ?? 0), lines: [said.sessions(sample(samples, "weir_open_sessions") ?? 0)] }],
  ];
  return html`<ul class="figure-cards">${cards.map(([name, { big, lines }]) => html`<li key=${name} class="card"><h2 class="small-head">${name}</h2>
    <p class="big figures">${big}</p>${lines.filter((it) => it !== big).map((it) => html`<p key=${it} class="small muted">${it}</p>`)}</li>`)}</ul>`;
}

/// In words, worst first; each says what it means.
function Lost({ figures }) {
  const said = words.health;
  const { stats, so_far, samples } = figures;
  const declined = sample(samples, "weir_answers_declined_total") ?? 0;
  const waiting = stats.unrecognised.filter((it) => !it.live).reduce((sum, it) => sum + it.waiting_ms, 0);
  const bad = [
    ...so_far.warnings,
    so_far.lost_ms > 0 && said.gaps(so_far.gaps, length(so_far.lost_ms)),
    so_far.failed_segments > 0 && said.failedSegments(so_far.failed_segments),
    waiting > 0 && said.waitingNote(length(waiting)),
    ...so_far.unheard.map((it) => said.unheard(it.why, it.times, length(it.ms))),
    stats.transcript.limit_bytes === 0 && said.transcriptOff,
  ].filter(Boolean);
  const notes = [
    so_far.memory.forgotten > 0 && said.forgotten(so_far.memory.forgotten),
    declined > 0 && said.declined(declined),
    so_far.audio_ms > 0 && said.heardSound(length(so_far.audio_ms), length(so_far.speech_ms)),
    stats.transcript.limit_bytes > 0 && said.transcript(bytes(stats.transcript.bytes), bytes(stats.transcript.limit_bytes)),
  ].filter(Boolean);
  return html`<section class="card" aria-labelledby="lost"><div><h2 id="lost">${said.lost}</h2><p class="small muted">${said.lostHelp(dayAndTime(so_far.opened_unix_ms))}</p></div>
    <ul class="told">
      ${bad.length === 0 && html`<li class="good"><${Icon} name="check" /><span>${said.nothingLost}</span></li>`}
      ${bad.map((it) => html`<li key=${it} class="warn"><${Icon} name="warning" /><span>${it}</span></li>`)}
      ${notes.map((it) => html`<li key=${it}><${Icon} name="info" /><span>${it}</span></li>`)}
    </ul></section>`;
}

