// Icons as inline SVG, drawn with the colour of the text.

import { html } from "../lib/html.js";

const paths = {
  live: "M4 10v4M8 6v12M12 9v6M16 4v16M20 10v4",
  ask: "M9.2 9.2a3 3 0 1 1 4.3 2.7c-1 .5-1.5 1.2-1.5 2.3M12 17.5v.01M12 21a9 9 0 1 0-8-4.9L3 21l4.9-1A9 9 0 0 0 12 21z",
  memory: "M4 5h16M8 10h12M8 15h12M12 20h8M4 5v10h4M8 15v5h4",
  people: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.3 2.7-5.5 6-5.5s6 2.2 6 5.5M16 4.5a3.5 3.5 0 0 1 0 6.5M17.5 14.8c2.1.7 3.5 2.6 3.5 5.2",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5",
  health: "M3 12h4l3-8 4 16 3-8h4",
  sessions: "M4 6.5A1.5 1.5 0 0 1 5.5 5H10l2 2.5h6.5A1.5 1.5 0 0 1 20 9v8.5a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 17.5z",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  play: "M8 5.5v13l10.5-6.5z",
  stop: "M7 7h10v10H7z",
  mic: "M12 15a3.5 3.5 0 0 0 3.5-3.5v-5a3.5 3.5 0 0 0-7 0v5A3.5 3.5 0 0 0 12 15zM5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3",
  upload: "M12 16V4M7 9l5-5 5 5M4 20h16",
  download: "M12 4v12M7 11l5 5 5-5M4 20h16",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l4.5 4.5L19 7.5",
  warning: "M12 9v4.5M12 17v.01M10.3 4.3 2.6 17.6A2 2 0 0 0 4.3 20.5h15.4a2 2 0 0 0 1.7-2.9L13.7 4.3a2 2 0 0 0-3.4 0z",
  info: "M12 11v5M12 8v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  trash: "M4 7h16M9 7V4.5h6V7M6.5 7l1 13h9l1-13M10 11v5.5M14 11v5.5",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  pin: "M9 4h6l-1 6 3 3.5H7L10 10zM12 13.5V20",
  link: "M10 14a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7L11.8 6.5M14 10a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7l1.3-1.3",
  down: "M12 5v14M6 13l6 6 6-6",
  right: "M9 5l7 7-7 7",
  chevron: "M6 9l6 6 6-6",
  quiet: "M4 12h16",
  key: "M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM11 12l8-8M15.5 7.5l3 3",
  merge: "M6 4v3c0 4 6 4 6 8v5M18 4v3c0 4-6 4-6 8M8.5 16.5 12 20l3.5-3.5",
  plug: "M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4",
};

/// Decoration: whatever holds it has words of its own.
export const Icon = ({ name, size = 20 }) => html`
  <svg class="icon" width=${size} height=${size} viewBox="0 0 24 24" aria-hidden="true" focusable="false"
    fill=${name === "play" || name === "stop" ? "currentColor" : "none"}><path d=${paths[name]} /></svg>`;
