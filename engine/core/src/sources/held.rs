//! The sources of a session: added, removed, bounded.

use super::passage::{Passage, Source};
use crate::analysis::Term;
use crate::limits;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use weir_models::{CountTokens, Encode, EncodeError};

/// Why sources are not changed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SourceError {
    /// The name cannot be one.
    #[error(
        "a source has a name of 1 to {max} characters on one line, without brackets; not {name:?}"
    )]
    WrongName {
        /// The name.
        name: String,
        /// The bound.
        max: usize,
    },
    /// The weight is out of range.
    #[error("the weight of a source is above 0 and at most {max}; {weight} is not")]
    WrongWeight {
        /// The weight.
        weight: f32,
        /// The bound.
        max: f32,
    },
    /// There is a source of this name.
    #[error("the session has a source `{name}`; remove it first, or choose another name")]
    Taken {
        /// The name.
        name: String,
    },
    /// There is no source of this name.
    #[error("the session has no source `{name}`; it has {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The names of those there are.
        known: String,
    },
    /// A source without text, or of too many files or passages.
    #[error(
        "source `{name}` has {files} files and {passages} passages; a session takes {sources_max} \
         sources of 1 to {files_max} files, and {passages_max} passages in all of them"
    )]
    WrongNumber {
        /// The name.
        name: String,
        /// Files of the source.
        files: usize,
        /// Passages of the source.
        passages: usize,
        /// The bounds.
        sources_max: usize,
        /// Files of a source.
        files_max: usize,
        /// Passages of all sources.
        passages_max: usize,
    },
    /// It does not fit its share of the budget.
    #[error(
        "source `{name}` has {tokens} tokens; all sources may use {max} of this memory's \
         {budget}, and others use {others}: set a larger budget, take a \
         smaller file, or remove another source"
    )]
    OverShare {
        /// The name.
        name: String,
        /// Its tokens.
        tokens: usize,
        /// Tokens of the others.
        others: usize,
        /// The share of all sources.
        max: usize,
        /// The token budget.
        budget: usize,
    },
    /// The sources held leave too little room for a change.
    #[error(
        "sources use {tokens} tokens and could use only {max} then: remove one first, or set a \
         larger budget"
    )]
    NoRoom {
        /// Tokens of all sources.
        tokens: usize,
        /// Tokens that they may use after the change.
        max: usize,
    },
    /// The source is damaged.
    #[error("a passage of source `{name}` names no line or file of it")]
    WrongPlace {
        /// The name.
        name: String,
    },
}

/// All sources of a session, in the order in which they were added.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sources {
    held: Vec<Arc<Source>>,
}

/// The room for sources.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceRoom {
    /// Tokens that all sources may use.
    pub(crate) tokens_max: usize,
    /// The token budget of which that is the share.
    pub(crate) budget: usize,
}

impl Sources {
    /// The sources.
    pub fn held(&self) -> impl ExactSizeIterator<Item = &Source> + Clone {
        self.held.iter().map(AsRef::as_ref)
    }

