// A time line of the whole stream: above, how much was said; below, how much of it is held.

import { clock, dayAndTime, length, shortDay } from "../lib/format.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { useStore } from "../lib/load.js";
import { words } from "../lib/words.js";

const HEIGHT = 96;
const MIDDLE = 44;
const FOOT = 20;
/// Room that a letter of a label needs.
const LETTER_PX = 7;
/// Shorter pauses are not drawn.
const PAUSE_MS = 3_600_000;

/// The bars of one series as one path: `of(part)` says from where to where, as shares of `room`.
function bars(parts, width, top, sign, room, of) {
  const step = width / parts.length;
  let path = "";
  parts.forEach((part, at) => {
    const [from, to] = of(part);
    if (to <= from) return;
    const x = (at * step).toFixed(1);
    const w = Math.max(step - (step > 3 ? 1 : 0), 0.75).toFixed(2);
    const y = (top + sign * from * room).toFixed(1);
    path += `M${x} ${y}h${w}v${(sign * Math.max((to - from) * room, 1)).toFixed(1)}h-${w}z`;
  });
  return path;
}

/// The last stream that began at a time or before it, else the first.
export const streamAt = (line, ms) => line.streams.findLast((it) => it.from_ms <= ms) ?? line.streams[0];

/// When that was, as a person says it: by the clock of the day if it is known.
export function momentOf(line, ms) {
  const stream = line && streamAt(line, ms);
  if (!stream?.said_at) return words.memory.into(clock(ms));
  return dayAndTime(Date.parse(stream.said_at) + ms - stream.from_ms);
}

/// Where a time is shown, as a share of the width: the parts are of equal width, and pauses among them
/// are shortened.
function shareOf({ parts, to_ms }, ms) {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (parts[middle].from_ms <= ms) low = middle + 1;
    else high = middle;
  }
  const part = Math.max(0, low - 1);
  const from = parts[part].from_ms;
  const to = parts[part + 1]?.from_ms ?? to_ms;
  return (part + Math.min(1, Math.max(0, (ms - from) / Math.max(1, to - from)))) / parts.length;
}

/// Names of days, or of streams without a day, where there is room for them.
function labels(line, width) {
  const shown = [];
  let free = 0;
  let last;
  for (const stream of line.streams) {
    const text = stream.said_at ? shortDay(stream.said_at) : stream.name;
    const x = shareOf(line, stream.from_ms) * width;
    if (text === last) continue;
    last = text;
    const room = text.length * LETTER_PX + 12;
    const fits = x >= free && x + room <= width + 8;
    shown.push({ x, text: fits ? text : "" });
    if (fits) free = x + room;
  }
  return shown;
}

/// What changes with the talk alone: bars, pins, days.
function draw(line, width) {
  const { parts } = line;
  const most = Math.max(1, ...parts.map((it) => it.said));
  const mostHeld = Math.max(1, ...parts.map((it) => it.whole + it.key));
  const room = MIDDLE - 4;
  const foot = HEIGHT - FOOT - MIDDLE - 4;
  return html`<g>
    <path class="tl-said" d=${bars(parts, width, MIDDLE, -1, room, (it) => [0, it.said / most])} />
    <path class="tl-whole" d=${bars(parts, width, MIDDLE + 2, 1, foot, (it) => [0, it.whole / mostHeld])} />
    <path class="tl-key" d=${bars(parts, width, MIDDLE + 2, 1, foot, (it) => [it.whole / mostHeld, (it.whole + it.key) / mostHeld])} />
    ${parts.map((it, part) => (it.pinned ? html`<circle class="tl-pin" cx=${(part + 0.5) * (width / parts.length)} cy=${HEIGHT - FOOT - 3} r="3" />` : null))}
    ${line.pauses.filter((it) => it.to_ms - it.from_ms > PAUSE_MS).map((it) => html`<rect class="tl-pause" x=${shareOf(line, it.from_ms) * width} y="0" width=${Math.max(1.5, (shareOf(line, it.to_ms) - shareOf(line, it.from_ms)) * width)} height=${HEIGHT - FOOT} />`)}
    <line class="tl-axis" x1="0" x2=${width} y1=${MIDDLE + 1} y2=${MIDDLE + 1} />
    ${labels(line, width).map((it) => html`<line class="tl-day" x1=${it.x} x2=${it.x} y1="0" y2=${HEIGHT - (it.text ? 0 : FOOT)} />
      ${it.text && html`<text class="tl-text" x=${it.x + 4} y=${HEIGHT - 5}>${it.text}</text>`}`)}
  </g>`;
}

