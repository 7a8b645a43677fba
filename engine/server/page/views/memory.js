// The view Memory: what is held, how it grows and is pruned, and the whole stream as a time line.

import { ask, at } from "../lib/api.js";
import { useEvents } from "../lib/events.js";
import { number, percent } from "../lib/format.js";
import { html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib/html.js";
import { Store, useLoad } from "../lib/load.js";
import { FILTERS, changes, indexed, isOpen, rowsOf, unitAt } from "../lib/outline.js";
import { VirtualList } from "../lib/virtual.js";
import { words } from "../lib/words.js";
import { Budget } from "../parts/budget.js";
import { Dialog } from "../parts/dialog.js";
import { Going, Gone, Happened, isFull } from "../parts/forgetting.js";
import { Icon } from "../parts/icon.js";
import { NodePanel, whenOf } from "../parts/node.js";
import { speakerClass } from "../parts/speaker.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { TimeLine } from "../parts/timeline.js";

/// The outline is read anew at most so often while memory changes.
const AGAIN_MS = 1500;
/// How long it is shown what changed.
const MARKED_MS = 4000;
const ICONS = { merged: "merge", forgotten: "close", deleted: "trash", gone: "info" };
const LOG_MAX = 50;
/// Statements that go next, and utterances that went, which are listed.
const FATES = 200;
/// Parts of the time line.
const PARTS = 96;
/// A short talk is divided no finer than this, so that its bars can be seen.
const PART_MS = 5_000;
const PARTS_MIN = 24;
const WIDE = "(min-width: 1100px)";
const TABS = ["held", "going", "gone"];
const COUNTED = ["inserted", "reinforced", "merged", "reduced", "forgotten", "by_hand"];

function useMedia(query) {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = () => setMatches(list.matches);
    list.addEventListener("change", follow);
    return () => list.removeEventListener("change", follow);
  }, [query]);
  return matches;
}

async function read(session) {
  const stats = await ask(at(session));
  const parts = Math.min(PARTS, Math.max(PARTS_MIN, Math.round(stats.stream_ms / PART_MS)));
  const [outline, line, fates] = await Promise.all([
    ask(at(session, "outline")), ask(at(session, "timeline", { parts })), ask(at(session, "forgetting", { limit: FATES })),
  ]);
  return { index: indexed(outline), unsorted: outline.unsorted, stats, line, fates };
}

export function Memory({ session, go, query }) {
  const wide = useMedia(WIDE);
  const { value, error, again } = useLoad(() => read(session), [session]);
  const sums = useSums(session, again);
  const marks = useMarks(value?.index, sums.memory);
  const selected = query.get("node") ?? undefined;
  const tab = TABS.includes(query.get("show")) ? query.get("show") : "held";
  const place = (wanted) => {
    const given = new URLSearchParams(Object.entries({ show: tab === "held" ? "" : tab, node: selected ?? "", ...wanted }).filter(([, it]) => it)).toString();
    go(`#/${encodeURIComponent(session)}/memory${given ? `?${given}` : ""}`, { replace: true });
  };
  const select = (id) => place({ node: id ?? "" });
  const show = (wanted) => place({ show: wanted === "held" ? "" : wanted });
  if (error && !value) return html`<div class="page"><h1>${words.memory.title}</h1><${Failed} error=${error} again=${again} /></div>`;
  if (!value) return html`<div class="page"><h1>${words.memory.title}</h1><${Loading} lines=${12} /></div>`;
  if (value.stats.turns === 0) return html`<${Nothing} session=${session} />`;
  return html`<${Held} key=${session} session=${session} value=${value} marks=${marks} sums=${sums} wide=${wide}
    tab=${tab} show=${show} selected=${selected} select=${select} again=${again} />`;
}

const Nothing = ({ session }) => html`<div class="page"><h1>${words.memory.title}</h1>
  <${Empty} icon="memory" title=${words.memory.emptyTitle} text=${words.memory.empty}>
    <a class="button primary" href=${`#/${encodeURIComponent(session)}/live`}>${words.memory.toLive}</a>
  <//></div>`;

/// What changed since the outline before: for a moment.
function useMarks(index, counts) {
  const before = useRef({});
  const [marks, setMarks] = useState({ ghosts: [] });
  // the counts may come after the outline
  if (before.current.index === index) before.current.counts ??= counts;
  useEffect(() => {
    const was = before.current;
    before.current = { index, counts };
    if (!was.index || !index || was.index === index) return undefined;
    const happened = was.counts && counts && Object.fromEntries(COUNTED.map((it) => [it, counts[it] - was.counts[it]]));
    setMarks(changes(was.index, index, happened));
    const timer = setTimeout(() => setMarks({ ghosts: [] }), MARKED_MS);
    return () => clearTimeout(timer);
  }, [index]);
  return marks;
}

