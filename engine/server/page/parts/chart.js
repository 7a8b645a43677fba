// A chart over time, by uPlot, in the colours of the page; the latest figures also as a table.

import { timeWithSeconds } from "../lib/format.js";
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { words } from "../lib/words.js";

const HEIGHT = 180;
const FONT = getComputedStyle(document.documentElement).getPropertyValue("--font").trim();

/// A colour of the page as a canvas takes it: that of the theme which is shown.
function colour(element, name) {
  element.style.color = `var(${name})`;
  const shown = getComputedStyle(element).color;
  element.style.color = "";
  return shown;
}

let loading;
const load = () => {
  loading ??= import("../vendor/uplot.js").then((it) => it.default);
  return loading;
};

/// Draws anew when the colours of the page change.
function useColours() {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const again = () => setCount((it) => it + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", again);
    const chosen = new MutationObserver(again);
    chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      dark.removeEventListener("change", again);
      chosen.disconnect();
    };
  }, []);
  return count;
}

/// `series`: `{ label, colour, dash }` each; `data`: times in seconds, then values of each series.
export function Chart({ title, help, unit, series, data, format }) {
  const box = useRef(null);
  const chart = useRef();
  const colours = useColours();
  useEffect(() => {
    let gone = false;
    let sized;
    load().then((uPlot) => {
      if (gone || !box.current) return;
      const [muted, line] = ["--muted", "--line"].map((name) => colour(box.current, name));
      const axis = { stroke: muted, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: `12px ${FONT}` };
      chart.current = new uPlot({
        width: box.current.clientWidth, height: HEIGHT, legend: { show: false }, cursor: { y: false, points: { size: 6 } },
        scales: { x: { time: true }, y: { range: (_, __, most) => [0, Math.max(most * 1.1, 1)] } },
        axes: [{ ...axis, size: 28, space: 90, values: (_, all) => all.map((it) => timeWithSeconds(it * 1000)) }, { ...axis, size: 56, values: (_, all) => all.map((it) => format(it)) }],
        series: [{}, ...series.map((it) => ({ label: it.label, stroke: colour(box.current, it.colour), width: 2, dash: it.dash, points: { show: true, size: 5 }, spanGaps: false }))],
      }, data, box.current);
      // its canvas says nothing that the table below does not
      box.current.firstElementChild?.setAttribute("aria-hidden", "true");
      sized = new ResizeObserver(([entry]) => chart.current?.setSize({ width: Math.max(160, entry.contentRect.width), height: HEIGHT }));
      sized.observe(box.current);
    });
    return () => {
      gone = true;
      sized?.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [colours]);
  useEffect(() => chart.current?.setData(data), [data]);
  const empty = data.slice(1).every((it) => it.every((one) => one === null));
  const last = (at) => data[at + 1].findLast((it) => it !== null && it !== undefined);
  return html`<section class="card chart" aria-label=${title}>
    <div><h2>${title}</h2><p class="small muted">${help}</p></div>
    <div class="chart-place"><div ref=${box} class="chart-box" style=${{ height: `${HEIGHT}px` }}></div>
      ${empty && html`<p class="muted small chart-none">${words.health.noneSince}</p>`}</div>
    <table class="small chart-legend"><caption class="unseen">${words.health.tableOf(title)}</caption><tbody>
      ${series.map((it, at) => html`<tr key=${it.label}><th scope="row"><span class=${it.dash ? "swatch dashed" : "swatch"} style=${{ color: `var(${it.colour})` }}></span>${it.label}</th>
        <td class="figures">${last(at) === undefined ? words.health.noneYet : `${format(last(at))} ${unit}`}</td></tr>`)}
    </tbody></table>
  </section>`;
}
