//! BERTScore (Zhang et al., 2020): each token is matched with the nearest token of the other text,
//! by the vectors of an encoder's last layer; as bert_score computes it without idf and rescaling.
//!
//! The special tokens at a text's ends may be matched but are not scored. Scores of different
//! encoders are not comparable: all-MiniLM-L6-v2 gives other values than the papers' DeBERTa.

use anyhow::Result;
use weir_core::vectors::dot;
use weir_models::SentenceEncoder;

/// F1 of an answer, at most 1; 0 if either text has no tokens.
pub(crate) fn bert_score(encoder: &SentenceEncoder, answer: &str, gold: &str) -> Result<f64> {
    let tokens = |text: &str| encoder.token_vectors(text.trim());
    let (answer, gold) = (tokens(answer)?, tokens(gold)?);
    let both = nearest(&answer, &gold).zip(nearest(&gold, &answer));
    let f1 = both.map(|(precision, recall)| 2.0 * precision * recall / (precision + recall));
    Ok(f1.filter(|f1| f1.is_finite()).unwrap_or(0.0))
}

/// The mean cosine of the tokens of a text to the nearest of another.
fn nearest(from: &[Vec<f32>], to: &[Vec<f32>]) -> Option<f64> {
    let scored = from.get(1..from.len().checked_sub(1)?)?;
    let cosines = |token| to.iter().map(move |other| dot(token, other));
    let best = scored
        .iter()
        .map(|token| cosines(token).fold(f32::NEG_INFINITY, f32::max));
    let sum: f64 = best.map(f64::from).sum();
    (!scored.is_empty()).then(|| sum / scored.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_score_as_in_bert_score() {
        let folder = weir_fixtures::golden_dir().join("tiny-bert");
        let encoder = SentenceEncoder::load(folder).expect("the checkpoint");
        // of bert_score, with all three layers of the network
        for (answer, gold, expected) in [
            ("We leave for Lisbon on Friday.", "Lisbon", 0.919_388),
            ("Lisbon", "Lisbon", 1.0),
            ("lisbon", "Lisbon.", 0.882_188_9),
            ("no", "yes", 0.680_234_4),
            (
                "the cat the cat on the mat",
                "the cat is on the mat",
                0.963_061_6,
            ),
            (
                "It costs 1,250.75 euros, not 1.100 euros.",
                "1,250.75 euros",
                0.945_168_7,
            ),
            (
                "Crème brûlée at the café in Zürich",
                "a crème brûlée in a Zurich café",
                0.968_955_9,
            ),
            ("   ", "the second of May", 0.0),
            ("Lisbon", "", 0.0),
        ] {
            let found = bert_score(&encoder, answer, gold).expect("scored");
            assert!(
                (found - expected).abs() < 1e-4,
                "{answer:?}: {found} {expected}"
            );
        }
    }
}
