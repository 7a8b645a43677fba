// A chart over time in the colours of the page; the latest figures, or those under the pointer, also as
// a table.

import { time, timeWithSeconds } from "../lib/format.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { words } from "../lib/words.js";

const HEIGHT = 180;
const [LEFT, FOOT, TOP] = [48, 22, 6];
/// Figures that are drawn; more than a pixel each show nothing new.
const DRAWN = 600;
const LINES = 4;

/// The next of 1, 2, 5, 10, 20 and so on.
function rounded(value) {
  const ten = 10 ** Math.floor(Math.log10(value));
  return ten * [1, 2, 5, 10].find((it) => it * ten >= value);
}

/// A line through values; it breaks where there is none, and one alone is a dot.
function path(values, x, y) {
  let drawn = "";
  let goesOn = false;
  values.forEach((value, at) => {
    if (value !== null) drawn += goesOn ? `L${x(at)} ${y(value)}` : `M${x(at)} ${y(value)}h0`;
    goesOn = value !== null;
  });
  return drawn;
}

/// `series`: `{ label, colour, dash }` each; `data`: times in seconds, then values of each series.
export function Chart({ title, help, unit, series, data, format }) {
  const box = useRef(null);
  const [width, setWidth] = useState(600);
  const [hover, setHover] = useState();
  useEffect(() => {
    const sized = new ResizeObserver(([entry]) => setWidth(Math.max(160, Math.round(entry.contentRect.width))));
    sized.observe(box.current);
    return () => sized.disconnect();
  }, []);
  const [times, ...lines] = useMemo(() => data.map((it) => it.slice(-DRAWN)), [data]);
  const most = Math.max(1, ...lines.flat().map((it) => it ?? 0));
  const step = rounded(most / LINES);
  const top = step * Math.ceil(most / step);
  const span = Math.max(1, times.at(-1) - times[0]) || 1;
  const x = (at) => (LEFT + ((times[at] - times[0]) / span) * (width - LEFT - 6)).toFixed(1);
  const y = (value) => (TOP + (1 - value / top) * (HEIGHT - TOP - FOOT)).toFixed(1);
  const empty = lines.every((it) => it.every((one) => one === null));
  const move = (event) => {
    const rect = box.current.getBoundingClientRect();
    const wanted = times[0] + ((event.clientX - rect.left - LEFT) / (width - LEFT - 6)) * span;
    setHover(times.reduce((best, it, at) => (Math.abs(it - wanted) < Math.abs(times[best] - wanted) ? at : best), 0));
  };
  const shown = (at) => (hover === undefined || hover >= times.length ? lines[at].findLast((it) => it !== null) : lines[at][hover]);
  const marks = width > 420 ? [0, Math.floor((times.length - 1) / 2), times.length - 1] : [0, times.length - 1];
  return html`<section class="card chart" aria-label=${title}>
    <div><h2>${title}</h2><p class="small muted">${help}</p></div>
    <div class="chart-place"><div ref=${box} class="chart-box" onPointerMove=${move} onPointerLeave=${() => setHover(undefined)}>
      <svg width=${width} height=${HEIGHT} aria-hidden="true">
        ${Array.from({ length: Math.round(top / step) + 1 }, (_, it) => html`<g key=${it}><line class="chart-line" x1=${LEFT} x2=${width} y1=${y(it * step)} y2=${y(it * step)} />
          <text class="chart-text" x=${LEFT - 8} y=${Number(y(it * step)) + 4} text-anchor="end">${format(it * step)}</text></g>`)}
        ${span > 5 && marks.map((it, n) => html`<text key=${n} class="chart-text" x=${x(it)} y=${HEIGHT - 4} text-anchor=${n === 0 ? "start" : n === marks.length - 1 ? "end" : "middle"}>${timeWithSeconds(times[it] * 1000)}</text>`)}
        ${hover !== undefined && hover < times.length && html`<line class="chart-at" x1=${x(hover)} x2=${x(hover)} y1=${TOP} y2=${HEIGHT - FOOT} />`}
        ${series.map((it, at) => html`<path key=${it.label} class="chart-path" d=${path(lines[at], x, y)} style=${{ stroke: `var(${it.colour})`, strokeDasharray: it.dash?.join(" ") }} />`)}
      </svg></div>
      ${empty && html`<p class="muted small chart-none">${words.health.noneSince}</p>`}</div>
    <table class="small chart-legend"><caption class=${hover === undefined ? "unseen" : "muted"}>${hover === undefined ? words.health.tableOf(title) : time(times[hover] * 1000)}</caption><tbody>
      ${series.map((it, at) => html`<tr key=${it.label}><th scope="row"><span class=${it.dash ? "swatch dashed" : "swatch"} style=${{ color: `var(${it.colour})` }}></span>${it.label}</th>
        <td class="figures">${shown(at) == null ? words.health.noneYet : `${format(shown(at))} ${unit}`}</td></tr>`)}
    </tbody></table>
  </section>`;
}
