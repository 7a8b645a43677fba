// The shell: which view is shown, the navigation, the state of the connection, errors of a view.

import { ask } from "./lib/api.js";
import { useConnection, useEvents, feed } from "./lib/events.js";
import { Component, html, render, useEffect, useLayoutEffect, useRef, useState } from "./lib/html.js";
import { Store, useStore } from "./lib/load.js";
import { words } from "./lib/words.js";
import { Receipts } from "./parts/confirm.js";
import { Dialog } from "./parts/dialog.js";
import { MicrophoneBadge, UploadBadges } from "./parts/hearing.js";
import { Icon } from "./parts/icon.js";
import { speakersOf } from "./parts/speaker.js";
import { Empty, Failed } from "./parts/states.js";
import { Toasts, toast } from "./parts/toast.js";
import { Ask } from "./views/ask.js";
import { Health } from "./views/health.js";
import { Live } from "./views/live.js";
import { Memory } from "./views/memory.js";
import { People } from "./views/people.js";
import { Search } from "./views/search.js";
import { Sessions } from "./views/sessions.js";
import { Settings } from "./views/settings.js";

const OF_SESSION = { live: Live, ask: Ask, memory: Memory, people: People, search: Search, health: Health };
const OF_SERVER = { sessions: Sessions, settings: Settings };
/// What the bottom of a phone has room for; the rest is behind `More`.
const AT_HAND = ["live", "ask", "memory", "people"];
const LAST = "weir_session";

/// The place that an address names: `#/home/live?utterance=u1`, `#/sessions`.
function placeOf(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [one = "", two = ""] = path.split("/").map((it) => {
    try { return decodeURIComponent(it); } catch { return ""; }
  });
  const asked = new URLSearchParams(query);
  if (!one) return { view: "sessions", query: asked };
  if (!two && OF_SERVER[one]) return { view: one, query: asked };
  return { session: one, view: two || "live", query: asked };
}

/// Goes to an address; `replace` leaves no step back to the one before.
function go(to, { replace } = {}) {
  if (replace) {
    history.replaceState(null, "", to);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = to;
  }
}

const to = (session, view) => (session ? `#/${encodeURIComponent(session)}/${view}` : `#/${view}`);

function remembered() {
  try { return localStorage.getItem(LAST) ?? undefined; } catch { return undefined; }
}

function remember(session) {
  try { localStorage.setItem(LAST, session); } catch { /* a browser that keeps nothing */ }
}

/// An error of one view leaves the others usable.
class Guarded extends Component {
  componentDidCatch(error) {
    console.error(error);
    this.setState({ broken: true });
  }

  render({ children }, { broken }) {
    if (!broken) return children;
    return html`<${Empty} whole icon="warning" title=${words.shell.broken} text=${words.shell.brokenHelp}>
      <button type="button" class="button primary" onClick=${() => location.reload()}>${words.shell.reload}</button>
    <//>`;
  }
}

function Link({ view, session, current, onClick }) {
  return html`<a class="nav-link" href=${to(OF_SESSION[view] ? session : undefined, view)} onClick=${onClick}
    aria-current=${current === view ? "page" : undefined}>
    <${Icon} name=${view} size=${22} /><span>${words.shell.views[view]}</span></a>`;
}

function Connection({ session }) {
  const { is, why } = useConnection(session);
  const said = words.connection[is];
  const help = why ?? { resting: words.connection.restingHelp, reconnecting: words.connection.lost }[is];
  return html`<div class=${`connection ${is}`} role="status" aria-label=${words.connection.label} title=${help}>
    <span class="dot" aria-hidden="true"></span><span>${said}</span></div>`;
}

/// Keeps the events of the session while any of its views is shown, and tells of what was missed.
function Following({ session }) {
  const { is, why } = useConnection(session);
  const was = useRef(is);
  useEvents(session, ({ kind, data }) => {
    if (kind === "missed") toast(words.connection.missed(data.events));
  });
  useEffect(() => {
    if (is === "connected" && was.current === "reconnecting") toast(words.connection.back, "good");
    was.current = is;
  }, [is]);
  if (is !== "reconnecting") return null;
  return html`<div class="banner" role="status"><${Icon} name="plug" /><span>${why ? words.connection.refusedNow(why) : words.connection.lost}</span>
    <button type="button" class="button small" onClick=${() => feed(session).retry()}>${words.errors.again}</button></div>`;
}

