//! BLEU with up to four-grams (Papineni et al. 2002), as sacrebleu 2.6 computes it: tokens of
//! mteval-v13a, exponential smoothing, one reference, case-sensitive. From 0 to 1.

use std::collections::HashMap;

/// Longest n-gram.
const ORDER_MAX: usize = 4;

/// Counts for BLEU: lengths, matching n-grams and total n-grams.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    answer: usize,
    gold: usize,
    correct: [usize; ORDER_MAX],
    total: [usize; ORDER_MAX],
}

/// BLEU of one answer; n-gram orders longer than the answer are left out (sacrebleu's effective
/// order).
pub(crate) fn sentence(answer: &str, gold: &str) -> f64 {
    Counts::of(answer, gold).bleu()
}

impl Counts {
    fn of(answer: &str, gold: &str) -> Self {
        let (answer, gold) = (tokens(answer), tokens(gold));
        let mut counts = Self {
            answer: answer.len(),
            gold: gold.len(),
            ..Self::default()
        };
        for order in 0..ORDER_MAX {
            let said = grams(&answer, order + 1);
            let right = grams(&gold, order + 1);
            counts.total[order] = said.values().sum();
            counts.correct[order] = said
                .iter()
                .map(|(gram, count)| (*count).min(right.get(gram).copied().unwrap_or(0)))
                .sum();
        }
        counts
    }

    fn bleu(&self) -> f64 {
        if self.correct.iter().all(|count| *count == 0) {
            return 0.0;
        }
        let (mut logs, mut orders, mut smooth) = (0.0, 0, 1.0);
        for (correct, total) in self.correct.iter().zip(self.total) {
            if total == 0 {
                break;
            }
            orders += 1;
            let share = if *correct == 0 {
                smooth *= 2.0;
                1.0 / (smooth * total as f64)
            } else {
                *correct as f64 / total as f64
            };
            logs += share.ln();
        }
        let shortness = (1.0 - self.gold as f64 / self.answer as f64).min(0.0);
        (shortness + logs / f64::from(orders as u32)).exp()
    }
}

fn grams(tokens: &[String], order: usize) -> HashMap<&[String], usize> {
    let mut grams = HashMap::new();
    for gram in tokens.windows(order) {
        *grams.entry(gram).or_insert(0) += 1;
    }
    grams
}

/// The tokens of mteval-v13a.
fn tokens(text: &str) -> Vec<String> {
    let text = text.trim_end_matches(is_blank);
    let mut text = text
        .replace("<skipped>", "")
        .replace("-\n", "")
        .replace('\n', " ");
    for (entity, sign) in [
        ("&quot;", "\""),
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
    ] {
        text = text.replace(entity, sign);
    }
    let mut spaced = String::with_capacity(text.len() * 2);
    spaced.push(' ');
    for c in text.chars() {
        if stands_alone(c) {
            spaced.extend([' ', c, ' ']);
        } else {
            spaced.push(c);
        }
    }
    spaced.push(' ');
    let digit = |c: char| c.is_ascii_digit();
    let point = |c: char| c == '.' || c == ',';
    let spaced = pairs(&spaced, |a, b| !digit(a) && point(b), ["", " ", " "]);
    let spaced = pairs(&spaced, |a, b| point(a) && !digit(b), [" ", " ", ""]);
    let spaced = pairs(&spaced, |a, b| digit(a) && b == '-', ["", " ", " "]);
    let words = spaced.split(is_blank).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Punctuation except apostrophe, comma, hyphen and full stop.
fn stands_alone(c: char) -> bool {
    matches!(c, '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/')
}

/// White space as the reference's language defines it: it includes four more control characters.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// Inserts spaces before, between and after each two characters that match, from left to right
/// without overlaps.
fn pairs(text: &str, fits: impl Fn(char, char) -> bool, blanks: [&str; 3]) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text.chars().peekable();
    while let Some(first) = rest.next() {
        match rest.next_if(|second| fits(first, *second)) {
            Some(second) => {
                out.push_str(blanks[0]);
                out.push(first);
                out.push_str(blanks[1]);
                out.push(second);
                out.push_str(blanks[2]);
            }
            None => out.push(first),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::golden;

    #[test]
    fn sentences_score_as_in_sacrebleu() {
        for pair in golden::read().pairs {
            let score = sentence(&pair.answer, &pair.gold);
            let off = (score - pair.bleu4).abs();
            assert!(off < 1e-6, "{:?}: {score} for {}", pair.answer, pair.bleu4);
        }
    }

    #[test]
    fn figures_keep_their_points() {
        assert_eq!(
            tokens("It's 1,250.75, not 7-8."),
            ["It's", "1,250.75", ",", "not", "7", "-", "8", "."]
        );
    }
}
