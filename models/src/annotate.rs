//! The contract of a reader of talk: statements in, opinions and facts out, as places and chances.
//!
//! The annotation of a statement depends on that statement and its question alone, never on the
//! other statements of the batch.

use std::ops::Range;

use crate::encode_error::EncodeError;

/// Finds opinions in statements, and what they say that lasts about their speakers.
pub trait Annotate: Send + Sync {
    /// Name for logs, results and messages.
    fn name(&self) -> &str;

    /// Reads `statements`, one annotation each, in order. Of a very long one only the start.
    ///
    /// # Errors
    /// [`EncodeError`] for the whole batch.
    fn annotate(&self, statements: &[Stated<'_>]) -> Result<Vec<Annotation>, EncodeError>;
}

/// A statement to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stated<'a> {
    /// What was said.
    pub text: &'a str,
    /// The question that it answers, where the statement says little alone.
    pub question: Option<&'a str>,
}

/// What a statement says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Annotation {
    /// What it may feel something about, in the order of the text.
    pub things: Vec<Thing>,
    /// The chance that it says something lasting about its speaker.
    pub lasting: f32,
    /// Values of the speaker's slots that it names, in the order of the text.
    pub values: Vec<SlotValue>,
    /// Whom and what it names, in the order of the text.
    pub names: Vec<Name>,
    /// Words that say how one of these, or the speaker, stands to another, in order.
    pub relating: Vec<Relating>,
    /// Above which of these chances the reader is right often enough to be believed.
    pub least: Least,
}

/// Least chances at which what a reader finds counts, and how its chances of feelings are to be
/// read: both belong to its weights, and are chosen on labelled talk that trained nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Least {
    /// That a statement says something lasting about its speaker.
    pub lasting: f32,
    /// The same of a statement with the value of a slot, which is evidence too.
    pub lasting_with_value: f32,
    /// That an opinion is worth keeping: that of the statement times that of the likeliest word of
    /// its thing.
    pub keep: f32,
    /// Of each word of a value that it belongs to its slot; a statement whose value is below may
    /// last as a whole.
    pub value: f32,
    /// That a word belongs to a name of this kind; each word of the name must reach it.
    pub name: f32,
    /// That a word is one of relating words; each of them must reach it.
    pub relating: f32,
    /// The logarithms of the chances of a feeling are divided by this, so that a feeling with a
    /// chance of 0.8 is there in 0.8 of cases.
    pub polarity_temperature: f32,
}

impl Default for Least {
    /// Those of the built-in language model. Of labelled talk held apart, 0.89 of what is above
    /// `lasting` lasts and 0.61 of what lasts is above it; of opinions worth keeping 0.87 and 0.40;
    /// of values, much of which a model before took wrongly, 19 of 25 are right, and 19 of 63 are
    /// found; of names 0.81 and 0.54, of relations 0.42 and 0.22, word for word. The temperature
    /// was chosen on MAMS' validation set, which trained nothing: there chances of feelings were
    /// off by 0.11 in the mean, and are off by 0.01.
    fn default() -> Self {
        Self {
            lasting: 0.93,
            lasting_with_value: 0.8,
            keep: 0.8,
            value: 0.9,
            name: 0.7,
            relating: 0.7,
            polarity_temperature: 1.75,
        }
    }
}

/// A thing in a statement, and what the statement feels about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Thing {
    /// Its bytes in the statement, whole words.
    pub bytes: Range<usize>,
    /// The chance that it is one side of a thing ("battery"), not a thing as a whole ("phone").
    pub side: f32,
    /// Chances of a feeling for it, of one against it, and of none; they sum to 1. See
    /// [`Least::polarity_temperature`].
    pub polarity: [f32; 3],
    /// The chance that what is felt about it is worth remembering in weeks.
    pub keep: f32,
}

/// The value of a slot in a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotValue {
    /// Its slot.
    pub slot: Slot,
    /// Its bytes in the statement, whole words.
    pub bytes: Range<usize>,
    /// The chance that it is one, the smallest of its words'.
    pub chance: f32,
}

/// A name in a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// What it names.
    pub kind: NameKind,
    /// Its bytes in the statement, whole words.
    pub bytes: Range<usize>,
    /// The chance that it is one, the smallest of its words'.
    pub chance: f32,
}

/// Words that say how one stands to another: "lives in", "went biking with".
#[derive(Debug, Clone, PartialEq)]
pub struct Relating {
    /// Their bytes in the statement, whole words.
    pub bytes: Range<usize>,
    /// The chance that they do, the smallest of the words'.
    pub chance: f32,
}

/// What a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum NameKind {
    /// A person or an animal with a name, or a person named by whose they are: "my sister".
    Person,
    /// Where one can go: "Porto", "the library".
    Place,
    /// A company, a school, a team, a band.
    Organisation,
    /// Another thing with a name of its own, or somebody's: "Star Wars", "my guitar".
    Thing,
    /// When something is: "last week", "7 pm".
    Date,
}

impl NameKind {
    /// All kinds, in the order of the model's labels.
    pub const ALL: [Self; 5] = [
        Self::Person,
        Self::Place,
        Self::Organisation,
        Self::Thing,
        Self::Date,
    ];
}

/// What a speaker has one of at a time: a new value takes the place of the old one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Where the speaker lives.
    Home,
    /// What the speaker works as.
    Work,
    /// Whom the speaker works for.
    Employer,
    /// In years.
    Age,
    /// The speaker's number.
    Phone,
    /// The name of the partner.
    Partner,
}

impl Slot {
    /// All slots, in the order of the model's labels.
    pub const ALL: [Self; 6] = [
        Self::Home,
        Self::Work,
        Self::Employer,
        Self::Age,
        Self::Phone,
        Self::Partner,
    ];
}
