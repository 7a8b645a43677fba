//! Distillers: from a block of talk to an event, its scene and its units.
//!
//! [`Extractive`] takes statements out of the block and has no model; [`Neural`] and [`Instructed`]
//! ask models which of these statements to keep longer, and write none. They read the block alone:
//! what was recalled, asked or answered never reaches a distiller. Where a model fails, the block
//! is distilled without it, counted.

mod counts;
mod extractive;
mod instructed;
mod neural;
mod prompts;
#[cfg(test)]
pub(crate) mod scripted;
mod selection;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod themes;

pub use counts::DistilCounts;
pub use extractive::Extractive;
pub use instructed::Instructed;
pub use neural::{Limit, Neural};

use crate::talk::{Block, Distillate};
use weir_models::{Encode, EncodeError};

/// Why a block could not be distilled; the block stays pending.
#[derive(Debug, thiserror::Error)]
pub enum DistilError {
    /// The encoder failed on the distilled texts.
    #[error("encoding what was distilled failed")]
    Encode(#[from] EncodeError),
}

/// Makes a distillate of a block. Implementations may be slow; nothing waits for them but mounting.
pub trait Distil: Send {
    /// Name for logs and results.
    fn name(&self) -> &str;

    /// Distils one block; the vectors are made by `encode`.
    ///
    /// # Errors
    /// [`DistilError`] when the texts cannot be encoded.
    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError>;

    /// Whether it asks a model, so that it may be slow.
    fn uses_model(&self) -> bool {
        true
    }

    /// What it did until now; all zeros for one that does not count.
    fn counts(&self) -> DistilCounts {
        DistilCounts::default()
    }

    /// Why its model failed on a block since this was asked last, for telling people.
    fn last_failure(&mut self) -> Option<String> {
        None
    }
}
