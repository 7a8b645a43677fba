// All words of the page, one object for each view. To translate the page, translate this file.
// A function makes words of values; `{}` never holds HTML: everything becomes text.

const many = (count, one, more = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

export const words = {
  shell: {
    name: "Weir",
    skip: "Skip to the content",
    navigation: "Views",
    session: "Session",
    allSessions: "All sessions",
    more: "More",
    views: {
      live: "Live", ask: "Ask", memory: "Memory", people: "People", search: "Search",
      health: "Health", sessions: "Sessions", settings: "Settings",
    },
    title: (view, session) => (session ? `${view} · ${session} · Weir` : `${view} · Weir`),
    notFound: "There is no such page.",
    notFoundHelp: "The address may be mistyped, or the page may have moved.",
    toSessions: "To the sessions",
    broken: "This view broke.",
    brokenHelp: "The rest of the page still works. Load the page again; if that does not help, the console of the browser says where it broke.",
    reload: "Load again",
    loading: "Loading",
  },
  connection: {
    label: "Connection",
    connecting: "Connecting",
    connected: "Connected",
    reconnecting: "Reconnecting",
    resting: "Resting",
    absent: "No such session",
    deleted: "Session deleted",
    refused: "Token needed",
    restingHelp: "The tab was hidden; it catches up when it is shown.",
    lost: "The server does not answer. The page tries again by itself.",
    back: "Connected again.",
    missed: (events) => (events ? `${many(events, "event")} passed while the page was away; it was loaded anew.` : "The page was away; it was loaded anew."),
  },
  errors: {
    unknown: "Something went wrong, and the server did not say what.",
    unreachable: "The server does not answer. Is weir serve running?",
    title: "This did not work",
    again: "Try again",
    tokenTitle: "This server wants a token",
    tokenHelp: "Enter one in the settings. Whoever runs the server makes one with: weir tokens add NAME --scope read,write",
    toSettings: "To the settings",
    absentTitle: (session) => `There is no session “${session}”`,
    absentHelp: "It may have been deleted, or nothing was heard in it yet.",
    deletedTitle: (session) => `The session “${session}” was deleted`,
    deletedHelp: "It was deleted in another tab or by another program. Nothing of it is left on the server.",
    make: "Make it",
    toSessions: "To the sessions",
  },
  parts: {
    close: "Close",
    cancel: "Cancel",
    dismiss: "Dismiss",
    done: "Done",
    receipt: "Receipt",
    play: "Play the sound",
    stop: "Stop the sound",
    playing: "Playing",
    noSound: "No sound of this utterance is kept: it came as text, or its recording was dropped.",
    soundFailed: "The sound could not be played.",
    unknownSpeaker: "Unknown speaker",
    erased: {
      utterances: "Utterances", nodes: "Statements and their groups", rewritten: "Statements kept with other evidence",
      summaries: "Summaries rebuilt", beliefs: "Beliefs", facts: "Facts of profiles", passages: "Passages of sources",
      audio: "Recorded sound silenced", files: "Files rewritten", left: "Your own recordings, left as they are",
      notOverwritten: "Old files that could not be overwritten", untraced: "Utterances whose sound may remain",
    },
  },
  live: {
    title: "Live",
  },
  ask: {
    title: "Ask",
  },
  sessions: {
    title: "Sessions",
  },
  settings: {
    title: "Settings",
  },
  memory: {
    title: "Memory",
  },
  people: {
    title: "People",
  },
  health: {
    title: "Health",
  },
  search: {
    title: "Search",
  },
};
