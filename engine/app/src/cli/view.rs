//! Answers, evidence and utterances as lines and as JSON.
//!
//! Control characters are removed from recorded text; the rest is as it was said.

use super::terminal::{Terminal, Tint, clock, plain};
use serde::Serialize;
use weir_core::answer::{Answer, AnswerCheck, Citation, PassageCitation, Recall};
use weir_core::stream::{Span, Utterance};
use weir_core::text::{date_of, in_words};
use weir_engine::pipeline::{Answered, micros};
use weir_engine::results::{Asked, ProbeResult, TimingsUs, TranscriptResult};
use weir_engine::store::Unrecognised;

/// Formats a time span as `01:02.3-01:04.0`.
pub(super) fn span(span: Span) -> String {
    format!("{}-{}", clock(span.start_ms), clock(span.end_ms))
}

/// Warning about lost sound.
pub(super) fn gap(at_ms: u64, lost_ms: u64) -> String {
    format!(
        "{lost_ms} ms of audio were lost at {}: recognition lags and the disk backlog is full",
        clock(at_ms)
    )
}

/// One utterance as recognised.
pub(super) fn utterance(said: &Utterance, terminal: &Terminal) -> String {
    let time = terminal.tint(Tint::Faint, &format!("[{}]", span(said.span)));
    match &said.speaker {
        Some(speaker) => format!("{time} {}: {}", plain(speaker), plain(&said.text)),
        None => format!("{time} {}", plain(&said.text)),
    }
}

/// An answer mentions audio waiting for recognition from this length on, in milliseconds.
const UNRECOGNISED_MS_TOLD: u64 = 1_000;

/// An answer: its words, then one line per piece of evidence.
pub(super) fn answer(answered: &Answered, terminal: &Terminal) -> Vec<String> {
    let mut notes = Vec::new();
    if answered.unrecognised_ms >= UNRECOGNISED_MS_TOLD {
        let seconds = answered.unrecognised_ms / 1_000;
        notes.push(format!("the last {seconds} s are not recognised yet"));
    }
    let made_of = (&answered.recall, answered.not_reranked.as_deref());
    noted(&answered.answer, made_of, notes, terminal)
}

/// An answer as [`answer`] has it, with notes behind its words: those given, why it was not
/// reranked, and whether a character has forgotten what fits.
pub(super) fn noted(
    answer: &Answer,
    (recall, not_reranked): (&Recall, Option<&str>),
    mut notes: Vec<String>,
    terminal: &Terminal,
) -> Vec<String> {
    notes.extend(not_reranked.map(|why| format!("not reranked: {}", plain(why))));
    let forgotten = recall.persona.faded && !answer.kind.is_answered();
    if let Some(character) = recall.persona.character.as_ref().filter(|_| forgotten) {
        let name = plain(&character.name);
        notes.push(format!("{name} has forgotten what fits best"));
    }
    let notes = notes.iter();
    let notes = notes.map(|text| terminal.tint(Tint::Faint, &format!("  {text}")));
    let mut lines = told(answer, recall.heard.spans_days, terminal);
    lines.splice(1..1, notes.collect::<Vec<_>>());
    lines
}

/// The words of an answer, what a model left out of it, and its evidence with the day if `dated`.
fn told(answer: &Answer, dated: bool, terminal: &Terminal) -> Vec<String> {
    let faint = |text: String| terminal.tint(Tint::Faint, &text);
    let mut lines = vec![terminal.tint(Tint::Strong, &plain(&answer.text))];
    if let Some(why) = &answer.fallback {
        lines.push(faint(format!("  quoted: {}", plain(why))));
    }
    let left_out = answer.unsupported.iter();
    lines.extend(left_out.map(|said| faint(format!("  left out, not proven: {}", plain(said)))));
    let citations = answer.citations.iter();
    let passages = answer.passages.iter();
    lines.extend(passages.map(|one| passage(one, terminal)));
    lines.extend(citations.map(|one| evidence(one, dated, terminal)));
    lines
}

