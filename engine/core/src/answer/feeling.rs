//! Beliefs in words: "Ana is mostly positive about the new office."

use super::types::BeliefAnswer;
use crate::beliefs::Tally;
use crate::limits;
use crate::talk::opinion_label;
use std::fmt;

/// Least leaning of a belief that is positive or negative.
const LEANS: f32 = 0.2;
/// Change of the leaning that is worth a word.
const SHIFTS: f32 = 0.25;

/// What somebody feels, in a word or two. A certain belief, of low entropy, is "positive" or
/// "negative"; one that is mostly no feeling is "mildly" so; any other is "mostly" so. One of high
/// entropy is "mixed".
#[must_use]
pub fn feeling_word(tally: &Tally) -> &'static str {
    let now = tally.current;
    match now.leaning() {
        _ if now.entropy() > limits::BELIEF_ENTROPY_HIGH => "mixed",
        leaning if leaning.abs() >= LEANS => match (leaning > 0.0, now.neutral >= 0.5) {
            (true, _) if now.entropy() < limits::BELIEF_ENTROPY_LOW => "positive",
            (false, _) if now.entropy() < limits::BELIEF_ENTROPY_LOW => "negative",
            (true, true) => "mildly positive",
            (false, true) => "mildly negative",
            (true, false) => "mostly positive",
            (false, false) => "mostly negative",
        },
        _ if now.neutral >= 0.5 => "neutral",
        _ => "mixed",
    }
}

/// Whether the feeling changed lately: "more positive", "more negative", or nothing.
#[must_use]
pub fn trend_word(tally: &Tally) -> Option<&'static str> {
    match tally.shift() {
        shift if shift > SHIFTS => Some("more positive"),
        shift if shift < -SHIFTS => Some("more negative"),
        _ => None,
    }
}

impl fmt::Display for BeliefAnswer {
    /// "Ana is positive about taste of coffee (5 remarks, lately more negative)."
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = opinion_label(&self.object, &self.aspect);
        let remarks = match self.tally.count {
            1 => "1 remark".to_owned(),
            many => format!("{many} remarks"),
        };
        let trend = trend_word(&self.tally);
        let trend = trend.map_or(String::new(), |it| format!(", lately {it}"));
        let who = self.holder.as_deref().unwrap_or("Somebody");
        let word = feeling_word(&self.tally);
        let feels = match word {
            "mixed" => "has mixed feelings about".to_owned(),
            word => format!("is {word} about"),
        };
        write!(f, "{who} {feels} {label} ({remarks}{trend}).")
    }
}
