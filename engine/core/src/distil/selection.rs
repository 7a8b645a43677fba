//! A model's selection from a block: statements to keep longer, a title and a label.
//!
//! A model only selects: the statements stay those of the extractive distiller, verbatim. A title
//! may only use words of the block, or is refused.

use super::DistilError;
use super::analysed::analyse_summary;
use super::counts::DistilCounts;
use super::themes::is_kind_of_talk;
use crate::circuit_breaker::CircuitBreaker;
use crate::talk::{Block, BufferedUtterance, Distillate};
use crate::text::resolved;
use crate::text::{SourceTerms, words};
use jiff::tz::TimeZone;
use std::collections::BTreeSet;
use std::fmt::Display;
use weir_models::{Encode, EncodeError};

/// Salience, in logits, that a selected statement gains. The others stay unchanged: the budget
/// decides what is forgotten, and no model can cause it alone.
const KEPT_LOGITS: f32 = 0.3;
/// Maximum words of a title.
const TITLE_WORDS_MAX: usize = 10;
/// Maximum words of a scene's label.
const LABEL_WORDS_MAX: usize = 5;

/// A model's selection from a block.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// Indices of statements among the units of the block; others are ignored.
    pub(super) keep: BTreeSet<usize>,
    /// The event's title; empty for none.
    pub(super) title: String,
    /// The scene's label; empty for none.
    pub(super) label: String,
}

/// Counts of a distiller with models, its last failure, and its circuit breaker.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) counts: DistilCounts,
    pub(super) failure: Option<String>,
    pub(super) breaker: CircuitBreaker,
}

impl Record {
    /// Whether this block is distilled without the models, which is counted.
    pub(super) fn is_open(&mut self) -> bool {
        let open = self.breaker.is_open();
        if open {
            self.counts.blocks += 1;
            self.counts.blocks_unasked += 1;
        }
        open
    }

    /// The distillate of a block: `made` by the extractive distiller, with the selection applied,
    /// or unchanged if the models failed.
    pub(super) fn settle<E: Display>(
        &mut self,
        selected: Result<Selection, E>,
        block: &Block,
        made: Distillate,
        encode: &dyn Encode,
    ) -> Result<Distillate, DistilError> {
        self.counts.blocks += 1;
        match selected {
            Ok(selection) => Ok(selection.applied(block, made, encode, &mut self.counts)?),
            Err(error) => {
                self.counts.blocks_failed += 1;
                self.failure = Some(error.to_string());
                Ok(made)
            }
        }
    }
}

impl Selection {
    fn applied(
        self,
        block: &Block,
        mut made: Distillate,
        encode: &dyn Encode,
        counts: &mut DistilCounts,
    ) -> Result<Distillate, EncodeError> {
        counts.statements_offered += made.units.len() as u64;
        for at in self.keep {
            if let Some(unit) = made.units.get_mut(at) {
                unit.salience += KEPT_LOGITS;
                counts.statements_kept += 1;
            }
        }
        let said = said(block);
        let no_kind = |_: &str| false;
        if let Some(title) = grounded(&self.title, &said, no_kind, counts) {
            made.event_text = headline(&title);
            made.event_analysis = analyse_summary(&made.event_text);
            let vectors = encode.encode(&[&made.event_text])?;
            made.event_vector = vectors.into_iter().next().unwrap_or_default();
            made.event_speaker = only_speaker(block);
        }
        if let Some(label) = grounded(&self.label, &said, is_kind_of_talk, counts) {
            let words: Vec<&str> = label.split(' ').take(LABEL_WORDS_MAX).collect();
            made.scene_label = words.join(" ");
            made.scene_analysis = analyse_summary(&made.scene_label);
        }
        Ok(made)
    }
}

/// The first words of a title.
fn headline(title: &str) -> String {
    let words: Vec<&str> = title.split_whitespace().collect();
    if words.len() <= TITLE_WORDS_MAX {
        return words.join(" ");
    }
    format!("{} …", words[..TITLE_WORDS_MAX].join(" "))
}

/// Source terms of the new utterances; speakers' names and resolved dates count as said.
fn said(block: &Block) -> SourceTerms {
    let mut said = SourceTerms::default();
    for heard in &block.fresh {
        let text = &heard.utterance.text;
        said.add(text);
        said.add_words(heard.utterance.speaker.as_deref().unwrap_or_default());
        if let Some(full) = resolved(text, heard.said_at_unix_ms, &TimeZone::UTC) {
            said.add_words(&full);
        }
    }
    said
}

/// A model's title without decoration, if it invents nothing: each content word was said or is
/// allowed by `anyhow`, and its polarity agrees with the nearest clause. Refused titles are
/// counted.
fn grounded(
    text: &str,
    said: &SourceTerms,
    anyhow: impl Fn(&str) -> bool,
    counts: &mut DistilCounts,
) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_matches(['"', '\'', '.', ' ']);
    let own = words(text);
    let known = |word: &String| said.words().contains(word) || anyhow(word);
    let invents = own.is_empty() || !own.iter().all(known);
    if text.is_empty() {
        return None;
    }
    if invents || !said.agrees(text, &BTreeSet::new()) {
        counts.titles_refused += 1;
        return None;
    }
    Some(text.to_owned())
}

fn only_speaker(block: &Block) -> Option<String> {
    let first = block.fresh.first()?.utterance.speaker.clone();
    let same = |heard: &BufferedUtterance| heard.utterance.speaker == first;
    block.fresh.iter().all(same).then_some(first)?
}

#[cfg(test)]
mod tests {
    use super::super::testing::block;
    use super::*;

    fn refused(text: &str, anyhow: impl Fn(&str) -> bool) -> bool {
        // 2025-03-07, a Friday
        let said = said(&block(&[
            (
                "Alice",
                "I moved to Paris yesterday, and I don't like rain.",
            ),
            ("Bob", "My sister Clara has two cats."),
        ]));
        let mut counts = DistilCounts::default();
        let passed = grounded(text, &said, anyhow, &mut counts);
        assert_eq!(counts.titles_refused, u64::from(passed.is_none()), "{text}");
        passed.is_none()
    }

    #[test]
    fn a_title_has_words_of_the_block_alone() {
        for said in [
            "Alice moved to Paris",
            "Moving to Paris on 6 March 2025",
            "\"Bob's sister Clara and her 2 cats.\"",
            "Alice does not like the rain",
        ] {
            assert!(!refused(said, |_| false), "{said}");
        }
        for invented in [
            "Alice moved to Berlin",
            "Berlin trip",
            "Clara has three cats",
            "Alice moved to Paris in May",
            "Dave has two cats",
            "Alice hates Paris",
            "Alice likes rain",
            "It is so",
        ] {
            assert!(refused(invented, |_| false), "{invented}");
        }
    }

    #[test]
    fn a_label_may_also_name_a_kind_of_talk() {
        assert!(!refused("Family Discussion", is_kind_of_talk));
        assert!(!refused("Moving To Paris", is_kind_of_talk));
        assert!(refused("Berlin Trip", is_kind_of_talk));
        assert!(refused("Family Discussion", |_| false));
    }
}
