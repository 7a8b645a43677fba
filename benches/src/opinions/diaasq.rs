//! `DiaASQ` (Li et al., 2023): talk about phones with tuples of target, aspect and polarity.

use super::ours::{Measured, found, print};
use super::score::{Extraction, Polarity};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use weir_core::text::stems;

const SET: &str = "DiaASQ";
/// Every so many dialogues one is left out of training (`scripts/language`): the last of them.
const LEFT_OUT: usize = 4;

/// A dialogue.
#[derive(Debug, Deserialize)]
pub(super) struct Talk {
    sentences: Vec<String>,
    /// Index of the utterance that each answers, -1 for none.
    replies: Vec<i64>,
    triplets: Vec<Triplet>,
}

/// First and one after the last word of target, aspect and opinion, polarity, and their texts.
#[derive(Debug, Deserialize)]
#[expect(
    dead_code,
    reason = "the form of the file: places and texts that no measure reads"
)]
struct Triplet(
    i64,
    i64,
    i64,
    i64,
    i64,
    i64,
    serde_json::Value,
    String,
    String,
    String,
);

impl Triplet {
    /// Its polarity, if it is complete and clear.
    fn polarity(&self) -> Option<Polarity> {
        let complete = self.0 >= 0 && self.2 >= 0;
        match self.6.as_str().filter(|_| complete)? {
            "pos" => Some(Polarity::Positive),
            "neg" => Some(Polarity::Negative),
            _ => None,
        }
    }
}

/// Reads the dialogues that are left out of training.
pub(super) fn read(file: &Path) -> Result<Vec<Talk>> {
    let name = || format!("{} cannot be read", file.display());
    let text = std::fs::read_to_string(file).with_context(name)?;
    let talks: Vec<Talk> = serde_json::from_str(&text).with_context(name)?;
    Ok(talks
        .into_iter()
        .skip(LEFT_OUT - 1)
        .step_by(LEFT_OUT)
        .collect())
}

impl Talk {
    /// Objects, aspects and polarities; an utterance follows the one it answers.
    fn extracted(&self, measured: Measured) -> Result<Vec<(String, String, Polarity, &str)>> {
        let mut last: Vec<Option<String>> = Vec::new();
        let mut all = Vec::new();
        for (at, sentence) in self.sentences.iter().enumerate() {
            let answered = self
                .replies
                .get(at)
                .and_then(|reply| usize::try_from(*reply).ok());
            let before = answered.and_then(|at| last.get(at).cloned().flatten());
            let found = found(sentence, before.as_deref(), measured)?;
            last.push(found.topic.or(before));
            all.extend(found.opinions.into_iter().map(|opinion| {
                let polarity = Polarity::by_sign(opinion.sentiment.leaning());
                (opinion.object, opinion.aspect, polarity, sentence.as_str())
            }));
        }
        Ok(all)
    }
}

/// Prints the results.
pub(super) fn measure(talks: &[Talk], measured: Measured, out: &mut dyn Write) -> Result<()> {
    let [aspects, pairs, tuples] = extract(talks, measured, out)?;
    print(out, SET, "aspects found", aspects)?;
    print(out, SET, "target and aspect found", pairs)?;
    print(out, SET, "target, aspect and polarity found", tuples)
}

/// Aspects alone, with their target, and with the polarity too; each by itself, so that an aspect
/// of another target takes no tuple away.
fn extract(talks: &[Talk], measured: Measured, out: &mut dyn Write) -> Result<[Extraction; 3]> {
    let (mut gold, mut all, mut right) = (0, 0, [0; 3]);
    for talk in talks {
        let triplets = talk.triplets.iter();
        let wanted: Vec<_> = triplets
            .filter_map(|triplet| Some((Wanted::of(triplet), triplet.polarity()?)))
            .collect();
        gold += wanted.len();
        let mut open = [(); 3].map(|()| wanted.iter().collect::<Vec<_>>());
        for (object, aspect, polarity, clause) in talk.extracted(measured)? {
            if measured.show {
                writeln!(out, "{polarity:?} {object}/{aspect} | {clause}")?;
            }
            if aspect == "general" {
                continue;
            }
            all += 1;
            for (level, open) in open.iter_mut().enumerate() {
                let fits = |(wanted, gold): &&(Wanted, Polarity)| {
                    wanted.is_aspect(&aspect)
                        && (level < 1 || wanted.is_target(&object))
                        && (level < 2 || *gold == polarity)
                };
                if let Some(at) = open.iter().position(fits) {
                    right[level] += 1;
                    open.remove(at);
                }
            }
        }
    }
    Ok(right.map(|right| Extraction::of(gold, all, right)))
}

/// A labelled target and aspect.
struct Wanted {
    target: BTreeSet<String>,
    aspect: BTreeSet<String>,
}

impl Wanted {
    fn of(triplet: &Triplet) -> Self {
        Self {
            target: stems(&triplet.7),
            aspect: stems(&triplet.8),
        }
    }

    fn is_target(&self, object: &str) -> bool {
        stems(object).iter().any(|stem| self.target.contains(stem))
    }

    fn is_aspect(&self, aspect: &str) -> bool {
        stems(aspect).iter().any(|stem| self.aspect.contains(stem))
    }
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
        assert_eq!(talk.triplets[0].polarity(), Some(Polarity::Positive));
        assert_eq!(talk.triplets[1].polarity(), None);
        assert!(Wanted::of(&talk.triplets[0]).is_target("new phone"));
    }
}
