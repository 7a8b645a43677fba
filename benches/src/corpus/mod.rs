//! Public dialogues in one form, read from a path the user gives.
//!
//! Loaders report what they leave out; nothing is repaired by guessing. A dialogue's questions all
//! stand at its end.

pub(crate) mod locomo;
pub(crate) mod qmsum;
pub(crate) mod questions;

/// A dialogue and the questions about it.
#[derive(Debug, Clone)]
pub(crate) struct Dialogue {
    /// Its name in the corpus.
    pub(crate) name: String,
    /// Sittings and turns, in order.
    pub(crate) items: Vec<Item>,
    /// Questions with their gold labels.
    pub(crate) questions: Vec<Gold>,
}

/// One step of a dialogue.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// A sitting begins.
    Sitting {
        /// Wall time, where the corpus gives one.
        started_at_unix_ms: Option<i64>,
    },
    /// Somebody speaks.
    Turn(Turn),
}

/// One turn of talk.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// Name within the dialogue.
    pub(crate) id: String,
    /// Who speaks.
    pub(crate) speaker: String,
    /// What is said.
    pub(crate) text: String,
}

/// A question with what is known about its answer.
#[derive(Debug, Clone)]
pub(crate) struct Gold {
    /// The question.
    pub(crate) question: String,
    /// The answer; `None` when the dialogue does not hold one.
    pub(crate) answer: Option<String>,
    /// Turns that prove it.
    pub(crate) evidence: Vec<String>,
    /// Labels of evidence that name no turn; they prove nothing.
    pub(crate) strays: Vec<String>,
    /// Kind of question.
    pub(crate) category: &'static str,
}

impl Dialogue {
    /// The turns alone.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.items.iter().filter_map(|item| match item {
            Item::Turn(turn) => Some(turn),
            Item::Sitting { .. } => None,
        })
    }
}
