//! Answers to questions of feeling, from beliefs: "Ana is positive about the new office."

use super::recall::Recall;
use super::rendering::{cited, spoken, with_words};
use super::types::{Answer, AnswerKind, BeliefAnswer, Statement};
use crate::beliefs::Tally;
use crate::limits;
use crate::talk::opinion_label;
use std::fmt;

/// Maximum number of remarks quoted.
const QUOTES_MAX: usize = 2;
/// Least leaning of a belief that is positive or negative.
const LEANS: f32 = 0.2;
/// Change of the leaning that is worth a word.
const SHIFTS: f32 = 0.25;

/// What somebody feels, in one word.
#[must_use]
pub fn feeling_word(tally: &Tally) -> &'static str {
    let now = tally.current;
    match now.leaning() {
        _ if now.entropy() > limits::BELIEF_ENTROPY_HIGH => "of two minds",
        leaning if leaning >= LEANS => "positive",
        leaning if leaning <= -LEANS => "negative",
        _ if now.neutral >= 0.5 => "neutral",
        _ => "of two minds",
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
        let (who, word) = (self.who(), feeling_word(&self.tally));
        write!(f, "{who} is {word} about {label} ({remarks}{trend}).")
    }
}

impl BeliefAnswer {
    fn who(&self) -> &str {
        self.holder.as_deref().unwrap_or("Somebody")
    }
}

/// The answer to a question of feeling, if memory has a belief about it and the premise stands.
pub(super) fn render_answer(recall: &Recall) -> Option<Answer> {
    if recall.known.beliefs.is_empty() || !recall.knows_the_subject() {
        return None;
    }
    let mut text = summary(&recall.known.beliefs);
    let remarks = recall
        .known
        .beliefs
        .iter()
        .filter_map(|it| it.said.as_ref());
    let remarks: Vec<&Statement> = remarks.collect();
    let mut quoted = with_words(&remarks);
    quoted.truncate(QUOTES_MAX);
    if !quoted.is_empty() {
        text.push(' ');
        text.push_str(&spoken(&quoted));
    }
    Some(Answer::computed(AnswerKind::Answer, text, cited(&remarks)))
}

/// One sentence for each person and feeling; a single belief says how often it was observed.
pub(super) fn summary(beliefs: &[BeliefAnswer]) -> String {
    if let [one] = beliefs {
        return one.to_string();
    }
    let mut groups: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for belief in beliefs {
        let (who, word) = (belief.who(), feeling_word(&belief.tally));
        let label = opinion_label(&belief.object, &belief.aspect);
        match groups.iter_mut().find(|it| (it.0, it.1) == (who, word)) {
            Some(group) => group.2.push(label),
            None => groups.push((who, word, vec![label])),
        }
    }
    let sentence = |(who, word, labels): &(&str, &str, Vec<String>)| {
        let labels = match labels.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, before)) => format!("{} and {last}", before.join(", ")),
            None => String::new(),
        };
        format!("{who} is {word} about {labels}.")
    };
    groups.iter().map(sentence).collect::<Vec<_>>().join(" ")
}
