//! The feeling for a term in a long sentence, from the words that speak of it.
//!
//! A logistic model of the words around the term, trained on the training part of MAMS
//! (`scripts/affect/terms.py`, weights in `terms.txt`): reviews of restaurants in which each
//! sentence has terms of different polarity. A word counts less with its distance, and with each
//! comma, conjunction and contrast between it and the term. The qualities of things (`quality`) are
//! features too, so the model says something about other things than food.

use super::quality::quality;
use crate::text::affect::{Affect, Sentiment};
use crate::text::claim_features::is_negation;
use crate::text::words::is_listed;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// One line a feature: weights of positive, negative and neutral in hundredths.
const WEIGHTS: &str = include_str!("terms.txt");
/// Contrasts, and words that join two parts.
const TURNS: &str = "but although though however while whereas except yet unfortunately";
const JOINS: &str = "and or because so which who that when if";
/// Words whose place right beside the term is a feature.
const BESIDE: &str = "a an the my our this that these of with for at in on to from after before as \
    was were is are be and but or had have ordered got came very so too about by some i we";
/// Weight per word of distance, per comma or conjunction, per contrast.
const FALL: f32 = 0.3;
const SOFT: f32 = 0.45;
const HARD: f32 = 0.3;
/// Words that are read on each side, and words over which a negation reaches.
const REACH: usize = 30;
const NEGATED: usize = 3;
/// What is left of a quality that is negated, turned round.
const TURNED: f32 = -0.75;
/// Strength of the clearest feeling (DAM-LLM has up to 3, for boosted words).
const STRENGTH: f32 = 2.4;

struct Word {
    lower: String,
    start: usize,
    end: usize,
}

/// The feeling for the term at some bytes of a text; neutral if no word is there.
///
/// Cost: linear in the text up to the term and 30 words behind it.
#[must_use]
pub fn affect_of_term(text: &str, span: Range<usize>) -> Affect {
    let words = words(text);
    let inside = |word: &Word| word.start < span.end && word.end > span.start;
    let first = words.iter().position(inside);
    let last = words.iter().rposition(inside);
    let mut odds = weights("^^");
    if let (Some(first), Some(last)) = (first, last) {
        sides(text, &words, (first, last), &mut odds);
    }
    let [positive, negative, neutral] = odds.map(f32::exp);
    let all = positive + negative + neutral;
    let sentiment = Sentiment {
        positive: positive / all,
        negative: negative / all,
        neutral: neutral / all,
    };
    Affect {
        sentiment,
        strength: STRENGTH * sentiment.leaning().abs(),
    }
}

/// Adds the features of the words before and behind a term.
fn sides(text: &str, words: &[Word], (first, last): (usize, usize), odds: &mut [f32; 3]) {
    let mut passed = 1.0;
    for at in (first.saturating_sub(REACH)..first).rev() {
        passed *= border(text, words, at + 1);
        add_word(
            words,
            at,
            passed / (1.0 + FALL * (first - at - 1) as f32),
            odds,
        );
    }
    passed = 1.0;
    for at in last + 1..words.len().min(last + 1 + REACH) {
        passed *= border(text, words, at);
        add_word(
            words,
            at,
            passed / (1.0 + FALL * (at - last - 1) as f32),
            odds,
        );
    }
    let left = first.checked_sub(1).map_or("^", |at| &words[at].lower);
    let right = words.get(last + 1).map_or("$", |word| &word.lower);
    for (side, word, edge) in [("<", left, "^"), (">", right, "$")] {
        if word == edge || among(BESIDE, word) {
            add(&format!("{side}{word}"), 1.0, odds);
        }
    }
    if last + 1 < words.len() && border(text, words, last + 1) < 1.0 {
        add(">,", 1.0, odds);
    }
}

fn add_word(words: &[Word], at: usize, weight: f32, odds: &mut [f32; 3]) {
    let word = words[at].lower.as_str();
    let before = &words[at.saturating_sub(NEGATED)..at];
    let negated = before.iter().any(|word| is_negation(&word.lower));
    match negated {
        true => add(&format!("!{word}"), weight, odds),
        false => add(word, weight, odds),
    }
    let value = quality(word).unwrap_or(0.0) * if negated { TURNED } else { 1.0 };
    if value != 0.0 {
        let side = if value > 0.0 { "=+" } else { "=-" };
        add(side, weight * value.abs(), odds);
    }
}

fn add(feature: &str, value: f32, odds: &mut [f32; 3]) {
    for (sum, weight) in odds.iter_mut().zip(weights(feature)) {
        *sum += weight * value;
    }
}

