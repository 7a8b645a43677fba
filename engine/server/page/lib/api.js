// Requests to the server. Whatever goes wrong is a `Problem`, whose `message` can be shown as it is.

import { words } from "./words.js";

const TOKEN = "weir_token";
/// How often a request that only looks is sent again while the server is busy.
const TRIES = 3;

/// What the server says for programs, as a person needs it: about tokens, that is.
function said({ status, detail }) {
  const lacks = status === 403 && /scope `(\w+)`/.exec(detail);
  if (status === 401 && /not known/.test(detail)) return words.errors.tokenUnknown;
  return (lacks && words.errors.lacks[lacks[1]]) || detail;
}

/// With a capital letter and a full stop.
function sentence(text) {
  const begun = /^[a-z]+[ :,]/.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
  return /[\p{L}\p{N})`'”"]$/u.test(begun) ? `${begun}.` : begun;
}

export class Problem extends Error {
  constructor({ status = 0, class: kind = "gone", title = "", detail = "" }) {
    super(sentence(said({ status, detail }) || title || words.errors.unknown));
    this.name = "Problem";
    this.status = status;
    this.class = kind;
  }

  /// The server did not reply at all.
  get unreachable() { return this.status === 0; }
  get absent() { return this.status === 404; }
  get refused() { return this.status === 401 || this.status === 403; }
}

/// The path of a route of a session: `at("home", "transcript", { limit: 100 })`.
export function at(session, rest = "", query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const asked = new URLSearchParams(given).toString();
  const path = `/v1/sessions/${encodeURIComponent(session)}${rest && `/${rest}`}`;
  return asked ? `${path}?${asked}` : path;
}

/// Sends a request and returns the response; throws a `Problem` unless it is a success.
export async function send(path, { method = "GET", json, body, headers = {}, signal } = {}) {
  const init = { method, headers: { ...headers }, signal, body };
  if (json !== undefined) {
    init.body = JSON.stringify(json);
    init.headers["content-type"] = "application/json";
  }
  for (let tried = 1; ; tried += 1) {
    let response;
    try {
      response = await fetch(path, init);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem({ detail: words.errors.unreachable });
    }
    if (response.ok) return response;
    const problem = await problemOf(response);
    if (method !== "GET" || problem.class !== "busy" || tried >= TRIES) throw problem;
    await new Promise((done) => { setTimeout(done, 1000 * tried); });
  }
}

/// The JSON of a reply.
export async function ask(path, options) {
  const response = await send(path, options);
  return response.json();
}

/// What a response that is no success says.
export async function problemOf(response) {
  let said = {};
  try {
    said = await response.json();
  } catch {
    // no problem details: the status has to do
  }
  return new Problem({ title: `${response.status} ${response.statusText}`, ...said, status: response.status });
}

/// Changes a session; returns what that did.
export const change = (session, json) => ask(at(session, "changes"), { method: "POST", json, headers: once() });

/// A key under which a request is carried out once, however often it is sent.
const once = () => ({ "Idempotency-Key": `page-${Date.now()}-${Math.random().toString(36).slice(2)}` });

export function token() {
  const pair = document.cookie.split("; ").find((it) => it.startsWith(`${TOKEN}=`));
  return pair ? pair.slice(TOKEN.length + 1) : "";
}

/// Stores the token for this browser, or removes it if it is empty. Returns whether it can be one.
export function keepToken(secret) {
  if (!/^[\w.~+/=-]*$/.test(secret)) return false;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  const age = secret ? 365 * 24 * 3600 : 0;
  document.cookie = `${TOKEN}=${secret}; Path=/; SameSite=Strict; Max-Age=${age}${secure}`;
  return true;
}
