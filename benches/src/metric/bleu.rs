//! BLEU with up to four-grams (Papineni et al. 2002), as sacrebleu 2.6 computes it: tokens of
//! mteval-v13a, exponential smoothing, one reference, case-sensitive. From 0 to 1.

use std::collections::HashMap;

/// Longest n-gram.
const ORDER_MAX: usize = 4;

/// BLEU of one answer; n-gram orders longer than the answer are left out (sacrebleu's effective
/// order).
pub(crate) fn sentence(answer: &str, gold: &str) -> f64 {
    let (answer, gold) = (tokens(answer), tokens(gold));
    let orders = ORDER_MAX.min(answer.len());
    let (mut logs, mut smooth, mut matches) = (0.0, 1.0, 0);
    for order in 1..=orders {
        let (said, right) = (grams(&answer, order), grams(&gold, order));
        let total: usize = said.values().sum();
        let shared =
            |(gram, count): (&&[String], &usize)| right.get(gram).map_or(0, |n| *n.min(count));
        let correct: usize = said.iter().map(shared).sum();
        matches += correct;
        let share = if correct == 0 {
            smooth *= 2.0;
            1.0 / (smooth * total as f64)
        } else {
            correct as f64 / total as f64
        };
        logs += share.ln();
    }
    if matches == 0 {
        return 0.0;
    }
    let shortness = (1.0 - gold.len() as f64 / answer.len() as f64).min(0.0);
    (shortness + logs / orders as f64).exp()
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
    let text = text.replace("<skipped>", "").replace("-\n", "");
    let text = text.replace('\n', " ").replace("&quot;", "\"");
    let text = text
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
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
                let [before, between, after] = blanks;
                out.push_str(&format!("{before}{first}{between}{second}{after}"));
            }
            None => out.push(first),
        }
    }
    out
}
