// What was said, as evidence: who, when, the words, its sound, and the way to it in the transcript.

import { clock, dayAndTime } from "../lib/format.js";
import { html } from "../lib/html.js";
import { words } from "../lib/words.js";
import { Icon } from "./icon.js";
import { PlayButton } from "./player.js";
import { Speaker } from "./speaker.js";

/// The address of an utterance in the transcript.
export function transcriptHref(session, { stream, utterance, turn }) {
  const query = new URLSearchParams({ utterance });
  if (stream) query.set("stream", stream);
  if (turn !== undefined) query.set("turn", turn);
  return `#/${encodeURIComponent(session)}/live?${query}`;
}

export const nodeHref = (session, id) => `#/${encodeURIComponent(session)}/memory?node=${encodeURIComponent(id)}`;

/// When an evidence item was said, by the clock of the day if that is known.
export const saidWhen = (item) => (item.said_at_unix_ms != null
  ? dayAndTime(item.said_at_unix_ms) : `${item.stream}, ${clock(item.span.start_ms)}`);

/// `plain` leaves the speaker out, where it is clear who that is.
export function Quote({ session, item, quote, plain }) {
  const said = words.memory;
  const when = saidWhen(item);
  return html`<li class="quote">
    <div class="quote-head"><span class="quote-by">${!plain && html`<${Speaker} name=${item.speaker} />`}<span class="muted small">${when}</span></span>
      <span class="quote-go">
        ${item.audio && html`<${PlayButton} session=${session} stream=${item.stream} utterance=${item.utterance} label=${said.playOf(when)} />`}
        <a class="icon-button" href=${transcriptHref(session, item)} aria-label=${said.toTranscript(when)} title=${said.inTranscript}><${Icon} name="link" size=${18} /></a>
      </span></div>
    ${quote ? html`<blockquote>${quote}</blockquote>` : html`<p class="muted small">${said.noQuote}</p>`}
  </li>`;
}
