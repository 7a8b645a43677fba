//! Word times from flite: its phones have times, and each word's own pronunciation tells which
//! phones belong to it.
//!
//! flite prints words and timed phones, but not which phone belongs to which word. So each word is
//! pronounced alone, and its phones are aligned with the sentence's at minimum edit distance. A
//! time is exact if the sentence keeps the word's first or last phone, and else off by at most one
//! phone.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;

/// A word and its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TimedWord {
    /// As flite speaks it: lower case, numbers as words.
    pub(crate) word: String,
    /// Start in milliseconds of the recording.
    pub(crate) start_ms: u64,
    /// End in milliseconds of the recording.
    pub(crate) end_ms: u64,
}

/// The words of one turn: a line of a `*.words.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TimedTurn {
    /// The turn's id.
    pub(crate) utterance: String,
    /// Its words in order; words without phones are left out.
    pub(crate) words: Vec<TimedWord>,
}

/// Word times of whole turns, by turn.
pub(crate) fn read(path: &Path) -> Result<HashMap<String, Vec<TimedWord>>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    let mut turns = HashMap::new();
    for (n, line) in text.lines().enumerate() {
        let turn: TimedTurn = serde_json::from_str(line).with_context(|| {
            let path = path.display();
            format!(
                "{path}, line {}: expected the words of a turn, as `speak` writes",
                n + 1
            )
        })?;
        turns.insert(turn.utterance, turn.words);
    }
    Ok(turns)
}

/// Pronunciations of words, requested once each.
#[derive(Default)]
pub(super) struct Pronunciations(HashMap<String, Vec<String>>);

impl Pronunciations {
    fn of(&mut self, word: &str, ask: &dyn Fn(&str) -> Result<String>) -> Result<Vec<String>> {
        if let Some(known) = self.0.get(word) {
            return Ok(known.clone());
        }
        let phones = ask(word)?;
        let phones = phones.split_whitespace().filter(|&phone| phone != PAUSE);
        let phones: Vec<String> = phones.map(str::to_owned).collect();
        self.0.insert(word.to_owned(), phones.clone());
        Ok(phones)
    }
}

const PAUSE: &str = "pau";

/// Words with start and end in seconds since the synthesiser began: `phones` as `flite -psdur`
/// prints them, `words` as `flite -pw` does, one utterance per line; `whole_s` is the length of the
/// recording. Its diphone voices end an utterance inside the last pause, so the surplus of the
/// phones over the recording is divided among the ends of utterances.
pub(super) fn timed(
    phones: &str,
    words: &str,
    whole_s: f64,
    known: &mut Pronunciations,
    ask: &dyn Fn(&str) -> Result<String>,
) -> Result<Vec<(String, f64, f64)>> {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(str::to_owned).collect()
    };
    let (phones, words) = (lines(phones), lines(words));
    let (mut out, mut base_s) = (Vec::new(), 0.0);
    let printed_s: f64 = phones
        .iter()
        .filter_map(|line| spoken(line))
        .map(|all| end_s(&all))
        .sum();
    let short_s = (printed_s - whole_s) / phones.len().max(1) as f64;
    // if the two disagree on the utterances, no times are returned rather than wrong ones
    if phones.len() != words.len() {
        return Ok(out);
    }
    for (phones, words) in phones.iter().zip(&words) {
        let Some(spoken) = spoken(phones) else {
            return Ok(out);
        };
        let mut expected = Vec::new();
        let words: Vec<String> = words.split_whitespace().map(plain).collect();
        for (n, word) in words.iter().enumerate() {
            let phones = if word.is_empty() {
                Vec::new()
            } else {
                known.of(word, ask)?
            };
            expected.extend(phones.into_iter().map(|phone| (n, phone)));
        }
        let mut spans: Vec<Option<(f64, f64)>> = vec![None; words.len()];
        for (of, at) in aligned(&expected, &spoken) {
            let phone = &spoken[at];
            let span = spans[expected[of].0].get_or_insert((phone.start_s, phone.end_s));
            span.1 = phone.end_s;
        }
        let found = words.into_iter().zip(spans);
        out.extend(found.filter_map(|(word, span)| {
            span.map(|(start_s, end_s)| (word, base_s + start_s, base_s + end_s))
        }));
        base_s += end_s(&spoken) - short_s;
    }
    Ok(out)
}

/// `_a` is the letter; other signs are not spoken.
fn plain(word: &str) -> String {
    let kept = |c: &char| c.is_ascii_alphanumeric() || *c == '\'';
    word.chars().filter(kept).collect()
}

/// A phone of a sentence.
struct Spoken {
    phone: String,
    start_s: f64,
    end_s: f64,
}

