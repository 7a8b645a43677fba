//! One line of the output.

use super::score::{Errors, Scoring};
use serde::Serialize;

/// Scores of one recording with one collar.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) recording: String,
    /// On each side of an edge.
    pub(super) collar_s: f64,
    pub(super) overlap_scored: bool,
    /// Speech of the reference that is scored, summed over speakers.
    pub(super) speech_s: f64,
    pub(super) missed_s: f64,
    pub(super) false_alarm_s: f64,
    pub(super) confusion_s: f64,
    /// Diarization error rate.
    pub(super) der: Option<f64>,
    /// Speakers of the reference; none in a sum.
    pub(super) speakers: Option<usize>,
    pub(super) speakers_found: Option<usize>,
}

impl Row {
    /// A row that does not count speakers.
    pub(super) fn new(recording: &str, collar_s: f64, scoring: Scoring, errors: Errors) -> Self {
        let seconds = |us: u64| us as f64 / 1e6;
        Self {
            recording: recording.to_owned(),
            collar_s,
            overlap_scored: !scoring.skip_overlap,
            speech_s: seconds(errors.speech_us),
            missed_s: seconds(errors.missed_us),
            false_alarm_s: seconds(errors.false_alarm_us),
            confusion_s: seconds(errors.confusion_us),
            der: errors.rate(),
            speakers: None,
            speakers_found: None,
        }
    }
}
