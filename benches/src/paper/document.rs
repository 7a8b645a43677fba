//! The document: for each table what the paper says, what is measured here, and why they differ.

use super::Measured;
use super::tables::Table;
use crate::files::write_whole;
use crate::markdown::{ms, number, table};
use crate::process::cpu_name;
use crate::reader::Read;
use crate::run::Summary;
use crate::stream::Category;
use anyhow::Result;
use std::io::Write;
use std::path::Path;

/// All corpora, or all kinds of question, together.
const ALL: &str = "all";
/// The paper's groups of questions.
const GROUPS: [(&str, &[Category]); 3] = [
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

/// The document so far.
pub(super) struct Document(String);

impl Document {
    pub(super) fn new(data: &Path, missing: &[&str]) -> Self {
        let commit = weir_engine::COMMIT.unwrap_or("an unknown commit");
        let mut text = format!(
            "# The papers' experiments on today's engine\n\n\
            Made by `weir-bench paper --data {}` at {commit} on {} ({} processors). `--only TABLE` \
            makes one table; a run that was stopped goes on. A dash says that nothing measures the \
            cell.\n",
            data.display(),
            cpu_name(),
            std::thread::available_parallelism().map_or(1, usize::from),
        );
        if !missing.is_empty() {
            let files = missing.join(", ");
            text.push_str(&format!("\nMissing in the data folder: {files}.\n"));
        }
        Self(text)
    }

    /// Says that a table was not made.
    pub(super) fn absent(&mut self, of: &Table) {
        self.0.push_str(&format!(
            "\n## {}\n\nNot made yet: `--only {}` makes it.\n",
            of.title, of.name
        ));
    }

    pub(super) fn add(&mut self, of: &Table, measured: &Measured) {
        self.0.push_str(&format!(
            "\n## {}\n\n**The paper.** {}\n\n**Here.** {}\n\n**Why they differ.** {}\n\n\
            **Tuned.** {}\n",
            of.title, of.paper, of.here, of.why, of.tuned
        ));
        let mut corpora: Vec<&str> = measured.rows.iter().map(|it| it.corpus.as_str()).collect();
        corpora.dedup();
        let several = corpora.len() > 1;
        for corpus in corpora {
            if several && corpus == ALL {
                continue; // corpora differ too much for one mean
            }
            let whole = |row: &&Summary| row.corpus == corpus && row.category == ALL;
            let rows: Vec<&Summary> = measured.rows.iter().filter(whole).collect();
            let probes = rows.first().map_or(0, |row| row.probes);
            let cells: Vec<Vec<String>> = rows.iter().map(|row| cells(row, measured)).collect();
            let heads = ["method", "budget", "fact recall"].into_iter();
            let heads = heads.chain(GROUPS.map(|group| group.0)).chain([
                "retained", "Evid.", "context tokens", "ms a question", "ms a turn",
            ]);
            let heads: Vec<&str> = heads.collect();
            let name = if several { corpus } else { "All streams" };
            self.0
                .push_str(&format!("\n{name}, {probes} questions:\n\n"));
            self.0.push_str(&table(&heads, &cells));
        }
        if of.is_read {
            self.read(&measured.read);
        }
    }

    /// What the reader answered.
    fn read(&mut self, read: &[Read]) {
        let Some(first) = read.first() else {
            self.0.push_str(
                "\nB-4, R-L, KEM and F1 are of a reader's answers: give `--generator MODEL.gguf` \
                or `--endpoint URL --model NAME`. B-S and the judge of the paper are not built \
                yet.\n",
            );
            return;
        };
        self.0.push_str(&format!(
            "\nAnswers by {}, {} questions and {} unanswerable ones, the same for all (ceiling: the \
            gold turns as the context; floor: none). B-S and the judge of the paper are not built \
            yet.\n\n",
            first.model, first.questions, first.adversarial
        ));
        let cells: Vec<Vec<String>> = read.iter().map(read_cells).collect();
        let heads = [
            "context of", "B-4", "R-L", "KEM", "F1", "declined", "unanswerable declined",
            "s an answer",
        ];
        self.0.push_str(&table(&heads, &cells));
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        write_whole(path, |out| Ok(out.write_all(self.0.as_bytes())?))
    }
}

fn cells(row: &Summary, measured: &Measured) -> Vec<String> {
    let scores = &row.scores;
    let budget = row
        .budget_tokens
        .map_or("–".to_owned(), |it| it.to_string());
    let mut cells = vec![row.method.clone(), budget, number(scores.fact_recall, 3)];
    cells.extend(GROUPS.map(|(_, kinds)| number(of_group(row, measured, kinds), 3)));
    cells.push(number(scores.regret.map(|lost| 1.0 - lost), 3));
    cells.push(number(scores.evidence_similarity, 3));
    cells.push(number(Some(row.context_tokens), 0));
    cells.push(ms(row.query_us_p50));
    cells.push(ms(row.ingest_us));
    cells
}

/// Mean fact recall over the questions of a group.
fn of_group(whole: &Summary, measured: &Measured, kinds: &[Category]) -> Option<f64> {
    let is_kind = |row: &&Summary| kinds.iter().any(|kind| row.category == kind.name());
    let same = |row: &&Summary| {
        let setup = |it: &Summary| (it.method.clone(), it.budget_tokens, it.corpus.clone());
        setup(row) == setup(whole)
    };
    let rows = measured.rows.iter().filter(is_kind).filter(same);
    let scored = rows.filter_map(|row| {
        let recall = row
            .scores
            .fact_recall
            .or(row.scores.fact_recall_adversarial)?;
        Some((recall * row.probes as f64, row.probes as f64))
    });
    let (sum, probes) = scored.fold((0.0, 0.0), |all, row| (all.0 + row.0, all.1 + row.1));
    (probes > 0.0).then(|| sum / probes)
}

fn read_cells(read: &Read) -> Vec<String> {
    let asked = read.questions + read.adversarial;
    vec![
        read.name.clone(),
        number(read.bleu4, 3),
        number(read.rouge_l, 3),
        number(read.key_entities, 3),
        number(read.f1, 3),
        number(read.declined, 3),
        number(read.adversarial_declined, 3),
        number(Some(read.seconds / asked.max(1) as f64), 1),
    ]
}
