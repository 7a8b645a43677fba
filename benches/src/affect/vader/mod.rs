//! VADER (Hutto and Gilbert 2014, "VADER: A Parsimonious Rule-based Model for Sentiment Analysis of
//! Social Media Text", ICWSM), as its authors' program 3.3.2 computes the compound score. The
//! lexicon is read from a folder.

mod lists;

use anyhow::{Context, Result, ensure};
use lists::{BOOSTERS, DAMPENERS, NEGATIONS, PHRASES};
use std::collections::HashMap;
use std::path::Path;

/// What a booster adds, what capitals add, and what a negation multiplies with: means of ratings.
const BOOST: f64 = 0.293;
const CAPITALS: f64 = 0.733;
const NEGATION: f64 = -0.74;
/// After "never so" and "never this".
const NEVER_SO: f64 = 1.25;
/// Shares that a modifier keeps one, two and three words before a word.
const DISTANCE: [f64; 3] = [1.0, 0.95, 0.9];
/// Before and after "but".
const BUT: [f64; 2] = [0.5, 1.5];
const EXCLAMATION: f64 = 0.292;
const EXCLAMATIONS_MAX: usize = 4;
const QUESTION: f64 = 0.18;
const QUESTIONS: f64 = 0.96;
/// Approximates the largest expected sum.
const ALPHA: f64 = 15.0;
const PUNCTUATION: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// The lexicon: valences of words and symbols, descriptions of emoji.
pub struct Lexicon {
    valences: HashMap<String, f64>,
    emoji: HashMap<char, String>,
}

/// The words of a text: as written, and in lower case.
struct Words<'a> {
    written: Vec<&'a str>,
    lower: Vec<String>,
    /// Whether some words are in capitals and others not.
    mixed: bool,
}

impl Lexicon {
    /// The lexicon in a folder with vader_lexicon.txt and emoji_utf8_lexicon.txt.
    ///
    /// # Errors
    /// A file cannot be read or has another form.
    pub fn read(folder: &Path) -> Result<Self> {
        let emoji = rows(&folder.join("emoji_utf8_lexicon.txt"))?;
        // the program looks at one character at a time
        let single = emoji.into_iter().filter_map(|(emoji, description)| {
            let mut chars = emoji.chars();
            let first = chars.next()?;
            chars.next().is_none().then_some((first, description))
        });
        Ok(Self {
            valences: valences(&folder.join("vader_lexicon.txt"))?,
            emoji: single.collect(),
        })
    }

    /// The compound score, -1 to 1, not rounded.
    #[must_use]
    pub fn compound(&self, text: &str) -> f64 {
        let described = self.described(text);
        let text = described.trim();
        let words = Words::of(text);
        let mut valences: Vec<f64> = (0..words.written.len())
            .map(|at| self.valence(&words, at))
            .collect();
        weigh_contrast(&words, &mut valences);
        let sum: f64 = valences.iter().sum();
        let emphasis = emphasis(text);
        let sum = match sum {
            sum if sum > 0.0 => sum + emphasis,
            sum if sum < 0.0 => sum - emphasis,
            sum => sum,
        };
        sum / (sum * sum + ALPHA).sqrt()
    }

    /// The text with descriptions in place of emoji.
    fn described(&self, text: &str) -> String {
        let mut described = String::with_capacity(text.len());
        let mut after_space = true;
        for c in text.chars() {
            if let Some(description) = self.emoji.get(&c) {
                if !after_space {
                    described.push(' ');
                }
                described.push_str(description);
                after_space = false;
            } else {
                described.push(c);
                after_space = c == ' ';
            }
        }
        described
    }

    fn knows(&self, word: &str) -> bool {
        self.valences.contains_key(word)
    }

