//! The vector of a voice, of unit length.

use super::contract::{EmbedSpeaker, SpeakerError};

/// A unit vector of a voice. Invariant: finite, length 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Voiceprint(Box<[f32]>);

impl Voiceprint {
    /// Scales a vector to unit length; `None` if it has no direction (zero, or not finite).
    #[must_use]
    pub fn new(mut vector: Vec<f32>) -> Option<Self> {
        let squares: f64 = vector
            .iter()
            .map(|it| f64::from(*it) * f64::from(*it))
            .sum();
        let length = squares.sqrt();
        if !length.is_finite() || length <= f64::from(f32::MIN_POSITIVE) {
            return None;
        }
        for value in &mut vector {
            *value = (f64::from(*value) / length) as f32;
        }
        Some(Self(vector.into()))
    }

    /// The voice in a vector that a model returned; `None` if it has no direction.
    ///
    /// # Errors
    /// The vector has another length than the model promised.
    pub(super) fn of_model<E: EmbedSpeaker + ?Sized>(
        vector: Vec<f32>,
        model: &E,
    ) -> Result<Option<Self>, SpeakerError> {
        if vector.len() != model.dimensions() {
            return Err(SpeakerError::Shape {
                model: model.name().to_owned(),
                expected: format!("{} components", model.dimensions()),
                actual: format!("{} components", vector.len()),
            });
        }
        Ok(Self::new(vector))
    }

    /// The components.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// Cosine distance, 0 (same direction) to 2 (opposite).
    #[must_use]
    pub fn distance(&self, other: &Self) -> f32 {
        debug_assert_eq!(self.0.len(), other.0.len(), "vectors of one model");
        let dot: f32 = self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum();
        (1.0 - dot).clamp(0.0, 2.0)
    }

    /// The direction of `weight` times this and `other_weight` times the other vector. Two opposite
    /// vectors of one weight have none: this one stays.
    pub(super) fn mixed(&self, weight: f32, other: &Self, other_weight: f32) -> Self {
        let sum = self.0.iter().zip(&other.0);
        let sum = sum.map(|(a, b)| a * weight + b * other_weight).collect();
        Self::new(sum).unwrap_or_else(|| self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_directions() {
        let of = |vector: [f32; 2]| Voiceprint::new(vector.to_vec()).expect("a direction");
        let (east, north) = (of([3.0, 0.0]), of([0.0, 0.5]));
        assert_eq!(east.distance(&of([7.0, 0.0])), 0.0);
        assert_eq!(east.distance(&north), 1.0);
        assert_eq!(east.distance(&of([-1.0, 0.0])), 2.0);
        let between = east.mixed(1.0, &north, 1.0);
        assert!((between.distance(&east) - between.distance(&north)).abs() < 1e-6);
        assert_eq!(east.mixed(1.0, &of([-1.0, 0.0]), 1.0), east);
    }

    #[test]
    fn vectors_without_direction_are_refused() {
        for vector in [
            vec![],
            vec![0.0; 3],
            vec![f32::NAN, 1.0],
            vec![f32::INFINITY],
        ] {
            assert_eq!(Voiceprint::new(vector), None);
        }
    }
}
