//! The default distiller: takes statements out of what was said, word for word.
//!
//! It has no model of language and cannot invent: every unit is a clause of the block, at most with
//! a leading conjunction taken off, the question it answers put before it, and a relative date
//! resolved beside its words. Deterministic.

use super::block::{Block, Distillate, DistilledUnit, Heard};
use super::{Distil, DistilError, dates, themes};
use crate::limits;
use crate::memory::{Evidence, dot, normalise};
use crate::text::{Marks, clauses, content_words, is_question};
use weir_models::Encode;

/// A clause of more words is cut here; English needs about 1.3 tokens a word.
const CLAUSE_WORDS_MAX: usize = limits::UNIT_TOKENS_MAX * 10 / 16;
/// Words of an event's summary.
const EVENT_WORDS_MAX: usize = 10;
/// An answer of so few content words means little without its question.
const SHORT_ANSWER_WORDS: usize = 3;

/// Factors on what a statement says: who asks states nothing, who speaks of himself or gives
/// figures says what is asked for later. Their strengths were fitted once, by a search that is no
/// longer part of `weir-bench`.
const QUESTION_FACTOR: f32 = 0.25;
const FIRST_PERSON_FACTOR: f32 = 1.7;
const FIGURES_FACTOR: f32 = 1.7;

/// The extractive distiller.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

impl Distil for Extractive {
    fn name(&self) -> &'static str {
        "extractive"
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let mut units = statements(block);
        let texts: Vec<String> = units.iter().map(spoken_text).collect();
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        for (unit, vector) in units.iter_mut().zip(encode.encode(&refs)?) {
            unit.vector = vector;
        }
        let theme = mean(block, encode.dimension());
        let central = central(&units, &theme);
        let event_text = central.map_or_else(|| joined(block), spoken_text);
        Ok(Distillate {
            block: block.id,
            scene_label: themes::label(&joined(block)),
            event_text: headline(&event_text),
            // the summary is the head of its central statement, so it lies where that lies
            event_vector: central.map_or_else(|| theme.clone(), |unit| unit.vector.clone()),
            event_speaker: central.and_then(|unit| unit.speaker.clone()),
            event_evidence: event_evidence(block, central),
            said_ms: block.fresh.first().map_or(0, |heard| heard.session_ms),
            scene_vector: theme,
            units,
        })
    }
}

/// What a statement sounds like with its speaker, which is what is encoded: a question names
/// people.
pub(super) fn spoken_text(unit: &DistilledUnit) -> String {
    match &unit.speaker {
        Some(speaker) => format!("{speaker}: {}", unit.text),
        None => unit.text.clone(),
    }
}

pub(super) fn joined(block: &Block) -> String {
    let texts: Vec<&str> = block
        .fresh
        .iter()
        .map(|heard| heard.utterance.text.as_str())
        .collect();
    texts.join(" ")
}

pub(super) fn mean(block: &Block, dimension: usize) -> Vec<f32> {
    let mut sum = vec![0.0; dimension];
    for heard in &block.fresh {
        sum.iter_mut().zip(&heard.vector).for_each(|(s, v)| *s += v);
    }
    normalise(&mut sum);
    sum
}

fn statements(block: &Block) -> Vec<DistilledUnit> {
    let mut units = Vec::new();
    let mut before = block.leading.last();
    for heard in &block.fresh {
        let asked = before.and_then(|before| question_to(before, heard));
        let pieces = clauses(&heard.utterance.text);
        for (i, clause) in pieces.iter().flat_map(|clause| bounded(clause)).enumerate() {
            if content_words(clause).next().is_some() {
                let asked = asked.filter(|_| i == 0);
                units.push(unit(heard, clause, asked));
            }
        }
        before = Some(heard);
    }
    units
}

/// The question that `before` ends with, when `heard` is somebody else.
fn question_to<'a>(before: &'a Heard, heard: &Heard) -> Option<(&'a Heard, &'a str)> {
    if before.utterance.speaker == heard.utterance.speaker {
        return None;
    }
    let last = *clauses(&before.utterance.text).last()?;
    is_question(last).then_some((before, last))
}

