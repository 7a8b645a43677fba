//! Which statements a model may cite, and whether they support what it writes.
//!
//! A sentence is supported if each of its content words, names and figures is in the cited
//! statements or their evidence (a speaker's name counts as said), if its polarity agrees with
//! theirs, and if it says something that the question did not. So "yes", or one of two choices in
//! the question, is never supported: the cited statements are the answer then.

use super::recall::Recall;
use super::selection::likely;
use super::types::{Question, Statement};
use crate::text::{SourceTerms, sentences as cut, words};
use std::collections::BTreeSet;

/// Minimum strength of an offered statement, as a share of the greatest strength.
const BEARS_SHARE: f32 = 0.62;

/// A sentence of an answer with the statements that support it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Checked<'a> {
    pub(super) sentence: String,
    /// The cited statements that support it; empty if they do not.
    pub(super) carriers: Vec<&'a Statement>,
}

/// The statements that a model may cite, likeliest answer first. Hardly relevant statements are
/// left out: an instruction spoken into the stream is evidence of itself, but no answer.
pub(super) fn offered(recall: &Recall) -> Vec<&Statement> {
    // a reranker's first statement need not be the strongest
    let strengths = recall
        .heard
        .statements
        .iter()
        .map(|statement| statement.strength);
    let least = BEARS_SHARE * strengths.fold(0.0, f32::max);
    let strong = recall
        .heard
        .statements
        .iter()
        .filter(|it| it.strength >= least);
    let mut offered: Vec<&Statement> = Vec::new();
    let remarks = recall
        .known
        .beliefs
        .iter()
        .filter_map(|it| it.said.as_ref());
    let remarks = remarks.filter(|it| !it.text.is_empty());
    let passages = || recall.passages.best.iter();
    // a passage that answers comes first, others last
    let first = passages().take(usize::from(recall.passages.lead));
    let said = first.chain(likely(recall));
    for statement in said
        .chain(remarks)
        .chain(strong)
        .chain(&recall.known.profile)
        .chain(passages())
    {
        let same = |known: &&Statement| {
            let proof = |of: &Statement| of.citations.first().map(|c| c.evidence.turn);
            (&known.text, &known.speaker, proof(known))
                == (&statement.text, &statement.speaker, proof(statement))
        };
        if !offered.iter().any(same) {
            offered.push(statement);
        }
    }
    offered
}

/// Checks each sentence of `text`, an answer to `question`, against the statements it cites.
pub(super) fn check<'a>(
    text: &str,
    question: &Question,
    cited: &[&'a Statement],
) -> Vec<Checked<'a>> {
    let asked = words(&question.text);
    let sources: Vec<(&Statement, SourceTerms)> =
        cited.iter().map(|it| (*it, said(&[*it]))).collect();
    let together = said(cited);
    let carriers = |sentence: &str| {
        let own = words(sentence);
        let fresh: BTreeSet<String> = own.difference(&asked).cloned().collect();
        let carried = own.is_subset(together.words()) && together.agrees(sentence, &asked);
        let says = sources.iter().filter(|_| carried);
        let says = says.filter(|(_, said)| !said.words().is_disjoint(&fresh));
        says.map(|(statement, _)| *statement).collect()
    };
    let checked = |sentence: &str| Checked {
        carriers: carriers(sentence),
        sentence: sentence.to_owned(),
    };
    sentences(text).into_iter().map(checked).collect()
}

/// Terms of the statements and their evidence.
pub(super) fn said(statements: &[&Statement]) -> SourceTerms {
    let mut said = SourceTerms::default();
    for statement in statements {
        said.add(&statement.text);
        said.add_words(statement.speaker.as_deref().unwrap_or_default());
        said.add_words(statement.day.as_deref().unwrap_or_default());
        said.add_words(&statement.place().unwrap_or_default());
        for citation in &statement.citations {
            said.add(citation.quote.as_deref().unwrap_or_default());
            said.add_words(citation.evidence.speaker.as_deref().unwrap_or_default());
        }
    }
    said
}

/// The sentences of an answer; list items count as sentences.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mark = |c: char| "-*•#> ".contains(c);
    let items = text.lines().map(|line| line.trim_start_matches(mark));
    items.flat_map(cut).collect()
}
