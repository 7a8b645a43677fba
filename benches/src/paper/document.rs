//! The document: for each table what the paper says, what is measured here, and why they differ.

use super::tables::{Of, Table};
use crate::files::write_whole;
use crate::markdown::{Column, count, ms, number, table, table_of};
use crate::process::{built_from, cpu_name};
use crate::reader::{Read, Reading};
use crate::run::{ALL, GROUPS, Summary, by_kind, of_group};
use anyhow::Result;
use std::io::Write;
use std::path::Path;

/// What a table was made with.
pub(super) struct Made<'a> {
    pub(super) encoder: &'a str,
    pub(super) encoders: &'a str,
    /// Files that are not in the data folder.
    pub(super) missing: &'a [&'static str],
    /// Most streams of a corpus.
    pub(super) streams: u32,
    /// The option for streams beside them, or nothing.
    pub(super) also: &'a str,
    /// The options of a reading.
    pub(super) read: &'a str,
    /// The model that writes for baselines.
    pub(super) writer: Option<String>,
}

/// The section of a table that was not made.
pub(super) fn absent(of: &Table) -> String {
    let (title, name) = (of.title, of.name);
    format!("\n## {title}\n\nNot made yet: `--only {name}` makes it.\n")
}

/// The section of a table with this body.
pub(super) fn section(of: &Table, body: &str, made: &Made<'_>) -> String {
    let mut text = format!(
        "\n## {}\n\n**The paper.** {}\n\n**Here.** {}\n\n**Why they differ.** {}\n\n**Tuned.** \
        {}\n\n`weir-bench paper --data DIR --only {}{}`, {}, {} ({} processors).\n",
        of.title,
        of.paper,
        of.here,
        of.why,
        of.tuned(!made.also.is_empty()),
        of.name,
        options(of, made),
        built_from(),
        cpu_name(),
        std::thread::available_parallelism().map_or(1, usize::from),
    );
    let is_of_corpora = match of.made_of {
        Of::All | Of::Answers | Of::Read => true,
        Of::Apart | Of::Encoders | Of::Written => made.also.is_empty(),
        Of::Own(_) => false,
    };
    if let Some(writer) = made.writer.as_ref().filter(|_| of.is_written()) {
        text.push_str(&format!(
            "\nThe writer is {writer}; times include it where it was asked.\n"
        ));
    }
    if !made.missing.is_empty() && is_of_corpora {
        let files = made.missing.join(", ");
        text.push_str(&format!("\nMissing in the data folder: {files}.\n"));
    }
    text + body
}

/// The options that decide what the table shows.
fn options(of: &Table, made: &Made<'_>) -> String {
    let (encoder, encoders) = (made.encoder, made.encoders);
    let streams = format!(" --streams {}{}", made.streams, made.also);
    let writer = made.writer.iter().map(|it| format!(" --writer {it}"));
    let writer: String = writer.collect();
    match of.made_of {
        Of::Own(_) => format!(" --encoder {encoder}"),
        Of::Encoders => format!(" --encoders {encoders}{streams}"),
        Of::Written => format!(" --encoder {encoder}{streams}{writer}"),
        Of::All | Of::Apart | Of::Answers => format!(" --encoder {encoder}{streams}"),
        Of::Read => format!(" --encoder {encoder}{streams}{}", made.read),
    }
}

/// What a table measured on streams: means by method, budget, corpus and kind of question.
pub(super) fn body(measured: &[Summary]) -> String {
    let mut text = String::new();
    let mut corpora: Vec<&str> = measured.iter().map(|it| it.corpus.as_str()).collect();
    corpora.dedup();
    let several = corpora.len() > 1;
    for corpus in corpora {
        if several && corpus == ALL {
            continue; // corpora differ too much for one mean
        }
        let whole = |row: &&Summary| row.corpus == corpus && row.category == ALL;
        let rows: Vec<&Summary> = measured.iter().filter(whole).collect();
        let probes = rows.first().map_or(0, |row| row.probes);
        let cells: Vec<Vec<String>> = rows.iter().map(|row| cells(row, measured)).collect();
        let heads = ["method", "budget", "fact recall"].into_iter();
        let heads = heads.chain(GROUPS.map(|group| group.0)).chain([
            "retained", "Evid.", "context tokens", "ms a question", "ms a turn",
        ]);
        let heads: Vec<&str> = heads.collect();
        let name = if several { corpus } else { "All streams" };
        text.push_str(&format!("\n{name}, {probes} questions:\n\n"));
        text.push_str(&table(&heads, &cells));
        text.push_str(&by_kind(&rows, measured));
        for row in rows.iter().filter(|row| row.failed_jobs > 0) {
            text.push_str(&format!(
                "\n{} failed on {} streams, which its row leaves out.\n",
                row.method, row.failed_jobs
            ));
        }
    }
    text
}

