//! The table of a run as Markdown: a line for each method and budget, and fact recall by kind of
//! question.

use super::summary::{ALL, Summary};
use crate::files::write_whole;
use crate::markdown::{number, table};
use anyhow::Result;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

/// Heading, decimals, and value of a column.
type Column = (&'static str, usize, fn(&Summary) -> Option<f64>);

const COLUMNS: [Column; 15] = [
    ("fact recall", 3, |row| row.scores.fact_recall),
    ("answer's words", 3, |row| row.scores.containment),
    ("right answers", 3, |row| row.scores.right),
    ("regret", 3, |row| row.scores.regret),
    ("Evid.", 3, |row| row.scores.evidence_similarity),
    ("KEM", 3, |row| row.scores.key_entities),
    ("BLEU-4", 3, |row| row.scores.bleu4),
    ("ROUGE-L", 3, |row| row.scores.rouge_l),
    ("context tokens", 0, |row| Some(row.context_tokens)),
    ("text held", 0, |row| Some(row.stored_tokens)),
    ("text held, most", 0, |row| Some(row.text_tokens_max as f64)),
    ("transcript bytes per 1,000 turns", 0, |row| {
        Some(row.transcript_bytes_per_1000_turns).filter(|bytes| *bytes > 0.0)
    }),
    ("query µs p50", 0, |row| Some(row.query_us_p50)),
    ("query µs p95", 0, |row| Some(row.query_us_p95)),
    ("ingest µs/turn", 0, |row| Some(row.ingest_us)),
];

/// Writes the table of a run's summary.
pub(super) fn write(rows: &[Summary], path: &Path) -> Result<()> {
    let text = markdown(rows);
    write_whole(path, |out| Ok(out.write_all(text.as_bytes())?))
}

fn markdown(rows: &[Summary]) -> String {
    let of_all = |row: &&Summary| row.corpus == ALL && row.category == ALL;
    let mut whole: Vec<&Summary> = rows.iter().filter(of_all).collect();
    let recall = |row: &Summary| row.scores.fact_recall.unwrap_or(-1.0);
    whole.sort_by(|a, b| recall(b).total_cmp(&recall(a)));
    let measures = |row: &&Summary| {
        let cells = COLUMNS.map(|(_, decimals, value)| number(value(row), decimals));
        named(row).into_iter().chain(cells).collect()
    };
    let lines: Vec<Vec<String>> = whole.iter().map(measures).collect();
    let heads = COLUMNS.map(|(head, ..)| head);
    let heads: Vec<&str> = ["method", "budget"].into_iter().chain(heads).collect();
    let all = table(&heads, &lines);
    let kinds: BTreeSet<&str> = rows.iter().map(|row| row.category.as_str()).collect();
    let kinds: Vec<&str> = kinds.into_iter().filter(|name| *name != ALL).collect();
    let by_kind = |row: &&Summary| {
        let cells = kinds
            .iter()
            .map(|kind| number(recall_of(rows, row, kind), 3));
        named(row).into_iter().chain(cells).collect()
    };
    let lines: Vec<Vec<String>> = whole.iter().map(by_kind).collect();
    let heads = ["method", "budget"].into_iter();
    let heads: Vec<&str> = heads.chain(kinds.iter().copied()).collect();
    let by_kind = table(&heads, &lines);
    format!(
        "{all}\nFact recall by kind of question and by the distance of its evidence:\n\n{by_kind}"
    )
}

/// Fact recall of a setup for one kind of question.
fn recall_of(rows: &[Summary], whole: &Summary, kind: &str) -> Option<f64> {
    let setup = |row: &Summary| (row.method.clone(), row.budget_tokens, row.corpus.clone());
    let same = |row: &&Summary| row.category == kind && setup(row) == setup(whole);
    let scores = rows.iter().find(same)?.scores;
    scores.any_fact_recall()
}

fn named(row: &Summary) -> [String; 2] {
    let tokens = row.budget_tokens;
    let budget = tokens.map_or("none".to_owned(), |tokens| tokens.to_string());
    [row.method.clone(), budget]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Scores;

    #[test]
    fn the_best_method_comes_first_and_kinds_stand_apart() {
        let row = |method: &str, category: &str, fact_recall| Summary {
            corpus: ALL.to_owned(),
            method: method.to_owned(),
            category: category.to_owned(),
            budget_tokens: Some(8_192),
            scores: Scores {
                fact_recall,
                ..Scores::default()
            },
            ..Summary::default()
        };
        let rows = [
            row("worse", ALL, Some(0.25)),
            row("worse", "temporal", None),
            row("better", ALL, Some(0.5)),
            row("better", "temporal", Some(0.75)),
        ];
        let text = markdown(&rows);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[2].starts_with("| better | 8192 | 0.500 | – |"),
            "{text}"
        );
        assert!(lines[3].starts_with("| worse | 8192 | 0.250 |"), "{text}");
        assert_eq!(lines[7], "| method | budget | temporal |");
        assert_eq!(
            lines[9..],
            ["| better | 8192 | 0.750 |", "| worse | 8192 | – |"]
        );
    }
}
