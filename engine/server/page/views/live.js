// The view Live: the transcript as it grows, and ways to be heard.

import { ask, at, change } from "../lib/api.js";
import { useEvents } from "../lib/events.js";
import { clock, day, dayKey, length, number, timeWithSeconds } from "../lib/format.js";
import { Component, html, useCallback, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { useLoad, useStore } from "../lib/load.js";
import { Transcript } from "../lib/transcript.js";
import { VirtualList } from "../lib/virtual.js";
import { words } from "../lib/words.js";
import { Dialog } from "../parts/dialog.js";
import { MicrophoneButton, MicrophoneStrip, UploadButton, UploadStrips } from "../parts/hearing.js";
import { ImportButton, isExport } from "../parts/import.js";
import { Icon } from "../parts/icon.js";
import { PlayButton } from "../parts/player.js";
import { Speaker, colourClass } from "../parts/speaker.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { toast } from "../parts/toast.js";

/// Rows from either end at which the next part is loaded.
const NEAR = 200;
/// A partial text that nothing follows is no speech any more.
const STALE_MS = 20_000;
/// Lines of one speaker stand under one name unless so much time passes between them.
const PAUSE_MS = 120_000;

export function Live({ session, go, query }) {
  const transcript = useMemo(() => new Transcript(session), [session]);
  const shown = useStore(transcript.store);
  const [partials, setPartials] = useState(new Map());
  const [view, setView] = useState({ atEnd: true });
  const [naming, setNaming] = useState();
  const [dropped, setDropped] = useState();
  const [said, setSaid] = useState("");
  const [unread, setUnread] = useState(0);
  const list = useRef(null);
  const wanted = query.get("turn");
  const marked = wanted !== null ? Number(wanted) : undefined;

  useEvents(session, ({ kind, data }) => {
    if (kind === "connected" && data.fresh) begin();
    if (kind === "connected" && !data.fresh) transcript.soon();
    if (kind === "missed") { setPartials(new Map()); transcript.soon(); }
    if (kind === "memory" && data.by_hand) transcript.anew();
    if (kind === "partial") setPartials(withPartial(data));
    if (kind === "utterance") {
      transcript.heard(data);
      setPartials(without(data));
      if (view.atEnd) setSaid(`${data.speaker ?? words.parts.unknownSpeaker}: ${data.text}`);
      else setUnread((it) => it + 1);
    }
    if (kind === "unheard") { transcript.mark("unheard", data); setPartials(without(data)); }
    if (kind === "gap") transcript.mark("gap", data);
  });

  const begin = () => (marked === undefined ? transcript.newest() : transcript.around(marked));
  useEffect(() => { if (shown.rows.length === 0 && !shown.error) begin(); }, [session]);

  // a link to an utterance: it is loaded, shown and marked
  useEffect(() => {
    if (marked === undefined || shown.loading) return;
    const index = shown.rows.findIndex((it) => it.turn === marked);
    if (index >= 0) list.current?.scrollTo(shown.first + index, true);
    else if (shown.rows.length > 0) transcript.around(marked).then(() => {
      const now = transcript.store.value;
      const there = now.rows.findIndex((it) => it.turn === marked);
      if (there >= 0) list.current?.scrollTo(now.first + there, true);
      else toast(words.live.notKept, "bad");
    });
  }, [marked, shown.loading, session]);

  useEffect(() => {
    if (partials.size === 0) return undefined;
    const timer = setTimeout(() => setPartials((was) => {
      const fresh = [...was].filter(([, it]) => Date.now() - it.at < STALE_MS);
      return fresh.length === was.size ? was : new Map(fresh);
    }), STALE_MS);
    return () => clearTimeout(timer);
  }, [partials]);

  const look = useCallback((seen) => {
    const now = transcript.store.value;
    setView((was) => (was.atEnd === seen.atEnd ? was : seen));
    if (seen.start - now.first < NEAR) transcript.older();
    if (now.newer && now.first + now.rows.length - seen.end < NEAR) transcript.newer();
    if (seen.atEnd && !now.newer) setUnread(0);
  }, [transcript]);

  const toNewest = async () => {
    if (marked !== undefined) go(`#/${encodeURIComponent(session)}/live`, { replace: true });
    if (shown.newer) await transcript.newest();
    setUnread(0);
    list.current?.toEnd();
  };

  const drop = (event) => {
    event.preventDefault();
    setDropped(event.dataTransfer.files[0]);
  };

  const active = useActiveRow(shown, list, session, marked);
  const row = (it, position) => html`<${Row} key=${it.key} it=${it} before=${lineBefore(shown.rows, position - shown.first)} position=${position}
    size=${shown.newer ? -1 : shown.rows.length} first=${shown.first} session=${session} marked=${it.turn !== undefined && it.turn === marked}
    active=${active.position === position} onName=${setNaming} onActive=${active.set} />`;
  const empty = !shown.loading && !shown.error && shown.rows.length === 0 && partials.size === 0;
  const behind = !empty && (!view.atEnd || shown.newer);

  return html`<div class="live" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
    <header class="live-head">
      <h1>${words.live.title}</h1>
      <span class="muted small figures">${shown.rows.length > 0 && !shown.newer ? words.live.utterances(lastTurn(shown.rows) + 1) : ""}</span>
      <div class="live-actions">
        <${UploadButton} session=${session} dropped=${isExport(dropped) ? undefined : dropped} onTaken=${() => setDropped(undefined)} />
        <${ImportButton} session=${session} dropped=${isExport(dropped) ? dropped : undefined} onTaken=${() => setDropped(undefined)} />
        <${MicrophoneButton} session=${session} primary=${true} />
      </div>
    </header>
    <div class="strips"><${MicrophoneStrip} /><${UploadStrips} session=${session} /></div>
    ${shown.error && html`<${Failed} error=${shown.error} again=${begin} />`}
    ${shown.loading && shown.rows.length === 0 && html`<div class="live-loading"><${Loading} lines=${9} /></div>`}
    ${empty && html`<${Empty} icon="live" title=${words.live.emptyTitle} text=${words.live.emptyText}>
      <p class="small">${words.live.emptyMore} <a href="/docs">/docs</a></p><//>`}
    ${!shown.error && !empty && shown.rows.length + partials.size > 0 && html`<${VirtualList} rows=${shown.rows} first=${shown.first} row=${row} api=${list} onView=${look}
      label=${words.live.transcript} className="transcript" estimate=${76} follow=${!shown.newer} start=${marked === undefined ? "end" : "top"} onKeyDown=${active.keys}
      before=${html`<div class="transcript-edge small muted">${shown.older ? words.live.loadingOlder : words.live.beginning}</div>`}
      after=${html`<${Partials} all=${partials} /><div class="transcript-end"></div>`} />`}
    ${behind && html`<button type="button" class="button to-newest" onClick=${toNewest}><${Icon} name="down" size=${18} />${unread ? words.live.unread(unread) : words.live.toNewest}</button>`}
    <div class="unseen" role="log" aria-live="polite" aria-label=${words.live.lastSaid}>${said}</div>
    ${naming && html`<${NameSpeaker} session=${session} speaker=${naming} onClose=${() => setNaming(undefined)} onDone=${() => transcript.anew()} />`}
  </div>`;
}

/// The line before a row, past sound that was lost or not heard.
const lineBefore = (rows, index) => rows.slice(Math.max(0, index - 20), index).findLast((it) => it.kind === "line");

const lastTurn = (rows) => rows.findLast((it) => it.turn !== undefined)?.turn ?? -1;

/// With a partial text in the place of those of the same sound: who speaks may become known later.
const withPartial = (data) => (was) => {
  const same = (it) => it.stream === data.stream && it.channel === data.channel && it.start_ms < data.end_ms && data.start_ms < it.end_ms;
  return new Map([...was].filter(([, it]) => !same(it))).set(`${data.stream}\n${data.channel ?? ""}\n${data.start_ms}`, { ...data, at: Date.now() });
};

/// Without the partial texts that an utterance, or sound that was not heard, replaces.
const without = ({ stream, end_ms: end }) => (was) => {
  const kept = [...was].filter(([, it]) => it.stream !== stream || it.start_ms >= end);
  return kept.length === was.size ? was : new Map(kept);
};

function Partials({ all }) {
  return [...all].map(([key, it]) => html`<div key=${key} class="line partial">
    <span class="line-who"><${Speaker} name=${it.speaker} /></span><span class="line-time"></span>
    <p class="line-text">${it.committed} <span class="tentative">${it.tentative}</span></p>
  </div>`);
}

/// One row of the list is in the tab order; the arrow keys go from row to row.
function useActiveRow(shown, list, session, marked) {
  const [position, set] = useState();
  const { rows, first } = shown;
  const last = first + rows.length - 1;
  const index = useMemo(() => (marked === undefined ? -1 : rows.findIndex((it) => it.turn === marked)), [rows, marked]);
  const at = position !== undefined && position >= first && position <= last ? position : index >= 0 ? first + index : last;
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const inside = event.target.closest?.("[data-row]");
    if (!step || !inside) return;
    event.preventDefault();
    const next = Math.min(last, Math.max(first, Number(inside.dataset.row) + step));
    set(next);
    list.current.focus(next);
  };
  return { position: at, set, keys };
}

/// The name of a stream; those that the server makes of the time, as people read it.
function streamTitle(name) {
  const [, kind, when] = /^(live|recording) (\d{4}-\d\d-\d\dT[\d:.]+Z)$/.exec(name) ?? [];
  return kind ? words.live.streams[kind](timeWithSeconds(when)) : name;
}

/// Drawn again only when something about it changed: a list that scrolls draws many.
class Row extends Component {
  shouldComponentUpdate(next) {
    return Object.keys(next).some((it) => next[it] !== this.props[it]);
  }

  render(props) { return rowOf(props); }
}

function rowOf({ it, before, position, size, first, session, marked, active, onName, onActive }) {
  const tab = active ? 0 : -1;
  const frame = {
    "data-row": position, role: "listitem", tabindex: tab, "aria-posinset": position - first + 1, "aria-setsize": size,
    onFocus: () => onActive(position),
  };
  if (it.kind !== "line") {
    const text = it.kind === "gap" ? words.live.gap(length(it.lost_ms)) : words.live.unheard(length(it.end_ms - it.start_ms), it.why);
    return html`<div ...${frame} class=${`aside ${it.kind}`}><${Icon} name=${it.kind === "gap" ? "warning" : "quiet"} size=${16} /><span>${text}</span></div>`;
  }
  const newStream = before && before.stream !== it.stream;
  const newDay = it.said_at && (!before || (before.said_at && dayKey(before.said_at) !== dayKey(it.said_at)));
  const goesOn = before && !newDay && !newStream && before.speaker === it.speaker
    && (it.session_ms === undefined || before.session_ms === undefined || it.session_ms - before.session_ms < PAUSE_MS);
  const when = it.said_at ? timeWithSeconds(it.said_at) : it.session_ms !== undefined ? clock(it.session_ms) : "";
  const play_label = words.live.playLine(it.speaker ?? words.parts.unknownSpeaker, when);
  return html`<div ...${frame} class="row">
    ${(newDay || (newStream && !it.said_at)) && html`<h2 class="divider"><span>${newDay ? day(it.said_at) : streamTitle(it.stream)}</span></h2>`}
    ${newStream && !newDay && it.said_at && html`<div class="divider soft"><span>${streamTitle(it.stream)}</span></div>`}
    <div class=${`line${marked ? " marked" : ""}${goesOn ? " goes-on" : ""}`}>
      ${!goesOn && html`<span class="line-who"><${Speaker} name=${it.speaker} tabIndex=${tab} onClick=${it.speaker && (() => onName(it.speaker))} label=${it.speaker && words.live.nameOf(it.speaker)} /></span>`}
      <span class="line-time figures">${when}</span>
      <p class=${`line-text ${colourClass(it.speaker)}`}>${it.text}</p>
      <span class="line-actions">${it.sound && it.turn !== undefined && html`<${PlayButton} session=${session} stream=${it.stream} utterance=${it.utterance} label=${play_label} tabIndex=${tab} />`}</span>
    </div>
  </div>`;
}

/// Gives a speaker a name, or says that two are one.
function NameSpeaker({ session, speaker, onClose, onDone }) {
  const known = useLoad(() => ask(at(session, "speakers")), [session]);
  const [name, setName] = useState("");
  const [error, setError] = useState();
  const [busy, setBusy] = useState(false);
  const clean = name.trim();
  const others = (known.value ?? []).filter((it) => it.name !== speaker);
  const same = others.find((it) => it.name === clean);
  const about = known.value?.find((it) => it.name === speaker);
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await change(session, same ? { merge_speaker: { speaker, into: clean } } : { name_speaker: { speaker, name: clean } });
      toast(same ? words.live.merged(speaker, clean) : words.live.named(speaker, clean), "good");
      onDone();
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${words.live.nameTitle(speaker)} onClose=${onClose}>
    <form class="dialog-text" onSubmit=${submit}>
      ${about && html`<p class="muted small">${about.quote && html`“${about.quote}” ${about.sound && html`<${PlayButton} session=${session} ...${about.sound} label=${words.people.hear(speaker)} />`}<br />`}${words.live.statementsOf(number(about.statements))}
        <br /><a href=${`#/${encodeURIComponent(session)}/people?of=${encodeURIComponent(speaker)}`} onClick=${onClose}>${words.live.aboutSpeaker}</a></p>`}
      <div class="field"><label for="speaker-name">${words.live.newName}</label>
        <input id="speaker-name" class="input" autocomplete="off" maxlength="200" list="speaker-names" value=${name} aria-invalid=${!!error}
          aria-describedby="speaker-hint" onInput=${(event) => setName(event.target.value)} />
        <datalist id="speaker-names">${others.map((it) => html`<option key=${it.name} value=${it.name} />`)}</datalist>
        <span id="speaker-hint" class="hint">${same ? words.live.mergeHint(speaker, clean) : words.live.nameHint}</span></div>
      ${error && html`<p class="problem" role="alert">${error.message}</p>`}
      <footer>
        <button type="button" class="button" onClick=${onClose}>${words.parts.cancel}</button>
        <button type="submit" class="button primary" disabled=${!clean || clean === speaker || busy}>${same ? words.live.merge : words.live.name}</button>
      </footer>
    </form><//>`;
}
