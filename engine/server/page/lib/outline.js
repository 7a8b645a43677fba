// The outline of memory as rows, and what changed from one outline to the next. No page in here.

const LEVEL = { scene: 1, event: 2, unit: 3 };
/// Of a tree with more statements only the scenes are open at first.
const FEW = 40;
/// Nodes that went are shown for a moment, unless there are very many.
const GHOSTS_MAX = 200;

/// The nodes with their parents and what is below them. The server sends each before those below.
export function indexed(outline) {
  const nodes = [];
  const byId = new Map();
  let scene;
  let event;
  for (const sent of outline.nodes) {
    const node = { ...sent, level: LEVEL[sent.kind], units: 0, keys: 0, pins: 0, events: 0 };
    if (node.kind === "scene") {
      scene = node;
      event = undefined;
    } else if (node.kind === "event") {
      node.parent = scene;
      event = node;
      if (scene) scene.events += 1;
    } else {
      node.parent = event ?? scene;
      for (const above of [event, scene]) {
        if (!above) continue;
        above.units += 1;
        if (node.key !== undefined) above.keys += 1;
        if (node.pinned) above.pins += 1;
        above.last_ms = Math.max(above.last_ms ?? 0, node.said_ms);
      }
    }
    nodes.push(node);
    byId.set(node.id, node);
  }
  const units = nodes.filter((it) => it.kind === "unit");
  return { nodes, byId, units, few: units.length <= FEW };
}

/// What people skip is listed under `everything`.
export const FILTERS = {
  all: (it) => !it.small_talk,
  everything: () => true,
  pinned: (it) => it.pinned,
  edited: (it) => it.edited,
  key: (it) => it.key !== undefined,
};

/// Whether what is below a node is shown: as a person chose, else by the size of the tree.
export const isOpen = (index, toggled, node) => toggled.get(node.id) ?? (node.kind === "scene" || index.few);

/// The rows that are shown: nodes, and ghosts of nodes that just went.
export function rowsOf(index, toggled, filter = "all", ghosts = []) {
  const passes = FILTERS[filter];
  const kept = ["all", "everything"].includes(filter) ? undefined : new Set();
  if (kept) {
    for (const unit of index.units) {
      if (passes(unit)) for (let it = unit; it; it = it.parent) kept.add(it);
    }
  }
  const after = new Map();
  for (const ghost of ghosts) after.set(ghost.after, [...(after.get(ghost.after) ?? []), ghost]);
  const rows = [];
  const open = (node) => (kept ? toggled.get(node.id) ?? true : isOpen(index, toggled, node));
  for (const node of index.nodes) {
    let shown = kept ? kept.has(node) : passes(node);
    for (let above = node.parent; shown && above; above = above.parent) shown = open(above);
    if (!shown) continue;
    rows.push({ node, open: node.units > 0 || node.events > 0 ? open(node) : undefined });
    for (const gone of after.get(node.id) ?? []) rows.push({ node: gone.node, ghost: gone.fate });
  }
  return rows;
}

/// Why nodes went. An event or a scene was merged if something below it is still held. A statement went
/// for what was counted meanwhile: with several reasons at once, one whose words stand in a statement
/// that changed was merged into it.
function fates(before, after, happened, changed) {
  const outlived = new Set();
  for (const unit of before.units) {
    if (!after.byId.has(unit.id)) continue;
    for (let above = unit.parent; above; above = above.parent) outlived.add(above);
  }
  const counted = { merged: "merged", forgotten: "forgotten", by_hand: "deleted" };
  const kinds = Object.keys(counted).filter((it) => happened[it] > 0).map((it) => counted[it]);
  const texts = changed.map((it) => it.text);
  return (node) => {
    if (outlived.has(node)) return "merged";
    if (kinds.length === 1 && (node.kind === "unit" || kinds[0] !== "merged")) return kinds[0];
    if (kinds.includes("merged") && texts.some((it) => it.includes(node.text))) return "merged";
    const others = kinds.filter((it) => it !== "merged");
    return others.length === 1 ? others[0] : "gone";
  };
}

/// What happened between two outlines: ids that are new, reduced to key words, changed; and ghosts
/// of those that went, each after the node that it followed and with its fate. `happened` counts what
/// the server told meanwhile.
export function changes(before, after, happened = {}) {
  const [born, reduced, changed] = [new Set(), new Set(), new Set()];
  for (const node of after.units) {
    const was = before.byId.get(node.id);
    if (!was) born.add(node.id);
    else if (node.key !== undefined && was.key === undefined) reduced.add(node.id);
    else if (node.text !== was.text || node.pinned !== was.pinned) changed.add(node.id);
  }
  const fate = fates(before, after, happened, after.units.filter((it) => changed.has(it.id)));
  const ghosts = [];
  let last;
  for (const node of before.nodes) {
    if (after.byId.has(node.id)) last = node.id;
    else if (last !== undefined) ghosts.push({ node, after: last, fate: fate(node) });
  }
  return { born, reduced, changed, ghosts: ghosts.length > GHOSTS_MAX ? [] : ghosts };
}

/// The statement at a time, or the last one before it.
export function unitAt(index, ms) {
  let best;
  for (const unit of index.units) {
    if (!best || (unit.said_ms <= ms && unit.said_ms >= best.said_ms) || (best.said_ms > ms && unit.said_ms < best.said_ms)) best = unit;
  }
  return best;
}

/// Tokens by kind, in the order of the budget bar.
export function tokensByKind(index, stats) {
  const sum = { whole: 0, key: 0, pinned: 0, headings: 0 };
  for (const node of index.nodes) {
    if (node.kind !== "unit") sum.headings += node.tokens;
    else if (node.pinned) sum.pinned += node.tokens;
    else if (node.key !== undefined) sum.key += node.tokens;
    else sum.whole += node.tokens;
  }
  const { memory, source_tokens: sources } = stats;
  const waiting = memory.pending_tokens + memory.buffer_tokens;
  const people = Math.max(0, memory.text_tokens - memory.tokens - waiting - sources);
  return { ...sum, waiting, people, sources };
}
