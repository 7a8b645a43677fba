//! A run in a few lines: means over probes, by corpus, method and budget.
//!
//! It contains only numbers and no text of the streams, so it may be published when the streams may
//! not. Probes of a failed job are left out, and the job is counted.

use super::record::{Job, JobRow, ProbeRow, Stamp};
use crate::files::write_whole;
use crate::metric::Scores;
use crate::stream::Category;
use crate::timing::{Times, mean};
use anyhow::Result;
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;

/// All corpora, or all categories, together.
pub(crate) const ALL: &str = "all";

/// Names of the distances of the last evidence, and the most turns of each.
pub(crate) const DISTANCES: [(&str, usize); 4] = [
    ("to 25 turns", 25),
    ("to 100", 100),
    ("to 400", 400),
    ("farther", usize::MAX),
];

/// One method with one budget on one corpus, over one kind of question, one distance, or all.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Summary {
    /// Folder of the streams, or `all`.
    pub(crate) corpus: String,
    pub(crate) method: String,
    /// Token budget; `None` is unlimited.
    pub(crate) budget_tokens: Option<usize>,
    pub(crate) encoder: String,
    /// Kind of question, name of a distance, or `all`.
    pub(crate) category: String,
    pub(crate) probes: usize,
    /// Probes with a fact recall.
    pub(crate) recalled: usize,
    /// Jobs that failed, whose probes are left out.
    pub(crate) failed_jobs: usize,
    /// Mean scores over the probes that have them.
    pub(crate) scores: Scores,
    /// Mean tokens of a context.
    pub(crate) context_tokens: f64,
    /// Microseconds of a question, without the encoder.
    pub(crate) query_us_p50: f64,
    pub(crate) query_us_p95: f64,
    /// Mean texts encoded for a question.
    pub(crate) query_encoded_texts: f64,
    /// Mean microseconds per turn for all of taking in and building, without the encoder.
    pub(crate) ingest_us: f64,
    /// Mean texts encoded per turn.
    pub(crate) ingest_encoded_texts: f64,
    /// Mean tokens of all text stored at the end.
    pub(crate) stored_tokens: f64,
    /// The most tokens of text stored after any turn.
    pub(crate) text_tokens_max: usize,
    /// Bytes of a transcript beside memory per 1,000 turns; 0 without a transcript.
    pub(crate) transcript_bytes_per_1000_turns: f64,
}

impl Summary {
    /// What its rows of all kinds of question have in common.
    pub(crate) fn setup(&self) -> (&str, Option<usize>, &str) {
        (&self.method, self.budget_tokens, &self.corpus)
    }
}

/// Writes the summary of a run.
pub(super) fn write(stamp: &Stamp, rows: &[Summary], path: &Path) -> Result<()> {
    write_whole(path, |out| {
        writeln!(out, "{}", json!({"stamp": stamp}))?;
        for row in rows {
            writeln!(out, "{}", json!({"summary": row}))?;
        }
        Ok(())
    })
}

/// The rows: for all corpora together and, if there are several, for each; by category and for
/// all; methods in the order of the jobs.
pub(super) fn of(jobs: &[Job], corpora: &HashMap<&str, &str>, encoder: &str) -> Vec<Summary> {
    let corpus_of = |job: &Job| *corpora.get(job.row.key.stream.as_str()).unwrap_or(&ALL);
    let mut named: Vec<&str> = jobs.iter().map(corpus_of).collect();
    named.sort_unstable();
    named.dedup();
    if named.len() == 1 {
        named.clear();
    }
    named.insert(0, ALL);
    let mut rows = Vec::new();
    for corpus in named {
        let mut setups: Vec<(_, Vec<&Job>)> = Vec::new();
        let own = jobs.iter();
        for job in own.filter(|job| corpus == ALL || corpus_of(job) == corpus) {
            let setup = (job.row.key.method.as_str(), job.row.key.budget_tokens);
            match setups.iter_mut().find(|(known, _)| *known == setup) {
                Some((_, jobs)) => jobs.push(job),
                None => setups.push((setup, vec![job])),
            }
        }
        for ((method, budget_tokens), jobs) in setups {
            rows.extend(groups(&jobs).into_iter().map(|(category, probes)| Summary {
                corpus: corpus.to_owned(),
                method: method.to_owned(),
                budget_tokens,
                encoder: encoder.to_owned(),
                category: category.to_owned(),
                ..means(if category == ALL { &jobs } else { &[] }, &probes)
            }));
        }
    }
    rows
}

/// The questions of jobs, all and by category and distance.
fn groups<'a>(jobs: &[&'a Job]) -> BTreeMap<&'static str, Vec<&'a ProbeRow>> {
    let mut groups = BTreeMap::from([(ALL, Vec::new())]);
    for row in jobs.iter().flat_map(|job| &job.probes) {
        let category = row.category.map_or("none", Category::name);
        let within = |far: usize| DISTANCES.iter().find(|it| far <= it.1).map(|it| it.0);
        let names = [Some(ALL), Some(category), row.distance.and_then(within)];
        for name in names.into_iter().flatten() {
            groups.entry(name).or_default().push(row);
        }
    }
    groups
}

fn means(jobs: &[&Job], probes: &[&ProbeRow]) -> Summary {
    let rows = || jobs.iter().map(|job| &job.row);
    let done = || rows().filter(|row| row.failed.is_none());
    let of_job = |it: fn(&JobRow) -> f64| mean(done().map(|row| Some(it(row)))).unwrap_or(0.0);
    let of_probe = |it: fn(&ProbeRow) -> f64| {
        let values = probes.iter().map(|row| Some(it(row)));
        mean(values).unwrap_or(0.0)
    };
    let scores: Vec<&Scores> = probes.iter().map(|row| &row.scores).collect();
    let recalls = scores.iter().filter_map(|it| it.any_fact_recall());
    let mut query: Times = probes.iter().map(|row| row.query_us as f64).collect();
    let transcript_bytes = done().map(|row| row.transcript_bytes).sum::<usize>() as f64;
    let turns = done().map(|row| row.turns).sum::<usize>().max(1) as f64;
    Summary {
        probes: probes.len(),
        recalled: recalls.count(),
        failed_jobs: jobs.len() - done().count(),
        scores: Scores::mean(&scores),
        context_tokens: of_probe(|row| row.context_tokens as f64),
        query_us_p50: query.percentile(50),
        query_us_p95: query.percentile(95),
        query_encoded_texts: of_probe(|row| row.encoded_texts as f64),
        ingest_us: of_job(|row| row.ingest_us as f64 / row.turns.max(1) as f64),
        ingest_encoded_texts: of_job(|row| row.encoded_texts as f64 / row.turns.max(1) as f64),
        stored_tokens: of_job(|row| row.stored_tokens as f64),
        text_tokens_max: done().map(|row| row.text_tokens_max).max().unwrap_or(0),
        transcript_bytes_per_1000_turns: 1_000.0 * transcript_bytes / turns,
        ..Summary::default()
    }
}
