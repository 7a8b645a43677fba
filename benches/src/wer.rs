//! Word error rate as in published figures.
//!
//! Both sides are normalised alike ([`normal`]); errors are the minimum substitutions, deletions
//! and insertions of words. If several alignments have the same minimum, only the sum is defined:
//! the split into the three kinds may differ from other tools.

pub(crate) mod normal;
mod numbers;

use serde::Serialize;

/// Longer lines are left out: an alignment costs the product of both lengths.
pub(crate) const WORDS_MAX: usize = 4_000;

/// Errors against a reference, summed over lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct WordErrors {
    /// Words of the reference.
    pub(crate) words: u64,
    pub(crate) substitutions: u64,
    /// Deleted words: spoken but not recognised.
    pub(crate) deletions: u64,
    /// Inserted words: recognised but not spoken.
    pub(crate) insertions: u64,
    /// Lines longer than [`WORDS_MAX`], left out.
    pub(crate) lines_left_out: u64,
}

impl WordErrors {
    /// Adds one line: reference and recognised text; both are normalised here.
    pub(crate) fn add(&mut self, said: &str, heard: &str) {
        let (said, heard) = (normal::words(said), normal::words(heard));
        if said.len() > WORDS_MAX || heard.len() > WORDS_MAX {
            self.lines_left_out += 1;
            return;
        }
        let hits = aligned(&said, &heard, |a, b| a == b);
        self.words += said.len() as u64;
        for pair in hits {
            match pair {
                (Some(a), Some(b)) => self.substitutions += u64::from(said[a] != heard[b]),
                (Some(_), None) => self.deletions += 1,
                (None, _) => self.insertions += 1,
            }
        }
    }

    /// Includes the errors of other lines.
    pub(crate) fn include(&mut self, other: Self) {
        self.words += other.words;
        self.substitutions += other.substitutions;
        self.deletions += other.deletions;
        self.insertions += other.insertions;
        self.lines_left_out += other.lines_left_out;
    }

    pub(crate) fn errors(&self) -> u64 {
        self.substitutions + self.deletions + self.insertions
    }

    /// Errors per reference word; `None` if nothing was compared. May exceed 1.
    pub(crate) fn rate(&self) -> Option<f64> {
        (self.words > 0).then(|| self.errors() as f64 / self.words as f64)
    }
}

/// The cheapest alignment of two lists: pairs of positions, or a position without a partner. Every
/// edit costs one.
pub(crate) fn aligned<A, B>(
    from: &[A],
    to: &[B],
    same: impl Fn(&A, &B) -> bool,
) -> Vec<(Option<usize>, Option<usize>)> {
    let wide = to.len() + 1;
    let mut cost: Vec<u32> = (0..wide as u32).collect();
    cost.resize((from.len() + 1) * wide, 0);
    for (i, a) in from.iter().enumerate() {
        let (above, row) = (i * wide, (i + 1) * wide);
        cost[row] = i as u32 + 1;
        for (j, b) in to.iter().enumerate() {
            let both = cost[above + j] + u32::from(!same(a, b));
            cost[row + j + 1] = both.min(cost[above + j + 1] + 1).min(cost[row + j] + 1);
        }
    }
    let (mut i, mut j, mut pairs) = (from.len(), to.len(), Vec::new());
    while i > 0 || j > 0 {
        let here = cost[i * wide + j];
        let both = || cost[(i - 1) * wide + j - 1] + u32::from(!same(&from[i - 1], &to[j - 1]));
        if i > 0 && j > 0 && here == both() {
            (i, j) = (i - 1, j - 1);
            pairs.push((Some(i), Some(j)));
        } else if i > 0 && here == cost[(i - 1) * wide + j] + 1 {
            i -= 1;
            pairs.push((Some(i), None));
        } else {
            j -= 1;
            pairs.push((None, Some(j)));
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// A list of the golden file.
    fn golden(list: &str) -> Vec<Value> {
        let path = weir_fixtures::golden_dir().join("wer.json");
        let golden: Value = crate::files::json(&path, "texts and errors").expect("the golden file");
        golden[list].as_array().expect("a list").clone()
    }

    #[test]
    fn texts_are_normalised_as_whisper_does() {
        let pairs = golden("normalised");
        assert!(pairs.len() > 80);
        for pair in pairs {
            let [text, expected] = [0, 1].map(|at| pair[at].as_str().expect("a text"));
            assert_eq!(normal::words(text).join(" "), expected, "of {text:?}");
        }
    }

    #[test]
    fn errors_are_those_jiwer_counts() {
        let lines = golden("errors");
        assert!(lines.len() > 15);
        for line in lines {
            let [said, heard] = ["said", "heard"].map(|key| line[key].as_str().expect("a text"));
            let expected = ["words", "errors"].map(|key| line[key].as_u64().expect("a count"));
            let mut errors = WordErrors::default();
            errors.add(said, heard);
            assert_eq!(
                [errors.words, errors.errors()],
                expected,
                "{said} / {heard}"
            );
        }
    }

    #[test]
    fn each_kind_of_error_is_counted_apart() {
        let mut errors = WordErrors::default();
        assert_eq!(errors.rate(), None);
        errors.add("the cat sat down", "the hat sat");
        errors.add("yes", "oh yes please");
        let expected = WordErrors {
            words: 5,
            substitutions: 1,
            deletions: 1,
            insertions: 2,
            lines_left_out: 0,
        };
        assert_eq!(errors, expected);
        assert_eq!(errors.rate(), Some(0.8));
    }

    #[test]
    fn a_line_too_long_to_compare_is_left_out() {
        let mut errors = WordErrors::default();
        errors.add(&"cat ".repeat(WORDS_MAX + 1), "cat");
        assert_eq!((errors.words, errors.lines_left_out), (0, 1));
    }
}
