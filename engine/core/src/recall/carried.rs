//! Which utterances a context carries: those of whose content words whole clauses in it hold at
//! least half.

use super::candidate::{Candidate, Source};
use crate::text::content_hashes;
use std::collections::{BTreeMap, HashMap};

/// Share of an utterance's content words from which a context carries it.
const CARRIED_SHARE: f32 = 0.5;

/// An utterance, or one part of a long one that was heard in parts, by the statements that show it.
#[derive(Default)]
struct Shown {
    /// Distinct content words of its own that are shown, hashed.
    words: Vec<u32>,
    /// Distinct content words of the whole utterance.
    whole: usize,
    /// Largest share that a statement in other words carries of it.
    share: f32,
}

/// What is shown of each `(stream, utterance)`, in the order of what was chosen.
#[derive(Default)]
struct AllShown<'a> {
    utterances: Vec<(&'a str, &'a str)>,
    /// By the ordinal of each part.
    parts: HashMap<(&'a str, &'a str), BTreeMap<u64, Shown>>,
}

/// `(stream, utterance)` of what is carried, in the order of what was chosen.
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
    /// Content words of it that are shown, or told in other words.
    fn carried(&self) -> f32 {
        let mut words = self.words.clone();
        words.sort_unstable();
        words.dedup();
        (words.len() as f32).max(self.share * self.whole as f32)
    }
}
