//! RTTM files: which speaker speaks when, one line a turn.
//!
//! `SPEAKER RECORDING CHANNEL ONSET DURATION <NA> <NA> NAME <NA> <NA>`, times in seconds (NIST Rich
//! Transcription evaluation plan 2009, appendix A). Lines of other types are skipped, channels are
//! ignored. Times are kept in whole microseconds, so sums are exact.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use weir_asr::{SAMPLE_RATE_HZ, SpeakerTurn};

/// A line as it should be.
const EXPECTED: &str = "SPEAKER FILE CHANNEL ONSET DURATION <NA> <NA> NAME <NA> <NA>";

/// Latest time taken, in seconds: 31 years.
const SECONDS_MAX: f64 = 1e9;

/// One turn of a speaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Start, in microseconds since the recording began.
    pub(crate) start_us: u64,
    /// End.
    pub(crate) end_us: u64,
    /// Name of the speaker.
    pub(crate) speaker: String,
}

impl From<&SpeakerTurn> for Turn {
    /// All voices that are not known have the name `unknown`.
    fn from(turn: &SpeakerTurn) -> Self {
        let us = |samples: u64| samples * 1_000_000 / u64::from(SAMPLE_RATE_HZ);
        Self {
            start_us: us(turn.span.start),
            end_us: us(turn.span.end),
            speaker: turn
                .speaker
                .map_or("unknown".to_owned(), |it| it.to_string()),
        }
    }
}

/// Turns by recording, in the order of the file.
pub(crate) type Recordings = BTreeMap<String, Vec<Turn>>;

/// The recordings of a text in RTTM; none if it has no SPEAKER line.
pub(crate) fn parse(text: &str) -> Result<Recordings> {
    let mut recordings = Recordings::new();
    for (n, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.first() != Some(&"SPEAKER") {
            continue;
        }
        let place = || format!("line {}: expected {EXPECTED}; found `{line}`", n + 1);
        let [_, recording, _, onset, duration, _, _, speaker, ..] = fields[..] else {
            bail!(place());
        };
        let start_us = microseconds(onset).with_context(place)?;
        let turn = Turn {
            start_us,
            end_us: start_us + microseconds(duration).with_context(place)?,
            speaker: speaker.to_owned(),
        };
        let turns = recordings.entry(recording.to_owned()).or_default();
        turns.push(turn);
    }
    Ok(recordings)
}

/// A number of seconds in microseconds.
pub(super) fn microseconds(seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok()?;
    let legal = (0.0..SECONDS_MAX).contains(&seconds);
    legal.then(|| (seconds * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lines_are_skipped_and_damaged_ones_named() -> Result<()> {
        let text = ";; a remark\nSPKR-INFO m 1 <NA> <NA> <NA> unknown bo <NA> <NA>\n\
                    SPEAKER m 1 3.5 0.25 <NA> <NA> bo <NA> <NA>\n";
        let turn = Turn {
            start_us: 3_500_000,
            end_us: 3_750_000,
            speaker: "bo".to_owned(),
        };
        assert_eq!(parse(text)?, [("m".to_owned(), vec![turn])].into());
        for line in [
            "SPEAKER m 1 3.5 0.25",
            "SPEAKER m 1 -1 2 x x bo",
            "SPEAKER m 1 0 x x x bo",
        ] {
            let error = parse(&format!("\n{line}")).expect_err("refused");
            assert!(error.to_string().contains("line 2"), "{error}");
        }
        Ok(())
    }
}
