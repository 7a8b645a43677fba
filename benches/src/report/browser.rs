//! Data of the page's probe browser: every probe with its gold labels, and each method's context
//! and answer.
//!
//! Texts are embedded once: turns and answers are lists, and all other data uses their indices.

use super::read::Results;
use super::tally::Setup;
use crate::run::record::ProbeRow;
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// Most characters shown of a turn and of an answer.
const TURN_CHARS_MAX: usize = 600;
const ANSWER_CHARS_MAX: usize = 400;

/// Texts embedded once, in the order of first use.
#[derive(Default)]
struct Texts {
    places: HashMap<String, usize>,
    all: Vec<String>,
}

impl Texts {
    fn place(&mut self, text: String) -> usize {
        if let Some(place) = self.places.get(&text) {
            return *place;
        }
        self.all.push(text.clone());
        self.places.insert(text, self.all.len() - 1);
        self.all.len() - 1
    }
}

/// The turns of one stream that are referenced.
#[derive(Default)]
struct Turns<'a> {
    places: HashMap<&'a str, usize>,
    all: Vec<[String; 2]>,
}

impl<'a> Turns<'a> {
    fn place(&mut self, id: &'a str, said: &HashMap<&str, String>) -> usize {
        let all = &mut self.all;
        *self.places.entry(id).or_insert_with(|| {
            let text = said.get(id).map(String::as_str).unwrap_or_default();
            all.push([id.to_owned(), cut(text, TURN_CHARS_MAX)]);
            all.len() - 1
        })
    }
}

/// The data as JSON that is safe inside a `script` element: it contains no `<`.
///
/// Of each method's turns `turns_max` are kept: all gold evidence, then others.
pub(super) fn data(results: &Results, setups: &[Setup], turns_max: usize) -> Result<String> {
    let numbers: HashMap<&Setup, usize> = setups.iter().zip(0..).collect();
    let mut rows: BTreeMap<(&str, &str), Vec<&ProbeRow>> = BTreeMap::new();
    for row in &results.probes {
        let probe = (row.job.stream.as_str(), row.probe.as_str());
        rows.entry(probe).or_default().push(row);
    }
    let mut answers = Texts::default();
    let mut streams = Vec::new();
    for (name, placed) in &results.streams {
        let turns = placed.stream.turns();
        let said: HashMap<&str, String> =
            turns.map(|turn| (turn.id.as_str(), turn.said())).collect();
        let mut dictionary = Turns::default();
        let mut probes = Vec::new();
        for probe in placed.stream.probes() {
            let Some(rows) = rows.get(&(name.as_str(), probe.id.as_str())) else {
                continue;
            };
            let mut evidence: Vec<usize> = Vec::new();
            for id in &probe.gold.evidence {
                evidence.push(dictionary.place(id, &said));
            }
            let mut methods: Vec<Value> = Vec::new();
            for row in rows {
                let mut turns: Vec<usize> = Vec::new();
                for id in kept(row, &probe.gold.evidence, turns_max) {
                    turns.push(dictionary.place(id, &said));
                }
                let answer = answers.place(cut(&row.answer, ANSWER_CHARS_MAX));
                let number = numbers.get(&Setup::of(&row.job)).copied();
                methods.push(method(number.unwrap_or_default(), answer, &turns, row));
            }
            probes.push(json!({
                "id": probe.id,
                "q": probe.question,
                "a": probe.gold.answer,
                "by": probe.asked_by,
                "c": probe.gold.category.map(crate::stream::Category::name),
                "e": evidence,
                "m": methods,
            }));
        }
        streams.push(json!({"name": name, "turns": dictionary.all, "probes": probes}));
    }
    let setups: Vec<String> = setups.iter().map(Setup::label).collect();
    let whole = json!({"setups": setups, "answers": answers.all, "streams": streams});
    // inside JSON strings this is the same character, but does not end the element
    Ok(serde_json::to_string(&whole)?.replace('<', "\\u003c"))
}

/// `[setup, answer, abstained, turns, number of turns, context tokens, scores, whether the row
/// lists all its turns]`.
fn method(number: usize, answer: usize, turns: &[usize], row: &ProbeRow) -> Value {
    let scores = &row.scores;
    let scores = [
        scores.any_fact_recall(),
        scores.evidence_recall,
        scores.containment,
        scores.evidence_similarity,
        scores.key_entities,
        scores.bleu4,
        scores.rouge_l,
        scores.bert_score,
        scores.regret,
        scores.judge,
    ];
    let rounded = scores.map(|score| score.map(|score| (score * 1e3).round() / 1e3));
    let abstained = u8::from(row.abstained);
    let (all, tokens) = (row.context_turns_count, row.context_tokens);
    let names_all = u8::from(row.context_turns.len() == all);
    json!([
        number, answer, abstained, turns, all, tokens, rounded, names_all
    ])
}

/// A row's turns in order: all evidence, and the first of the others up to the limit.
fn kept<'a>(row: &'a ProbeRow, evidence: &[String], turns_max: usize) -> Vec<&'a str> {
    let is_evidence = |id: &&String| evidence.contains(id);
    let needed = row.context_turns.iter().filter(is_evidence).count();
    let mut others = turns_max.saturating_sub(needed);
    let turns = row.context_turns.iter().filter(|id| {
        let takes = is_evidence(id) || others > 0;
        if !is_evidence(id) {
            others = others.saturating_sub(1);
        }
        takes
    });
    turns.map(String::as_str).collect()
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_kept_before_other_turns() {
        let row = ProbeRow {
            context_turns: ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec(),
            ..super::super::tests::probe_row("s", "m", "q")
        };
        let evidence = ["d".to_owned(), "z".to_owned()];
        assert_eq!(kept(&row, &evidence, 3), ["a", "b", "d"]);
        assert_eq!(kept(&row, &evidence, 1), ["d"]);
        assert_eq!(kept(&row, &evidence, 9).len(), 5);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("żółw", 4), "żółw");
        assert_eq!(cut("żółw", 2), "żó …");
    }
}
