//! Distillers: from a block of talk to an event, its scene and its units.

mod block;
mod dates;
mod extractive;
mod themes;

pub use block::{Block, BlockId, Distillate, DistilledUnit, Heard};
pub use dates::{date_of, in_words};
pub(crate) use dates::{month_named, resolved, weekday};
pub(crate) use extractive::headline;
pub use extractive::{Extractive, SalienceFactors, salience_factors};
pub(crate) use themes::label;

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
}
