//! Facts that change, in short dialogues written for this test: which earlier statements memory
//! marks as ended, and whether an answer gives the current fact.

use crate::drive;
use crate::method::MethodContext;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use weir_core::config::SessionConfig;
use weir_core::driver::Driver;
use weir_core::memory::Kind;
use weir_core::stream::{Span, Utterance};

const DAY_MS: i64 = 86_400_000;
/// Noon of 1 March 2025.
const BEGUN_UNIX_MS: i64 = 1_740_830_400_000;
/// A statement takes four seconds.
const TURN_MS: u64 = 4_000;
const CONTEXT_TOKENS: usize = 600;

/// One dialogue.
#[derive(Debug, Deserialize)]
pub(crate) struct Case {
    id: String,
    pub(crate) half: String,
    talk: Vec<Said>,
    /// Which statement has ended, and the later one that ends it.
    ends: Vec<(u64, u64)>,
    question: String,
    current: Vec<Vec<String>>,
    former: Vec<Vec<String>>,
    asked_by: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Said {
    day: i64,
    speaker: String,
    text: String,
}

/// Reads dialogues, one JSON object per line.
pub(crate) fn read(file: &Path) -> Result<Vec<Case>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let lines = text.lines().enumerate();
    lines
        .map(|(at, line)| {
            let wrong = || format!("{}, line {}: not a talk", file.display(), at + 1);
            serde_json::from_str(line).with_context(wrong)
        })
        .collect()
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    /// Ended statements that memory missed, and statements it wrongly marked as ended.
    missed: Vec<u64>,
    wrongly_ended: Vec<u64>,
    question: &'a str,
    answer: String,
    current_first: bool,
}

/// Writes the result of each dialogue, and a summary.
pub(crate) fn run(cases: &[Case], kit: &MethodContext, out: &mut dyn Write) -> Result<()> {
    let (mut right, mut changed, mut wrongly, mut current) = (0, 0, 0, 0);
    for case in cases {
        let mut memory = told(case, kit)?;
        let ended = ended(&memory);
        let gold: BTreeSet<u64> = case.ends.iter().map(|(from, _)| *from).collect();
        let (answer, _) = memory.ask(&case.question, case.asked_by.as_deref(), CONTEXT_TOKENS)?;
        let row = Row {
            id: &case.id,
            missed: gold.difference(&ended).copied().collect(),
            wrongly_ended: ended.difference(&gold).copied().collect(),
            question: &case.question,
            current_first: case.current_first(&answer.text),
            answer: answer.text,
        };
        changed += usize::from(!gold.is_empty());
        right += usize::from(!gold.is_empty() && row.missed.is_empty());
        wrongly += row.wrongly_ended.len();
        current += usize::from(row.current_first);
        writeln!(out, "{}", serde_json::to_string(&row)?)?;
    }
    writeln!(
        out,
        "{} talks: all ends found in {right} of the {changed} in which a fact changes; {wrongly} \
         statements wrongly ended; the answer gives what holds, and first, in {current}",
        cases.len()
    )?;
    Ok(())
}

fn told(case: &Case, kit: &MethodContext) -> Result<Driver> {
    let mut memory = drive::memory(SessionConfig::default().budget_tokens, kit)?;
    memory.begin(drive::begin(&case.id, Some(BEGUN_UNIX_MS)))?;
    let mut day = 0;
    for (turn, said) in (0_u64..).zip(&case.talk) {
        if said.day != day {
            day = said.day;
            memory.pause(Some(BEGUN_UNIX_MS + day * DAY_MS))?;
        }
        memory.hear(Utterance {
            id: turn.to_string(),
            stream: case.id.clone(),
            speaker: Some(said.speaker.clone()),
            span: Span::new(turn * TURN_MS, turn * TURN_MS + TURN_MS - 500),
            audio: None,
            confidence: None,
            text: said.text.clone(),
        })?;
    }
    memory.flush()?;
    Ok(memory)
}

/// The utterances with a statement that memory marked as ended.
fn ended(memory: &Driver) -> BTreeSet<u64> {
    let units = memory.session().tree().of_kind(Kind::Unit);
    let over = units.filter(|unit| unit.superseded.is_some());
    over.filter_map(|unit| Some(unit.evidence.first()?.turn))
        .collect()
}

impl Case {
    /// Whether an answer gives the current fact first, before any ended one.
    fn current_first(&self, answer: &str) -> bool {
        let lower = answer.to_lowercase();
        let place = |group: &Vec<String>| {
            let found = group
                .iter()
                .filter_map(|key| lower.find(&key.to_lowercase()));
            found.min()
        };
        let current: Option<Vec<usize>> = self.current.iter().map(place).collect();
        let Some(first) = current.and_then(|places| places.into_iter().min()) else {
            return false;
        };
        let former = self.former.iter().filter_map(place).min();
        former.is_none_or(|former| first <= former)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_talks_can_be_read() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("questions/changes.jsonl");
        let cases = read(&file).expect("the talks");
        assert_eq!(cases.len(), 90);
        let changed = cases.iter().filter(|case| !case.ends.is_empty());
        assert_eq!(changed.count(), 60);
        for case in &cases {
            let turns = case.talk.len() as u64;
            assert!(case.ends.iter().all(|(from, by)| from < by && *by < turns));
            assert!(!case.current.is_empty(), "{}", case.id);
        }
    }

    #[test]
    fn what_holds_comes_first() {
        let line = r#"{"id":"c","half":"test","talk":[],"ends":[],"question":"?","asked_by":null,
            "current":[["Porto"]],"former":[["Berlin"]]}"#;
        let case: Case = serde_json::from_str(line).expect("a talk");
        assert!(case.current_first("In Porto, no longer in Berlin."));
        assert!(!case.current_first("In Berlin. In Porto."));
        assert!(!case.current_first("Somewhere."));
    }
}
