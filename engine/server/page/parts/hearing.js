// What is heard by this page: the microphone with its level, and recordings on their way.

import { ask, at } from "../lib/api.js";
import { bytes, clock, length, percent } from "../lib/format.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { useStore } from "../lib/load.js";
import { forgetMicrophone, loudness, microphone, startMicrophone, stopMicrophone } from "../lib/microphone.js";
import { dismissUpload, lengthOf, stopUpload, upload, uploads } from "../lib/uploads.js";
import { words } from "../lib/words.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icon.js";
import { toast } from "./toast.js";

/// Loudness below this for so long is no voice: the wrong microphone, or a muted one.
const QUIET_DB = -55;
const QUIET_MS = 6000;
const SILENCE_DB = -60;
/// How often it is asked how far the recogniser is, and from when on its delay is told.
const LOOK_MS = 5000;
const BEHIND_MS = 10_000;

const decibels = (loud) => 20 * Math.log10(Math.max(loud, 1e-6));

/// A bar from silence to full loudness. It is drawn without rendering, ten times a second.
function Meter() {
  const bar = useRef(null);
  const [quiet, setQuiet] = useState(false);
  useEffect(() => {
    let since = Date.now();
    return loudness.follow((loud) => {
      const db = decibels(loud);
      const share = Math.max(0, Math.min(1, 1 - db / SILENCE_DB));
      if (!bar.current) return;
      bar.current.firstElementChild.style.transform = `scaleX(${share})`;
      bar.current.setAttribute("aria-valuenow", Math.round(share * 100));
      if (db > QUIET_DB) since = Date.now();
      setQuiet(Date.now() - since > QUIET_MS);
    });
  }, []);
  return html`<div ref=${bar} class="meter" role="meter" aria-label=${words.live.level} aria-valuemin="0" aria-valuemax="100" aria-valuenow="0"><div></div></div>
    ${quiet && html`<span class="small warn-text">${words.live.quiet}</span>`}`;
}

/// Renders again each second while something counts.
export function useSeconds(counting) {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!counting) return undefined;
    const timer = setInterval(() => tick((it) => it + 1), 1000);
    return () => clearInterval(timer);
  }, [counting]);
}

