// A list of very many rows of varying height, of which only those near the view are in the page.
//
// Rows are known by their position: `first` is the position of the first one, and is lowered when
// older rows are put before it. So what was measured of a row stays true, and what a person reads
// stays where it is, whatever is added at either end.

import { html, useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef } from "./html.js";

/// Rows beyond the view on each side, in pixels: a fast wheel must not show white.
const MORE_PX = 800;
/// When fewer are left on a side, others are drawn.
const LEFT_PX = 300;
/// The view counts as at the end up to this distance from it.
const NEAR_END_PX = 48;

/// Heights of rows, with their sums in a Fenwick tree: a row's place and the row at a place take
/// logarithmic time among 100,000.
export class Heights {
  #heights;

  #sums;

  constructor(count, estimate, of = () => undefined) {
    this.count = count;
    this.#heights = new Float64Array(count);
    this.#sums = new Float64Array(count + 1);
    for (let at = 0; at < count; at += 1) {
      this.#heights[at] = of(at) ?? estimate;
      this.#sums[at + 1] += this.#heights[at];
      const parent = at + 1 + ((at + 1) & -(at + 1));
      if (parent <= count) this.#sums[parent] += this.#sums[at + 1];
    }
  }

  of(at) { return this.#heights[at]; }

  /// Sets a height and returns by how much it changed.
  set(at, height) {
    const change = height - this.#heights[at];
    this.#heights[at] = height;
    for (let it = at + 1; it <= this.count; it += it & -it) this.#sums[it] += change;
    return change;
  }

  /// The sum of the heights before a row.
  before(at) {
    let sum = 0;
    for (let it = at; it > 0; it -= it & -it) sum += this.#sums[it];
    return sum;
  }

  get total() { return this.before(this.count); }

  /// The row at a distance from the top.
  at(y) {
    let row = 0;
    let left = y;
    for (let step = 2 ** Math.floor(Math.log2(this.count || 1)); step > 0; step >>= 1) {
      if (row + step <= this.count && this.#sums[row + step] <= left) {
        row += step;
        left -= this.#sums[row];
      }
    }
    return Math.min(row, Math.max(0, this.count - 1));
  }
}

/// `rows` are rendered by `row(item, position)`, which gives an element with the attribute
/// `data-row=${position}`. `onView({ start, end, atEnd })` says what is seen. `api.current` gets
/// `scrollTo(position, focus)`, `focus(position)` and `toEnd()`. While the view is at the end it follows
/// new rows; with `start="end"` it begins there.
export function VirtualList({ rows, first = 0, row, estimate = 64, label, api, onView, before, after, follow = true, start: begin = "top", onKeyDown, className = "", listRole = "list" }) {
  const box = useRef(null);
  const list = useRef(null);
  const [, redraw] = useReducer((count) => count + 1, 0);
  const kept = useRef({ first, heights: new Heights(0, estimate), atEnd: begin === "end", wanted: undefined, measured: new WeakMap() });
  const it = kept.current;

  // before the rows are drawn: heights for rows that came or went at either end
  const heights = useMemo(() => {
    const shift = first - it.first;
    const old = it.heights;
    const made = new Heights(rows.length, estimate, (at) => (at + shift >= 0 && at + shift < old.count ? old.of(at + shift) : undefined));
    const el = box.current;
    if (el && shift !== 0 && old.count > 0) {
      // what is read stays where it is
      const top = el.scrollTop - listTop();
      const seen = old.at(Math.max(0, top));
      it.anchor = { position: it.first + seen, offset: top - old.before(seen) };
    }
    it.first = first;
    it.heights = made;
    return made;
  }, [rows, first, estimate]);

  function listTop() { return list.current ? list.current.offsetTop : 0; }

  const el = box.current;
  const height = el ? el.clientHeight : 800;
  const top = it.anchor ? heights.before(clamp(it.anchor.position - first)) + it.anchor.offset : (el ? el.scrollTop - listTop() : 0);
  const from = it.wanted !== undefined ? heights.before(clamp(it.wanted.position - first)) - height / 2
    : it.atEnd && follow ? heights.total - height : top;
  const start = heights.at(Math.max(0, from - MORE_PX));
  const end = rows.length ? heights.at(Math.max(0, from) + height + MORE_PX) + 1 : 0;

  function clamp(at) { return Math.min(Math.max(0, at), Math.max(0, rows.length - 1)); }

  const toEnd = useCallback(() => {
    it.wanted = undefined;
    it.atEnd = true;
    redraw();
  }, []);
  const scrollTo = useCallback((position, focus) => {
    it.wanted = { position, tries: 0, focus };
    it.atEnd = false;
    redraw();
  }, []);
  const focus = useCallback((position) => {
    const there = list.current.querySelector(`[data-row="${position}"]`);
    if (!there) return scrollTo(position, true);
    there.scrollIntoView({ block: "nearest" });
    return there.focus({ preventScroll: true });
  }, []);
  if (api) api.current = { scrollTo, toEnd, focus };

  // after they are drawn: measure, then put the view where it belongs; again if heights changed
  useLayoutEffect(() => {
    const scroller = box.current;
    let changed = 0;
    const width = scroller.clientWidth;
    it.height = scroller.clientHeight;
    for (const element of list.current.children) {
      const at = Number(element.dataset.row) - first;
      if (!(at >= 0 && at < heights.count)) continue;
      // what was measured and is as it was needs no layout
      const row = rows[at];
      const was = it.measured.get(element);
      if (was && was.row === row && was.width === width) continue;
      it.measured.set(element, { row, width });
      it.sized?.observe(element);
      const measured = element.getBoundingClientRect().height;
      if (measured > 0 && Math.abs(measured - heights.of(at)) > 0.5) {
        const above = heights.before(at) + heights.of(at) <= scroller.scrollTop - listTop();
        const by = heights.set(at, measured);
        changed += 1;
        if (above && !it.anchor && !it.wanted && !it.atEnd) it.push = (it.push ?? 0) + by;
      }
    }
    if (changed) {
      list.current.style.height = `${heights.total}px`;
      place();
    }
    if (it.wanted) {
      const at = clamp(it.wanted.position - first);
      scroller.scrollTop = listTop() + heights.before(at) - Math.max(0, (scroller.clientHeight - heights.of(at)) / 2);
      it.wanted.tries += 1;
      if (!changed || it.wanted.tries > 8) {
        if (it.wanted.focus) list.current.querySelector(`[data-row="${it.wanted.position}"]`)?.focus({ preventScroll: true });
        it.wanted = undefined;
      }
    } else if (it.anchor) {
      scroller.scrollTop = listTop() + heights.before(clamp(it.anchor.position - first)) + it.anchor.offset;
      if (!changed) it.anchor = undefined;
    } else if (it.atEnd && follow) {
      scroller.scrollTop = scroller.scrollHeight;
    } else if (it.push) {
      scroller.scrollTop += it.push;
    }
    it.push = 0;
    if (changed) redraw();
  });

  function place() {
    let y = heights.before(start);
    for (const element of list.current.children) {
      element.style.transform = `translateY(${y}px)`;
      const at = Number(element.dataset.row) - first;
      y += heights.of(at);
    }
  }
  useLayoutEffect(place);

  const seen = useRef("");
  it.look = () => {
    const scroller = box.current;
    const y = scroller.scrollTop - listTop();
    const bottom = y + scroller.clientHeight;
    // a box that got smaller still shows its end: it is about to be put there
    if (!it.atEnd || it.height === scroller.clientHeight) {
      it.atEnd = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - NEAR_END_PX;
    }
    const above = start > 0 && y - heights.before(start) < LEFT_PX;
    const below = end < rows.length && heights.before(end) - bottom < LEFT_PX;
    if (above || below) redraw();
    else tell();
  };
  const look = useCallback(() => it.look(), []);
  useEffect(() => {
    // a row that opens, or a window that is turned
    const sized = new ResizeObserver((entries) => {
      const grown = entries.filter(({ target, borderBoxSize: [size] }) => {
        const at = Number(target.dataset.row) - it.first;
        if (!target.isConnected) return false;
        return !(at >= 0 && at < it.heights.count) || Math.abs(size.blockSize - it.heights.of(at)) > 0.5;
      });
      grown.forEach(({ target }) => it.measured.delete(target));
      if (grown.length) redraw();
    });
    sized.observe(box.current);
    for (const element of list.current.children) sized.observe(element);
    it.sized = sized;
    return () => sized.disconnect();
  }, []);
  useEffect(tell);
  function tell() {
    const scroller = box.current;
    const y = scroller.scrollTop - listTop();
    const view = { start: heights.at(Math.max(0, y)) + first, end: heights.at(Math.max(0, y + scroller.clientHeight)) + first, atEnd: it.atEnd };
    const key = `${view.start} ${view.end} ${view.atEnd}`;
    if (key === seen.current) return;
    seen.current = key;
    onView?.(view);
  }

  const shown = [];
  for (let at = start; at < end && at < rows.length; at += 1) shown.push(row(rows[at], at + first));
  return html`<div ref=${box} class=${`virtual ${className}`} onScroll=${look} onKeyDown=${onKeyDown} tabindex="0" role="region" aria-label=${label}>
    ${before}
    <div ref=${list} class="virtual-rows" role=${listRole} aria-label=${label} style=${{ height: `${heights.total}px` }}>${shown}</div>
    ${after}
  </div>`;
}
