//! The default distiller: extracts statements verbatim.
//!
//! It uses no model and cannot invent. Every unit is a contiguous part of an utterance, a sentence
//! or a clause of a long one. A unit that says little alone keeps the question it answers.
//! An event is headed by a quote ([`super::heading`]). Deterministic.

use super::analysed::analyse_unit;
use super::heading::{heading, people};
use super::observe::observe;
use super::{Distil, DistilError};
use crate::analysis::Analysis;
use crate::limits;
use crate::talk::Evidence;
use crate::talk::{Block, BufferedUtterance, Distillate, DistilledUnit};
use crate::text::resolved;
use crate::text::{
    Around, Salience, content_words, is_question, is_small_talk, sentences, statements,
};
use crate::vectors::{dot, normalise};
use jiff::tz::TimeZone;
use weir_models::{Encode, Terms};

/// An answer with this few content words means little without its question.
const SHORT_ANSWER_WORDS: usize = 3;

/// Shorter parts of names do not identify anybody.
const NAME_CHARS_MIN: usize = 3;

/// The extractive distiller.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

impl Distil for Extractive {
    fn name(&self) -> &'static str {
        "extractive"
    }

    fn uses_model(&self) -> bool {
        false
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let mut units = units(block);
        let texts: Vec<String> = units.iter().map(spoken_text).collect();
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        for (unit, found) in units.iter_mut().zip(encode.encode_for_search(&refs)?) {
            (unit.vector, unit.terms) = (found.vector, found.terms);
        }
        let theme = mean(block, encode.dimension());
        let observed = observe(&units, encode)?;
        for (unit, mentions) in units.iter_mut().zip(observed.mentions) {
            unit.analysis.mentions = mentions;
        }
        let central = central(&units, &theme);
        let heading = heading(block, &units, &theme, encode)?;
        let proofs = event_evidence(block, heading.unit.or(central));
        let (event_text, event_analysis) = (heading.text, heading.analysis);
        let event_vector = central.map_or_else(|| theme.clone(), |unit| unit.vector.clone());
        Ok(Distillate {
            block: block.id,
            scene_label: String::new(),
            event_text,
            event_vector,
            event_speaker: None,
            event_evidence: proofs,
            said_ms: block.fresh.first().map_or(0, |heard| heard.session_ms),
            scene_vector: theme,
            units,
            opinions: observed.opinions,
            facts: observed.facts,
            event_analysis,
            scene_analysis: Analysis::default(),
        })
    }
}

/// A statement with the question that it answers, relative dates resolved.
pub(super) fn dated_text(unit: &DistilledUnit) -> String {
    let said = unit.said();
    let said_at = unit.evidence.first().and_then(|item| item.said_at_unix_ms);
    resolved(&said, said_at, &TimeZone::UTC).unwrap_or_else(|| said.into_owned())
}

/// A statement with its speaker, the text that is encoded: questions name people and days.
pub(super) fn spoken_text(unit: &DistilledUnit) -> String {
    let said = dated_text(unit);
    match &unit.speaker {
        Some(speaker) => format!("{speaker}: {said}"),
        None => said,
    }
}

pub(super) fn mean(block: &Block, dimension: usize) -> Vec<f32> {
    let mut sum = vec![0.0; dimension];
    for heard in &block.fresh {
        sum.iter_mut().zip(&heard.vector).for_each(|(s, v)| *s += v);
    }
    normalise(&mut sum);
    sum
}

impl Extractive {
    /// The salience features of a block's statements ([`Salience::features`]), in the order of the
    /// units: for training.
    #[must_use]
    pub fn features(block: &Block) -> Vec<Vec<f32>> {
        let mut features = Vec::new();
        each_statement(block, |_, said, around, _| {
            features.push(Salience::features(said, around));
        });
        features
    }
}

fn units(block: &Block) -> Vec<DistilledUnit> {
    let mut units = Vec::new();
    let people = people(block);
    each_statement(block, |heard, said, around, asked| {
        let salience = match asked.is_none() && is_small_talk(said, &people) {
            true => SAYS_NOTHING_LOGIT,
            false => Salience::said(said, around),
        };
        units.push(unit(heard, said, asked, salience));
    });
    units
}

/// After so long a pause nobody answers what was asked before it.
const PAUSE_MAX_MS: u64 = 120_000;

/// Score of a greeting, of thanks or of a short reply: nobody asks for it.
const SAYS_NOTHING_LOGIT: f32 = -12.0;

/// An utterance and its last question.
type AskedBefore<'a> = (&'a BufferedUtterance, &'a str);

