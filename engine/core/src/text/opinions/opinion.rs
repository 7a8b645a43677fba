//! An opinion, what it is about, and why it may not count: plain values.

use crate::text::affect::Affect;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What an opinion is about, of few sorts.
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

impl fmt::Display for ObjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// Why an opinion must not count as what the speaker feels now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// "If it were good", "it would be great".
    Hypothetical,
    /// Another person's feeling: "she says she hates it".
    Reported,
    /// "Oh great, another delay".
    Sarcasm,
    /// A feeling that is over: "I used to love it".
    Past,
    /// A question that takes the feeling for granted.
    Question,
}

/// What a statement feels about one aspect of one object (DAM-LLM, section 3.3.2).
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion<'a> {
    /// Without determiner, lower case unless a name, singular, at most four words.
    pub object: String,
    /// What sort of thing the object is.
    pub kind: ObjectKind,
    /// A canonical aspect such as "taste" or "price", or "general".
    pub aspect: String,
    /// The part of the statement that is the reason.
    pub clause: &'a str,
    /// Of this opinion, negation and comparison applied.
    pub affect: Affect,
    /// `None` if it counts as the speaker's own present feeling.
    pub doubt: Option<Doubt>,
}

/// A statement and what is known around it.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// What was said.
    pub text: &'a str,
    /// Who said it; nobody has opinions on an object of this name.
    pub speaker: Option<&'a str>,
    /// Name of the encoder, and its vector of the text.
    pub vector: Option<(&'a str, &'a [f32])>,
    /// The object that the talk was about last, for "it's amazing".
    pub before: Option<&'a str>,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hypothetical => "hypothetical",
            Self::Reported => "reported",
            Self::Sarcasm => "perhaps sarcastic",
            Self::Past => "past",
            Self::Question => "a question",
        })
    }
}
