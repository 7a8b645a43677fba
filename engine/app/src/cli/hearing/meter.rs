//! The state of `weir listen` in one line: whether sound arrives, and how far recognition is.

use crate::cli::terminal::{clock, many};
use std::time::{Duration, Instant};
use weir_engine::pipeline::{Level, Progress};

/// Lag that is shown.
const LAG_MS_TOLD: u64 = 1_000;
/// Silence after which a hint is shown: every microphone, and most pipes, deliver some noise.
const SILENCE_TOLD: Duration = Duration::from_secs(5);
/// Steps of the level meter.
const METER_STEPS: usize = 6;

/// The state of a live run, in one line.
pub(crate) fn state(progress: &Progress, up: Duration, lag_ms: u64) -> String {
    let up_ms = u64::try_from(up.as_millis()).unwrap_or(u64::MAX);
    let mut line = format!("listening {}", clock(up_ms));
    if lag_ms >= LAG_MS_TOLD {
        line.push_str(&format!(", {} s behind", lag_ms / 1_000));
    }
    if progress.turns > 0 {
        line.push_str(&format!(
            ", {}, memory {} of {} tokens",
            many(progress.turns, "turn"),
            progress.tokens,
            progress.budget_tokens
        ));
    }
    line
}

/// Shows whether sound arrives.
pub(crate) struct Meter {
    level: Level,
    /// The question that is shown when nothing arrives.
    hint: &'static str,
    /// When there was sound last.
    sounded: Instant,
}

impl Meter {
    /// Shows the level of a microphone, or of a pipe.
    pub(crate) fn new(level: Level, is_pipe: bool) -> Self {
        Self {
            level,
            hint: match is_pipe {
                true => "does the pipe still deliver?",
                false => "is the microphone muted?",
            },
            sounded: Instant::now(),
        }
    }

    /// A bar of six steps of 10 dB, and a hint when nothing arrives.
    pub(crate) fn text(&mut self) -> String {
        let db = self.level.take_db();
        if db.is_some() {
            self.sounded = Instant::now();
        }
        let silent = self.sounded.elapsed();
        if silent >= SILENCE_TOLD {
            return format!("no sound for {} s: {}", silent.as_secs(), self.hint);
        }
        let steps = (db.unwrap_or(f32::MIN) / 10.0 + METER_STEPS as f32).ceil();
        let on = (steps.max(0.0) as usize).min(METER_STEPS);
        format!("{}{}", "▮".repeat(on), "▯".repeat(METER_STEPS - on))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_shows_the_level_of_the_last_moment() {
        let level = Level::default();
        let mut meter = Meter::new(level.clone(), false);
        assert_eq!(meter.text(), "▯▯▯▯▯▯");
        level.hear(&[0.9]);
        assert_eq!(meter.text(), "▮▮▮▮▮▮");
        level.hear(&[0.02]);
        assert_eq!(meter.text(), "▮▮▮▯▯▯");
        level.hear(&[0.000_01]);
        assert_eq!(meter.text(), "▯▯▯▯▯▯");
    }

    #[test]
    fn the_state_tells_lag_and_turns_where_there_are_any() {
        let progress = Progress::default();
        let up = Duration::from_millis(12_300);
        assert_eq!(state(&progress, up, 999), "listening 00:12.3");
        let progress = Progress {
            turns: 2,
            tokens: 31,
            budget_tokens: 8_192,
            ..progress
        };
        assert_eq!(
            state(&progress, up, 4_500),
            "listening 00:12.3, 4 s behind, 2 turns, memory 31 of 8192 tokens"
        );
    }
}