    /// The valence of a word, with all that the three words before it do.
    fn valence(&self, words: &Words<'_>, at: usize) -> f64 {
        let word = words.lower[at].as_str();
        let is_modifier = boost(word).is_some();
        let kind_of = word == "kind" && words.lower(at + 1) == "of";
        let Some(&known) = self.valences.get(word).filter(|_| !is_modifier && !kind_of) else {
            return 0.0;
        };
        let negates_next = word == "no" && self.knows(words.lower(at + 1));
        let mut valence = if negates_next { 0.0 } else { known };
        let before = |back: usize| at.checked_sub(back).map_or("", |at| words.lower(at));
        let denied = before(1) == "no"
            || before(2) == "no"
            || (before(3) == "no" && ["or", "nor"].contains(&before(1)));
        if denied {
            valence = known * NEGATION;
        }
        if words.mixed && is_upper(words.written[at]) {
            valence += CAPITALS.copysign(if valence > 0.0 { 1.0 } else { -1.0 });
        }
        for back in 1..=3 {
            if at < back || self.knows(before(back)) {
                continue;
            }
            valence += DISTANCE[back - 1] * words.modifier(at - back, valence);
            valence *= negation(back, [before(1), before(2), before(3)]);
            if back == 3 {
                valence = with_phrases(words, at, valence);
            }
        }
        let least = before(1) == "least" && !self.knows("least");
        if least && !["at", "very"].contains(&before(2)) {
            valence *= NEGATION;
        }
        valence
    }
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Self {
        let written: Vec<&str> = text.split_whitespace().map(stripped).collect();
        let capitals = written.iter().filter(|word| is_upper(word)).count();
        Self {
            lower: written.iter().map(|word| word.to_lowercase()).collect(),
            mixed: 0 < capitals && capitals < written.len(),
            written,
        }
    }

    fn lower(&self, at: usize) -> &str {
        self.lower.get(at).map_or("", String::as_str)
    }

    /// What a word before adds to a valence.
    fn modifier(&self, at: usize, valence: f64) -> f64 {
        let Some(boost) = boost(&self.lower[at]) else {
            return 0.0;
        };
        let boost = if valence < 0.0 { -boost } else { boost };
        if !(self.mixed && is_upper(self.written[at])) {
            return boost;
        }
        boost + CAPITALS.copysign(if valence > 0.0 { 1.0 } else { -1.0 })
    }
}

/// The valences of words and symbols.
///
/// # Errors
/// The file cannot be read or has another form.
fn valences(path: &Path) -> Result<HashMap<String, f64>> {
    let rows = rows(path)?.into_iter();
    let rows = rows.map(|(word, value)| Some((word, value.parse().ok()?)));
    let rows: Option<HashMap<String, f64>> = rows.collect();
    rows.context("a valence of the lexicon is no number")
}

/// Two tab-separated columns.
fn rows(path: &Path) -> Result<Vec<(String, String)>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("{} not read", path.display()))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let rows: Vec<(String, String)> = lines
        .filter_map(|line| {
            let mut columns = line.trim().split('\t');
            Some((columns.next()?.to_owned(), columns.next()?.to_owned()))
        })
        .collect();
    ensure!(
        !rows.is_empty(),
        "{}: no line with two columns",
        path.display()
    );
    Ok(rows)
}

/// Without punctuation around it, unless two characters or fewer remain, as of an emoticon.
fn stripped(word: &str) -> &str {
    let bare = word.trim_matches(|c| PUNCTUATION.contains(c));
    if bare.chars().count() <= 2 {
        word
    } else {
        bare
    }
}

/// Whether a word has letters, and all of them are capitals.
fn is_upper(word: &str) -> bool {
    word.chars().any(char::is_uppercase) && !word.chars().any(char::is_lowercase)
}

/// What a modifier adds; `None` for other words.
fn boost(word: &str) -> Option<f64> {
    let raises = BOOSTERS.contains(&word).then_some(BOOST);
    raises.or_else(|| DAMPENERS.contains(&word).then_some(-BOOST))
}