/// `onGo(ms)` is called for a click and for keys; `seen` is a store of the time that the outline shows.
export function TimeLine({ line, seen, onGo }) {
  const view = useStore(seen);
  const box = useRef(null);
  const [width, setWidth] = useState(600);
  const [at, setAt] = useState(0);
  const [hover, setHover] = useState();
  useEffect(() => {
    const sized = new ResizeObserver(([entry]) => setWidth(Math.max(200, Math.round(entry.contentRect.width))));
    sized.observe(box.current);
    return () => sized.disconnect();
  }, []);
  const said = words.memory;
  const { parts } = line;
  const current = Math.min(at, parts.length - 1);
  const x = (ms) => shareOf(line, ms) * width;
  const pauseAt = (part) => line.pauses.find((it) => it.from_ms <= parts[part].from_ms && parts[part].from_ms < it.to_ms);
  // what was said in a part that begins in a pause was said after it
  const msOf = (part) => (parts[part].said > 0 && pauseAt(part)?.to_ms) || parts[part].from_ms;
  const told = (part) => {
    const pause = parts[part].said === 0 && pauseAt(part);
    return pause ? said.pause(length(pause.to_ms - pause.from_ms)) : said.moment(momentOf(line, msOf(part)), parts[part]);
  };
  const choose = (part) => {
    const chosen = Math.min(Math.max(0, part), parts.length - 1);
    setAt(chosen);
    onGo(msOf(chosen));
  };
  const partAt = (event) => {
    const rect = box.current.getBoundingClientRect();
    return Math.min(parts.length - 1, Math.max(0, Math.floor(((event.clientX - rect.left) / rect.width) * parts.length)));
  };
  const key = (event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(current + step);
  };
  const shown = hover ?? current;
  const drawn = useMemo(() => draw(line, width), [line, width]);
  return html`<figure class="time-line">
    <figcaption class="tl-caption"><h2 class="small-head">${said.timeLine}</h2>
      <span class="key-said">${said.keySaid}</span><span class="key-whole">${said.keyWhole}</span><span class="key-key">${said.keyKey}</span><span class="key-pin">${said.keyPin}</span></figcaption>
    <div ref=${box} class="tl-box" role="slider" tabindex="0" aria-label=${said.timeLine} aria-orientation="horizontal"
      aria-valuemin="0" aria-valuemax=${parts.length - 1} aria-valuenow=${current} aria-valuetext=${told(current)}
      onKeyDown=${key} onClick=${(event) => choose(partAt(event))}
      onPointerMove=${(event) => setHover(partAt(event))} onPointerLeave=${() => setHover(undefined)}>
      <svg width=${width} height=${HEIGHT} viewBox=${`0 0 ${width} ${HEIGHT}`} aria-hidden="true">
        ${view && html`<rect class="tl-view" x=${x(view.from)} y="0" width=${Math.max(3, x(view.to) - x(view.from))} height=${HEIGHT - FOOT} rx="3" />`}
        ${drawn}
        <line class=${hover === undefined ? "tl-cursor" : "tl-cursor hovered"} x1=${(shown + 0.5) * (width / parts.length)} x2=${(shown + 0.5) * (width / parts.length)} y1="0" y2=${HEIGHT - FOOT} />
      </svg>
    </div>
    <p class="tl-told muted small" aria-hidden="true">${told(shown)}</p>
  </figure>`;
}
