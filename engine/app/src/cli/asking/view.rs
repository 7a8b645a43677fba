//! Answers, evidence and utterances as lines and as JSON.
//!
//! Control characters are removed from recorded text; the rest is as it was said.

use crate::cli::terminal::{Terminal, Tint, clock, plain};
use weir_api::{Unrecognised, how_sure};
use weir_core::answer::{AnswerText, Citation, PassageCitation, Recall};
use weir_core::stream::{Span, Utterance};
use weir_core::talk::Evidence;
use weir_core::text::{in_words, local_time};
use weir_engine::pipeline::Answered;
use weir_engine::store::is_recorded;

/// Formats a time span as `01:02.3-01:04.0`.
pub(crate) fn span(span: Span) -> String {
    format!("{}-{}", clock(span.start_ms), clock(span.end_ms))
}

/// Warning about lost sound.
pub(crate) fn gap(at_ms: u64, lost_ms: u64) -> String {
    format!(
        "{lost_ms} ms of audio were lost at {}: recognition lags and the disk backlog is full",
        clock(at_ms)
    )
}

/// One utterance as recognised.
pub(crate) fn utterance(said: &Utterance, terminal: &Terminal) -> String {
    let time = span(said.span);
    spoken(&time, said.speaker.as_deref(), &said.text, terminal)
}

/// Words with their time and speaker: `[01:02.3] Ana: Hello.`
pub(crate) fn spoken(time: &str, by: Option<&str>, text: &str, terminal: &Terminal) -> String {
    let time = terminal.tint(Tint::Faint, &format!("[{time}]"));
    match by {
        Some(speaker) => format!("{time} {}: {}", plain(speaker), plain(text)),
        None => format!("{time} {}", plain(text)),
    }
}

/// An answer mentions audio waiting for recognition from this length on, in milliseconds.
const UNRECOGNISED_MS_TOLD: u64 = 1_000;

/// Shows an answer while it is written: what it will keep, then the sentence not checked yet.
pub(crate) fn in_writing(text: Option<&AnswerText>, terminal: &mut Terminal) {
    if let Some(text) = text {
        terminal.live(&plain(&text.checked), &plain(&text.tentative));
    }
}

/// The words of an answer, notes on how it was made, and its evidence, with the day where memory
/// spans several.
pub(crate) fn answer(answered: &Answered, terminal: &Terminal) -> Vec<String> {
    let Answered { answer, recall, .. } = answered;
    let faint = |text: String| terminal.tint(Tint::Faint, &text);
    let mut first = terminal.tint(Tint::Strong, &plain(&answer.text));
    let sure = how_sure(answer.chance);
    if !sure.is_empty() {
        first.push_str(&faint(format!("  ({sure})")));
    }
    let mut lines = vec![first];
    if answered.unrecognised_ms >= UNRECOGNISED_MS_TOLD {
        let seconds = answered.unrecognised_ms / 1_000;
        lines.push(faint(format!(
            "  the last {seconds} s are not recognised yet"
        )));
    }
    let not_reranked = answered.not_reranked.iter();
    lines.extend(not_reranked.map(|why| faint(format!("  not reranked: {}", plain(why)))));
    let forgotten = recall.persona.faded && !answer.kind.is_answered();
    if let Some(character) = recall.persona.character.as_ref().filter(|_| forgotten) {
        let name = plain(&character.name);
        lines.push(faint(format!("  {name} has forgotten what fits best")));
    }
    let fallback = answer.fallback.iter();
    lines.extend(fallback.map(|why| faint(format!("  quoted: {}", plain(why)))));
    let left_out = answer.unsupported.iter();
    lines.extend(left_out.map(|said| faint(format!("  left out, not proven: {}", plain(said)))));
    let (passages, citations) = (answer.passages.iter(), answer.citations.iter());
    lines.extend(passages.map(|one| passage(one, terminal)));
    lines.extend(citations.map(|one| evidence(one, recall, terminal)));
    lines
}

/// Warning about recorded audio that no process is recognising now.
pub(crate) fn left_unheard(left: &Unrecognised) -> String {
    format!(
        "{} s of `{}` were recorded and not recognised, from {} on; the next `weir listen` or \
         `weir serve` of the session processes them",
        left.waiting_ms.div_ceil(1_000),
        left.stream,
        clock(left.from_ms)
    )
}

/// One piece of evidence in a source: its place, the words, and the time in subtitles.
fn passage(one: &PassageCitation, terminal: &Terminal) -> String {
    let place = terminal.tint(Tint::Faint, &format!("[{}]", plain(&one.to_string())));
    let words = plain(&one.quote);
    let mut line = format!("  {place}  \"{words}\"");
    if let Some(at) = one.span {
        line.push_str(&terminal.tint(Tint::Faint, &format!("  {}", span(at))));
    }
    line
}

/// Nothing that is spoken is shorter; what is typed lasts no time.
const SPOKEN_MS_MIN: u64 = 100;

/// When something was said: its place in the stream, or the time of day if it was typed; with the
/// day where memory spans several.
fn said_at(proof: &Evidence, recall: &Recall) -> String {
    let zone = &recall.reading.zone;
    let local = proof.said_at_unix_ms.and_then(|at| local_time(at, zone));
    let typed = proof.span.end_ms.saturating_sub(proof.span.start_ms) < SPOKEN_MS_MIN;
    let time = match &local {
        Some(local) if typed => local.strftime("%H:%M").to_string(),
        _ => span(proof.span),
    };
    match local.filter(|_| recall.heard.spans_days) {
        Some(local) => format!("{}, {time}", in_words(local.date())),
        None => time,
    }
}

/// One piece of evidence: time, speaker, words, and its place in the audio.
fn evidence(citation: &Citation, recall: &Recall, terminal: &Terminal) -> String {
    let proof = &citation.evidence;
    let speaker = proof.speaker.as_deref().unwrap_or("somebody");
    let mut line = format!(
        "  {}  {}: {}",
        terminal.tint(Tint::Faint, &said_at(proof, recall)),
        plain(speaker),
        match &citation.quote {
            Some(quote) => format!("\"{}\"", plain(quote)),
            None => "said so too".to_owned(),
        },
    );
    let place = match &proof.audio {
        // `weir ask --clip` plays it; the name of its file says nothing to people
        Some(audio) if is_recorded(audio) => format!("  {}, recorded", plain(&proof.stream)),
        Some(audio) => format!("  {} {}", plain(&audio.file), span(audio.span)),
        None => format!("  {} {}", plain(&proof.stream), plain(&proof.utterance)),
    };
    line.push_str(&terminal.tint(Tint::Faint, &place));
    line
}
