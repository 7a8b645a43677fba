//! Results: a row for each answered turn of each system, and their sums.

use super::system::Kind;
use crate::timing::Mean;
use serde::Serialize;
use std::collections::BTreeSet;

/// One answered turn of one system.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Row {
    pub(super) data: &'static str,
    pub(super) dialogue: String,
    pub(super) turn: String,
    pub(super) system: &'static str,
    /// Facts that an answer needs.
    pub(super) needed: usize,
    /// Those among what memory gives.
    pub(super) in_memory: usize,
    /// Those among the last turns.
    pub(super) in_history: usize,
    /// Those in either.
    pub(super) handed: usize,
    /// Those in neither.
    pub(super) missed: Vec<String>,
    /// Tokens handed over.
    pub(super) tokens: usize,
    pub(super) responder: Option<String>,
    pub(super) reply: Option<String>,
    /// Facts needed that one line of the reply says.
    pub(super) in_reply: usize,
    /// Whether the responder chose the right one of the answers offered.
    pub(super) chose_right: Option<bool>,
    pub(super) judge: Option<String>,
    pub(super) score: Option<i64>,
    pub(super) justification: Option<String>,
    /// Why there is no reply or choice.
    pub(super) not_answered: Option<String>,
    /// Why there is no score.
    pub(super) not_judged: Option<String>,
}

/// Sums of one system on one data set.
#[derive(Debug, Default, Serialize)]
pub(super) struct Sum {
    data: &'static str,
    system: &'static str,
    responder: Option<String>,
    judge: Option<String>,
    turns: usize,
    needed: usize,
    in_memory: usize,
    in_history: usize,
    handed: usize,
    in_reply: usize,
    tokens_mean: Option<f64>,
    /// Answers chosen from those offered, and the right ones.
    chosen: usize,
    chose_right: usize,
    judged: usize,
    score_mean: Option<f64>,
    /// The same of the turns that need an earlier fact.
    judged_of_needed: usize,
    score_mean_of_needed: Option<f64>,
    /// Scores that the judge gave at all: a judge with one score tells nothing.
    scores_given: BTreeSet<i64>,
    not_answered: usize,
    not_judged: usize,
}

impl Sum {
    fn of(rows: &[&Row]) -> Self {
        let mut sum = Self::default();
        let (mut scores, mut needed, mut tokens) =
            (Mean::default(), Mean::default(), Mean::default());
        for row in rows {
            (sum.data, sum.system) = (row.data, row.system);
            sum.responder = sum.responder.or_else(|| row.responder.clone());
            sum.judge = sum.judge.or_else(|| row.judge.clone());
            sum.turns += 1;
            sum.needed += row.needed;
            sum.in_memory += row.in_memory;
            sum.in_history += row.in_history;
            sum.handed += row.handed;
            sum.in_reply += row.in_reply;
            tokens.add(Some(row.tokens as f64));
            sum.chosen += usize::from(row.chose_right.is_some());
            sum.chose_right += usize::from(row.chose_right == Some(true));
            let score = row.score.map(|score| score as f64);
            scores.add(score);
            sum.judged += usize::from(score.is_some());
            if row.needed > 0 {
                needed.add(score);
                sum.judged_of_needed += usize::from(score.is_some());
            }
            sum.scores_given.extend(row.score);
            sum.not_answered += usize::from(row.not_answered.is_some());
            sum.not_judged += usize::from(row.not_judged.is_some());
        }
        sum.tokens_mean = tokens.get();
        sum.score_mean = scores.get();
        sum.score_mean_of_needed = needed.get();
        sum
    }
}

/// The sums by data set and system, in the order of the rows.
pub(super) fn sums(rows: &[Row], kinds: &[Kind]) -> Vec<Sum> {
    let mut data: Vec<&str> = Vec::new();
    for row in rows {
        if !data.contains(&row.data) {
            data.push(row.data);
        }
    }
    let mut sums = Vec::new();
    for data in data {
        for kind in kinds {
            let own = rows.iter();
            let own = own.filter(|row| row.data == data && row.system == kind.name());
            let own: Vec<&Row> = own.collect();
            if !own.is_empty() {
                sums.push(Sum::of(&own));
            }
        }
    }
    sums
}

/// The sums as a Markdown table.
pub(super) fn markdown(sums: &[Sum]) -> String {
    let mut out = String::from(
        "| data | system | turns | needed facts handed over (by memory, by the last turns) \
         | said in the reply | chosen rightly | responder | judge | mean score (turns) \
         | of turns that need a fact | scores given | not answered | not judged |\n\
         |---|---|--:|--:|--:|--:|---|---|--:|--:|---|--:|--:|\n",
    );
    for sum in sums {
        let name = |name: &Option<String>| name.clone().unwrap_or("none".to_owned());
        let mean = |mean: Option<f64>, of: usize| match mean {
            Some(mean) => format!("{mean:.2} ({of})"),
            None => "–".to_owned(),
        };
        let given: Vec<String> = sum.scores_given.iter().map(i64::to_string).collect();
        let cells = [
            sum.data.to_owned(),
            sum.system.to_owned(),
            sum.turns.to_string(),
            format!(
                "{} of {} ({}, {})",
                sum.handed, sum.needed, sum.in_memory, sum.in_history
            ),
            sum.in_reply.to_string(),
            format!("{} of {}", sum.chose_right, sum.chosen),
            name(&sum.responder),
            name(&sum.judge),
            mean(sum.score_mean, sum.judged),
            mean(sum.score_mean_of_needed, sum.judged_of_needed),
            given.join(" "),
            sum.not_answered.to_string(),
            sum.not_judged.to_string(),
        ];
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    out
}
