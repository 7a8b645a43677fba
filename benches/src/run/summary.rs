//! A run in a few lines: means over probes, by corpus, method and budget.
//!
//! It contains only numbers and no text of the streams, so it may be published when the streams may
//! not. Probes of a failed job are left out, and the job is counted.

use super::record::{JobKey, JobRow, Line, ProbeRow, Stamp, StreamStamp};
use crate::files::write_whole;
use crate::metric::Scores;
use crate::stream::Category;
use crate::timing::{Mean, Times};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// All corpora, or all categories, together.
pub const ALL: &str = "all";

/// One method with one budget on one corpus, over one kind of question or all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// Folder of the streams, or `all`.
    pub corpus: String,
    /// Name of the method.
    pub method: String,
    /// Token budget; `None` is unlimited.
    pub budget_tokens: Option<usize>,
    /// Name of the encoder.
    pub encoder: String,
    /// Kind of question, or `all`.
    pub category: String,
    /// Probes.
    pub probes: usize,
    /// Jobs that failed, whose probes are left out.
    pub failed_jobs: usize,
    /// Mean scores over the probes that have them.
    pub scores: Scores,
    /// For fact sentences that are at least half shown, the longest contiguous run on one line in
    /// the original word order, as a share of the sentence. Without adversarial probes.
    #[serde(default)]
    pub fact_in_order: Option<f64>,
    /// Share of the abstentions on probes without an answer in the stream.
    pub abstention_precision: Option<f64>,
    /// Share of the probes without an answer in the stream that were abstained from.
    pub abstention_recall: Option<f64>,
    /// Mean tokens of a context.
    pub context_tokens: f64,
    /// Median microseconds of a question, without the encoder.
    pub query_us_p50: f64,
    /// As above, 95th percentile.
    pub query_us_p95: f64,
    /// Mean texts encoded for a question.
    pub query_encoded_texts: f64,
    /// Mean microseconds per turn for all of taking in and building, without the encoder.
    pub ingest_us: f64,
    /// Mean texts encoded per turn.
    pub ingest_encoded_texts: f64,
    /// Mean tokens of all text stored at the end.
    pub stored_tokens: f64,
    /// The most tokens of text stored at any question or at the end of a stream.
    #[serde(default)]
    pub text_tokens_max: usize,
    /// Mean bytes stored at the end.
    pub stored_bytes: f64,
    /// Bytes of a transcript beside memory per 1,000 turns: texts, ids, names of streams and
    /// speakers; the file adds some 35 to each. 0 without a transcript.
    #[serde(default)]
    pub transcript_bytes_per_1000_turns: f64,
}

/// A line of `summary.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryLine {
    /// Origin of the run: the first line.
    Stamp(Box<Stamp>),
    /// One row.
    Summary(Box<Summary>),
}

/// Writes the summary of a run's lines.
///
/// # Errors
/// The file cannot be written.
pub fn write(lines: &[Line], path: &Path) -> Result<()> {
    let mut text = String::new();
    let stamp = lines.iter().find_map(|line| match line {
        Line::Stamp(stamp) => Some(SummaryLine::Stamp(stamp.clone())),
        _ => None,
    });
    let rows = of(lines)
        .into_iter()
        .map(Box::new)
        .map(SummaryLine::Summary);
    for line in stamp.into_iter().chain(rows) {
        writeln!(text, "{}", serde_json::to_string(&line)?)?;
    }
    write_whole(path, |out| Ok(out.write_all(text.as_bytes())?))
}

/// The rows: for every corpus and for all, by category and for all; methods in line order.
#[must_use]
pub fn of(lines: &[Line]) -> Vec<Summary> {
    let corpora = corpora(lines);
    let many = corpora.values().collect::<HashSet<_>>().len() > 1;
    let corpus = |key: &JobKey| corpora.get(key.stream.as_str()).copied().unwrap_or(ALL);
    let failed: HashSet<&JobKey> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Job(job) if job.failed.is_some() => Some(&job.job),
            _ => None,
        })
        .collect();
    let mut order: Vec<Group<'_>> = Vec::new();
    let mut sums: HashMap<Group<'_>, BTreeMap<String, Sums>> = HashMap::new();
    for line in lines {
        let key = match line {
            Line::Stamp(_) => continue,
            Line::Probe(row) => &row.job,
            Line::Job(job) => &job.job,
        };
        // with one corpus, "all" would repeat it
        let groups = [ALL, corpus(key)];
        for corpus in &groups[..if many { 2 } else { 1 }] {
            let corpus = *corpus;
            let group = (corpus, &*key.method, key.budget_tokens, &*key.encoder);
            if !sums.contains_key(&group) {
                order.push(group);
            }
            let by_category = sums.entry(group).or_default();
            match line {
                Line::Probe(row) if !failed.contains(key) => {
                    let category = row.category.map_or("none", Category::name);
                    for category in [ALL, category] {
                        by_category.entry(category.to_owned()).or_default().add(row);
                    }
                }
                Line::Job(job) => by_category.entry(ALL.to_owned()).or_default().job(job),
                _ => {}
            }
        }
    }
    let rows = order.into_iter().flat_map(|group| {
        let by_category = sums.remove(&group).unwrap_or_default();
        let rows = by_category.into_iter();
        rows.map(move |(category, sums)| sums.summary(group, category))
    });
    let mut rows: Vec<Summary> = rows.collect();
    // all first, then each corpus; a stable sort keeps the order within
    rows.sort_by_key(|row| (row.corpus != ALL, row.corpus.clone()));
    rows
}

