// The view Settings: what this browser remembers, and the budgets of a session with what they mean.

import { ask, at, change, keepToken, token } from "../lib/api.js";
import { bytes, number, percent } from "../lib/format.js";
import { html, useEffect, useState } from "../lib/html.js";
import { useLoad } from "../lib/load.js";
import { words } from "../lib/words.js";
import { Confirm, Rows } from "../parts/confirm.js";
import { Icon } from "../parts/icon.js";
import { Failed, Loading } from "../parts/states.js";
import { toast } from "../parts/toast.js";

const THEME = "weir_theme";
/// Bounds of the server.
const TOKENS = { min: 256, max: 4_194_304 };
const MEGABYTE = 1_048_576;

function theme() {
  return document.documentElement.dataset.theme ?? "system";
}

function setTheme(chosen) {
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  try {
    if (chosen === "system") localStorage.removeItem(THEME);
    else localStorage.setItem(THEME, chosen);
  } catch { /* it holds until the page is left */ }
}

function last() {
  try { return localStorage.getItem("weir_session") ?? ""; } catch { return ""; }
}

export function Settings() {
  const sessions = useLoad(() => ask("/v1/sessions"), []);
  return html`<div class="page">
    <div class="page-head"><h1>${words.settings.title}</h1></div>
    <${Appearance} />
    <${Access} refused=${sessions.error?.status === 401} open=${!!sessions.value} onChange=${sessions.again} />
    ${sessions.error && !sessions.error.refused && html`<${Failed} error=${sessions.error} again=${sessions.again} />`}
    ${sessions.value && html`<${OfSession} names=${sessions.value.map((it) => it.name)} />`}
    ${!sessions.value && !sessions.error && html`<div class="card"><${Loading} lines=${4} /></div>`}
    <${Models} />
  </div>`;
}

function Appearance() {
  const [chosen, setChosen] = useState(theme());
  return html`<section class="card" aria-labelledby="looks"><h2 id="looks">${words.settings.looks}</h2>
    <div class="segments" role="radiogroup" aria-labelledby="looks">
      ${["system", "light", "dark"].map((it) => html`<label key=${it}><input type="radio" name="theme" checked=${chosen === it} onChange=${() => { setTheme(it); setChosen(it); }} /><span>${words.settings.themes[it]}</span></label>`)}
    </div></section>`;
}

function Access({ refused, open, onChange }) {
  const [secret, setSecret] = useState("");
  const [has, setHas] = useState(!!token());
  const [error, setError] = useState("");
  const save = async (event) => {
    event.preventDefault();
    if (!keepToken(secret.trim())) { setError(words.settings.noToken); return; }
    try {
      await ask("/v1/sessions");
      toast(words.settings.tokenKept, "good");
      setError("");
      setSecret("");
    } catch (problem) {
      setError(problem.message);
    }
    setHas(!!token());
    onChange();
  };
  const remove = () => {
    keepToken("");
    setHas(false);
    toast(words.settings.tokenRemoved);
    onChange();
  };
  return html`<section class="card" aria-labelledby="access"><h2 id="access">${words.settings.access}</h2>
    <p class="muted">${refused ? words.settings.accessNeeded : has ? words.settings.accessHas : open && words.settings.accessOpen}</p>
    <form class="inline-form" onSubmit=${save}>
      <div class="field"><label for="token">${words.settings.token}</label>
        <input id="token" class="input" type="password" autocomplete="off" spellcheck=${false} value=${secret} aria-invalid=${!!error} aria-describedby="token-hint" onInput=${(event) => setSecret(event.target.value)} />
        <span id="token-hint" class=${error ? "problem" : "hint"} role=${error ? "alert" : undefined}>${error || words.settings.tokenHint}</span></div>
      <div class="buttons"><button type="submit" class="button primary" disabled=${!secret.trim()}>${words.settings.keep}</button>
        ${has && html`<button type="button" class="button" onClick=${remove}>${words.settings.removeToken}</button>`}</div>
    </form></section>`;
}

function OfSession({ names }) {
  const [session, setSession] = useState(names.includes(last()) ? last() : names[0]);
  const stats = useLoad(() => (session ? ask(at(session)) : undefined), [session]);
  return html`<section class="card" aria-labelledby="of-session"><h2 id="of-session">${words.settings.budget}</h2>
    ${!session && html`<p class="muted">${words.settings.noSession} <a href="#/sessions?new">${words.sessions.make}</a></p>`}
    ${session && html`<div class="field"><label for="which-session">${words.shell.session}</label>
      <select id="which-session" class="input" value=${session} onChange=${(event) => setSession(event.target.value)}>${names.map((it) => html`<option key=${it} value=${it}>${it}</option>`)}</select></div>`}
    ${stats.error && html`<${Failed} error=${stats.error} again=${stats.again} />`}
    ${session && !stats.value && !stats.error && html`<${Loading} lines=${5} />`}
    ${session && stats.value && html`<${Budget} key=${session} session=${session} stats=${stats.value} again=${stats.again} />
      <hr /><h3>${words.settings.holds}</h3>
      <${Rows} rows=${[
        [words.settings.statements, number(stats.value.memory.amus)],
        [words.settings.nodes, words.settings.of(number(stats.value.tree.nodes), number(stats.value.tree.budget_nodes))],
        [words.settings.bytes, words.settings.of(bytes(stats.value.tree.bytes), bytes(stats.value.tree.budget_bytes))],
        [words.settings.transcript, words.settings.of(bytes(stats.value.transcript.bytes), stats.value.transcript.limit_bytes ? bytes(stats.value.transcript.limit_bytes) : words.settings.none)],
        [words.settings.encoder, stats.value.encoder.name],
      ]} />
      <p class="muted small">${words.settings.encoderText}</p>`}
  </section>`;
}

