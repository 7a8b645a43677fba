//! The extractive distiller as shipped, or blind to what makes a statement worth keeping.

use weir_core::distil::{Distil, DistilError, Extractive};
use weir_core::talk::{Block, Distillate};
use weir_models::Encode;

/// How statements are weighed before anybody asked for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prior {
    /// By what they say, by the talk around them and by how rare their words are.
    #[default]
    Whole,
    /// By how rare their words are; what they say is worth the same of all.
    RarityAlone,
}

/// Distils as shipped, and weighs what it made by a prior.
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
