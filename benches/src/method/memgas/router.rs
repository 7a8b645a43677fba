//! Weights granularities by certainty: less entropy gives more weight.

/// Sharpness of the distribution over sessions whose entropy is computed.
const TEMPERATURE: f32 = 0.2;

/// Weight of each granularity, the inverse of its entropy; the weights sum to 1.
fn weights<const N: usize>(scores: &[Vec<f32>; N]) -> [f32; N] {
    let scores = scores.each_ref();
    let inverse = scores.map(|scores| 1.0 / entropy(scores).max(1e-3));
    let total: f32 = inverse.iter().sum();
    inverse.map(|weight| weight / total)
}

/// Entropy in nats of the softmax of standardised scores.
fn entropy(scores: &[f32]) -> f32 {
    let powers = scores.iter().map(|score| (score / TEMPERATURE).exp());
    let total = powers.clone().sum::<f32>().max(f32::MIN_POSITIVE);
    let shares = powers.map(|power| power / total);
    let shares = shares.filter(|share| *share > 0.0);
    -shares.map(|share| share * share.ln()).sum::<f32>()
}

/// The weighted sum of the granularities, each standardised first.
pub(super) fn mixed<const N: usize>(scores: &[Vec<f32>; N]) -> Vec<f32> {
    let mut sum = vec![0.0_f32; scores.first().map_or(0, Vec::len)];
    for (scores, weight) in scores.iter().zip(weights(scores)) {
        for (sum, score) in sum.iter_mut().zip(standardised(scores)) {
            *sum += weight * score;
        }
    }
    sum
}

/// Values standardised to mean 0 and deviation 1; equal values give 0.
pub(super) fn standardised(values: &[f32]) -> Vec<f32> {
    let many = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / many;
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / many;
    let deviation = variance.sqrt().max(1e-6);
    values.iter().map(|x| (x - mean) / deviation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_that_of_the_definition() {
        assert!((entropy(&[0.3; 8]) - 8.0_f32.ln()).abs() < 1e-5);
        // e^5 : 1, so 0.993 and 0.007
        assert!((entropy(&[1.0, 0.0]) - 0.040_18).abs() < 1e-4);
        assert_eq!(entropy(&[]), 0.0);
    }

    #[test]
    fn the_surer_granularity_weighs_more() {
        let sure = vec![0.9, 0.1, 0.1, 0.1];
        let vague = vec![0.5, 0.5, 0.4, 0.5];
        let both = [sure, vague];
        let [a, b] = weights(&both);
        assert!(a > 0.8 && (a + b - 1.0).abs() < 1e-6, "{a} {b}");
        let mixed = mixed(&both);
        assert!(mixed[0] > mixed[1] && mixed[1] > mixed[2], "{mixed:?}");
        assert_eq!(standardised(&[2.0, 4.0]), [-1.0, 1.0]);
    }
}
