// The words of the dialog that imports conversations of other programs; a part of `words.js`.

const many = (count, one, more = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

export const imports = {
  button: "Import",
  title: "Import conversations",
  about: "Subtitles (SRT, VTT), Whisper's JSON, and exports of ChatGPT, WhatsApp, Telegram and Slack, as a file or a zip archive.",
  looking: "Looking at the file…",
  format: { srt: "Subtitles (SRT)", vtt: "Captions (WebVTT)", whisper: "Transcript of Whisper", chatgpt: "ChatGPT", whatsapp: "WhatsApp", telegram: "Telegram", slack: "Slack" },
  kind: "What it is",
  conversations: "Conversations",
  people: "People",
  unknown: "unknown",
  days: "Days",
  between: (first, last) => (first === last ? first : `${first} to ${last}`),
  leftOut: "Left out",
  reasons: {
    known: "already in this session", system: "written by the program", media: "without words (pictures, sound, files)", empty: "empty",
    deleted: "deleted", tool: "of tools", hidden: "hidden", branch: "on other branches", repeat: "repeated by rolling captions", unreadable: "unreadable", too_long: "too long",
  },
  nothing: "Nothing in this file is new to the session.",
  dates: "Dates",
  dayFirst: "The day comes first (31/01/2024)",
  monthFirst: "The month comes first (01/31/2024)",
  run: (count) => `Import ${many(count, "message")}`,
  running: "Importing…",
  done: (count) => `${many(count, "message")} imported.`,
};
