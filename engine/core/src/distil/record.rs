//! What the distillers with models share: counts, failures, and the words that models write.

use super::analysed::analyse_summary;
use super::borne_out::Refusal;
use super::counts::DistilCounts;
use crate::circuit_breaker::CircuitBreaker;
use crate::talk::Distillate;
use std::fmt::Display;
use weir_models::{Encode, EncodeError};

/// Counts of a distiller with models, its last failure, and its circuit breaker.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) counts: DistilCounts,
    pub(super) failure: Option<String>,
    pub(super) breaker: CircuitBreaker,
}

impl Record {
    /// Whether this block is distilled without the models, which is counted.
    pub(super) fn is_open(&mut self) -> bool {
        let open = self.breaker.is_open();
        if open {
            self.counts.blocks += 1;
            self.counts.blocks_unasked += 1;
        }
        open
    }

    /// Counts a block on which the models failed.
    pub(super) fn failed(&mut self, error: &impl Display) {
        self.counts.blocks_failed += 1;
        self.failure = Some(error.to_string());
    }

    /// Counts what a model wrote, if it wrote anything and that is refused.
    pub(super) fn shown(
        &mut self,
        written: &str,
        checked: Result<String, Refusal>,
    ) -> Result<String, Refusal> {
        let refused = checked.is_err() && !written.trim().is_empty();
        self.counts.titles_refused += u64::from(refused);
        self.counts.titles_kept += u64::from(checked.is_ok());
        checked
    }
}

/// Gives a distillate the words of a model that were borne out.
pub(super) fn name(
    made: &mut Distillate,
    title: Option<String>,
    scene: Option<String>,
    encode: &dyn Encode,
) -> Result<(), EncodeError> {
    if let Some(title) = title {
        let vectors = encode.encode(&[&title])?;
        made.event_vector = vectors.into_iter().next().unwrap_or_default();
        made.event_analysis = analyse_summary(&title);
        made.event_text = title;
    }
    if let Some(scene) = scene {
        made.scene_analysis = analyse_summary(&scene);
        made.scene_label = scene;
    }
    Ok(())
}
