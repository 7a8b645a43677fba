//! A mixture of two Gaussians over similarities, which separates near from far.

/// Rounds of expectation-maximisation.
const ROUNDS: usize = 12;
/// With fewer values no mixture is fitted: all are near.
const VALUES_MIN: usize = 4;
/// Minimum deviation, so that equal values do not divide by zero.
const DEVIATION_MIN: f64 = 1e-3;

#[derive(Clone, Copy)]
struct Gaussian {
    weight: f64,
    mean: f64,
    deviation: f64,
}

impl Gaussian {
    fn density(&self, x: f64) -> f64 {
        let z = (x - self.mean) / self.deviation;
        self.weight / self.deviation * (-0.5 * z * z).exp()
    }
}

/// Indices of the values in the component with the larger mean.
pub(super) fn nearer(values: &[f32]) -> Vec<usize> {
    if values.len() < VALUES_MIN {
        return (0..values.len()).collect();
    }
    let values: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let deviation = ((most - least) / 4.0).max(DEVIATION_MIN);
    let weight = 0.5;
    let [mut far, mut near] = [least, most].map(|mean| Gaussian {
        weight,
        mean,
        deviation,
    });
    let mut shares = vec![0.0; values.len()];
    for _ in 0..ROUNDS {
        for (share, x) in shares.iter_mut().zip(&values) {
            let (a, b) = (near.density(*x), far.density(*x));
            *share = a / (a + b).max(f64::MIN_POSITIVE);
        }
        near = fitted(&values, &shares, |share| share);
        far = fitted(&values, &shares, |share| 1.0 - share);
    }
    // above the near mean the wider far component may win again; such values still count as near
    let belongs = |at: &usize| shares[*at] > 0.5 || values[*at] >= near.mean.max(far.mean);
    (0..values.len()).filter(belongs).collect()
}

fn fitted(values: &[f64], shares: &[f64], of: impl Fn(f64) -> f64) -> Gaussian {
    let total = shares.iter().map(|share| of(*share)).sum::<f64>().max(1e-9);
    let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
        let pairs = values.iter().zip(shares);
        pairs.map(|(x, share)| of(*share) * f(*x)).sum()
    };
    let mean = sum(&|x| x) / total;
    let variance = sum(&|x| (x - mean) * (x - mean)) / total;
    Gaussian {
        weight: total / values.len() as f64,
        mean,
        deviation: variance.sqrt().max(DEVIATION_MIN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_heaps_are_told_apart() {
        let values = [0.1, 0.8, 0.12, 0.15, 0.82, 0.08, 0.11, 0.78, 0.13];
        assert_eq!(nearer(&values), [1, 4, 7]);
    }

    #[test]
    fn few_or_equal_values_do_no_harm() {
        assert_eq!(nearer(&[]), Vec::<usize>::new());
        assert_eq!(nearer(&[0.3, 0.9]), [0, 1]);
        assert_eq!(nearer(&[0.5; 6]).len(), 6);
    }
}