/// What the word `back` words before multiplies a valence with; `before` holds the words before.
fn negation(back: usize, before: [&str; 3]) -> f64 {
    let [one, two, three] = before;
    let so = |word: &str| ["so", "this"].contains(&word);
    let negates = |word: &str| NEGATIONS.contains(&word) || word.contains("n't");
    match back {
        2 if two == "never" && so(one) => NEVER_SO,
        2 if two == "without" && one == "doubt" => 1.0,
        // the program's condition reads (never and so before) or so: `so` alone is enough
        3 if (three == "never" && so(two)) || so(one) => NEVER_SO,
        3 if three == "without" && [one, two].contains(&"doubt") => 1.0,
        _ if negates(before[back - 1]) => NEGATION,
        _ => 1.0,
    }
}

/// The valence of a phrase around a word takes the place of the word's.
fn with_phrases(words: &Words<'_>, at: usize, mut valence: f64) -> f64 {
    let joined = |from: usize, to: usize| words.lower[from..=to].join(" ");
    let listed = |phrase: &str| {
        let found = PHRASES.iter().find(|(listed, _)| *listed == phrase);
        found.map(|(_, valence)| *valence)
    };
    let (three, two, one) = (at - 3, at - 2, at - 1);
    let around = [
        joined(one, at),
        joined(two, at),
        joined(two, one),
        joined(three, one),
        joined(three, two),
    ];
    if let Some(found) = around.iter().find_map(|phrase| listed(phrase)) {
        valence = found;
    }
    for ahead in 1..=2 {
        if at + ahead < words.lower.len()
            && let Some(found) = listed(&joined(at, at + ahead))
        {
            valence = found;
        }
    }
    for pair in [joined(three, one), joined(three, two), joined(two, one)] {
        valence += boost(&pair).unwrap_or(0.0);
    }
    valence
}

/// Halves what stands before "but" and raises what follows.
fn weigh_contrast(words: &Words<'_>, valences: &mut [f64]) {
    let Some(but) = words.lower.iter().position(|word| word == "but") else {
        return;
    };
    for at in 0..valences.len() {
        // the program finds a valence again by its value, hence the first equal one changes
        let value = valences[at];
        let first = valences
            .iter()
            .position(|other| *other == value)
            .unwrap_or(at);
        if first != but {
            valences[first] *= BUT[usize::from(first > but)];
        }
    }
}

/// What exclamation and question marks add.
fn emphasis(text: &str) -> f64 {
    let count = |mark: &str| text.matches(mark).count();
    let exclamations = count("!").min(EXCLAMATIONS_MAX) as f64 * EXCLAMATION;
    let questions = match count("?") {
        0 | 1 => 0.0,
        few @ (2 | 3) => few as f64 * QUESTION,
        _ => QUESTIONS,
    };
    exclamations + questions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_reference_program() {
        let Some(folder) = weir_fixtures::weir_data("vader") else {
            return;
        };
        let lexicon = Lexicon::read(&folder).expect("the lexicon");
        let path = weir_fixtures::golden_dir().join("vader.tsv");
        let table = std::fs::read_to_string(path).expect("the golden file");
        let mut wrong = Vec::new();
        for line in table.lines() {
            let (text, expected) = line.rsplit_once('\t').expect("two columns");
            let expected: f64 = expected.parse().expect("a number");
            let found = lexicon.compound(text);
            // the program rounds to four digits
            if (found - expected).abs() > 0.000_051 {
                wrong.push(format!("{found:.4} for {expected}: {text}"));
            }
        }
        assert!(table.lines().count() >= 40);
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    #[test]
    fn modifiers_and_marks_count_without_a_lexicon_file() {
        let lexicon = Lexicon {
            valences: HashMap::from([("good".to_owned(), 1.9)]),
            emoji: HashMap::new(),
        };
        let normal = |sum: f64| sum / (sum * sum + ALPHA).sqrt();
        let near = |text: &str, sum: f64| {
            let found = lexicon.compound(text);
            assert!((found - normal(sum)).abs() < 1e-9, "{text}: {found}");
        };
        near("good", 1.9);
        near("very good!", 1.9 + BOOST + EXCLAMATION);
        near("not good", 1.9 * NEGATION);
        near("it is GOOD", 1.9 + CAPITALS);
        near("it is good but not today", 0.95);
        near("table", 0.0);
    }
}
