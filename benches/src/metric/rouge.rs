//! ROUGE-L (Lin 2004): F1 of the longest common subsequence of words, as rouge_score computes it
//! without stemming. From 0 to 1.

/// ROUGE-L F1 of an answer.
pub(crate) fn rouge_l(answer: &str, gold: &str) -> f64 {
    let (answer, gold) = (tokens(answer), tokens(gold));
    let common = common_length(&gold, &answer) as f64;
    if common == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (common / answer.len() as f64, common / gold.len() as f64);
    2.0 * precision * recall / (precision + recall)
}

/// Lower-cased runs of ASCII letters and digits.
fn tokens(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit()))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Length of the longest common subsequence; memory depends only on the second text.
fn common_length(a: &[String], b: &[String]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for word in a {
        let mut diagonal = 0;
        for (at, other) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if word == other {
                diagonal + 1
            } else {
                above.max(row[at])
            };
            diagonal = above;
        }
    }
    row[b.len()]
}
