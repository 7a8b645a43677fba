// The view Ask: questions to memory, each answer with its evidence.

import { ask, at, Problem, send } from "../lib/api.js";
import { readEvents } from "../lib/events.js";
import { dayAndTime, length, number } from "../lib/format.js";
import { html, useLayoutEffect, useRef, useState } from "../lib/html.js";
import { Store, useLoad, useStore } from "../lib/load.js";
import { words } from "../lib/words.js";
import { Icon } from "../parts/icon.js";
import { PlayButton, play, usePlaying } from "../parts/player.js";
import { Speaker } from "../parts/speaker.js";
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
    ${kind && html`<p class=${`badge ${answer.kind === "not_known" ? "" : "warn"}`}>${kind}</p>`}
    <p class="answer-text">${answer.answer}</p>
    ${answer.kind === "not_known" && html`<p class="muted small">${words.ask.notKnownHelp}
      ${" "}<a href=${`#/${encodeURIComponent(session)}/search?q=${encodeURIComponent(answer.question)}`}>${words.ask.toSearch}</a></p>`}
    ${answer.check && html`<${Checked} check=${answer.check} />`}
    ${answer.citations.length > 0 && html`<h3>${words.ask.evidence}</h3>
      <ol class="evidence">${answer.citations.map((it, index) => html`<${Citation} key=${index} it=${it} session=${session} />`)}</ol>`}
    ${answer.passages?.length > 0 && html`<h3>${words.ask.passages}</h3>
      <ol class="evidence">${answer.passages.map((it, index) => html`<li key=${index} class="citation"><div class="citation-head"><span class="badge">${it.source}</span>
        <span class="muted small">${words.ask.lines(it.file, it.first_line, it.last_line)}</span></div><p class="quote">${it.quote}</p></li>`)}</ol>`}
    ${notes.map((it) => html`<p key=${it} class="muted small">${it}</p>`)}
    <p class="muted small figures">${words.ask.took(length(answer.timings_us.total / 1000), number(answer.context_tokens))}</p>`;
}

/// One piece of evidence: its words, its sound, and the lines around it.
function Citation({ it, session }) {
  const [open, setOpen] = useState(false);
  const utterance = it.utterances[0];
  const which = { session, stream: it.stream, utterance };
  const playing = usePlaying(which);
  const show = () => {
    if (!open && it.audio) play(which);
    setOpen(!open);
  };
  const who = it.speaker ?? words.parts.unknownSpeaker;
  return html`<li class=${playing ? "citation marked" : "citation"}>
    <div class="citation-head"><${Speaker} name=${it.speaker} />
      <span class="muted small">${it.said_at ? dayAndTime(it.said_at) : ""}</span>
      ${it.audio && html`<${PlayButton} ...${which} label=${words.ask.playOf(who)} onPlay=${() => setOpen(true)} />`}
    </div>
    <p class="quote">${it.quote || words.ask.noQuote}</p>
    <div class="citation-more">
      <button type="button" class="button quiet small" aria-expanded=${open} onClick=${show}>${open ? words.ask.hideAround : words.ask.showAround}</button>
      ${it.turn !== undefined && html`<a class="button quiet small" href=${`#/${encodeURIComponent(session)}/live?turn=${it.turn}`}>${words.ask.inTranscript}</a>`}
    </div>
    ${open && it.turn !== undefined && html`<${Around} session=${session} turn=${it.turn} />`}
  </li>`;
}

function Around({ session, turn }) {
  const lines = useLoad(() => ask(at(session, "transcript", { from_turn: Math.max(0, turn - AROUND), to_turn: turn + AROUND + 1 })), [session, turn]);
  if (lines.error) return html`<p class="problem" role="alert">${lines.error.message}</p>`;
  if (!lines.value) return html`<${Loading} lines=${3} />`;
  if (!lines.value.some((it) => it.turn === turn)) return html`<p class="muted small">${words.ask.notInTranscript}</p>`;
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
