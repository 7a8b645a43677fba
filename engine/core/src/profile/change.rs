//! Changes to a profile by hand.

use super::fact::{FactId, ProfileFact};
use super::profiles::Profiles;
use crate::limits;
use serde::{Deserialize, Serialize};
use weir_models::CountTokens;

/// A change to one fact by hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ProfileChange {
    /// The fact is pinned, so that talk neither ends nor forgets it, or unpinned.
    Pin {
        /// The fact.
        fact: FactId,
        /// Whether it is pinned from now on.
        pinned: bool,
    },
    /// The fact has another value.
    Edit {
        /// The fact.
        fact: FactId,
        /// The value.
        value: String,
        /// Unit-length vector of the new sentence.
        vector: Vec<f32>,
    },
}

/// Why a profile is not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// There is no such fact.
    #[error("no profile holds fact {fact}")]
    NoFact {
        /// The fact named.
        fact: FactId,
    },
    /// The fact is pinned.
    #[error("{fact} is pinned to \"{value}\"; unpin it first")]
    Pinned {
        /// The fact.
        fact: FactId,
        /// Its value.
        value: String,
    },
    /// The value is empty or too long.
    #[error("a value has between 1 and {max} tokens; this one has {tokens}")]
    WrongValue {
        /// Tokens of the value.
        tokens: usize,
        /// The bound.
        max: usize,
    },
    /// Pinned facts fill the profile.
    #[error(
        "pinned facts may use {max} tokens of this memory and would use {tokens}; unpin some, or \
         set a larger budget"
    )]
    Full {
        /// Tokens of the pinned facts with this one.
        tokens: usize,
        /// The bound.
        max: usize,
    },
    /// Another change would leave pinned facts too little room.
    #[error(
        "pinned facts of profiles use {tokens} tokens, and this would leave them {max}; unpin a \
         fact or a statement, or set a larger budget"
    )]
    Displaced {
        /// Tokens of the pinned facts.
        tokens: usize,
        /// What would be left for them.
        max: usize,
    },
}

impl Profiles {
    /// Applies a change. `tokens_max`: the bound on tokens of all profiles; pinned facts may use
    /// half of it.
    pub(crate) fn change(
        &mut self,
        change: &ProfileChange,
        counter: &dyn CountTokens,
        tokens_max: usize,
    ) -> Result<(), ProfileError> {
        match change {
            ProfileChange::Pin { fact, pinned } => self.pin(*fact, *pinned, tokens_max),
            ProfileChange::Edit {
                fact,
                value,
                vector,
            } => self.edit(*fact, value, vector, counter),
        }
    }

    fn pin(&mut self, id: FactId, pinned: bool, tokens_max: usize) -> Result<(), ProfileError> {
        let place = self.place(id)?;
        let others = self.facts.iter().filter(|it| it.pinned && it.id != id);
        let tokens = others.map(|it| it.tokens).sum::<u32>() + self.facts[place].tokens;
        let (tokens, max) = (tokens as usize, tokens_max / limits::PINNED_PART);
        if pinned && tokens > max {
            return Err(ProfileError::Full { tokens, max });
        }
        self.facts[place].pinned = pinned;
        Ok(())
    }

    fn edit(
        &mut self,
        id: FactId,
        value: &str,
        vector: &[f32],
        counter: &dyn CountTokens,
    ) -> Result<(), ProfileError> {
        let place = self.place(id)?;
        let fact = &self.facts[place];
        if fact.pinned {
            let value = fact.value.clone();
            return Err(ProfileError::Pinned { fact: id, value });
        }
        let tokens = counter.count(&fact.about) + counter.count(value);
        let max = limits::FACT_TOKENS_MAX;
        if tokens > max || !value.chars().any(char::is_alphanumeric) {
            return Err(ProfileError::WrongValue { tokens, max });
        }
        self.facts[place] = ProfileFact {
            value: value.to_owned(),
            until: None,
            edited: true,
            vector: vector.to_vec(),
            tokens: tokens as u32,
            ..fact.clone()
        };
        self.revision += 1;
        Ok(())
    }

    fn place(&self, id: FactId) -> Result<usize, ProfileError> {
        let place = self.facts.iter().position(|it| it.id == id);
        place.ok_or(ProfileError::NoFact { fact: id })
    }
}
