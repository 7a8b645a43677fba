//! The extractive distiller with factors of salience of other strength.

use serde::Serialize;
use weir_engine::distil::{Block, Distil, DistilError, Distillate, Extractive, salience_factors};
use weir_models::Encode;

/// The power to which each factor of a statement's salience is taken: 0 leaves it out, 1 is the
/// default.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prior {
    /// Of what questions are worth.
    pub question: f32,
    /// Of what the first person is worth.
    pub first_person: f32,
    /// Of what figures are worth.
    pub figures: f32,
}

impl Prior {
    /// As shipped.
    #[must_use]
    pub fn whole() -> Self {
        Self {
            question: 1.0,
            first_person: 1.0,
            figures: 1.0,
        }
    }

    /// Rarity of words alone.
    #[must_use]
    pub fn none() -> Self {
        Self {
            question: 0.0,
            first_person: 0.0,
            figures: 0.0,
        }
    }
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
        if self.0 == Prior::whole() {
            return Ok(made);
        }
        for unit in &mut made.units {
            let factors = salience_factors(&unit.evidence[0].quote);
            unit.salience = factors.question.powf(self.0.question)
                * factors.first_person.powf(self.0.first_person)
                * factors.figures.powf(self.0.figures);
        }
        Ok(made)
    }
}
