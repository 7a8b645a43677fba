//! The table of a run as Markdown: a line for each method and budget, and fact recall by kind of
//! question.

use super::summary::{ALL, DISTANCES, Summary};
use crate::files::write_whole;
use crate::markdown::{Column, count, number, table, table_of};
use crate::stream::Category;
use anyhow::Result;
use std::io::Write;
use std::path::Path;

/// The paper's groups of questions.
pub(crate) const GROUPS: [(&str, &[Category]); 3] = [
    (
        "HFP",
        &[
            Category::SingleHop,
            Category::Adversarial,
            Category::OpenDomain,
        ],
    ),
    ("SLR", &[Category::MultiHop, Category::Comparative]),
    ("DGA", &[Category::Aggregative, Category::Temporal]),
];

const COLUMNS: &[Column<'_, Summary>] = &[
    ("method", |row| row.method.clone()),
    ("budget", |row| count(row.budget_tokens)),
    ("fact recall", |row| number(row.scores.fact_recall, 3)),
    ("answer's words", |row| number(row.scores.containment, 3)),
    ("right answers", |row| number(row.scores.right, 3)),
    ("regret", |row| number(row.scores.regret, 3)),
    ("Evid.", |row| number(row.scores.evidence_similarity, 3)),
    ("KEM", |row| number(row.scores.key_entities, 3)),
    ("BLEU-4", |row| number(row.scores.bleu4, 3)),
    ("ROUGE-L", |row| number(row.scores.rouge_l, 3)),
    ("context tokens", |row| number(row.context_tokens, 0)),
    ("text held", |row| number(row.stored_tokens, 0)),
    ("text held, most", |row| row.text_tokens_max.to_string()),
    ("transcript bytes per 1,000 turns", |row| {
        let bytes = Some(row.transcript_bytes_per_1000_turns);
        number(bytes.filter(|bytes| *bytes > 0.0), 0)
    }),
    ("query µs p50", |row| number(row.query_us_p50, 0)),
    ("query µs p95", |row| number(row.query_us_p95, 0)),
    ("ingest µs/turn", |row| number(row.ingest_us, 0)),
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
    let all = table_of(whole.iter().copied(), COLUMNS);
    let by_kind = by_kind(&whole, rows);
    all + &by_kind
}

/// Fact recall of each method by kind of question and by distance of the evidence, as far as the
/// corpus has questions of them.
pub(crate) fn by_kind(rows: &[&Summary], measured: &[Summary]) -> String {
    let kinds = GROUPS.iter().flat_map(|(_, kinds)| *kinds);
    let kinds = kinds.map(|kind| kind.name());
    let kinds = kinds.chain(["none"]).chain(DISTANCES.map(|it| it.0));
    let mut kinds: Vec<&str> = kinds.collect();
    let recall = |row: &Summary, kind: &str| of_group(row, measured, &[kind]);
    kinds.retain(|kind| rows.iter().any(|row| recall(row, kind).is_some()));
    let cells = |row: &&Summary| {
        let recalls = kinds.iter().map(|kind| number(recall(row, kind), 3));
        let setup = [row.method.clone(), count(row.budget_tokens)];
        setup.into_iter().chain(recalls).collect()
    };
    let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let heads = [&["method", "budget"], &kinds[..]].concat();
    format!(
        "\nFact recall by kind of question, and by turns since the last evidence:\n\n{}",
        table(&heads, &cells)
    )
}

/// Mean fact recall over the questions of a group.
pub(crate) fn of_group(whole: &Summary, measured: &[Summary], kinds: &[&str]) -> Option<f64> {
    let is_kind = |row: &&Summary| kinds.iter().any(|kind| row.category == *kind);
    let same = |row: &&Summary| row.setup() == whole.setup();
    let rows = measured.iter().filter(is_kind).filter(same);
    let scored = rows.filter_map(|row| {
        let recall = row.scores.any_fact_recall()?;
        Some((recall * row.recalled as f64, row.recalled as f64))
    });
    let (sum, probes) = scored.fold((0.0, 0.0), |all, row| (all.0 + row.0, all.1 + row.1));
    (probes > 0.0).then(|| sum / probes)
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
            recalled: 1,
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
        let first = lines[2].starts_with("| better | 8192 | 0.500 | – |");
        assert!(first, "{text}");
        assert!(lines[3].starts_with("| worse | 8192 | 0.250 |"), "{text}");
        assert_eq!(lines[7], "| method | budget | temporal |");
        let kinds = ["| better | 8192 | 0.750 |", "| worse | 8192 | – |"];
        assert_eq!(lines[9..], kinds);
    }
}
