//! `DiaASQ` (Li et al., 2023): talk about phones with tuples of target, aspect and polarity.

use super::ours::{Measured, print};
use super::score::{Counts, Polarity, shares_word};
use crate::files;
use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use weir_core::text::stems;

/// Every so many dialogues one is left out of training (`scripts/language`): the last of them.
const LEFT_OUT: usize = 4;

#[derive(Debug, Deserialize)]
pub(super) struct Talk {
    sentences: Vec<String>,
    /// Index of the utterance that each answers, -1 for none.
    replies: Vec<i64>,
    triplets: Vec<Triplet>,
}

/// First and one after the last word of target, aspect and opinion, polarity, and their texts.
type Triplet = (i64, i64, i64, i64, i64, i64, Value, String, String, String);

/// The words of a labelled target and aspect, and its polarity.
type Wanted = (BTreeSet<String>, BTreeSet<String>, Polarity);

/// The polarity of a triplet, if it is complete and clear.
fn polarity(triplet: &Triplet) -> Option<Polarity> {
    let complete = triplet.0 >= 0 && triplet.2 >= 0;
    match triplet.6.as_str().filter(|_| complete)? {
        "pos" => Some(Polarity::Positive),
        "neg" => Some(Polarity::Negative),
        _ => None,
    }
}

/// Reads the dialogues that are left out of training.
pub(super) fn read(file: &Path) -> Result<Vec<Talk>> {
    let talks: Vec<Talk> = files::json(file, "DiaASQ's JSON: a list of dialogues")?;
    let left_out = talks.into_iter().skip(LEFT_OUT - 1);
    Ok(left_out.step_by(LEFT_OUT).collect())
}

impl Talk {
    /// Objects, aspects and polarities; an utterance follows the one it answers.
    fn extracted(&self, measured: &Measured) -> Result<Vec<(String, String, Polarity)>> {
        let mut last: Vec<Option<String>> = Vec::new();
        let mut all = Vec::new();
        for (at, sentence) in self.sentences.iter().enumerate() {
            let answered = self.replies.get(at);
            let answered = answered.and_then(|reply| usize::try_from(*reply).ok());
            let before = answered.and_then(|at| last.get(at).cloned().flatten());
            let found = measured.found(sentence, before.as_deref())?;
            last.push(found.topic.or(before));
            all.extend(found.opinions.into_iter().map(|opinion| {
                let polarity = Polarity::by_sign(opinion.sentiment.leaning());
                (opinion.object, opinion.aspect, polarity)
            }));
        }
        Ok(all)
    }
}

/// Prints the results for aspects alone, with their target, and with the polarity too; each by
/// itself, so that an aspect of another target takes no tuple away.
pub(super) fn measure(talks: &[Talk], measured: &Measured, out: &mut dyn Write) -> Result<()> {
    let (mut gold, mut found, mut right) = (0, 0, [0; 3]);
    for talk in talks {
        let wanted = talk.triplets.iter();
        let wanted = wanted.filter_map(|it| Some((stems(&it.7), stems(&it.8), polarity(it)?)));
        let wanted: Vec<Wanted> = wanted.collect();
        gold += wanted.len();
        let mut open = [(); 3].map(|()| wanted.iter().collect::<Vec<_>>());
        for (object, aspect, polarity) in talk.extracted(measured)? {
            if aspect == "general" {
                continue;
            }
            found += 1;
            for (level, open) in open.iter_mut().enumerate() {
                let fits = |(target, of_target, gold): &&Wanted| {
                    shares_word(of_target, &aspect)
                        && (level < 1 || shares_word(target, &object))
                        && (level < 2 || *gold == polarity)
                };
                if let Some(at) = open.iter().position(fits) {
                    right[level] += 1;
                    open.remove(at);
                }
            }
        }
    }
    let tasks = [
        "aspects found",
        "target and aspect found",
        "target, aspect and polarity found",
    ];
    tasks.iter().zip(right).try_for_each(|(task, right)| {
        let counts = Counts { gold, found, right };
        print(out, "DiaASQ", task, counts.scored())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_triplets_have_a_polarity() {
        let json = r#"[{"sentences": ["My phone is slow .", "The screen is great !"],
            "replies": [-1, 0], "triplets":
            [[1, 2, 6, 7, 8, 9, "pos", "phone", "screen", "great"],
             [-1, -1, 6, 7, 8, 9, "pos", "", "screen", "great"]]}]"#;
        let talks: Vec<Talk> = serde_json::from_str(json).expect("a dialogue");
        let talk = &talks[0];
        assert_eq!(polarity(&talk.triplets[0]), Some(Polarity::Positive));
        assert_eq!(polarity(&talk.triplets[1]), None);
        assert!(shares_word(&stems(&talk.triplets[0].7), "new phone"));
    }
}