/// A clause in pieces of bounded length.
fn bounded(clause: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut words) = (0, 0);
    for (at, _) in clause.match_indices(' ') {
        words += 1;
        if words == CLAUSE_WORDS_MAX {
            pieces.push(clause[start..at].trim());
            (start, words) = (at, 0);
        }
    }
    pieces.push(clause[start..].trim());
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

fn unit(heard: &Heard, clause: &str, asked: Option<(&Heard, &str)>) -> DistilledUnit {
    let mut text = standing_alone(clause);
    if let Some(resolved) = dates::resolved(&text, heard.said_at_unix_ms) {
        text = resolved;
    }
    let mut evidence = Vec::with_capacity(2);
    let short = content_words(clause).count() <= SHORT_ANSWER_WORDS && !is_question(clause);
    if let Some((asker, question)) = asked.filter(|_| short) {
        text = format!("({question}) {text}");
        evidence.push(Evidence::of(
            &heard.utterance,
            heard.said_at_unix_ms,
            clause,
            &text,
        ));
        evidence.push(Evidence::of(
            &asker.utterance,
            asker.said_at_unix_ms,
            question,
            &text,
        ));
    } else {
        evidence.push(Evidence::of(
            &heard.utterance,
            heard.said_at_unix_ms,
            clause,
            &text,
        ));
    }
    DistilledUnit {
        salience: salience_factors(clause).product(),
        text,
        speaker: heard.utterance.speaker.clone(),
        evidence,
        said_ms: heard.session_ms,
        vector: Vec::new(),
    }
}

/// A clause as a statement of its own: no leading conjunction, no dangling comma, a capital first.
pub(super) fn standing_alone(clause: &str) -> String {
    let mut rest = clause
        .trim()
        .trim_end_matches([',', ';', ':', '-'])
        .trim_end();
    for conjunction in [
        "and ", "but ", "so ", "And ", "But ", "So ", "and, ", "well, ", "Well, ",
    ] {
        if let Some(stripped) = rest.strip_prefix(conjunction) {
            rest = stripped.trim_start();
            break;
        }
    }
    let mut chars = rest.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// What a statement's kind does to its salience, each 1 where it does not apply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SalienceFactors {
    /// It asks.
    pub question: f32,
    /// It speaks of the speaker.
    pub first_person: f32,
    /// It says how many or when.
    pub figures: f32,
}

impl SalienceFactors {
    /// All of them together.
    #[must_use]
    pub fn product(self) -> f32 {
        self.question * self.first_person * self.figures
    }
}

/// The factors of a clause. A pure function of its words.
#[must_use]
pub fn salience_factors(clause: &str) -> SalienceFactors {
    let marks = Marks::of(clause);
    let when = |holds: bool, factor: f32| if holds { factor } else { 1.0 };
    SalienceFactors {
        question: when(is_question(clause), QUESTION_FACTOR),
        first_person: when(marks.first_person, FIRST_PERSON_FACTOR),
        figures: when(marks.has_figures(), FIGURES_FACTOR),
    }
}

/// The statement nearest to what the whole block is about.
fn central<'a>(units: &'a [DistilledUnit], theme: &[f32]) -> Option<&'a DistilledUnit> {
    units
        .iter()
        .map(|unit| (dot(theme, &unit.vector) + 0.1 * unit.salience, unit))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.said_ms.cmp(&a.1.said_ms)))
        .map(|(_, unit)| unit)
}

/// An event's summary in the words of one statement: as many of the first as fit.
pub(crate) fn headline(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= EVENT_WORDS_MAX {
        return words.join(" ");
    }
    format!("{} …", words[..EVENT_WORDS_MAX].join(" "))
}

/// Proof of an event by every utterance of its block, first the one that its summary is taken from:
/// of too many the last are only counted.
pub(super) fn event_evidence(block: &Block, central: Option<&DistilledUnit>) -> Vec<Evidence> {
    let text = joined(block);
    let mut items: Vec<Evidence> = block
        .fresh
        .iter()
        .map(|heard| {
            let mut item = Evidence::of(
                &heard.utterance,
                heard.said_at_unix_ms,
                &heard.utterance.text,
                &text,
            );
            // the summary shortens; what it carries of each utterance is for its units to say
            item.share = 0.0;
            item
        })
        .collect();
    let source = central.and_then(|unit| unit.evidence.first());
    items.sort_by_key(|item| !source.is_some_and(|source| source.same_utterance(item)));
    items
}