fn spoken(line: &str) -> Option<Vec<Spoken>> {
    let (mut phones, mut start_s) = (Vec::new(), 0.0);
    for part in line.split_whitespace() {
        let (phone, end) = part.split_once(':')?;
        let end_s: f64 = end.parse().ok()?;
        phones.push(Spoken {
            phone: phone.to_owned(),
            start_s,
            end_s,
        });
        start_s = end_s;
    }
    Some(phones)
}

fn end_s(phones: &[Spoken]) -> f64 {
    phones.last().map_or(0.0, |phone| phone.end_s)
}

/// Pairs of an expected and a spoken phone, in order, at the lowest cost. Pauses are skipped at no
/// cost; a vowel for a vowel costs half of any other change.
fn aligned(expected: &[(usize, String)], spoken: &[Spoken]) -> Vec<(usize, usize)> {
    const GAP: u32 = 3;
    let vowel = |phone: &str| phone.starts_with(['a', 'e', 'i', 'o', 'u']);
    let change = |i: usize, j: usize| match (&expected[i].1, &spoken[j].phone) {
        (_, b) if b == PAUSE => u32::MAX / 4,
        (a, b) if a == b => 0,
        (a, b) if vowel(a) && vowel(b) => 2,
        _ => 4,
    };
    let skip = |j: usize| if spoken[j].phone == PAUSE { 0 } else { GAP };
    let wide = spoken.len() + 1;
    let mut cost = vec![0_u32; (expected.len() + 1) * wide];
    for j in 1..wide {
        cost[j] = cost[j - 1] + skip(j - 1);
    }
    for i in 1..=expected.len() {
        cost[i * wide] = cost[(i - 1) * wide] + GAP;
        for j in 1..wide {
            let both = cost[(i - 1) * wide + j - 1] + change(i - 1, j - 1);
            let left_out = cost[(i - 1) * wide + j] + GAP;
            let put_in = cost[i * wide + j - 1] + skip(j - 1);
            cost[i * wide + j] = both.min(left_out).min(put_in);
        }
    }
    let (mut i, mut j, mut pairs) = (expected.len(), spoken.len(), Vec::new());
    while i > 0 && j > 0 {
        let here = cost[i * wide + j];
        if here == cost[(i - 1) * wide + j - 1] + change(i - 1, j - 1) {
            (i, j) = (i - 1, j - 1);
            pairs.push((i, j));
        } else if here == cost[i * wide + j - 1] + skip(j - 1) {
            j -= 1;
        } else {
            i -= 1;
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(word: &str) -> Result<String> {
        Ok(match word {
            "it" => "pau ih t pau",
            "'s" => "pau eh s pau",
            "nine" => "pau n ay n pau",
            "the" => "pau dh ax pau",
            _ => "pau",
        }
        .to_owned())
    }

    fn times(phones: &str, words: &str, whole_s: f64) -> Vec<(String, f64, f64)> {
        timed(phones, words, whole_s, &mut Pronunciations::default(), &ask).expect("aligned")
    }

    fn word(word: &str, start_s: f64, end_s: f64) -> (String, f64, f64) {
        (word.to_owned(), start_s, end_s)
    }

    #[test]
    fn words_get_the_times_of_their_phones() {
        let phones = "pau:0.2 ih:0.3 t:0.4 s:0.5 pau:0.6 n:0.7 ay:0.8 n:1.0 dh:1.25 iy:1.5 pau:2";
        let found = times(phones, "it 's nine the ", 2.0);
        let expected = [
            word("it", 0.2, 0.4),
            word("'s", 0.4, 0.5),
            word("nine", 0.6, 1.0),
            word("the", 1.0, 1.5),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_second_utterance_counts_on() {
        let found = times(
            "pau:0.5 ih:0.75 t:1\npau:0.25 ih:0.5 t:0.75",
            "it\nit",
            1.75,
        );
        assert_eq!(found, [word("it", 0.5, 1.0), word("it", 1.25, 1.75)]);
        // the recording is half a second shorter: a quarter at the end of each utterance
        let phones = "pau:0.5 ih:0.75 t:1 pau:1.5\npau:0.25 ih:0.5 t:0.75 pau:1.5";
        let found = times(phones, "it\nit", 2.5);
        assert_eq!(found, [word("it", 0.5, 1.0), word("it", 1.5, 2.0)]);
    }

    #[test]
    fn what_does_not_fit_together_has_no_times() {
        assert!(times("pau:0.5 ih:0.75\npau:1", "it", 1.0).is_empty());
        assert!(times("nonsense", "it", 1.0).is_empty());
        assert!(times("pau:0.5 ih:0.75", "zzz", 1.0).is_empty());
    }
}
