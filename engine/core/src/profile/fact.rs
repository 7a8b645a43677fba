//! One fact of a profile: a statement of a speaker about themselves.

use crate::limits;
use crate::talk::{DistilledFact, Evidence};
use crate::text::FactSlot;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Id of a fact within its session; counts up from 1 and is never given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FactId(pub u64);

impl fmt::Display for FactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "f{}", self.0)
    }
}

impl FromStr for FactId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix('f').and_then(|rest| rest.parse().ok());
        let id = number.map(Self);
        id.ok_or_else(|| format!("`{text}` is no name of a fact; those look like f12"))
    }
}

/// Why a fact no longer holds; builds that read values ended facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndedBy {
    /// The speaker said that it is over.
    Said,
    /// A later fact took its place, and the speaker said that it changed.
    Change(FactId),
    /// A later fact says otherwise; nobody said that it changed.
    Contradiction(FactId),
}

/// One fact that a speaker said of themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileFact {
    /// Its id.
    pub id: FactId,
    /// Whom it is about; `None` if the speaker is unknown.
    pub speaker: Option<String>,
    /// The heading that it stands under.
    pub slot: FactSlot,
    /// Which of several things a value is of, in sessions of builds that read values: "sister".
    pub about: String,
    /// The statement, word for word; a value in sessions of builds that read values.
    pub value: String,
    /// Session time since when it is known.
    pub from_ms: u64,
    /// Session time since when it no longer holds, and why.
    pub until: Option<(u64, EndedBy)>,
    /// How often it was said.
    pub times: u32,
    /// Whether the user pinned it: talk neither ends nor forgets it.
    pub pinned: bool,
    /// Whether the user wrote its words.
    pub edited: bool,
    /// Whether the speaker asked to remember it.
    pub wanted: bool,
    /// Where it was said, at least once; at most [`limits::FACT_EVIDENCE_MAX`] items.
    pub evidence: Vec<Evidence>,
    /// Unit-length vector of the statement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) vector: Vec<f32>,
    /// Tokens of what it is about and of its value.
    pub(super) tokens: u32,
}

impl ProfileFact {
    pub(super) fn of(id: FactId, said: &DistilledFact, tokens: u32) -> Self {
        Self {
            id,
            speaker: said.speaker.clone(),
            slot: said.slot,
            about: said.about.clone(),
            value: said.value.clone(),
            from_ms: said.said_ms,
            until: None,
            times: 1,
            pinned: false,
            edited: false,
            wanted: said.wanted,
            evidence: vec![said.evidence.clone()],
            vector: said.vector.clone(),
            tokens,
        }
    }

    /// Whether it still holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.until.is_none()
    }

    /// Takes down that it was said again.
    pub(super) fn confirm(&mut self, said: &DistilledFact) {
        self.times = self.times.saturating_add(1);
        self.wanted |= said.wanted;
        if self.evidence.len() == limits::FACT_EVIDENCE_MAX {
            self.evidence.remove(1);
        }
        self.evidence.push(said.evidence.clone());
    }

    /// The fact without its vector, for an export.
    pub(crate) fn bare(&self) -> Self {
        Self {
            vector: Vec::new(),
            ..self.clone()
        }
    }

    /// Unit-length vector of its sentence.
    #[must_use]
    pub fn vector(&self) -> &[f32] {
        &self.vector
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.speaker.as_ref().map_or(0, String::len)
            + self.about.len()
            + self.value.len()
            + size_of_val(self.vector.as_slice())
            + self.evidence.iter().map(Evidence::bytes).sum::<usize>()
    }
}
