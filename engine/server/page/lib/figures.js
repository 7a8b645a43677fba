// Figures of the server (`/metrics`, in Prometheus' text format) and what a person reads of them.

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/// Every sample as `{ name, labels, value }`.
export function parsed(text) {
  const samples = [];
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (!name) continue;
    const named = Object.fromEntries([...labels.matchAll(LABEL)].map(([, key, it]) => [key, it]));
    samples.push({ name, labels: named, value: Number(value) });
  }
  return samples;
}

/// A histogram as counts up to each bound, summed over the samples that `is` accepts.
export function histogram(samples, name, is) {
  const upTo = new Map();
  for (const { name: of, labels, value } of samples) {
    if (of !== `${name}_bucket` || !is(labels)) continue;
    const bound = labels.le === "+Inf" ? Infinity : Number(labels.le);
    upTo.set(bound, (upTo.get(bound) ?? 0) + value);
  }
  return [...upTo].sort((a, b) => a[0] - b[0]);
}

/// What came since an earlier histogram; all of it if the server began anew.
export function since(now, before) {
  const was = new Map(before);
  const delta = now.map(([bound, count]) => [bound, count - (was.get(bound) ?? 0)]);
  return delta.some(([, count]) => count < 0) ? now : delta;
}

export const countOf = (of) => (of.length ? of.at(-1)[1] : 0);

/// The value under which a share of all lies, in the unit of the bounds; undefined for none.
export function quantile(of, share) {
  const all = countOf(of);
  if (all <= 0) return undefined;
  const wanted = share * all;
  let [from, below] = [0, 0];
  for (const [bound, count] of of) {
    if (count >= wanted) {
      if (bound === Infinity) return from;
      return count === below ? bound : from + ((bound - from) * (wanted - below)) / (count - below);
    }
    [from, below] = [bound, count];
  }
  return from;
}

export const value = (samples, name) => samples.find((it) => it.name === name)?.value;

const HEARD = new Set(["/v1/sessions/{session}/utterances"]);
export const asked = (samples) => histogram(samples, "weir_ask_step_seconds", (it) => it.step === "total");
export const heard = (samples) => histogram(samples, "weir_request_seconds", (it) => HEARD.has(it.route) && it.status === "200");
