//! Word error rate of recognised text against written text.
//!
//! A simple measure with a simple normaliser: lower case, punctuation removed, hyphens split. It
//! does not normalise numbers or spelling variants, so "20" for "twenty" counts as an error.

/// Longer lines are skipped: the cost is the product of both lengths.
const WORDS_MAX: usize = 2_000;

/// Errors and words of the reference, summed over lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordErrors {
    /// Words inserted, deleted or replaced.
    pub errors: u64,
    /// Words of the reference.
    pub words: u64,
}

impl WordErrors {
    /// Adds one line: the reference and the recognised text.
    pub fn add(&mut self, reference: &str, heard: &str) {
        let (reference, heard) = (words(reference), words(heard));
        if reference.len() > WORDS_MAX || heard.len() > WORDS_MAX {
            return;
        }
        self.errors += distance(&reference, &heard) as u64;
        self.words += reference.len() as u64;
    }

    /// Adds the sums of another measure.
    pub fn join(&mut self, other: Self) {
        self.errors += other.errors;
        self.words += other.words;
    }

    /// Errors per word of the reference; `None` without words. May exceed 1.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.words > 0).then(|| self.errors as f64 / self.words as f64)
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’'))
        .map(|word| {
            word.chars()
                .filter(|c| c.is_alphanumeric())
                .flat_map(char::to_lowercase)
                .collect::<String>()
        })
        .filter(|word| !word.is_empty())
        .collect()
}

/// Levenshtein distance over words, in two rows.
fn distance(reference: &[String], heard: &[String]) -> usize {
    let mut above: Vec<usize> = (0..=heard.len()).collect();
    let mut row = above.clone();
    for (i, expected) in reference.iter().enumerate() {
        row[0] = i + 1;
        for (j, found) in heard.iter().enumerate() {
            let replaced = above[j] + usize::from(expected != found);
            row[j + 1] = replaced.min(above[j + 1] + 1).min(row[j] + 1);
        }
        std::mem::swap(&mut above, &mut row);
    }
    above[heard.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(reference: &str, heard: &str) -> WordErrors {
        let mut errors = WordErrors::default();
        errors.add(reference, heard);
        errors
    }

    #[test]
    fn case_and_punctuation_are_no_errors() {
        let same = of(
            "Don't go to Lisbon, Al-Fayed!",
            "dont go to lisbon al fayed",
        );
        assert_eq!(same.errors, 0);
        assert_eq!(same.words, 6);
    }

    #[test]
    fn each_kind_of_error_counts_one() {
        assert_eq!(of("a b c", "a x c").errors, 1);
        assert_eq!(of("a b c", "a c").errors, 1);
        assert_eq!(of("a b c", "a b b c").errors, 1);
        assert_eq!(of("a b", "").errors, 2);
        assert_eq!(of("", "a b").errors, 2);
    }

    #[test]
    fn nothing_compared_has_no_rate() {
        assert_eq!(WordErrors::default().rate(), None);
        let mut sum = of("a b", "a b");
        sum.join(of("c d", "c x"));
        assert_eq!(sum.rate(), Some(0.25));
    }

    #[test]
    fn a_line_too_long_to_compare_is_left_out() {
        let long = "word ".repeat(WORDS_MAX + 1);
        assert_eq!(of(&long, "word").words, 0);
    }
}
