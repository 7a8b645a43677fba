//! The check of claims by a model of natural-language inference.

use super::claim_check::{CheckClaim, CheckError};
use crate::text::{SpeakerText, Verdict};
use weir_models::{Entail, Entailment};

/// A check by a model that was trained to tell whether one text follows from another. Speakers
/// stand before their words, so that the model can tell whom "I" names.
pub struct EntailmentCheck {
    model: Box<dyn Entail>,
}

impl EntailmentCheck {
    /// A check by `model`.
    #[must_use]
    pub fn new(model: Box<dyn Entail>) -> Self {
        Self { model }
    }
}

impl CheckClaim for EntailmentCheck {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn check(
        &mut self,
        claim: SpeakerText<'_>,
        statement: SpeakerText<'_>,
    ) -> Result<Verdict, CheckError> {
        let chances = self
            .model
            .entailment(&statement.to_string(), &claim.to_string());
        let chances = chances.map_err(|error| CheckError {
            check: self.model.name().to_owned(),
            reason: error.to_string(),
        })?;
        Ok(likeliest(chances))
    }
}

/// The likeliest verdict; of equally likely ones the most cautious.
fn likeliest(chances: Entailment) -> Verdict {
    let Entailment {
        entailed,
        neutral,
        contradicted,
    } = chances;
    if entailed > neutral.max(contradicted) {
        Verdict::Supported
    } else if contradicted > neutral.max(entailed) {
        Verdict::Contradicted
    } else {
        Verdict::Neither
    }
}
