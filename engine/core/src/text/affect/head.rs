//! A linear model over the vector of the clause's statement and what its words say.
//!
//! A head belongs to the encoder it was trained with; there is one for all-MiniLM-L6-v2.

use super::numbers;
use std::sync::LazyLock;

const ENCODER: &str = "all-MiniLM-L6-v2";
const COEFFICIENTS: &str = include_str!("minilm.txt");
const DIMENSION: usize = 384;

/// A pair for each float of the vector, for the two log-odds of the words, and the intercept.
static HEAD: LazyLock<Vec<[f32; 2]>> =
    LazyLock::new(|| numbers::rows(COEFFICIENTS).map(|(_, row)| row).collect());

/// Log-odds of positive and of negative against neutral; `None` without a head for the encoder.
pub(super) fn odds(encoder: &str, vector: &[f32], words: [f32; 2]) -> Option<[f32; 2]> {
    if encoder != ENCODER || vector.len() != DIMENSION {
        return None;
    }
    let features = vector.iter().chain(&words).chain(&[1.0]);
    let mut odds = [0.0_f32; 2];
    for (feature, row) in features.zip(HEAD.iter()) {
        odds = [odds[0] + feature * row[0], odds[1] + feature * row[1]];
    }
    Some(odds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_vector_that_it_was_trained_with_is_read() {
        assert_eq!(HEAD.len(), DIMENSION + 3);
        let vector = [0.05; DIMENSION];
        assert!(odds(ENCODER, &vector, [0.0; 2]).is_some());
        assert_eq!(odds(ENCODER, &vector[1..], [0.0; 2]), None);
        assert_eq!(odds("words", &vector, [0.0; 2]), None);
    }
}