/// There is no such session, or no more.
function Absent({ session, deleted }) {
  const [problem, setProblem] = useState();
  const make = async () => {
    try {
      await ask(`/v1/sessions/${encodeURIComponent(session)}`, { method: "PUT", json: {} });
      feed(session).retry();
    } catch (error) {
      setProblem(error);
    }
  };
  const said = words.errors;
  return html`<${Empty} whole icon="sessions" title=${deleted ? said.deletedTitle(session) : said.absentTitle(session)} text=${deleted ? said.deletedHelp : said.absentHelp}>
    <a class="button primary" href="#/sessions">${said.toSessions}</a>
    <button type="button" class="button" onClick=${make}>${said.make}</button>
    ${problem && html`<p class="problem" role="alert">${problem.message}</p>`}
  <//>`;
}

function Main({ place }) {
  const { session, view, query } = place;
  const View = session ? OF_SESSION[view] : OF_SERVER[view];
  const content = useRef(null);
  const first = useRef(true);
  const title = words.shell.views[view] ?? words.shell.name;
  useLayoutEffect(() => {
    document.title = View ? words.shell.title(title, session) : words.shell.name;
    // a new view begins at its heading, for the keyboard and for screen readers
    if (!first.current) content.current.focus({ preventScroll: true });
    first.current = false;
  }, [session, view]);
  const shown = View
    ? html`<${View} session=${session} go=${go} query=${query} />`
    : html`<${Empty} whole icon="warning" title=${words.shell.notFound} text=${words.shell.notFoundHelp}>
        <a class="button primary" href="#/sessions">${words.shell.toSessions}</a><//>`;
  return html`<main ref=${content} id="content" tabindex="-1" class=${`view view-${view}`} aria-label=${title}>
    <${Guarded} key=${`${session}/${view}`}>
      ${session && View ? html`<${OfSession} session=${session}>${shown}<//>` : shown}
    <//>
  </main>`;
}

function OfSession({ session, children }) {
  speakersOf(session);
  const { is, problem } = useConnection(session);
  if (is === "refused") {
    return html`<div class="page"><${Failed} whole error=${problem} again=${() => feed(session).retry()} /></div>`;
  }
  const gone = is === "absent" || is === "deleted";
  return html`<${Following} session=${session} />
    ${gone ? html`<${Absent} session=${session} deleted=${is === "deleted"} />` : children}`;
}

function More({ session, view, onClose }) {
  const rest = [...(session ? ["search", "health"] : []), "sessions", "settings"];
  return html`<${Dialog} title=${words.shell.more} onClose=${onClose}>
    <nav class="sheet" aria-label=${words.shell.more}>
      ${rest.map((it) => html`<${Link} key=${it} view=${it} session=${session} current=${view} onClick=${onClose} />`)}
    </nav><//>`;
}

function App() {
  const place = useStore(current);
  const [more, setMore] = useState(false);
  const { view } = place;
  const session = place.session ?? remembered();
  useEffect(() => { if (place.session) remember(place.session); }, [place.session]);
  useEffect(() => setMore(false), [place]);
  const skip = (event) => { event.preventDefault(); document.getElementById("content").focus(); };
  return html`
    <a class="skip" href="#content" onClick=${skip}>${words.shell.skip}</a>
    <header class="side">
      <a class="brand" href="#/sessions" aria-label=${words.shell.name}><img src="/page/icon.svg" alt="" width="28" height="28" /><span>${words.shell.name}</span></a>
      ${session && html`<a class="which" href="#/sessions" title=${words.shell.allSessions}>
        <span class="muted small">${words.shell.session}</span><strong>${session}</strong></a>`}
      <nav class="side-nav" aria-label=${words.shell.navigation}>
        ${session && Object.keys(OF_SESSION).map((it) => html`<${Link} key=${it} view=${it} session=${session} current=${view} />`)}
        <hr />
        ${Object.keys(OF_SERVER).map((it) => html`<${Link} key=${it} view=${it} current=${view} />`)}
      </nav>
      ${view !== "live" && html`<${MicrophoneBadge} /><${UploadBadges} />`}
      ${place.session && html`<${Connection} session=${place.session} />`}
    </header>
    <${Main} place=${place} />
    <nav class="bottom-nav" aria-label=${words.shell.navigation}>
      ${(session ? AT_HAND : []).map((it) => html`<${Link} key=${it} view=${it} session=${session} current=${view} />`)}
      ${!session && Object.keys(OF_SERVER).map((it) => html`<${Link} key=${it} view=${it} current=${view} />`)}
      ${session && html`<button type="button" class="nav-link" aria-haspopup="dialog" aria-current=${AT_HAND.includes(view) ? undefined : "page"} onClick=${() => setMore(true)}>
        <${Icon} name="more" size=${22} /><span>${words.shell.more}</span></button>`}
    </nav>
    ${more && html`<${More} session=${session} view=${view} onClose=${() => setMore(false)} />`}
    <${Receipts} />
    <${Toasts} />`;
}

const current = new Store(placeOf(location.hash));
addEventListener("hashchange", () => current.set(placeOf(location.hash)));
render(html`<${App} />`, document.getElementById("app"));
