//! A run in a few lines: means over probes, by corpus, method and budget.
//!
//! It contains only numbers and no text of the streams, so it may be published when the streams may
//! not. Probes of a failed job are left out, and the job is counted.

use super::record::{Job, JobRow, ProbeRow, Stamp};
use crate::files::write_whole;
use crate::metric::Scores;
use crate::stream::Category;
use crate::timing::{Mean, Times};
use anyhow::Result;
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};
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
    let of_job = |job: &Job| {
        let corpus = corpora.get(job.row.key.stream.as_str());
        corpus.map_or(ALL, |corpus| *corpus).to_owned()
    };
    let mut named: Vec<String> = vec![ALL.to_owned()];
    let several: HashSet<String> = jobs.iter().map(of_job).collect();
    if several.len() > 1 {
        named.extend(several);
        named[1..].sort();
    }
    let mut rows = Vec::new();
    for corpus in &named {
        let mut order: Vec<(&str, Option<usize>)> = Vec::new();
        let mut sums: HashMap<(&str, Option<usize>), BTreeMap<&str, Sums>> = HashMap::new();
        let own = jobs.iter();
        for job in own.filter(|job| corpus == ALL || of_job(job) == *corpus) {
            let setup = (job.row.key.method.as_str(), job.row.key.budget_tokens);
            if !order.contains(&setup) {
                order.push(setup);
            }
            let by_category = sums.entry(setup).or_default();
            by_category.entry(ALL).or_default().job(&job.row);
            for row in &job.probes {
                let category = row.category.map_or("none", Category::name);
                let within = |far: usize| DISTANCES.iter().find(|it| far <= it.1).map(|it| it.0);
                let groups = [Some(ALL), Some(category), row.distance.and_then(within)];
                for group in groups.into_iter().flatten() {
                    by_category.entry(group).or_default().add(row);
                }
            }
        }
        for (method, budget_tokens) in order {
            let by_category = sums.remove(&(method, budget_tokens)).unwrap_or_default();
            rows.extend(by_category.into_iter().map(|(category, sums)| Summary {
                corpus: corpus.clone(),
                method: method.to_owned(),
                budget_tokens,
                encoder: encoder.to_owned(),
                category: category.to_owned(),
                ..sums.summary()
            }));
        }
    }
    rows
}

#[derive(Debug, Clone, Default)]
struct Sums {
    probes: usize,
    recalled: usize,
    failed_jobs: usize,
    scores: [Mean; Scores::COUNT],
    context_tokens: Mean,
    query: Times,
    query_texts: Mean,
    ingest_us: Mean,
    ingest_texts: Mean,
    stored_tokens: Mean,
    text_tokens_max: usize,
    /// Bytes of transcripts, and their number of turns.
    transcript: (usize, usize),
}

impl Sums {
    fn add(&mut self, row: &ProbeRow) {
        self.probes += 1;
        self.recalled += usize::from(row.scores.any_fact_recall().is_some());
        for (mean, score) in self.scores.iter_mut().zip(row.scores.values()) {
            mean.add(score);
        }
        self.context_tokens.add(Some(row.context_tokens as f64));
        self.query.add(row.query_us as f64);
        self.query_texts.add(Some(row.encoded_texts as f64));
    }

    fn job(&mut self, job: &JobRow) {
        if job.failed.is_some() {
            self.failed_jobs += 1;
            return;
        }
        let turns = job.turns.max(1) as f64;
        self.ingest_us.add(Some(job.ingest_us as f64 / turns));
        self.ingest_texts
            .add(Some(job.encoded_texts as f64 / turns));
        self.stored_tokens.add(Some(job.stored_tokens as f64));
        self.text_tokens_max = self.text_tokens_max.max(job.text_tokens_max);
        self.transcript.0 += job.transcript_bytes;
        self.transcript.1 += job.turns;
    }

    fn summary(mut self) -> Summary {
        Summary {
            probes: self.probes,
            recalled: self.recalled,
            failed_jobs: self.failed_jobs,
            scores: Scores::of(self.scores.map(Mean::get)),
            context_tokens: self.context_tokens.get().unwrap_or(0.0),
            query_us_p50: self.query.percentile(50),
            query_us_p95: self.query.percentile(95),
            query_encoded_texts: self.query_texts.get().unwrap_or(0.0),
            ingest_us: self.ingest_us.get().unwrap_or(0.0),
            ingest_encoded_texts: self.ingest_texts.get().unwrap_or(0.0),
            stored_tokens: self.stored_tokens.get().unwrap_or(0.0),
            text_tokens_max: self.text_tokens_max,
            transcript_bytes_per_1000_turns: 1_000.0 * self.transcript.0 as f64
                / self.transcript.1.max(1) as f64,
            ..Summary::default()
        }
    }
}
