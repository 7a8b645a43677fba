//! An opinion and what it is about: plain values.

use super::doubt::Doubt;
use serde::{Deserialize, Serialize};

/// Confidences of the three polarities; they sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sentiment {
    /// Of a feeling for what the clause speaks of.
    pub positive: f32,
    /// Of a feeling against it.
    pub negative: f32,
    /// Of no feeling, or one that takes no side.
    pub neutral: f32,
}

impl Sentiment {
    /// Chances of a feeling for, of one against and of none, as a reader gives them, with their
    /// logarithms divided by `temperature`.
    #[must_use]
    pub fn of(chances: [f32; 3], temperature: f32) -> Self {
        let [positive, negative, neutral] = chances.map(|it| it.max(0.0).powf(1.0 / temperature));
        let all = (positive + negative + neutral).max(f32::MIN_POSITIVE);
        Self {
            positive: positive / all,
            negative: negative / all,
            neutral: neutral / all,
        }
    }

    /// Entropy of the confidences in bits, 0 to log2(3) = 1.585 (DAM-LLM, section 3.4).
    #[must_use]
    pub fn entropy(&self) -> f32 {
        let shares = [self.positive, self.negative, self.neutral];
        let held = shares.into_iter().filter(|share| *share > 0.0);
        held.map(|share| -share * share.log2()).sum()
    }

    /// Positive minus negative, -1 to 1.
    #[must_use]
    pub fn leaning(&self) -> f32 {
        self.positive - self.negative
    }
}

/// What a statement feels about one side of one thing (DAM-LLM, section 3.3.2).
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// Without determiner, lower case unless a name, at most six words.
    pub object: String,
    /// What sort of thing that is, where a generator read it; else [`ObjectKind::Other`].
    pub kind: ObjectKind,
    /// A side such as "battery", or "general".
    pub aspect: String,
    /// Of this opinion.
    pub sentiment: Sentiment,
    /// From 0, no feeling, to [`super::STRENGTH_MAX`] (DAM-LLM, section 3.4, the weight S of
    /// evidence).
    pub strength: f32,
    /// `None` if it counts as the speaker's own present feeling.
    pub doubt: Option<Doubt>,
    /// The chance that it is worth remembering in weeks.
    pub keep: f32,
}

/// What an opinion is about, of few sorts: [`Self::Other`] except where a generator says what a
/// thing is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum ObjectKind {
    /// Somebody: "my boss", "Ana".
    Person,
    /// "dog".
    Animal,
    /// "rose".
    Plant,
    /// "restaurant", "Lisbon" where it is known as one.
    Place,
    /// Something made: "phone".
    Product,
    /// Food and drink.
    Food,
    /// Something that one does: "hiking".
    Activity,
    /// "trip", "wedding".
    Event,
    /// "job", "deadline".
    Work,
    /// "movie", "song".
    Media,
    /// "rain", "summer".
    Weather,
    /// "knee", "sleep".
    Body,
    /// "politics", "nature".
    Idea,
    /// None of these, or unknown.
    #[default]
    Other,
}

impl ObjectKind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::Person,
        Self::Animal,
        Self::Plant,
        Self::Place,
        Self::Product,
        Self::Food,
        Self::Activity,
        Self::Event,
        Self::Work,
        Self::Media,
        Self::Weather,
        Self::Body,
        Self::Idea,
        Self::Other,
    ];
}

impl std::fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Person => "person",
            Self::Animal => "animal",
            Self::Plant => "plant",
            Self::Place => "place",
            Self::Product => "product",
            Self::Food => "food",
            Self::Activity => "activity",
            Self::Event => "event",
            Self::Work => "work",
            Self::Media => "media",
            Self::Weather => "weather",
            Self::Body => "body",
            Self::Idea => "idea",
            Self::Other => "other",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temperature_flattens_chances_and_keeps_their_order() {
        let plain = Sentiment::of([0.64, 0.36, 0.0], 1.0);
        assert!((plain.positive - 0.64).abs() < 1e-6 && plain.neutral == 0.0);
        // square roots: 0.8 and 0.6 of 1.4
        let flat = Sentiment::of([0.64, 0.36, 0.0], 2.0);
        assert!((flat.positive - 0.8 / 1.4).abs() < 1e-6, "{flat:?}");
        assert!((flat.negative - 0.6 / 1.4).abs() < 1e-6, "{flat:?}");
        let sum = flat.positive + flat.negative + flat.neutral;
        assert!((sum - 1.0).abs() < 1e-6);
    }
}
