//! The terms of a text: weighted words of a fixed vocabulary that describe it, spoken or not.

/// Bytes of a term: two for its id, little-endian, and one for its weight.
const BYTES: usize = 3;
/// Steps per unit of weight.
const STEPS: f32 = 64.0;

/// Terms of one text with their weights, by ascending id, at most [`MAX`](Self::MAX).
///
/// The output of a learned sparse encoder for a text (SPLADE, Formal et al. 2021). A term is an id
/// in a vocabulary of at most 65,536 words; its weight is stored in steps of 1/64, up to 3.98. A
/// term takes three bytes, in memory and stored.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "StoredTerms", into = "StoredTerms")
)]
pub struct Terms(Box<[u8]>);

/// Their bytes, under a name in the description of a stored format.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Terms")]
struct StoredTerms(Vec<u8>);

#[cfg(feature = "serde")]
impl From<Terms> for StoredTerms {
    fn from(terms: Terms) -> Self {
        Self(terms.into())
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredTerms> for Terms {
    type Error = String;

    fn try_from(stored: StoredTerms) -> Result<Self, String> {
        stored.0.try_into()
    }
}

impl Terms {
    /// Most terms kept of a text: those with the largest weights.
    pub const MAX: usize = 64;

    /// Keeps the largest of `weights`, pairs of a term and its weight without duplicate terms.
    /// Weights below half a step are dropped.
    pub fn of(weights: impl IntoIterator<Item = (u16, f32)>) -> Self {
        let whole = |weight: f32| (weight * STEPS).round().clamp(0.0, 255.0) as u8;
        let weights = weights.into_iter();
        let mut kept: Vec<(u16, u8)> = weights
            .map(|(term, weight)| (term, whole(weight)))
            .filter(|(_, weight)| *weight > 0)
            .collect();
        // of equal weights the lower ids, which are the more common words
        kept.sort_unstable_by_key(|(term, weight)| (std::cmp::Reverse(*weight), *term));
        kept.truncate(Self::MAX);
        kept.sort_unstable();
        let bytes = kept.into_iter().flat_map(|(term, weight)| {
            let [low, high] = term.to_le_bytes();
            [low, high, weight]
        });
        Self(bytes.collect())
    }

    /// Each term with its weight in steps of 1/64, by ascending id.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = (u16, u8)> + '_ {
        let terms = self.0.as_chunks::<BYTES>().0.iter();
        terms.map(|&[low, high, weight]| (u16::from_le_bytes([low, high]), weight))
    }

    /// Each term with its weight, by ascending id.
    pub fn weights(&self) -> impl ExactSizeIterator<Item = (u16, f32)> + '_ {
        let steps = self.steps();
        steps.map(|(term, weight)| (term, f32::from(weight) / STEPS))
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.0.len() / BYTES
    }

    /// Whether there are none: the text has no words, or no encoder makes terms.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes that the terms take.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Dot product of the weights. Cost: O(terms of both).
    pub fn dot(&self, other: &Self) -> f32 {
        let (mut left, mut right) = (self.steps().peekable(), other.steps().peekable());
        let mut sum = 0_u32;
        while let (Some((a, x)), Some((b, y))) = (left.peek(), right.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => _ = left.next(),
                std::cmp::Ordering::Greater => _ = right.next(),
                std::cmp::Ordering::Equal => {
                    sum += u32::from(*x) * u32::from(*y);
                    left.next();
                    right.next();
                }
            }
        }
        sum as f32 / (STEPS * STEPS)
    }

    /// A vector of unit length whose cosine with another's approximates that of their terms: each
    /// term's weight is added to every component with a hashed sign (random projection, Achlioptas
    /// 2003). Zeros if there are no terms.
    pub fn sketch(&self, dimension: usize) -> Vec<f32> {
        let mut sums = vec![0_i32; dimension];
        for (term, weight) in self.steps() {
            let mut state = u64::from(term);
            for signs in sums.chunks_mut(64) {
                state = crate::hash::scramble(state);
                for (at, sum) in signs.iter_mut().enumerate() {
                    let sign = if state >> at & 1 == 0 { 1 } else { -1 };
                    *sum += sign * i32::from(weight);
                }
            }
        }
        let squares: f64 = sums.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        let length = if squares > 0.0 { squares.sqrt() } else { 1.0 };
        let scaled = sums.into_iter().map(|x| (f64::from(x) / length) as f32);
        scaled.collect()
    }
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_map().entries(self.weights()).finish()
    }
}

