//! Which utterances a context carries. An utterance is carried when whole clauses in the context
//! hold at least half of its content words.

use super::candidate::{Candidate, Source};
use crate::text::content_hashes;
use std::collections::{BTreeMap, HashMap};

/// Minimum share of an utterance's content words in the context.
const CARRIED_SHARE: f32 = 0.5;

/// The shown statements of an utterance, or of one part of an utterance that was recognised in
/// parts.
#[derive(Default)]
struct Shown {
    /// Hashes of its distinct content words that are shown.
    words: Vec<u32>,
    /// Number of distinct content words in the whole utterance.
    whole: usize,
    /// Largest share of it that a statement in other words carries.
    share: f32,
}

/// The shown statements by `(stream, utterance)`, in order of selection.
#[derive(Default)]
struct AllShown<'a> {
    utterances: Vec<(&'a str, &'a str)>,
    /// By the ordinal of each part.
    parts: HashMap<(&'a str, &'a str), BTreeMap<u64, Shown>>,
}

/// `(stream, utterance)` of each carried utterance, in order of selection.
pub(super) fn carried<'a>(
    chosen: impl Iterator<Item = &'a Candidate<'a>>,
) -> Vec<(String, String)> {
    let mut all = AllShown::default();
    for candidate in chosen {
        let said = candidate.said().unwrap_or_default();
        match candidate.source {
            Source::Raw(heard, _) => {
                let utterance = &heard.utterance;
                let shown = all.of(&utterance.stream, &utterance.id, heard.turn);
                shown.words.extend(content_hashes(said));
                shown.whole = shown.whole.max(shown.words.len());
            }
            Source::Unit(node) => {
                for (nth, item) in node.evidence.iter().enumerate() {
                    let shown = all.of(&item.stream, &item.utterance, item.turn);
                    shown.whole = usize::from(item.content_words);
                    if nth == 0 && item.part.is_some() {
                        shown.words.extend(content_hashes(said));
                    } else {
                        shown.share = shown.share.max(item.share);
                    }
                }
            }
        }
    }
    let carried = all.utterances.iter().filter(|it| all.carries(it));
    carried
        .map(|(stream, utterance)| ((*stream).to_owned(), (*utterance).to_owned()))
        .collect()
}

impl<'a> AllShown<'a> {
    fn of(&mut self, stream: &'a str, utterance: &'a str, turn: u64) -> &mut Shown {
        let parts = self.parts.entry((stream, utterance)).or_insert_with(|| {
            self.utterances.push((stream, utterance));
            BTreeMap::new()
        });
        parts.entry(turn).or_default()
    }

    fn carries(&self, utterance: &(&str, &str)) -> bool {
        let parts = self.parts.get(utterance).into_iter();
        let (carried, whole) = parts
            .flat_map(BTreeMap::values)
            .fold((0.0, 0), |(carried, whole), part| {
                (carried + part.carried(), whole + part.whole)
            });
        whole > 0 && carried >= CARRIED_SHARE * whole as f32
    }
}

impl Shown {
    /// Number of its content words that are shown, or covered by a statement in other words.
    fn carried(&self) -> f32 {
        let mut words = self.words.clone();
        words.sort_unstable();
        words.dedup();
        (words.len() as f32).max(self.share * self.whole as f32)
    }
}
