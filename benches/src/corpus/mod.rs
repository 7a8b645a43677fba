//! Public dialogues in one form, read from a user's path.
//!
//! Loaders report what they leave out; nothing is guessed. A dialogue's questions all come at its
//! end.

pub(crate) mod locomo;
pub(crate) mod qmsum;
pub(crate) mod questions;

/// A dialogue and the questions about it.
#[derive(Debug, Clone)]
pub(crate) struct Dialogue {
    /// Its name in the corpus.
    pub(crate) name: String,
    /// Sessions and turns, in order.
    pub(crate) items: Vec<Item>,
    /// Questions with their gold labels.
    pub(crate) questions: Vec<Gold>,
}

/// One step of a dialogue.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// A sitting begins.
    Sitting {
        /// Wall time, if the corpus gives one.
        started_at_unix_ms: Option<i64>,
    },
    /// A turn.
    Turn(Turn),
}

/// One turn.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// Id within the dialogue.
    pub(crate) id: String,
    /// Speaker.
    pub(crate) speaker: String,
    /// Text.
    pub(crate) text: String,
}

/// A question with its gold labels.
#[derive(Debug, Clone)]
pub(crate) struct Gold {
    /// The question.
    pub(crate) question: String,
    /// The answer; `None` if the dialogue has none.
    pub(crate) answer: Option<String>,
    /// Turns that prove it.
    pub(crate) evidence: Vec<String>,
    /// Evidence ids of turns that do not exist.
    pub(crate) strays: Vec<String>,
    /// Kind of question.
    pub(crate) category: &'static str,
}

impl Dialogue {
    /// The turns only.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.items.iter().filter_map(|item| match item {
            Item::Turn(turn) => Some(turn),
            Item::Sitting { .. } => None,
        })
    }
}