    /// A source by its name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Source> {
        self.held().find(|it| it.name == name)
    }

    /// All passages, each with its source.
    pub fn passages(&self) -> impl Iterator<Item = (&Source, &Passage)> {
        self.held()
            .flat_map(|source| source.passages.iter().map(move |it| (source, it)))
    }

    /// Tokens of all passages.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.held().map(Source::tokens).sum()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.held().map(Source::bytes).sum()
    }

    /// Whether any passage has a word. Cost: a binary search in each.
    #[must_use]
    pub fn knows(&self, term: Term) -> bool {
        let mut passages = self.passages();
        passages.any(|(_, it)| it.words().binary_search(&term).is_ok())
    }

    /// Adds a source, whose vectors were checked, if it fits the room together with the others.
    ///
    /// # Errors
    /// [`SourceError`]; then nothing was changed.
    pub(crate) fn add(
        &mut self,
        source: &Source,
        counter: &dyn CountTokens,
        room: SourceRoom,
    ) -> Result<(), SourceError> {
        if self.named(&source.name).is_some() {
            return Err(SourceError::Taken {
                name: source.name.clone(),
            });
        }
        let mut added = source.clone();
        added.recount_tokens(counter);
        let others = self.tokens();
        if others + added.tokens > room.tokens_max {
            return Err(SourceError::OverShare {
                name: added.name,
                tokens: added.tokens,
                others,
                max: room.tokens_max,
                budget: room.budget,
            });
        }
        self.held.push(Arc::new(added));
        let sound = self.sound();
        if sound.is_err() {
            self.held.pop();
        }
        sound
    }

    /// Removes a source and returns it.
    ///
    /// # Errors
    /// [`SourceError::Unknown`].
    pub(crate) fn remove(&mut self, name: &str) -> Result<Arc<Source>, SourceError> {
        let place = self.held.iter().position(|it| it.name == name);
        let unknown = || self.unknown(name);
        let place = place.ok_or_else(unknown)?;
        Ok(self.held.remove(place))
    }

    /// The error for a name that no source has.
    #[must_use]
    pub fn unknown(&self, name: &str) -> SourceError {
        let names: Vec<String> = self.held().map(|it| format!("`{}`", it.name)).collect();
        SourceError::Unknown {
            name: name.to_owned(),
            known: match names.is_empty() {
                true => "none".to_owned(),
                false => names.join(", "),
            },
        }
    }

    /// The sources without their passages, for an export.
    pub(crate) fn frame(&self) -> Self {
        let bare = |source: &Source| Source {
            passages: Vec::new(),
            tokens: 0,
            name: source.name.clone(),
            files: source.files.clone(),
            ..*source
        };
        Self {
            held: self.held().map(|it| Arc::new(bare(it))).collect(),
        }
    }

    /// Takes back a passage of an export; `at` is the place of its source.
    ///
    /// # Errors
    /// There is no such source, as text.
    pub(crate) fn restore(&mut self, at: usize, passage: Passage) -> Result<(), String> {
        let source = self.held.get_mut(at).ok_or("a passage names no source")?;
        Arc::make_mut(source).passages.push(passage);
        Ok(())
    }

    /// Counts tokens and makes search terms, which are not stored.
    pub(crate) fn recount_tokens(&mut self, counter: &dyn CountTokens) {
        for source in &mut self.held {
            Arc::make_mut(source).recount_tokens(counter);
        }
    }

    /// Gives every passage the vector and terms of another encoder.
    pub(crate) fn encode(&mut self, encoder: &dyn Encode) -> Result<(), EncodeError> {
        let mut held = self.held.iter_mut().map(Arc::make_mut);
        held.try_for_each(|it| it.encode(encoder))
    }

    /// Gives every passage the terms of another encoder, and leaves the vectors.
    pub(crate) fn encode_terms(&mut self, encoder: &dyn Encode) -> Result<(), EncodeError> {
        let mut held = self.held.iter_mut().map(Arc::make_mut);
        held.try_for_each(|it| it.encode_terms(encoder))
    }

    /// Checks every source.
    ///
    /// # Errors
    /// The first that breaks a bound.
    pub(crate) fn sound(&self) -> Result<(), SourceError> {
        let mut all = 0;
        for (at, source) in self.held().enumerate() {
            all += source.passages.len();
            let before = self.held().take(at);
            check(source, before, all)?;
        }
        Ok(())
    }
}

/// Checks a source against those before it; `all` counts the passages up to it.
fn check<'a>(
    source: &Source,
    mut before: impl ExactSizeIterator<Item = &'a Source>,
    all: usize,
) -> Result<(), SourceError> {
    let name = || source.name.clone();
    let max = limits::SOURCE_NAME_CHARS_MAX;
    let wrong = |c: char| c.is_control() || "[]".contains(c);
    let chars = source.name.chars().count();
    if source.name.trim().is_empty() || chars > max || source.name.contains(wrong) {
        return Err(SourceError::WrongName { name: name(), max });
    }
    let (weight, max) = (source.weight, limits::SOURCE_WEIGHT_MAX);
    if !(weight > 0.0 && weight <= max) {
        return Err(SourceError::WrongWeight { weight, max });
    }
    let (files, passages) = (source.files.len(), source.passages.len());
    let (sources_max, files_max) = (limits::SOURCES_MAX, limits::SOURCE_FILES_MAX);
    let passages_max = limits::PASSAGES_MAX;
    let within = (1..=files_max).contains(&files) && all <= passages_max && passages > 0;
    if !within || before.len() >= sources_max {
        return Err(SourceError::WrongNumber {
            name: name(),
            files,
            passages,
            sources_max,
            files_max,
            passages_max,
        });
    }
    if before.any(|it| it.name == source.name) {
        return Err(SourceError::Taken { name: name() });
    }
    let misplaced =
        |it: &Passage| it.file as usize >= files || !(1..=it.last_line).contains(&it.first_line);
    match source.passages.iter().any(misplaced) {
        true => Err(SourceError::WrongPlace { name: name() }),
        false => Ok(()),
    }
}
