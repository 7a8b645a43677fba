//! What is wrong with a question, as text.

use super::types::Premise;

impl Premise {
    /// Whether the question must be asked back before it can be answered.
    pub(super) fn is_unclear(&self) -> bool {
        matches!(self, Self::Ambiguous { .. })
    }
}

impl std::fmt::Display for Premise {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OtherPerson { asked } => write!(out, "Not {asked}, as far as I have heard."),
            Self::Unheard { words } => write!(
                out,
                "I have not heard the words {}. Ask in other words, or in the language of the \
                 talk.",
                words.join(", ")
            ),
            Self::Misspelt { asked, meant } => write!(out, "I take {asked} to be {meant}."),
            Self::Unknown { name } => write!(out, "I have heard nothing of {name}."),
            Self::Ambiguous { asked, people } => {
                let (last, others) = people.split_last().ok_or(std::fmt::Error)?;
                write!(
                    out,
                    "Which {asked} do you mean: {} or {last}?",
                    others.join(", ")
                )
            }
        }
    }
}