/// What stands where no reader was given.
pub(super) fn unread() -> String {
    "\nNo model read: `--readers MODEL.gguf`, or `--endpoint URL --model NAME`, fills this table; \
        `--bert DIR` B-S, `--judge-endpoint URL --judge-model NAME` the judge's score.\n"
        .to_owned()
}

/// What stands where no model writes in memory.
pub(super) fn unwritten() -> String {
    "\nNo model wrote: `--writer MODEL.gguf` fills this table.\n".to_owned()
}

/// What was measured with a model in memory, and the references of answers.
pub(super) fn written(measured: &[Summary]) -> String {
    let columns: &[Column<'_, Summary>] = &[
        ("method", |it| it.method.clone()),
        ("right", |it| number(it.scores.right, 3)),
        ("R-L", |it| number(it.scores.rouge_l, 3)),
        ("KEM", |it| number(it.scores.key_entities, 3)),
        ("references right", |it| number(it.scores.references, 3)),
        ("cut", |it| number(it.scores.cut, 3)),
        ("quoted", |it| number(it.scores.quoted, 3)),
    ];
    let of_all = |it: &&Summary| it.corpus == ALL && it.category == ALL;
    let answers = |it: &&Summary| it.scores.right.is_some();
    let rows = measured.iter().filter(of_all).filter(answers);
    body(measured) + "\nAnswers:\n\n" + &table_of(rows, columns)
}

/// What a reader answered.
pub(super) fn answered(reading: &Reading) -> String {
    let read = &reading.rows;
    let columns: &[Column<'_, Read>] = &[
        ("context of", |it| it.name.clone()),
        ("B-4", |it| number(it.bleu4, 3)),
        ("R-L", |it| number(it.rouge_l, 3)),
        ("B-S", |it| number(it.bert, 3)),
        ("KEM", |it| number(it.key_entities, 3)),
        ("judge", |it| match it.judged {
            None => number(None::<f64>, 3),
            score => format!("{} ({})", number(score, 3), it.judged_answers),
        }),
        ("F1", |it| number(it.f1, 3)),
        ("HFP", |it| number(it.f1_of(GROUPS[0].1), 3)),
        ("SLR", |it| number(it.f1_of(GROUPS[1].1), 3)),
        ("DGA", |it| number(it.f1_of(GROUPS[2].1), 3)),
        ("declined", |it| number(it.declined, 3)),
        ("unanswerable declined", |it| {
            number(it.adversarial_declined, 3)
        }),
        ("s an answer", |it| {
            let asked = it.questions + it.adversarial;
            number(it.seconds / asked.max(1) as f64, 1)
        }),
        ("nats", |it| number(it.entropy, 2)),
    ];
    let of = |it: &Read| {
        format!(
            "\n{}, {} questions and {} unanswerable ones of all streams, the same for all:\n\n",
            it.model, it.questions, it.adversarial
        )
    };
    let table = table_of(read, columns) + &reading.by_entropy;
    read.first().map(of).unwrap_or_default() + &table
}

/// Writes the document.
pub(super) fn write(sections: &[String], path: &Path) -> Result<()> {
    let head = "# The papers' experiments on today's engine\n\n\
        Made by `weir-bench paper --data DIR`, table by table; each names its command and commit. \
        A run that was stopped goes on. A dash says that nothing measures the cell.\n";
    write_whole(path, |out| {
        out.write_all(head.as_bytes())?;
        for section in sections {
            out.write_all(section.as_bytes())?;
        }
        Ok(())
    })
}

fn cells(row: &Summary, measured: &[Summary]) -> Vec<String> {
    let scores = &row.scores;
    let budget = count(row.budget_tokens);
    let mut cells = vec![row.method.clone(), budget, number(scores.fact_recall, 3)];
    cells.extend(GROUPS.map(|(_, kinds)| {
        let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        number(of_group(row, measured, &kinds), 3)
    }));
    cells.push(number(scores.regret.map(|lost| 1.0 - lost), 3));
    cells.push(number(scores.evidence_similarity, 3));
    cells.push(number(row.context_tokens, 0));
    cells.push(ms(row.query_us_p50));
    cells.push(ms(row.ingest_us));
    cells
}