/// What happened since the server opened the session, and while the page is open.
function useSums(session, again) {
  const [sums, setSums] = useState({ log: [] });
  const due = useRef({ last: 0 });
  const load = useCallback(async () => {
    try {
      const since = await ask(at(session, "since_opened"));
      setSums((was) => ({ ...was, memory: since.memory, since: since.opened_unix_ms }));
    } catch { /* the outline says what is wrong */ }
  }, [session]);
  const soon = useCallback(() => {
    const it = due.current;
    if (it.timer) return;
    it.timer = setTimeout(() => {
      it.timer = undefined;
      it.last = Date.now();
      again();
    }, Math.max(250, it.last + AGAIN_MS - Date.now()));
  }, [again]);
  useEffect(() => { load(); }, [load]);
  useEffect(() => () => clearTimeout(due.current.timer), []);
  useEvents(session, ({ kind, data }) => {
    if (kind === "memory") {
      setSums((was) => ({
        ...was,
        memory: was.memory && Object.fromEntries(COUNTED.map((it) => [it, was.memory[it] + (data[it] ?? 0)])),
        log: [{ at: Date.now(), key: (was.log[0]?.key ?? 0) + 1, data }, ...was.log].slice(0, LOG_MAX),
      }));
      soon();
    } else if (kind === "missed" || (kind === "connected" && !data.fresh)) {
      load();
      soon();
    } else if (kind === "utterance") soon();
  });
  return sums;
}