/// Calls a function with each statement of a block, its utterance and context, and the question
/// that an utterance answers with its first statement.
fn each_statement(
    block: &Block,
    mut on: impl FnMut(&BufferedUtterance, &str, &Around<'_>, Option<AskedBefore<'_>>),
) {
    let names = names(block);
    let mut before = block.leading.last();
    for heard in &block.fresh {
        let asked = before.and_then(|before| question_to(before, heard));
        let mut pieces = statements(&heard.utterance.text, limits::UNIT_WORDS_MAX);
        // pictures have no words
        let tells =
            |it: &str| content_words(it).next().is_some() || !it.contains(char::is_alphanumeric);
        pieces.retain(|piece| tells(piece));
        for (place, said) in pieces.iter().enumerate() {
            let around = Around {
                utterance: &heard.utterance.text,
                place,
                statements: pieces.len(),
                answers: asked.is_some(),
                new_terms: &heard.new_terms,
                names: &names,
            };
            on(heard, said, &around, asked.filter(|_| place == 0));
        }
        before = Some(heard);
    }
}

/// The parts of the speakers' names that identify somebody, ascending.
fn names(block: &Block) -> Vec<String> {
    // an initial is not a name, and "Al" is also a word
    let mut names = people(block);
    names.retain(|part| part.chars().count() >= NAME_CHARS_MIN);
    names.into_iter().collect()
}

/// The question at the end of `before`, if `heard` is by somebody else, of the same stream and soon
/// after.
fn question_to<'a>(
    before: &'a BufferedUtterance,
    heard: &BufferedUtterance,
) -> Option<AskedBefore<'a>> {
    let (said, next) = (&before.utterance, &heard.utterance);
    let length_ms = said.span.end_ms.saturating_sub(said.span.start_ms);
    // a break of the stream is no time of it
    let wall_ms = before.said_at_unix_ms.zip(heard.said_at_unix_ms);
    let wall_ms = wall_ms.and_then(|(a, b)| u64::try_from(b.saturating_sub(a)).ok());
    let stream_ms = next.span.start_ms.saturating_sub(said.span.start_ms);
    let pause_ms = wall_ms
        .unwrap_or(0)
        .max(stream_ms)
        .saturating_sub(length_ms);
    if said.speaker == next.speaker || said.stream != next.stream || pause_ms > PAUSE_MAX_MS {
        return None;
    }
    let last = *sentences(&before.utterance.text).last()?;
    let short = last.split_whitespace().count() <= limits::UNIT_WORDS_MAX;
    (is_question(last) && short).then_some((before, last))
}

fn unit(
    heard: &BufferedUtterance,
    said: &str,
    asked: Option<AskedBefore<'_>>,
    salience: f32,
) -> DistilledUnit {
    let short = content_words(said).count() <= SHORT_ANSWER_WORDS && !is_question(said);
    let asked = asked.filter(|_| short);
    let mut evidence = vec![Evidence::of(heard, said)];
    evidence.extend(asked.map(|(asker, question)| Evidence {
        verbatim: false,
        ..Evidence::of(asker, question)
    }));
    let mut unit = DistilledUnit {
        salience,
        text: said.to_owned(),
        retold: false,
        asked: asked.map(|(_, question)| question.to_owned()),
        speaker: heard.utterance.speaker.clone(),
        evidence,
        said_ms: heard.session_ms,
        vector: Vec::new(),
        terms: Terms::default(),
        analysis: Analysis::default(),
    };
    unit.analysis = analyse_unit(&unit);
    unit
}

/// The statement nearest to the theme of the block.
fn central<'a>(units: &'a [DistilledUnit], theme: &[f32]) -> Option<&'a DistilledUnit> {
    units
        .iter()
        .map(|unit| (dot(theme, &unit.vector) + 0.05 * unit.salience, unit))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.said_ms.cmp(&a.1.said_ms)))
        .map(|(_, unit)| unit)
}

/// Evidence of an event: every utterance of its block, first the one that its heading quotes.
/// Beyond the limit, the last ones are only counted.
pub(super) fn event_evidence(block: &Block, quoted: Option<&DistilledUnit>) -> Vec<Evidence> {
    let mut items: Vec<Evidence> = block
        .fresh
        .iter()
        .map(|heard| {
            let mut item = Evidence::of(heard, &heard.utterance.text);
            // the units record the shares of utterances
            item.share = 0.0;
            item
        })
        .collect();
    if let Some(quoted) = quoted.and_then(|unit| unit.evidence.first()) {
        items.sort_by_key(|item| !quoted.same_utterance(item));
        if let Some(first) = items.first_mut() {
            first.part = quoted.part;
        }
    }
    items
}
