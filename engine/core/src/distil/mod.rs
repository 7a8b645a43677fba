//! Distillers: from a block of talk to an event and its units, with a label for a new scene.
//!
//! [`Extractive`] takes statements from the block and has no model. [`Neural`] and [`Instructed`]
//! let models write titles, which are kept as far as they are borne out, and no statements. A
//! distiller reads only the block, never what was recalled, asked or answered. If a model fails,
//! the block is distilled without it, and counted.

mod analysed;
mod borne_out;
mod counts;
mod evidence;
mod extractive;
mod heading;
mod instructed;
mod mentions;
mod neural;
mod observe;
mod observed;
mod observer;
mod prompts;
mod record;
#[cfg(test)]
pub(crate) mod scripted;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod triplets;

pub(crate) use analysed::{analyse_summary, analyse_unit};
pub use borne_out::Refusal;
pub use counts::DistilCounts;
pub use extractive::Extractive;
pub(crate) use heading::quote;
pub use heading::{HEADING_FEATURES, HeadingChoice, choices};
pub use instructed::{Instructed, WrittenBlock};
pub use neural::{Limit, Neural};
pub(crate) use observe::{Observed, is_own, observe};
pub use observed::ObservingDistiller;
pub use observer::Observer;
pub use triplets::Triplet;

use crate::talk::{Block, Distillate};
use weir_models::{Encode, EncodeError};

/// Why a block could not be distilled; the block stays pending.
#[derive(Debug, thiserror::Error)]
pub enum DistilError {
    /// The encoder failed on the distilled texts.
    #[error("encoding what was distilled failed")]
    Encode(#[from] EncodeError),
}

/// Distils blocks. Implementations may be slow; only mounting waits for them.
pub trait Distil: Send {
    /// Name for logs and results.
    fn name(&self) -> &str;

    /// Distils one block; `encode` computes the vectors.
    ///
    /// # Errors
    /// [`DistilError`] if the texts cannot be encoded.
    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError>;

    /// Whether it uses a model, and so may be slow.
    fn uses_model(&self) -> bool {
        true
    }

    /// Its counts so far; all zeros if it does not count.
    fn counts(&self) -> DistilCounts {
        DistilCounts::default()
    }

    /// Why its model failed on a block since the last call, for messages.
    fn last_failure(&mut self) -> Option<String> {
        None
    }
}