function Held({ session, value, marks, sums, wide, tab, show, selected, select, again }) {
  const said = words.memory;
  const { index, line, stats, unsorted, fates } = value;
  const full = isFull(fates, stats);
  const [tools, setTools] = useState(false);
  const [toggled, setToggled] = useState(new Map());
  const [filter, setFilter] = useState("all");
  const [asHeld, setAsHeld] = useState(false);
  const seen = useMemo(() => new Store(), []);
  const [at, setAt] = useState();
  const api = useRef(null);
  const rows = useMemo(() => rowsOf(index, toggled, filter, marks.ghosts), [index, toggled, filter, marks]);
  const main = useRef(null);
  const keep = useStay(main, rows);
  const open = (id, whether) => setToggled((was) => new Map(was).set(id, whether));
  const toggleAll = (whether) => setToggled(new Map(index.nodes.filter((it) => it.kind !== "unit").map((it) => [it.id, it.kind === "scene" || whether])));
  const wanted = useRef();
  const goTo = useCallback((id, focus) => {
    const node = index.byId.get(id);
    if (!node) return;
    setFilter("all");
    if (tab !== "held") show("held");
    for (let above = node.parent; above; above = above.parent) open(above.id, true);
    wanted.current = { id, focus };
    setAt(id);
  }, [index, tab]);
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const position = rows.findIndex((it) => it.node.id === wanted.current.id);
    if (position < 0) return;
    api.current?.scrollTo(position, wanted.current.focus);
    wanted.current = undefined;
  });
  const goToTime = useCallback((ms) => {
    const unit = unitAt(index, ms);
    if (unit) goTo(unit.id);
  }, [index, goTo]);
  const shownOnce = useRef();
  useEffect(() => {
    if (selected && shownOnce.current !== selected && tab === "held") goTo(selected);
    shownOnce.current = selected;
  }, [selected]);
  const pick = (id) => {
    shownOnce.current = id;
    select(id);
  };
  const close = () => {
    const id = selected;
    select(undefined);
    setTimeout(() => document.querySelector(`[data-node="${CSS.escape(id)}"]`)?.focus());
  };
  // after a deletion the next line takes the place of the one that is gone
  const place = useRef(0);
  const found = rows.findIndex((it) => it.node.id === selected && !it.ghost);
  if (found >= 0) place.current = found;
  const deleted = (id) => {
    const left = rows.filter((it) => !it.ghost && it.node.id !== id && it.node.kind === "unit");
    const next = left.find((it) => rows.indexOf(it) >= place.current) ?? left.at(-1);
    select(undefined);
    again();
    if (!next) return;
    setAt(next.node.id);
    setTimeout(() => document.querySelector(`[data-node="${CSS.escape(next.node.id)}"]`)?.focus());
  };
  const onView = useCallback(({ start, end }) => {
    const times = rows.slice(start, end + 1).map((it) => it.node.said_ms);
    if (times.length) seen.set({ from: Math.min(...times), to: Math.max(...times) });
  }, [rows]);
  const counted = { held: index.units.length, going: undefined, gone: fates.transcript_only + fates.nowhere };
  const head = html`<header class="memory-head">
    <div class="memory-top"><h1>${said.title}</h1>
      <span class="muted small memory-sum">${said.sum(percent(1 - fates.free_tokens / stats.memory.budget_tokens), unsorted)}</span>
      ${(!wide || tab === "held") && html`<button type="button" class="icon-button" aria-expanded=${String(tools)} aria-controls="memory-tools" aria-label=${wide ? said.options : said.optionsAll} title=${wide ? said.options : said.optionsAll} onClick=${() => setTools(!tools)}><${Icon} name="settings" /></button>`}</div>
    <div class="segments fates-tabs" role="radiogroup" aria-label=${said.which}>${TABS.map((it) => html`<label key=${it}><input type="radio" name="fates" checked=${it === tab} onChange=${() => show(it)} />
      <span>${said.tabs[it]}${counted[it] !== undefined && html` <small class="figures">${number(counted[it])}</small>`}</span></label>`)}</div>
    ${wide && tools && tab === "held" && html`<${Tools} held index=${index} toggled=${toggled} filter=${filter} setFilter=${setFilter} asHeld=${asHeld} setAsHeld=${setAsHeld} toggleAll=${toggleAll} />`}
  </header>`;
  const overview = html`<div class="overview">
    <${Happened} fates=${fates} sums=${sums} />
    <${Budget} index=${index} stats=${stats} free=${fates.free_tokens} href="#/settings" />
    <${TimeLine} line=${line} seen=${seen} onGo=${goToTime} />
  </div>`;
  const folded = !wide && tools && html`<div class="folded"><${Tools} held=${tab === "held"} index=${index} toggled=${toggled} filter=${filter} setFilter=${setFilter} asHeld=${asHeld} setAsHeld=${setAsHeld} toggleAll=${toggleAll} />${overview}</div>`;
  const key = useKeys({ rows, api, at, setAt, open, pick, asHeld });
  const here = rows.some((it) => it.node.id === at && !it.ghost) ? at : rows.find((it) => !it.ghost)?.node.id;
  const row = (it, position) => html`<${Row} key=${`${it.ghost ? "ghost " : ""}${it.node.id}`} it=${it} position=${position} marks=${marks} asHeld=${asHeld}
    selected=${it.node.id === selected} here=${it.node.id === here} pick=${pick} open=${open} setAt=${setAt} />`;
  const none = rows.length === 0 && html`<p class="muted outline-none">${index.units.length === 0 ? said.unsortedOnly(unsorted) : said.noneOfFilter}</p>`;
  const list = html`<${VirtualList} rows=${rows} row=${row} estimate=${40} label=${said.outline} api=${api} follow=${false} listRole="tree"
    onView=${onView} onKeyDown=${key} className="outline" before=${html`${folded}${none}`} />`;
  const others = tab !== "held" && html`<div class="fates-box">${folded}${tab === "going"
    ? html`<${Going} session=${session} going=${fates.going} index=${index} full=${full} selected=${selected} pick=${pick} again=${again} />`
    : html`<${Gone} session=${session} fates=${fates} />`}</div>`;
  const panel = selected && html`<${NodePanel} key=${selected} session=${session} id=${selected} loaded=${index} full=${full} onClose=${close}
    onChanged=${again} onDeleted=${deleted} />`;
  keep();
  return html`<div class=${wide ? "memory wide" : "memory"}>
    <div ref=${main} class="memory-main">${head}${others || list}</div>
    ${wide && html`<aside class="memory-side" aria-label=${said.details}>${panel || html`${overview}<p class="muted small">${said.pickOne}</p>`}</aside>`}
    ${!wide && selected && html`<${Dialog} title=${said.oneOf[index.byId.get(selected)?.kind] ?? said.details} onClose=${close}>
      <${NodePanel} key=${selected} session=${session} id=${selected} loaded=${index} full=${full} onChanged=${again} onDeleted=${deleted} /><//>`}
  </div>`;
}

/// Rows come and go above what is read; that stays where it is.
function useStay(main, rows) {
  const seen = useRef();
  const last = useRef(rows);
  const keep = () => {
    const box = main.current?.querySelector(".virtual");
    if (!box || last.current === rows) return;
    const top = box.getBoundingClientRect().top;
    const first = [...box.querySelectorAll("[data-node]")].find((it) => it.getBoundingClientRect().top >= top);
    seen.current = first && box.scrollTop > 0 ? { id: first.dataset.node, top: first.getBoundingClientRect().top } : undefined;
  };
  useLayoutEffect(() => {
    const was = seen.current;
    last.current = rows;
    seen.current = undefined;
    const box = was && main.current?.querySelector(".virtual");
    const now = box?.querySelector(`[data-node="${CSS.escape(was.id)}"]`);
    if (now) box.scrollTop += now.getBoundingClientRect().top - was.top;
  }, [rows]);
  return keep;
}

/// The keys of a tree: arrows, Home and End, Enter.
function useKeys({ rows, api, at, setAt, open, pick }) {
  return (event) => {
    if (event.target.closest("[role=slider], input, select, button, a, textarea")) return;
    const position = Math.max(0, rows.findIndex((it) => it.node.id === at && !it.ghost));
    const it = rows[position];
    if (!it || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = (wanted, step) => {
      let next = Math.min(Math.max(0, wanted), rows.length - 1);
      while (rows[next]?.ghost && rows[next + step]) next += step;
      const found = rows[next];
      setAt(found.node.id);
      api.current.focus(next);
    };
    const { node } = it;
    const does = {
      ArrowDown: () => to(position + 1, 1),
      ArrowUp: () => to(position - 1, -1),
      Home: () => to(0, 1),
      End: () => to(rows.length - 1, -1),
      ArrowRight: () => (it.open === false ? open(node.id, true) : to(position + 1, 1)),
      ArrowLeft: () => (it.open ? open(node.id, false) : to(rows.findIndex((other) => other.node === node.parent), -1)),
      Enter: () => pick(node.id),
      " ": () => pick(node.id),
    }[event.key];
    if (!does || (event.key === "ArrowLeft" && !it.open && !node.parent)) return;
    event.preventDefault();
    does();
  };
}

function Row({ it, position, marks, asHeld, selected, here, pick, open, setAt }) {
  const { node, ghost } = it;
  const said = words.memory;
  const mark = ghost ? "gone" : (marks.born?.has(node.id) && "born") || (marks.reduced?.has(node.id) && "reduced") || (marks.changed?.has(node.id) && "changed") || "";
  const classes = `node ${node.kind} ${mark} ${node.key !== undefined ? "is-key" : ""} ${selected ? "selected" : ""}`;
  if (ghost) return html`<div data-row=${position} class=${`${classes} ${ghost}`} aria-hidden="true"><span class="node-text">${node.text || said.untitled}</span>
    <span class="node-badges"><span class="badge"><${Icon} name=${ICONS[ghost]} size=${14} />${said.fates[ghost]}</span></span></div>`;
  const click = (event) => {
    setAt(node.id);
    if (event.target.closest(".twist")) open(node.id, !it.open);
    else pick(node.id);
  };
  const text = asHeld && node.key !== undefined ? node.key : node.text;
  return html`<div data-row=${position} data-node=${node.id} role="treeitem" tabindex=${here ? 0 : -1} class=${classes} onClick=${click} onFocus=${() => setAt(node.id)}
    aria-level=${node.level} aria-expanded=${it.open === undefined ? undefined : String(it.open)} aria-selected=${String(selected)}>
    <span class="twist" aria-hidden="true">${it.open !== undefined && html`<${Icon} name=${it.open ? "chevron" : "right"} size=${16} />`}</span>
    ${node.kind === "unit"
      ? html`<span class="node-text">${node.speaker && html`<span class=${`by ${speakerClass(node.speaker)}`}>${node.speaker}</span>`} ${text}</span>`
      : html`<span class="node-text">${text || said.untitled}</span><span class="node-about muted small">${said.about(node.parent && whenOf(node.parent) === whenOf(node) ? "" : whenOf(node), node)}</span>`}
    <span class="node-badges">
      ${node.pinned && html`<span class="badge good"><${Icon} name="pin" size=${14} />${said.badges.pinned}</span>`}
      ${node.edited && html`<span class="badge">${said.badges.edited}</span>`}
      ${node.key !== undefined && html`<span class="badge plain">${said.badges.key}</span>`}
    </span>
  </div>`;
}

/// What is behind the button: filters, and on a phone how full memory is, the time line, what happened.
function Tools({ index, toggled, filter, setFilter, asHeld, setAsHeld, toggleAll, held }) {
  const said = words.memory;
  const events = index.nodes.filter((it) => it.kind === "event");
  const allOpen = events.every((it) => isOpen(index, toggled, it));
  return html`<div class="tools" id="memory-tools">
    ${held && html`<label class="tool"><span class="small muted">${said.show}</span>
      <select class="input small" value=${filter} onChange=${(event) => setFilter(event.target.value)}>
        ${Object.keys(FILTERS).map((it) => html`<option key=${it} value=${it}>${said.filters[it]}</option>`)}
      </select></label>
    <label class="tool"><span class="small muted">${said.wordsAs}</span>
      <select class="input small" value=${asHeld ? "held" : "said"} onChange=${(event) => setAsHeld(event.target.value === "held")}>
        <option value="said">${said.asSaid}</option><option value="held">${said.asHeld}</option>
      </select></label>
    <button type="button" class="button small" onClick=${() => toggleAll(!allOpen)}>${allOpen ? said.closeAll : said.openAll}</button>`}
  </div>`;
}