/// How much sound waits for the recogniser: on a slow machine the words come late.
function useBehind(session, listens) {
  const [behind, setBehind] = useState(0);
  useEffect(() => {
    setBehind(0);
    if (!listens) return undefined;
    const look = async () => {
      try {
        const { unrecognised } = await ask(at(session));
        setBehind(unrecognised.filter((it) => it.live).reduce((sum, it) => sum + it.waiting_ms, 0));
      } catch { /* the state of the connection says it */ }
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [session, listens]);
  return behind;
}

export function MicrophoneButton({ session, primary }) {
  const { is } = useStore(microphone);
  const runs = !["off", "failed"].includes(is);
  const text = { starting: words.live.micStarting, ending: words.live.micEnding }[is] ?? (runs ? words.live.micStop : words.live.micStart);
  const kind = runs ? "button danger" : primary ? "button primary" : "button";
  return html`<button type="button" class=${kind} disabled=${is === "ending"} onClick=${() => (runs ? stopMicrophone() : startMicrophone(session))}>
    <${Icon} name=${runs ? "stop" : "mic"} /><span>${text}</span></button>`;
}

/// The microphone while it runs, or why it does not.
export function MicrophoneStrip() {
  const state = useStore(microphone);
  useSeconds(state.is === "on" || state.is === "reconnecting");
  const { is, since, lost_ms: lost, reason, detail, session } = state;
  const behind = useBehind(session, is === "on" || is === "ending");
  useEffect(() => {
    if (is === "off" && state.heard) {
      toast(words.live.micHeard(length(state.heard.audio_ms), length(state.heard.speech_ms)), "good");
      microphone.set({ is: "off" });
    }
  }, [state]);
  if (is === "off") return null;
  if (is === "failed") {
    const said = words.live.micFailed[reason] ?? words.live.micFailed.broken;
    return html`<div class="note bad strip" role="alert"><${Icon} name="warning" />
      <div><strong>${said.title}</strong> ${said.text(location)} ${["refused", "broken"].includes(reason) && detail}</div>
      <button type="button" class="icon-button" aria-label=${words.parts.dismiss} onClick=${forgetMicrophone}><${Icon} name="close" size=${16} /></button></div>`;
  }
  return html`<div class="strip hearing" role="group" aria-label=${words.live.microphone}>
    <span class="recording" aria-hidden="true"></span>
    <strong>${{ starting: words.live.micStarting, ending: words.live.micEnding, reconnecting: words.live.micReconnecting }[is] ?? words.live.micOn(session)}</strong>
    ${since && html`<span class="figures muted">${clock(Date.now() - since)}</span>`}
    <${Meter} />
    ${behind > BEHIND_MS && html`<span class="small muted">${words.live.behind(length(behind))}</span>`}
    ${lost > 0 && html`<span class="small bad-text">${words.live.micLost(length(lost))}</span>`}
  </div>`;
}

/// Recordings on their way, and what became of them.
export function UploadStrips({ session }) {
  const all = useStore(uploads).filter((it) => it.session === session);
  return all.map((it) => html`<${UploadStrip} key=${it.id} it=${it} />`);
}

function UploadStrip({ it }) {
  const share = { sending: it.sent / Math.max(1, it.bytes), hearing: it.length_ms ? it.heard_ms / it.length_ms : undefined, done: 1 }[it.is];
  const said = {
    sending: () => words.live.sending(percent(share), bytes(it.bytes)),
    hearing: () => (it.length_ms ? words.live.hearingOf(clock(it.heard_ms), clock(it.length_ms)) : words.live.hearing(clock(it.heard_ms))),
    stopped: () => words.live.stoppedAt(clock(it.heard_ms)),
    done: () => words.live.heardAll(length(it.result.audio_ms), length(it.result.speech_ms), it.result.failed_segments),
    failed: () => it.error.message,
  }[it.is]();
  const runs = it.is === "sending" || it.is === "hearing";
  return html`<div class=${it.is === "failed" ? "strip upload failed" : "strip upload"} role=${it.is === "failed" ? "alert" : "group"} aria-label=${it.name}>
    <${Icon} name=${{ done: "check", failed: "warning", stopped: "stop" }[it.is] ?? "upload"} />
    <div class="upload-text"><strong>${it.is === "failed" ? words.live.notHeard(it.name) : it.name}</strong> <span class="muted small">${said}</span>
      ${runs && html`<div class="progress" role="progressbar" aria-label=${it.name} aria-valuenow=${share === undefined ? undefined : Math.round(Math.min(1, share) * 100)} aria-valuemin="0" aria-valuemax="100">
        <div class=${share === undefined ? "unsure" : ""} style=${{ width: `${Math.min(1, share ?? 1) * 100}%` }}></div></div>`}
    </div>
    ${runs && html`<button type="button" class="button small" onClick=${() => stopUpload(it.id)}>${it.is === "hearing" ? html`<${Icon} name="stop" size=${16} />${words.live.stopHearing}` : words.parts.cancel}</button>`}
    ${it.again && html`<button type="button" class="button small" onClick=${it.again}>${words.errors.again}</button>`}
    ${!runs && html`<button type="button" class="icon-button" aria-label=${words.parts.dismiss} onClick=${() => dismissUpload(it.id)}><${Icon} name="close" size=${16} /></button>`}
  </div>`;
}

/// A button that takes a file, and asks when it was recorded. `children(choose)` may take one too.
export function UploadButton({ session, dropped, onTaken }) {
  const input = useRef(null);
  const [file, setFile] = useState();
  const taken = dropped ?? file;
  const leave = () => { setFile(undefined); onTaken?.(); if (input.current) input.current.value = ""; };
  return html`<button type="button" class="button" onClick=${() => input.current.click()}><${Icon} name="upload" /><span>${words.live.upload}</span></button>
    <input ref=${input} type="file" hidden accept="audio/*,video/*,.flac,.mka,.caf,.aiff,.opus" onChange=${(event) => setFile(event.target.files[0])} />
    ${taken && html`<${UploadDialog} session=${session} file=${taken} onClose=${leave} />`}`;
}

const local = (ms) => {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

function UploadDialog({ session, file, onClose }) {
  const [about, setAbout] = useState({ length: undefined, when: local(file.lastModified) });
  useEffect(() => {
    let shown = true;
    lengthOf(file).then((found) => {
      // most recorders write the file when they end
      if (shown) setAbout((it) => ({ length: found, when: it.touched ? it.when : local(file.lastModified - (found ?? 0)), touched: it.touched }));
    });
    return () => { shown = false; };
  }, [file]);
  const start = (event) => {
    event.preventDefault();
    const when = Date.parse(about.when);
    upload(session, file, { length_ms: about.length, started_at_unix_ms: Number.isNaN(when) ? undefined : when });
    onClose();
  };
  return html`<${Dialog} title=${words.live.uploadTitle} onClose=${onClose}>
    <form class="dialog-text" onSubmit=${start}>
      <p><strong>${file.name}</strong><br /><span class="muted small">${[bytes(file.size), about.length && length(about.length)].filter(Boolean).join(" · ")}</span></p>
      <div class="field"><label for="recorded-at">${words.live.recordedAt}</label>
        <input id="recorded-at" class="input" type="datetime-local" value=${about.when} aria-describedby="recorded-hint"
          onInput=${(event) => setAbout({ ...about, when: event.target.value, touched: true })} />
        <span id="recorded-hint" class="hint">${words.live.recordedHint}</span></div>
      <footer><button type="button" class="button" onClick=${onClose}>${words.parts.cancel}</button>
        <button type="submit" class="button primary">${words.live.hearIt}</button></footer>
    </form><//>`;
}

/// In views that do not show the strips: that recordings are on their way, and how far they are.
export function UploadBadges() {
  const all = useStore(uploads).filter((it) => it.is === "sending" || it.is === "hearing");
  return all.map((it) => {
    const far = it.is === "sending" ? percent(it.sent / Math.max(1, it.bytes)) : it.length_ms ? percent(Math.min(1, it.heard_ms / it.length_ms)) : clock(it.heard_ms);
    const what = it.is === "hearing" ? words.live.hearingNow : words.live.sendingNow;
    return html`<a key=${it.id} class="mic-badge" href=${`#/${encodeURIComponent(it.session)}/live`} title=${it.name} aria-label=${`${it.name}: ${what} ${far}`}>
      <${Icon} name="upload" size=${18} /><span class="small">${what}</span><span class="figures">${far}</span></a>`;
  });
}

/// In views that do not show the strip: that the microphone is on, and a way to end it.
export function MicrophoneBadge() {
  const { is, since, session } = useStore(microphone);
  useSeconds(is === "on" || is === "reconnecting");
  if (is !== "on" && is !== "reconnecting") return null;
  return html`<div class="mic-badge" role="group" aria-label=${words.live.microphone}>
    <span class="recording" aria-hidden="true"></span><span class="small">${words.live.micOn(session)} <span class="figures">${clock(Date.now() - since)}</span></span>
    <button type="button" class="icon-button" aria-label=${words.live.micStop} onClick=${stopMicrophone}><${Icon} name="stop" size=${18} /></button></div>`;
}