/// The terms as bytes, as they are stored.
impl From<Terms> for Vec<u8> {
    fn from(terms: Terms) -> Self {
        terms.0.into_vec()
    }
}

/// Reads stored terms.
impl TryFrom<Vec<u8>> for Terms {
    type Error = String;

    fn try_from(bytes: Vec<u8>) -> Result<Self, String> {
        let terms = Self(bytes.into_boxed_slice());
        let ascending = terms.steps().map(|(term, _)| term);
        if !terms.0.len().is_multiple_of(BYTES)
            || terms.len() > Self::MAX
            || !ascending.is_sorted_by(|a, b| a < b)
        {
            return Err(format!("{} bytes that are no terms", terms.0.len()));
        }
        Ok(terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_terms() -> impl Strategy<Value = Terms> {
        proptest::collection::btree_map(0_u16..300, 0.0_f32..4.5, 0..90).prop_map(Terms::of)
    }

    proptest! {
        #[test]
        fn a_dot_is_the_sum_over_common_terms(a in any_terms(), b in any_terms()) {
            let of = |terms: &Terms| terms.weights().collect::<std::collections::BTreeMap<_, _>>();
            let (x, y) = (of(&a), of(&b));
            let common = x.iter().filter_map(|(term, w)| Some(w * y.get(term)?));
            prop_assert!((a.dot(&b) - common.sum::<f32>()).abs() < 1e-3);
            prop_assert_eq!(a.dot(&b), b.dot(&a));
        }

        #[test]
        fn what_is_stored_is_read(terms in any_terms()) {
            let bytes: Vec<u8> = terms.clone().into();
            prop_assert_eq!(bytes.len(), terms.bytes());
            prop_assert_eq!(Terms::try_from(bytes), Ok(terms));
        }
    }

    #[test]
    fn the_greatest_are_kept_and_the_least_are_not() {
        let all = (0..200_u16).map(|term| (term, f32::from(term) / 50.0));
        let terms = Terms::of(all);
        assert_eq!(terms.len(), Terms::MAX);
        assert_eq!(terms.weights().next(), Some((136, 2.71875)));
        assert_eq!(terms.weights().last(), Some((199, 3.984375)));
        assert!(Terms::of([(7, 0.0), (8, 0.007)]).is_empty());
    }

    #[test]
    fn bytes_that_are_no_terms_are_refused() {
        for bytes in [
            vec![1, 0],
            vec![2, 0, 9, 1, 0, 9],
            vec![1, 0, 9, 1, 0, 9],
            vec![7; 3 * 65],
        ] {
            let count = bytes.len();
            let message = Terms::try_from(bytes).unwrap_err();
            assert!(message.starts_with(&format!("{count} bytes")), "{message}");
        }
    }

    #[test]
    fn sketches_are_as_near_as_their_terms() {
        let terms = |from: u16| Terms::of((from..from + 40).map(|term| (term, 1.0)));
        let cosine = |a: &Terms, b: &Terms| -> f32 {
            let (a, b) = (a.sketch(1024), b.sketch(1024));
            a.iter().zip(&b).map(|(x, y)| x * y).sum()
        };
        assert!((cosine(&terms(0), &terms(0)) - 1.0).abs() < 1e-5);
        assert!((cosine(&terms(0), &terms(20)) - 0.5).abs() < 0.1);
        assert!(cosine(&terms(0), &terms(1000)).abs() < 0.1);
        assert_eq!(Terms::default().sketch(3), [0.0; 3]);
    }
}
