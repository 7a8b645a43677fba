//! The extractive distiller with default settings, or with a prior that ignores content.

use weir_core::distil::{Distil, DistilError, Extractive};
use weir_core::talk::{Block, Distillate};
use weir_models::Encode;

/// Initial weight of statements before any question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prior {
    /// By content, context and rarity of words.
    #[default]
    Whole,
    /// By rarity of words only; content has the same value for all.
    RarityAlone,
}

/// Distils with default settings and reweights the result by a prior.
#[derive(Debug, Clone, Copy)]
pub struct Weighed(pub Prior);

impl Distil for Weighed {
    fn name(&self) -> &str {
        "extractive, weighed otherwise"
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let mut made = Extractive.distil(block, encode)?;
        if self.0 == Prior::RarityAlone {
            made.units.iter_mut().for_each(|unit| unit.salience = 0.0);
        }
        Ok(made)
    }
}
