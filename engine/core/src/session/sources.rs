//! Sources of a session: added and removed by hand, within their share of the token budget.

use super::{Erased, InputError, Outcome, Session};
use crate::limits;
use crate::sources::{Passage, Source, SourceError, SourceRoom, Sources};

impl Session {
    /// The texts read from files that it holds beside what was heard.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Tokens that all sources may use: a part of the budget, and less where raw talk and what is
    /// pinned leave less of a small one.
    pub(super) fn sources_tokens_max(&self) -> usize {
        let budget = self.config.budget_tokens;
        let left = budget - self.config.raw_limits().held;
        let pinned = self.tree.pinned_tokens() + self.profiles.pinned_tokens();
        (budget / limits::SOURCES_PART).min(left.saturating_sub(pinned))
    }

    /// Whether the sources held fit their share.
    pub(super) fn sources_fit(&self) -> Result<(), SourceError> {
        let (tokens, max) = (self.sources.tokens(), self.sources_tokens_max());
        match tokens > max {
            true => Err(SourceError::NoRoom { tokens, max }),
            false => Ok(()),
        }
    }

    /// Adds a source whole, or refuses it.
    pub(super) fn add_source(&mut self, source: &Source) -> Result<Outcome, InputError> {
        for passage in &source.passages {
            self.check_vector(&source.place(passage), &passage.vector)?;
        }
        let room = SourceRoom {
            tokens_max: self.sources_tokens_max(),
            budget: self.config.budget_tokens,
        };
        self.sources.add(source, self.counter.as_ref(), room)?;
        if let Err(full) = self.pinned_facts_fit() {
            self.sources.remove(&source.name)?;
            return Err(full.into());
        }
        Ok(self.fitted())
    }

    /// Removes a source with every passage.
    pub(super) fn remove_source(&mut self, name: &str) -> Result<Outcome, InputError> {
        let removed = self.sources.remove(name)?;
        Ok(Outcome {
            erased: Some(Erased {
                passages: removed.passages.len(),
                ..Erased::default()
            }),
            ..Outcome::default()
        })
    }

    /// Takes back the passages of an export, each with the place of its source.
    pub(super) fn restore_passages(
        &mut self,
        passages: Vec<(usize, Passage)>,
    ) -> Result<(), String> {
        for (source, passage) in passages {
            self.sources.restore(source, passage)?;
        }
        self.sources.recount_tokens(self.counter.as_ref());
        Ok(())
    }

    /// Checks the bounds and every passage.
    pub(super) fn check_sources(&self) -> Result<(), String> {
        self.sources.sound().map_err(|wrong| wrong.to_string())?;
        let (tokens, budget) = (self.sources.tokens(), self.config.budget_tokens);
        if tokens > budget / limits::SOURCES_PART {
            return Err(format!("{tokens} tokens of sources exceed their share"));
        }
        let dimension = self.encoder.dimension;
        let is_whole = |passage: &Passage| {
            let vector = &passage.vector;
            vector.len() == dimension && vector.iter().all(|float| float.is_finite())
        };
        match self.sources.passages().all(|(_, it)| is_whole(it)) {
            true => Ok(()),
            false => Err("a passage has no vector of this encoder".to_owned()),
        }
    }
}
