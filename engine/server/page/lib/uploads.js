// Recordings that are sent to a session. They go on while other views are shown.

import { at, Problem } from "./api.js";
import { feed } from "./events.js";
import { Store } from "./load.js";
import { words } from "./words.js";

/// Each: `id`, `session`, `name`, `bytes`, `length_ms` where the browser can tell, `is` (`sending`,
/// `hearing`, `done`, `stopped`, `failed`), `sent` bytes, `heard_ms`, `result`, `error`; `again` where it may help.
export const uploads = new Store([]);
const running = new Map();
let made = 0;

const change = (id, changed) => uploads.set(uploads.value.map((it) => (it.id === id ? { ...it, ...changed } : it)));
export const dismissUpload = (id) => uploads.set(uploads.value.filter((it) => it.id !== id));
export const stopUpload = (id) => running.get(id)?.abort();

/// The length of a recording in milliseconds; nothing if this browser cannot play its format.
export function lengthOf(file) {
  return new Promise((done) => {
    const sound = new Audio();
    const end = (length) => { URL.revokeObjectURL(sound.src); done(length); };
    sound.preload = "metadata";
    sound.onloadedmetadata = () => end(Number.isFinite(sound.duration) ? sound.duration * 1000 : undefined);
    sound.onerror = () => end(undefined);
    sound.src = URL.createObjectURL(file);
  });
}

/// Sends a file. `fetch` tells no progress of a body, so this is the older interface.
export function upload(session, file, { started_at_unix_ms, length_ms } = {}) {
  made += 1;
  const id = made;
  const now = new Date();
  const stream = `${file.name.replace(/\.[^.]*$/, "").slice(0, 80)} ${now.toTimeString().slice(0, 8)}`;
  uploads.set([...uploads.value, { id, session, stream, name: file.name, bytes: file.size, length_ms, is: "sending", sent: 0, heard_ms: 0 }]);
  const forget = feed(session).on(({ data }) => {
    if (data?.stream === stream && data.end_ms) change(id, { heard_ms: data.end_ms });
  });
  const request = new XMLHttpRequest();
  running.set(id, request);
  const end = (changed) => {
    forget();
    running.delete(id);
    if (running.size === 0) removeEventListener("beforeunload", ask_first);
    // the same file is refused for the same reason
    const helps = changed.error && changed.error.class !== "bad_input" && !changed.error.refused;
    change(id, { ...changed, again: helps && (() => { dismissUpload(id); upload(session, file, { started_at_unix_ms, length_ms }); }) });
  };
  addEventListener("beforeunload", ask_first);
  request.upload.onprogress = ({ loaded }) => change(id, { sent: loaded });
  request.upload.onload = () => change(id, { is: "hearing", sent: file.size });
  request.onerror = () => end({ is: "failed", error: new Problem({ detail: words.errors.unreachable }) });
  // what was heard before is kept; the server stops when nobody waits for the rest
  request.onabort = () => {
    const heard = uploads.value.find((it) => it.id === id)?.is === "hearing";
    end(heard ? { is: "stopped" } : {});
    if (!heard) dismissUpload(id);
  };
  request.onload = () => {
    let said = {};
    try { said = JSON.parse(request.responseText); } catch { /* the status has to do */ }
    if (request.status === 200) end({ is: "done", result: said });
    else end({ is: "failed", error: new Problem({ title: `${request.status}`, ...said, status: request.status }) });
  };
  request.open("POST", at(session, "recordings", { name: stream, started_at_unix_ms }));
  request.setRequestHeader("content-type", "application/octet-stream");
  request.send(file);
}

function ask_first(event) { event.preventDefault(); }
