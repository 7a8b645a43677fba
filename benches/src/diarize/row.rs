//! One line of the output, and all as a Markdown table.

use super::score::{Errors, Scoring};
use crate::markdown::{number, table};
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

/// One line per recording and collar, errors in percent of speech.
pub(super) fn markdown(rows: &[Row]) -> String {
    let heads = [
        "recording", "collar s", "speech s", "DER %", "missed %", "false alarm %", "confusion %",
        "speakers", "found",
    ];
    let line = |row: &Row| {
        let percent = |share: Option<f64>| number(share.map(|it| it * 100.0), 1);
        let share = |seconds: f64| percent((row.speech_s > 0.0).then(|| seconds / row.speech_s));
        let count = |count: Option<usize>| count.map_or("–".to_owned(), |it| it.to_string());
        vec![
            row.recording.clone(),
            row.collar_s.to_string(),
            number(Some(row.speech_s), 1),
            percent(row.der),
            share(row.missed_s),
            share(row.false_alarm_s),
            share(row.confusion_s),
            count(row.speakers),
            count(row.speakers_found),
        ]
    };
    table(&heads, &rows.iter().map(line).collect::<Vec<_>>())
}
