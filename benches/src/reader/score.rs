//! Scores of a short answer.

use super::prompt;
use crate::metric::{bert_score, bleu4, containment, names_key_entities, rouge_l};
use anyhow::Result;
use std::collections::HashMap;
use weir_models::SentenceEncoder;

/// Scores of one answer; `None` without a gold answer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Scores {
    /// Token F1 against the gold answer.
    pub(super) f1: Option<f64>,
    /// Share of the gold answer's content words in the answer.
    pub(super) words: Option<f64>,
    /// BLEU with up to four-grams.
    pub(super) bleu4: Option<f64>,
    /// F-measure of the longest common subsequence.
    pub(super) rouge_l: Option<f64>,
    /// 1 if it has every key entity of the gold answer, else 0.
    pub(super) key_entities: Option<f64>,
    /// F1 of BERTScore, if there is an encoder for it.
    pub(super) bert: Option<f64>,
    /// Of the judge, if there is one and it gave a score.
    pub(super) judged: Option<f64>,
    /// Cross-entropy of the context in nats a token, if there is a model for it.
    pub(super) entropy: Option<f64>,
    /// Whether the answer says that the context has no answer.
    pub(super) declined: bool,
}

/// Scores an answer, but for the judge.
pub(super) fn of(
    answer: &str,
    gold: Option<&str>,
    bert: Option<&SentenceEncoder>,
) -> Result<Scores> {
    let declined = prompt::declines(answer);
    // who declines says nothing
    let said = if declined { "" } else { answer };
    let key_entities = gold.and_then(|gold| names_key_entities(said, gold));
    let bert = bert.zip(gold);
    let bert = bert.map(|(encoder, gold)| bert_score(encoder, said, gold));
    Ok(Scores {
        f1: gold.map(|gold| token_f1(answer, gold)),
        words: gold.and_then(|gold| containment(answer, gold)),
        bleu4: gold.map(|gold| bleu4(said, gold)),
        rouge_l: gold.map(|gold| rouge_l(said, gold)),
        key_entities: key_entities.map(f64::from),
        bert: bert.transpose()?,
        judged: None,
        entropy: None,
        declined,
    })
}

/// Token F1 as in SQuAD: lower case, without punctuation and articles, repeats counted. If either
/// has no tokens left: 1 if both have none, else 0.
pub(crate) fn token_f1(answer: &str, gold: &str) -> f64 {
    let (answer, gold) = (tokens(answer), tokens(gold));
    if answer.is_empty() || gold.is_empty() {
        return f64::from(u8::from(answer.is_empty() && gold.is_empty()));
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for token in &gold {
        *left.entry(token).or_default() += 1;
    }
    let mut shared = 0_usize;
    for token in &answer {
        if let Some(count) = left.get_mut(token.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    2.0 * shared as f64 / (answer.len() + gold.len()) as f64
}

/// SQuAD's normalisation; ASCII punctuation is removed without inserting a space.
fn tokens(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let plain: String = lower
        .chars()
        .filter(|c| !c.is_ascii_punctuation())
        .collect();
    let words = plain.split_whitespace();
    let words = words.filter(|word| !["a", "an", "the"].contains(word));
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_f1_is_squads() {
        let near = |a: &str, b: &str, f1: f64| {
            let found = token_f1(a, b);
            assert!((found - f1).abs() < 1e-9, "{a} | {b}: {found}");
        };
        near("The Eiffel Tower!", "eiffel tower", 1.0);
        near("in Paris, France", "Paris", 0.5);
        near("no no no", "no", 0.5);
        near("7 May 2023", "8 May, 2023", 2.0 / 3.0);
        near("don't", "dont", 1.0);
        near("a", "the", 1.0);
        near("", "Paris", 0.0);
        near("London", "Paris", 0.0);
    }

    #[test]
    fn words_and_declining_are_apart() {
        let of = |answer, gold| of(answer, gold, None).expect("no encoder is asked");
        let scores = of("a red boat", Some("the boat of Anna"));
        assert_eq!(scores.words, Some(0.5));
        assert!(!scores.declined);
        assert!(of("Unknown.", Some("a boat")).declined);
        assert_eq!(of("unknown", None).f1, None);
        assert!(of("...", None).declined && !of("the unknowns", None).declined);
    }
}
