// The view Ask: questions to memory, each answer with its evidence.

import { ask, at, Problem, send } from "../lib/api.js";
import { readEvents } from "../lib/events.js";
import { clock, dayAndTime, length, number } from "../lib/format.js";
import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { Store, useLoad, useStore } from "../lib/load.js";
import { words } from "../lib/words.js";
import { Icon } from "../parts/icon.js";
import { PlayButton, usePlaying } from "../parts/player.js";
import { Speaker, colourClass } from "../parts/speaker.js";
import { Empty, Failed, Loading } from "../parts/states.js";

/// Questions of this tab that are kept for each session.
const KEPT = 40;
/// Lines before and after an utterance that are shown with it.
const AROUND = 2;
const KEY = "weir_asked_";

/// What was asked in this tab, by session; a reload keeps it.
const histories = new Map();

function historyOf(session) {
  if (!histories.has(session)) {
    let kept = {};
    try { kept = JSON.parse(sessionStorage.getItem(KEY + session)) ?? {}; } catch { /* begin anew */ }
    histories.set(session, {
      conversation: kept.conversation ?? `page-${Math.random().toString(36).slice(2)}`,
      rounds: new Store((kept.rounds ?? []).map((it, index) => ({ ...it, id: index }))),
      next: KEPT,
    });
  }
  return histories.get(session);
}

function keep(session) {
  const { conversation, rounds } = histories.get(session);
  const done = rounds.value.filter((it) => it.answer).map(({ question, answer }) => ({ question, answer }));
  try { sessionStorage.setItem(KEY + session, JSON.stringify({ conversation, rounds: done })); } catch { /* too much: this tab still has it */ }
}

const change = (rounds, id, changed) => rounds.set(rounds.value.map((it) => (it.id === id ? { ...it, ...changed } : it)));

/// Asks, and shows the answer while it is written.
async function askMemory(session, question, { check, askedBy }) {
  const history = historyOf(session);
  const { rounds, conversation } = history;
  const id = history.next;
  history.next += 1;
  const abort = new AbortController();
  const again = () => {
    rounds.set(rounds.value.filter((it) => it.id !== id));
    askMemory(session, question, { check, askedBy });
  };
  rounds.set([...rounds.value, { id, question, abort, again }].slice(-KEPT));
  const json = { question, conversation, check, stream: true };
  if (askedBy) json.asked_by = askedBy;
  try {
    const reply = await send(at(session, "ask"), { method: "POST", json, signal: abort.signal });
    let answered = false;
    await readEvents(reply, ({ kind, data }) => {
      const said = JSON.parse(data);
      if (kind === "text") change(rounds, id, { writing: said });
      if (kind === "problem") throw new Problem(said);
      if (kind === "answer") {
        answered = true;
        const { context, context_utterances: _, ...answer } = said;
        change(rounds, id, { answer, writing: undefined });
      }
    });
    if (!answered) throw new Problem({ detail: words.ask.brokenOff });
  } catch (error) {
    if (abort.signal.aborted) rounds.set(rounds.value.filter((it) => it.id !== id));
    else change(rounds, id, { error, writing: undefined });
  }
  keep(session);
}

