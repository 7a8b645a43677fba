// Numbers, times and dates as a person reads them.

const locale = () => document.documentElement.lang || undefined;
const cache = new Map();

function made(kind, options) {
  const key = `${kind.name} ${JSON.stringify(options)}`;
  // answers name days as "26 November 2026": the day comes first here too
  const of = kind === Intl.DateTimeFormat && locale() === "en" ? "en-GB" : locale();
  if (!cache.has(key)) cache.set(key, new kind(of, options));
  return cache.get(key);
}

export const number = (value, digits = 0) => made(Intl.NumberFormat, { maximumFractionDigits: digits }).format(value);
export const percent = (share, digits = 0) => made(Intl.NumberFormat, { style: "percent", maximumFractionDigits: digits }).format(share);

export function bytes(value) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  let at = 0;
  let left = value;
  while (left >= 1000 && at < units.length - 1) { left /= 1000; at += 1; }
  const maximumFractionDigits = left < 10 && at > 0 ? 1 : 0;
  return made(Intl.NumberFormat, { style: "unit", unit: units[at], unitDisplay: at ? "short" : "long", maximumFractionDigits }).format(left);
}

const two = (value) => String(value).padStart(2, "0");

/// A place in sound or talk: `4:07`, `1:02:33`.
export function clock(ms) {
  const s = Math.max(0, Math.floor(ms / 1000));
  const [hours, minutes, seconds] = [Math.floor(s / 3600), Math.floor(s / 60) % 60, s % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/// A length of time: `4 min`, `2 h 5 min`, `3 days`.
export function length(ms) {
  const unit = (value, name) => made(Intl.NumberFormat, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: 1 }).format(value);
  const s = ms / 1000;
  if (s > 0 && s < 1) return unit(Math.max(1, Math.round(ms)), "millisecond");
  if (s < 10) return unit(Math.round(s * 10) / 10, "second");
  if (s < 60) return unit(Math.round(s), "second");
  const minutes = Math.round(s / 60);
  if (minutes < 60) return unit(minutes, "minute");
  if (minutes < 48 * 60) return `${unit(Math.floor(minutes / 60), "hour")}${minutes % 60 ? ` ${unit(minutes % 60, "minute")}` : ""}`;
  return unit(Math.round(minutes / 1440), "day");
}

const asDate = (value) => (value instanceof Date ? value : new Date(value));

export const time = (value) => made(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(asDate(value));
export const timeWithSeconds = (value) => made(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(asDate(value));

/// A day: "today" and "yesterday" as words, others always with their year.
export function day(value, now = new Date()) {
  const date = asDate(value);
  const midnight = (it) => new Date(it.getFullYear(), it.getMonth(), it.getDate());
  const ago = Math.round((midnight(date) - midnight(now)) / 86_400_000);
  if (ago === 0 || ago === -1) return made(Intl.RelativeTimeFormat, { numeric: "auto" }).format(ago, "day");
  return shortDay(date);
}

/// A day by its date alone.
export const shortDay = (value) => made(Intl.DateTimeFormat, { day: "numeric", month: "short", year: "numeric" }).format(asDate(value));
export const dayKey = (value) => asDate(value).toDateString();
/// When something was said or done: `8 May 2023, 13:57`, everywhere.
export const dayAndTime = (value) => `${shortDay(value)}, ${time(value)}`;

/// Days from one to another: `8 May – 20 Oct 2023`.
export function days(from, to) {
  const kind = made(Intl.DateTimeFormat, { day: "numeric", month: "short", year: "numeric" });
  return kind.formatRange(asDate(from), asDate(to));
}
