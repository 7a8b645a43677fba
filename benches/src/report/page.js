"use strict";
// Sorting by a column, and the probe browser. Text is only ever set as text.
for (const table of document.querySelectorAll("table.sortable")) {
  table.classList.add("sorts");
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => head.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") !== "descending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const key = (row) => row.cells[at].dataset.v;
    const order = (a, b) => {
      if (at === 0) {
        const names = a.cells[0].textContent.localeCompare(b.cells[0].textContent);
        return down ? names : -names;
      }
      const [x, y] = [key(a), key(b)];
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
      return down ? y - x : x - y;
    };
    body.append(...[...body.rows].sort(order));
  }));
}

const data = JSON.parse(document.getElementById("data").textContent);
const MEASURES = ["fact recall", "half of the words anywhere", "answer's words", "evidence sim.", "key entities", "BLEU-4",
  "ROUGE-L", "BERTScore", "regret", "judge"];
const ALL = "all";

function make(name, parent, text, kind) {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  parent.append(node);
  return node;
}

function choice(parent, title, items) {
  const select = make("select", make("label", parent, title));
  fill(select, items);
  select.addEventListener("change", () => (title === "probe" ? show() : list()));
  return select;
}

function fill(select, items) {
  select.replaceChildren();
  for (const [value, text] of items) make("option", select, text).value = value;
}

const browser = document.getElementById("browser");
browser.replaceChildren();
const pick = make("div", browser, undefined, "pick");
const named = (names) => [[ALL, ALL], ...names.map((name) => [name, name])];
const probes = data.streams.flatMap((stream, s) => stream.probes.map((_, p) => [s, p]));
const probeOf = ([s, p]) => data.streams[s].probes[p];
const categories = [...new Set(probes.map((at) => probeOf(at).c).filter(Boolean))].sort();
const streamPick = choice(pick, "stream", named(data.streams.map((stream) => stream.name)));
const categoryPick = choice(pick, "category", named(categories));
const methodPick = choice(pick, "method", [[ALL, ALL], ...data.setups.map((name, n) => [n, name])]);
const missPick = choice(pick, "evidence", [[ALL, ALL], ["missed", "missed by the method, or any"],
  ["found", "found by the method, or all"]]);
const probePick = choice(pick, "probe", []);
const before = make("button", pick, "← before");
const after = make("button", pick, "next →");
const shown = make("div", browser);
before.addEventListener("click", () => step(-1));
after.addEventListener("click", () => step(1));

function step(by) {
  const to = probePick.selectedIndex + by;
  if (to >= 0 && to < probePick.options.length) { probePick.selectedIndex = to; show(); }
}

function chosen(method) {
  return methodPick.value === ALL || method[0] === Number(methodPick.value);
}

function fits(at) {
  const probe = probeOf(at);
  if (streamPick.value !== ALL && data.streams[at[0]].name !== streamPick.value) return false;
  if (categoryPick.value !== ALL && probe.c !== categoryPick.value) return false;
  const recalls = probe.m.filter(chosen).map((method) => method[6][0]).filter((x) => x !== null);
  if (missPick.value === "missed") return recalls.some((recall) => recall < 1);
  if (missPick.value === "found") return recalls.length > 0 && recalls.every((r) => r === 1);
  return true;
}

function list() {
  const items = probes.filter(fits).map(([s, p]) => {
    const question = data.streams[s].probes[p].q;
    return [`${s} ${p}`, question.length > 90 ? question.slice(0, 90) + "…" : question];
  });
  fill(probePick, items);
  show();
}

function turn(parent, stream, place, kind, mark) {
  const [id, text] = data.streams[stream].turns[place];
  const line = make("div", parent, undefined, "turn " + (kind || ""));
  if (mark) line.append(mark + " ");
  make("code", line, id);
  line.append(" " + text);
}

function show() {
  shown.replaceChildren();
  if (!probePick.value) { make("p", shown, "No probe fits."); return; }
  const [s, p] = probePick.value.split(" ").map(Number);
  const probe = data.streams[s].probes[p];
  const gold = make("div", shown, undefined, "gold");
  const asker = probe.by ? ` (${probe.by} asks)` : "";
  make("h3", gold, probe.q + asker);
  const place = [data.streams[s].name, probe.id, probe.c || "no category"].join(" · ");
  make("div", gold, place, "scores");
  make("p", gold, probe.a === null ? "No gold answer." : "Gold answer: " + probe.a);
  for (const at of probe.e) turn(gold, s, at);
  const best = (method) => (method[6][0] === null ? -1 : method[6][0]);
  const methods = probe.m.filter(chosen).sort((a, b) => best(b) - best(a) || a[0] - b[0]);
  for (const method of methods) one(s, probe, method);
}

// A run names 64 turns of a context; of a longer one it is known only whether all gold turns are in.
function one(s, probe, [setup, answer, abstained, turns, all, tokens, scores, namesAll]) {
  const box = make("div", shown, undefined, "method");
  make("h3", box, data.setups[setup]);
  make("p", box, (abstained ? "Abstained: " : "Answer: ") + data.answers[answer]);
  const values = MEASURES.map((name, at) => [name, scores[at]]).filter(([, x]) => x !== null);
  const parts = values.map(([name, x]) => `${name} ${x}`);
  make("div", box, [...parts, `${tokens} context tokens`].join(" · "), "scores");
  for (const at of probe.e) {
    if (turns.includes(at) || scores[0] === 1) turn(box, s, at, "found", "✓");
    else if (namesAll) turn(box, s, at, "lost", "✗");
    else turn(box, s, at, "", "?");
  }
  const rest = make("details", box);
  make("summary", rest, `${turns.length} of ${all} turns in the context`);
  for (const at of turns) turn(rest, s, at, probe.e.includes(at) ? "found" : "");
}

list();