fn weights(feature: &str) -> [f32; 3] {
    static TABLE: LazyLock<HashMap<&str, [f32; 3]>> = LazyLock::new(|| {
        let lines = WEIGHTS.lines().filter_map(|line| {
            let mut parts = line.split(' ');
            let name = parts.next()?;
            let mut weight = || Some(parts.next()?.parse::<f32>().ok()? / 100.0);
            Some((name, [weight()?, weight()?, weight()?]))
        });
        lines.collect()
    });
    TABLE.get(feature).copied().unwrap_or_default()
}

fn among(list: &str, word: &str) -> bool {
    is_listed(list, word)
}

/// The weight of the border before a word.
fn border(text: &str, words: &[Word], at: usize) -> f32 {
    let word = words[at].lower.as_str();
    let gap = &text[words[at - 1].end..words[at].start];
    let soft = gap.contains([',', ':', '(', ')', '[', ']', '–', '—'])
        || gap.contains(" -")
        || gap.contains("--");
    match () {
        () if among(TURNS, word) || gap.contains(['.', '!', '?', ';']) => HARD,
        () if soft || among(JOINS, word) => SOFT,
        () => 1.0,
    }
}

/// Runs of letters and digits, with single apostrophes and hyphens inside.
fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|&(_, next)| next);
        let joins = matches!(c, '\'' | '’' | '-') && next.is_some_and(char::is_alphanumeric);
        match start {
            None if c.is_alphanumeric() => start = Some(at),
            Some(from) if !(c.is_alphanumeric() || joins && !is_joint(text, at)) => {
                words.push(word(text, from, at));
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        words.push(word(text, from, text.len()));
    }
    words
}

/// Whether the character before a place is an apostrophe or a hyphen.
fn is_joint(text: &str, at: usize) -> bool {
    text[..at].ends_with(['\'', '’', '-'])
}

fn word(text: &str, start: usize, end: usize) -> Word {
    Word {
        lower: text[start..end].to_lowercase().replace('’', "'"),
        start,
        end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn leaning(text: &str, term: &str) -> f32 {
        let start = text.find(term).expect("the term");
        affect_of_term(text, start..start + term.len())
            .sentiment
            .leaning()
    }

    #[test]
    fn each_term_has_the_feeling_of_its_part() {
        for text in [
            "The food was delicious but the service was slow.",
            "While the service was rude, the food was excellent.",
            "I loved the food, but our service was terrible.",
        ] {
            assert!(leaning(text, "food") > 0.2, "{text}");
            assert!(leaning(text, "service") < -0.2, "{text}");
        }
        let phone = "The screen is gorgeous but the battery is disappointing.";
        assert!(leaning(phone, "screen") > 0.2 && leaning(phone, "battery") < -0.2);
    }

    #[test]
    fn a_term_in_passing_is_neutral() {
        let text = "We ordered two drinks and waited for a table.";
        let start = text.find("table").expect("the term");
        let affect = affect_of_term(text, start..start + 5);
        assert!(affect.sentiment.neutral > 0.5, "{affect:?}");
    }

    #[test]
    fn shares_are_those_of_the_script() {
        let golden = include_str!("../../../../../fixtures/golden/terms.tsv");
        for line in golden.lines() {
            let mut parts = line.split('\t');
            let text = parts.next().expect("a sentence");
            let (from, to) = (text.find('[').expect("["), text.find(']').expect("]"));
            let affect = affect_of_term(&text.replace(['[', ']'], ""), from..to - 1);
            let Sentiment {
                positive,
                negative,
                neutral,
            } = affect.sentiment;
            for (ours, theirs) in [positive, negative, neutral].into_iter().zip(parts) {
                let theirs: f32 = theirs.parse().expect("a share");
                assert!((ours - theirs).abs() < 1e-3, "{text}: {affect:?}");
            }
        }
        assert_eq!(golden.lines().count(), 8);
    }

    #[test]
    fn words_are_those_of_the_training() {
        let text = "apps--I can't top-up 'em";
        let found: Vec<String> = words(text).into_iter().map(|word| word.lower).collect();
        assert_eq!(found, ["apps", "i", "can't", "top-up", "em"]);
    }

    proptest! {
        #[test]
        fn any_text_and_span_are_taken(text in "\\PC{0,60}", a in 0..80usize, b in 0..80usize) {
            let affect = affect_of_term(&text, a..b);
            let Sentiment { positive, negative, neutral } = affect.sentiment;
            prop_assert!((positive + negative + neutral - 1.0).abs() < 1e-4);
            prop_assert!((0.0..=3.0).contains(&affect.strength));
        }
    }
}