type Group<'a> = (&'a str, &'a str, Option<usize>, &'a str);

/// Each stream's corpus.
fn corpora(lines: &[Line]) -> HashMap<&str, &str> {
    let streams: Vec<&StreamStamp> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Stamp(stamp) => Some(&stamp.streams),
            _ => None,
        })
        .flatten()
        .collect();
    let named = streams.iter().map(|s| (s.name.as_str(), s.corpus.as_str()));
    named.collect()
}

/// The scores by name, so that none is forgotten.
const SCORES: usize = 11;

fn listed(scores: &Scores) -> [Option<f64>; SCORES] {
    [
        scores.fact_recall,
        scores.fact_recall_adversarial,
        scores.evidence_recall,
        scores.regret,
        scores.containment,
        scores.evidence_similarity,
        scores.key_entities,
        scores.bleu4,
        scores.rouge_l,
        scores.bert_score,
        scores.judge,
    ]
}

fn unlisted(values: [Option<f64>; SCORES]) -> Scores {
    let [
        fact_recall,
        fact_recall_adversarial,
        evidence_recall,
        regret,
        containment,
        evidence_similarity,
        key_entities,
        bleu4,
        rouge_l,
        bert_score,
        judge,
    ] = values;
    Scores {
        fact_recall,
        fact_recall_adversarial,
        evidence_recall,
        regret,
        containment,
        evidence_similarity,
        key_entities,
        bleu4,
        rouge_l,
        bert_score,
        judge,
    }
}

#[derive(Debug, Clone, Default)]
struct Sums {
    probes: usize,
    failed_jobs: usize,
    scores: [Mean; SCORES],
    fact_in_order: Mean,
    /// Counts: abstained without an answer in the stream, abstained, without an answer in the
    /// stream.
    abstained: (usize, usize, usize),
    context_tokens: Mean,
    query: Times,
    query_texts: Mean,
    ingest_us: Mean,
    ingest_texts: Mean,
    stored_tokens: Mean,
    text_tokens_max: usize,
    stored_bytes: Mean,
    /// Bytes of transcripts, and their number of turns.
    transcript: (usize, usize),
}

impl Sums {
    fn add(&mut self, row: &ProbeRow) {
        self.probes += 1;
        for (mean, score) in self.scores.iter_mut().zip(listed(&row.scores)) {
            mean.add(score);
        }
        for share in &row.facts_in_order {
            self.fact_in_order.add(Some(*share));
        }
        self.text_tokens_max = self.text_tokens_max.max(row.text_tokens);
        self.abstained.0 += usize::from(row.abstained && row.unanswerable);
        self.abstained.1 += usize::from(row.abstained);
        self.abstained.2 += usize::from(row.unanswerable);
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
        let us = (job.ingest_us_total + job.settle_us) as f64;
        self.ingest_us.add(Some(us / turns));
        self.ingest_texts
            .add(Some(job.encoded_texts as f64 / turns));
        self.stored_tokens.add(Some(job.stored_tokens as f64));
        self.text_tokens_max = self.text_tokens_max.max(job.text_tokens_max);
        self.stored_bytes.add(Some(job.stored_bytes as f64));
        self.transcript.0 += job.transcript_bytes;
        self.transcript.1 += job.turns;
    }

    fn summary(mut self, group: Group<'_>, category: String) -> Summary {
        let share = |of: usize| (of > 0).then(|| self.abstained.0 as f64 / of as f64);
        let (corpus, method, budget_tokens, encoder) = group;
        Summary {
            corpus: corpus.to_owned(),
            method: method.to_owned(),
            budget_tokens,
            encoder: encoder.to_owned(),
            category,
            probes: self.probes,
            failed_jobs: self.failed_jobs,
            scores: unlisted(self.scores.map(Mean::get)),
            fact_in_order: self.fact_in_order.get(),
            abstention_precision: share(self.abstained.1),
            abstention_recall: share(self.abstained.2),
            context_tokens: self.context_tokens.get().unwrap_or(0.0),
            query_us_p50: self.query.percentile(50),
            query_us_p95: self.query.percentile(95),
            query_encoded_texts: self.query_texts.get().unwrap_or(0.0),
            ingest_us: self.ingest_us.get().unwrap_or(0.0),
            ingest_encoded_texts: self.ingest_texts.get().unwrap_or(0.0),
            stored_tokens: self.stored_tokens.get().unwrap_or(0.0),
            text_tokens_max: self.text_tokens_max,
            stored_bytes: self.stored_bytes.get().unwrap_or(0.0),
            transcript_bytes_per_1000_turns: 1_000.0 * self.transcript.0 as f64
                / self.transcript.1.max(1) as f64,
        }
    }
}