/// Warning about recorded audio that no process is recognising now.
pub(super) fn left_unheard(left: &Unrecognised) -> String {
    format!(
        "{} s of `{}` were recorded and not recognised, from {} on; the next `weir listen` \
         processes them",
        left.waiting_ms.div_ceil(1_000),
        left.stream,
        clock(left.from_ms)
    )
}

/// The probability of an answer as a word; `weir ask --help` defines the words.
fn likelihood(score: f32) -> &'static str {
    match score {
        score if score >= 0.7 => "sure",
        score if score >= 0.3 => "likely",
        _ => "weak",
    }
}

/// One piece of evidence in a source: its place, the words, likelihood, and the time in subtitles.
fn passage(one: &PassageCitation, terminal: &Terminal) -> String {
    let place = terminal.tint(Tint::Faint, &format!("[{}]", plain(&one.to_string())));
    let words = plain(&one.quote);
    let mut line = format!("  {place}  \"{words}\"  {}", likelihood(one.score));
    if let Some(at) = one.span {
        line.push_str(&terminal.tint(Tint::Faint, &format!("  {}", span(at))));
    }
    line
}

/// One piece of evidence: time, speaker, words, likelihood, and its place in the audio.
fn evidence(citation: &Citation, dated: bool, terminal: &Terminal) -> String {
    let proof = &citation.evidence;
    let speaker = proof.speaker.as_deref().unwrap_or("somebody");
    let day = proof.said_at_unix_ms.filter(|_| dated).and_then(date_of);
    let day = day.map_or_else(String::new, |day| format!("{}, ", in_words(day)));
    let mut line = format!(
        "  {}  {}: {}  {}",
        terminal.tint(Tint::Faint, &format!("{day}{}", span(proof.span))),
        plain(speaker),
        match &citation.quote {
            Some(quote) => format!("\"{}\"", plain(quote)),
            None => "said so too".to_owned(),
        },
        likelihood(citation.score),
    );
    let place = match &proof.audio {
        Some(audio) => format!("  {} {}", plain(&audio.file), span(audio.span)),
        None => format!("  {} {}", plain(&proof.stream), plain(&proof.utterance)),
    };
    line.push_str(&terminal.tint(Tint::Faint, &place));
    line
}

/// A result object; `stream` is named when several are replayed.
pub(super) fn result(answered: &Answered, stream: Option<&str>) -> ProbeResult {
    let assembling = std::time::Instant::now();
    let took = answered.took;
    let mut result = ProbeResult::of(Asked {
        probe: &answered.asking.id,
        stream,
        answer: &answered.answer,
        recall: &answered.recall,
        memory: answered.memory.clone(),
        transcript: answered.transcript.map(|kept| TranscriptResult {
            bytes: kept.bytes,
            utterances: kept.utterances,
            evicted: kept.evicted,
            gaps: kept.gaps,
        }),
        turns: answered.turns,
        stream_ms: answered.stream_ms,
        timings_us: TimingsUs {
            encode: micros(took.encode),
            search: micros(took.search),
            rerank: micros(took.rerank),
            assemble: 0,
            answer: micros(took.answer),
            total: 0,
        },
    });
    // the asker waits for the writing of the result too
    let written = assembling.elapsed();
    result.timings_us.assemble = micros(took.assemble + written);
    result.timings_us.total = micros(took.total() + written);
    result.unrecognised_ms = answered.unrecognised_ms;
    result
}

/// What `weir ask --json` prints: a result object with its question and its check.
#[derive(Serialize)]
struct AskedJson<'a> {
    question: &'a str,
    #[serde(flatten)]
    result: ProbeResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<&'a AnswerCheck>,
}

/// An answer as one JSON object, with its check if it was checked.
pub(super) fn json(answered: &Answered, check: Option<&AnswerCheck>) -> serde_json::Result<String> {
    serde_json::to_string(&AskedJson {
        question: &answered.asking.text,
        result: result(answered, None),
        check,
    })
}