function Budget({ session, stats, again }) {
  const { text_tokens: held, budget_tokens: now, amus } = stats.memory;
  const limit = stats.transcript.limit_bytes;
  const [tokens, setTokens] = useState(String(now));
  const [megabytes, setMegabytes] = useState(String(Math.round(limit / MEGABYTE)));
  const [asking, setAsking] = useState();
  useEffect(() => { setTokens(String(now)); setMegabytes(String(Math.round(limit / MEGABYTE))); }, [now, limit]);
  const wanted = Number(tokens);
  const kept = Number(megabytes) * MEGABYTE;
  const legal = Number.isInteger(wanted) && wanted >= TOKENS.min && wanted <= TOKENS.max && Number.isInteger(Number(megabytes)) && Number(megabytes) >= 0;
  const json = { budget: { ...(wanted !== now && { tokens: wanted }), ...(Math.round(limit / MEGABYTE) !== Number(megabytes) && { transcript_bytes: kept }) } };
  const changes = Object.keys(json.budget).length > 0;
  const each = amus ? Math.max(1, held / amus) : 12;
  const goes = Math.max(0, Math.round((held - wanted) / each));
  const cuts = kept < stats.transcript.bytes;
  const run = () => change(session, json);
  const done = (changed) => { toast(words.settings.changed(changed.forgotten), "good"); again(); };
  const submit = async (event) => {
    event.preventDefault();
    if (goes > 0 || cuts) { setAsking(true); return; }
    try { done(await run()); } catch (problem) { toast(problem.message, "bad"); }
  };
  return html`<form class="dialog-text" onSubmit=${submit}>
    <div><div class="bar-label small"><span>${words.settings.used}</span><span class="figures">${words.settings.of(number(held), number(now))} (${percent(held / now)})</span></div>
      <div class="progress" role="meter" aria-label=${words.settings.used} aria-valuemin="0" aria-valuemax=${now} aria-valuenow=${held}><div style=${{ width: `${Math.min(100, (held / now) * 100)}%` }}></div></div></div>
    <div class="field"><label for="budget-tokens">${words.settings.tokens}</label>
      <input id="budget-tokens" class="input" type="number" min=${TOKENS.min} max=${TOKENS.max} step="1" required value=${tokens} aria-describedby="budget-hint" onInput=${(event) => setTokens(event.target.value)} />
      <span id="budget-hint" class="hint">${!legal ? words.settings.legal(number(TOKENS.min), number(TOKENS.max)) : words.settings.means(number(Math.round(wanted / each)))}</span></div>
    <div class="field"><label for="transcript-bytes">${words.settings.transcriptLimit}</label>
      <input id="transcript-bytes" class="input" type="number" min="0" step="1" required value=${megabytes} aria-describedby="transcript-hint" onInput=${(event) => setMegabytes(event.target.value)} />
      <span id="transcript-hint" class="hint">${Number(megabytes) === 0 ? words.settings.noTranscript : words.settings.transcriptMeans}</span></div>
    ${legal && goes > 0 && html`<div class="note warn"><${Icon} name="warning" /><span>${words.settings.forgets(number(goes), number(amus))}</span></div>`}
    ${legal && cuts && html`<div class="note warn"><${Icon} name="warning" /><span>${words.settings.cuts}</span></div>`}
    <div class="buttons"><button type="submit" class="button primary" disabled=${!legal || !changes}>${words.settings.save}</button></div>
    ${asking && html`<${Confirm} title=${words.settings.lowerTitle} action=${words.settings.lowerIt} run=${run} onDone=${done} onClose=${() => setAsking(undefined)}>
      ${goes > 0 && html`<p>${words.settings.forgets(number(goes), number(amus))}</p>`}${cuts && html`<p>${words.settings.cuts}</p>`}<p>${words.settings.forGood}</p><//>`}
  </form>`;
}

function Models() {
  const health = useLoad(() => ask("/health"), []);
  return html`<section class="card" aria-labelledby="models"><h2 id="models">${words.settings.models}</h2>
    <p class="muted">${words.settings.modelsText}</p>
    <dl class="models">${words.settings.modelRows.map(([name, text, command]) => html`<div key=${name}><dt>${name}</dt><dd>${text}<br /><code>${command}</code></dd></div>`)}</dl>
    ${health.value && html`<p class="muted small">${words.settings.version(health.value.version)} · <a href="/docs">${words.settings.docs}</a></p>`}</section>`;
}