export function Ask({ session }) {
  const { rounds } = historyOf(session);
  const shown = useStore(rounds);
  const stats = useLoad(() => ask(at(session)), [session]);
  const speakers = useLoad(() => ask(at(session, "speakers")), [session]);
  const [text, setText] = useState("");
  const [check, setCheck] = useState(false);
  const [askedBy, setAskedBy] = useState("");
  const input = useRef(null);
  const scroller = useRef(null);
  const last = shown.at(-1);
  const busy = last && !last.answer && !last.error;

  useLayoutEffect(() => {
    // the last question stands at the top, and its answer grows below it
    const round = scroller.current.querySelector("article:last-of-type");
    if (round) scroller.current.scrollTop = round.offsetTop - scroller.current.offsetTop;
  }, [shown.length, session, last?.answer, last?.error]);

  const submit = (event) => {
    event?.preventDefault();
    const question = text.trim();
    if (!question || busy) return;
    setText("");
    askMemory(session, question, { check, askedBy: askedBy || undefined });
  };
  const key = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  const clear = () => {
    rounds.set([]);
    histories.delete(session);
    try { sessionStorage.removeItem(KEY + session); } catch { /* nothing was kept */ }
    input.current.focus();
  };
  const begin = (with_) => { setText(with_); input.current.focus(); };

  const known = speakers.value ?? [];
  const nothing = stats.value?.turns === 0;
  return html`<div class="ask">
    <header class="ask-head"><h1>${words.ask.title}</h1>
      ${shown.length > 0 && html`<button type="button" class="button quiet small" onClick=${clear}>${words.ask.clear}</button>`}
    </header>
    <div ref=${scroller} class="ask-rounds" tabindex="0" role="region" aria-label=${words.ask.history}>
      ${stats.error && shown.length === 0 && html`<${Failed} error=${stats.error} again=${stats.again} />`}
      ${shown.length === 0 && !stats.error && (nothing
        ? html`<${Empty} icon="ask" title=${words.ask.nothingTitle} text=${words.ask.nothingText}>
            <a class="button primary" href=${`#/${encodeURIComponent(session)}/live`}>${words.ask.toLive}</a><//>`
        : html`<${Empty} icon="ask" title=${words.ask.emptyTitle} text=${words.ask.emptyText}>
            ${words.ask.begin(known.slice(0, 2).map((it) => it.name)).map((it) => html`<button key=${it} type="button" class="button" onClick=${() => begin(it)}>${it}…</button>`)}<//>`)}
      ${shown.map((it) => html`<${Round} key=${it.id} it=${it} session=${session} />`)}
    </div>
    <form class="ask-form" onSubmit=${submit}>
      <div class="ask-box">
        <label class="unseen" for="question">${words.ask.question}</label>
        <textarea id="question" ref=${input} rows="1" maxlength="2000" placeholder=${shown.length ? words.ask.followUp : words.ask.question} value=${text}
          onInput=${(event) => setText(event.target.value)} onKeyDown=${key}></textarea>
        ${busy
          ? html`<button type="button" class="button" onClick=${() => last.abort.abort()}><${Icon} name="stop" size=${18} />${words.ask.stop}</button>`
          : html`<button type="submit" class="button primary" disabled=${!text.trim()}>${words.ask.ask}</button>`}
      </div>
      <div class="ask-options">
        <label class="switch"><input type="checkbox" role="switch" checked=${check} onChange=${(event) => setCheck(event.target.checked)} />${words.ask.check}</label>
        ${known.length > 0 && html`<label class="ask-who"><span>${words.ask.askedBy}</span>
          <select class="input" value=${askedBy} onChange=${(event) => setAskedBy(event.target.value)}>
            <option value="">${words.ask.nobody}</option>
            ${known.map((it) => html`<option key=${it.name} value=${it.name}>${it.name}</option>`)}
          </select></label>`}
      </div>
    </form>
  </div>`;
}

function Round({ it, session }) {
  const { question, answer, writing, error } = it;
  return html`<article class="round">
    <h2 class="round-question">${question}</h2>
    ${answer && answer.question !== question && html`<p class="muted small">${words.ask.understood(answer.question)}</p>`}
    <div class="round-answer" aria-live="polite" aria-busy=${!answer && !error}>
      ${!answer && !error && !writing && html`<${Loading} lines=${2} />`}
      ${writing && html`<p class="answer-text" aria-hidden="true">${writing.checked} <span class="tentative">${writing.tentative}</span></p>`}
      ${error && html`<div class="note bad round-failed"><${Icon} name="warning" /><div><p><strong>${words.ask.failed}</strong> ${error.message}</p>
        ${it.again && html`<button type="button" class="button small" onClick=${it.again}>${words.errors.again}</button>`}</div></div>`}
      ${answer && html`<${Answer} answer=${answer} session=${session} />`}
    </div>
  </article>`;
}

function Answer({ answer, session }) {
  const kind = words.ask.kinds[answer.kind];
  const notes = [
    answer.unsupported?.length && words.ask.unsupported(answer.unsupported.length),
    answer.fallback && words.ask.fallback(answer.fallback),
    answer.not_reranked && words.ask.notReranked(answer.not_reranked),
    answer.unrecognised_ms && words.ask.waiting(length(answer.unrecognised_ms)),
  ].filter(Boolean);
  return html`
    ${answer.chance !== undefined && html`<p class="muted small" title=${words.ask.sureHelp}>${words.ask.sure.find(([least]) => answer.chance >= least)[1]}, ${answer.chance}</p>`}
    ${kind && html`<p class=${`badge ${answer.kind === "not_known" ? "" : "warn"}`}>${kind}</p>`}
    <${Cited} answer=${answer} session=${session} />
    ${answer.kind === "not_known" && html`<p class="muted small">${words.ask.notKnownHelp}
      ${" "}<a href=${`#/${encodeURIComponent(session)}/search?q=${encodeURIComponent(answer.question)}`}>${words.ask.toSearch}</a></p>`}
    ${answer.check && html`<${Checked} check=${answer.check} />`}
    ${answer.passages?.length > 0 && html`<h3>${words.ask.passages}</h3>
      <ol class="evidence">${answer.passages.map((it, index) => html`<li key=${index} class="citation"><div class="citation-head"><span class="badge">${it.source}</span>
        <span class="muted small">${words.ask.lines(it.file, it.first_line, it.last_line)}</span></div><p class="quote">${it.quote}</p></li>`)}</ol>`}
    ${notes.map((it) => html`<p key=${it} class="muted small">${it}</p>`)}
    <p class="muted small figures" title=${words.ask.read(number(answer.context_tokens))}>${words.ask.took(length(answer.timings_us.total / 1000))}</p>`;
}

/// The answer in pieces, each with the evidence that it quotes; what is not quoted word for word follows
/// at the end. A day that was added in brackets, a full stop and a quotation mark stay with their words.
function pieces(text, citations) {
  const endOf = (it) => {
    const quote = (it.quote ?? "").replace(/[.!?…]+$/, "");
    const at = quote ? text.indexOf(quote) : -1;
    if (at < 0) return text.length;
    const end = at + quote.length;
    return end + /^(?: \([^)]*\))?[.,;:!?…”"']*/.exec(text.slice(end))[0].length;
  };
  const ends = citations.map((it) => ({ it, end: endOf(it) })).sort((one, other) => one.end - other.end);
  const all = [];
  let from = 0;
  for (const { it, end } of ends) {
    if (end > from || all.length === 0) {
      all.push({ text: text.slice(from, end), of: [] });
      from = end;
    }
    all.at(-1).of.push(it);
  }
  if (from < text.length) all.push({ text: text.slice(from), of: [] });
  return all;
}

/// The answer once, with a numbered chip for each piece of evidence, which it opens below.
function Cited({ answer, session }) {
  const [open, setOpen] = useState();
  const all = pieces(answer.answer, answer.citations);
  const cited = all.flatMap((it) => it.of);
  const chip = (it) => {
    const number = cited.indexOf(it) + 1;
    const label = words.ask.chip(number, it.speaker ?? words.parts.unknownSpeaker, it.said_at && dayAndTime(it.said_at));
    return html`<button key=${number} type="button" class=${`chip ${colourClass(it.speaker)}`} aria-expanded=${String(open === number)} aria-label=${label} title=${label}
      onClick=${() => setOpen(open === number ? undefined : number)}>${number}</button>`;
  };
  // a chip stays with the last word before it
  const piece = ({ text, of }, n) => {
    if (of.length === 0) return text;
    const cut = text.length - (/\S{1,24}$/.exec(text)?.[0].length ?? 0);
    return html`<span key=${n}>${text.slice(0, cut)}<span class="chips">${text.slice(cut)} ${of.map(chip)}</span></span>`;
  };
  return html`<p class="answer-text">${all.map(piece)}</p>
    ${open && html`<${Citation} key=${open} it=${cited[open - 1]} number=${open} session=${session} />`}`;
}

/// One piece of evidence: who said it and when, its sound, and its words among the lines around it.
function Citation({ it, number: count, session }) {
  const which = { session, stream: it.stream, utterance: it.utterances[0] };
  const playing = usePlaying(which);
  const who = it.speaker ?? words.parts.unknownSpeaker;
  return html`<section class=${playing ? "citation marked" : "citation"} aria-label=${words.ask.evidenceOf(count)}>
    <div class="citation-head"><span class="chip still" aria-hidden="true">${count}</span><${Speaker} name=${it.speaker} />
      <span class="muted small">${it.said_at ? dayAndTime(it.said_at) : `${it.stream}, ${clock(it.start_ms)}`}</span>
      ${it.audio && html`<${PlayButton} ...${which} label=${words.ask.playOf(who)} />`}
    </div>
    ${it.turn !== undefined ? html`<${Around} session=${session} turn=${it.turn} quote=${it.quote} />` : html`<p class="quote">${it.quote || words.ask.noQuote}</p>`}
    ${it.turn !== undefined && html`<a class="small" href=${`#/${encodeURIComponent(session)}/live?turn=${it.turn}`}>${words.ask.inTranscript}</a>`}
  </section>`;
}

function Around({ session, turn, quote }) {
  const lines = useLoad(() => ask(at(session, "transcript", { from_turn: Math.max(0, turn - AROUND), to_turn: turn + AROUND + 1 })), [session, turn]);
  if (lines.error) return html`<p class="problem" role="alert">${lines.error.message}</p>`;
  if (!lines.value) return html`<${Loading} lines=${3} />`;
  if (!lines.value.some((it) => it.turn === turn)) return html`<p class="quote">${quote || words.ask.noQuote}</p><p class="muted small">${words.ask.notInTranscript}</p>`;
  return html`<ul class="around">${lines.value.map((it) => html`<li key=${it.turn} class=${it.turn === turn ? "around-line marked" : "around-line"} aria-current=${it.turn === turn ? "true" : undefined}>
    <${Speaker} name=${it.speaker} /> <span>${it.text}</span></li>`)}</ul>`;
}

function Checked({ check }) {
  const { found, cited } = check.shares;
  const wrong = check.claims.filter((it) => it.found.verdict !== "supported" || it.cited.verdict !== "supported" || it.persona.verdict === "contradicted");
  return html`<div class="checked">
    <p class=${`badge ${wrong.length ? "warn" : found.of ? "good" : ""}`}><${Icon} name=${wrong.length ? "warning" : found.of ? "check" : "info"} size=${14} />${words.ask.checked(found.count, cited.count, found.of)}</p>
    ${check.claims.length > 0 && html`<ul>${check.claims.map((it, index) => html`<${Claim} key=${index} it=${it} />`)}</ul>`}
  </div>`;
}

function Claim({ it }) {
  const against = [[it.found, words.ask.byFound], [it.persona, words.ask.byProfile]].filter(([finding]) => finding.verdict === "contradicted");
  const verdict = against.length ? "contradicted" : it.found.verdict !== "supported" ? "neither" : it.cited.verdict !== "supported" ? "uncited" : "supported";
  return html`<li class="claim"><span class=${`badge ${{ supported: "good", contradicted: "bad" }[verdict] ?? "warn"}`}>${words.ask.verdicts[verdict]}</span>
    <span>“${it.text}”${against.map(([finding, by]) => html`<br /><span class="muted small">${by(finding.statement ?? "")}</span>`)}</span></li>`;
}
