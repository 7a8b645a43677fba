//! Which utterances a context carries: those of whose content words whole clauses in it hold at
//! least half.

use super::candidate::{Candidate, Source};
use crate::text::content_hashes;
use std::collections::HashMap;

/// Share of an utterance's content words from which a context carries it.
const CARRIED_SHARE: f32 = 0.5;

/// One utterance, by the statements that show it.
#[derive(Default)]
struct Shown {
    /// Distinct content words of its own that are shown, hashed.
    words: Vec<u32>,
    /// Distinct content words of the whole utterance.
    whole: usize,
    /// Largest share that a statement in other words carries of it.
    share: f32,
}

/// `(stream, utterance)` of what is carried, in the order of what was chosen.
pub(super) fn carried<'a>(
    chosen: impl Iterator<Item = &'a Candidate<'a>>,
) -> Vec<(String, String)> {
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    let mut all: Vec<((&str, &str), Shown)> = Vec::new();
    let mut place = |stream: &'a str, utterance: &'a str, all: &mut Vec<_>| {
        *places.entry((stream, utterance)).or_insert_with(|| {
            all.push(((stream, utterance), Shown::default()));
            all.len() - 1
        })
    };
    for candidate in chosen {
        let said = candidate.said().unwrap_or_default();
        match candidate.source {
            Source::Raw(heard, _) => {
                let at = place(&heard.utterance.stream, &heard.utterance.id, &mut all);
                let shown = &mut all[at].1;
                shown.words.extend(content_hashes(said));
                shown.whole = shown.whole.max(shown.words.len());
            }
            Source::Unit(node) => {
                for (nth, item) in node.evidence.iter().enumerate() {
                    let at = place(&item.stream, &item.utterance, &mut all);
                    let shown = &mut all[at].1;
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
    let carried = all.into_iter().filter(|(_, shown)| {
        let mut words = shown.words.clone();
        words.sort_unstable();
        words.dedup();
        let own = words.len() as f32;
        shown.whole > 0
            && (own >= CARRIED_SHARE * shown.whole as f32 || shown.share >= CARRIED_SHARE)
    });
    carried
        .map(|((stream, utterance), _)| (stream.to_owned(), utterance.to_owned()))
        .collect()
}
