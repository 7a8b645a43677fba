//! Results of a method with a budget: means over probes, percentiles, costs.
//!
//! Means are over probes, not over streams; probes to which a measure does not apply are left out.

use super::read::Results;
use crate::metric::{Abstention, Scores, is_unanswerable};
use crate::run::record::{JobKey, JobRow, ProbeRow};
use crate::timing::{Times, mean};
use std::collections::{BTreeMap, HashMap};

/// A method with a budget.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Setup {
    pub(super) method: String,
    pub(super) budget_tokens: Option<usize>,
}

impl Setup {
    pub(super) fn of(job: &JobKey) -> Self {
        Self {
            method: job.method.clone(),
            budget_tokens: job.budget_tokens,
        }
    }

    pub(super) fn label(&self) -> String {
        match self.budget_tokens {
            Some(tokens) => format!("{} ({tokens})", self.method),
            None => self.method.clone(),
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    pub(super) setup: Setup,
    pub(super) probes: usize,
    pub(super) scores: Scores,
    /// Mean over the fact sentences that are shown.
    pub(super) fact_in_order: Option<f64>,
    pub(super) abstention: Option<Abstention>,
    pub(super) context_tokens: Option<f64>,
    pub(super) stored_tokens: Option<f64>,
    /// Bytes stored, including a transcript.
    pub(super) stored_bytes: Option<f64>,
    /// The most text stored at any question or at the end of a stream.
    pub(super) text_tokens_max: Option<f64>,
    /// Of a transcript beside memory, per 1,000 turns; `None` without one.
    pub(super) transcript_bytes: Option<f64>,
    pub(super) query_us_p50: Option<f64>,
    pub(super) query_us_p95: Option<f64>,
    /// Median of a turn, averaged over jobs weighted by turns.
    pub(super) ingest_us: Option<f64>,
    /// Building structures from many turns, per turn.
    pub(super) settle_us: Option<f64>,
    pub(super) encoded_texts: Option<f64>,
    /// Fact recall by category, by corpus and by stream; for adversarial probes only by category.
    pub(super) by_category: BTreeMap<String, f64>,
    pub(super) by_corpus: BTreeMap<String, f64>,
    pub(super) by_stream: BTreeMap<String, f64>,
}

/// All setups, sorted by fact recall, best first.
pub(super) fn tallies(results: &Results) -> Vec<Tally> {
    let unanswerable: HashMap<(&str, &str), bool> = results
        .streams
        .iter()
        .flat_map(|(name, placed)| {
            let probes = placed.stream.probes();
            probes.map(|p| ((name.as_str(), p.id.as_str()), is_unanswerable(&p.gold)))
        })
        .collect();
    let mut groups: BTreeMap<Setup, (Vec<&ProbeRow>, Vec<&JobRow>)> = BTreeMap::new();
    for row in results.jobs.iter().filter(|row| row.failed.is_none()) {
        groups.entry(Setup::of(&row.job)).or_default().1.push(row);
    }
    for row in &results.probes {
        groups.entry(Setup::of(&row.job)).or_default().0.push(row);
    }
    let mut all: Vec<Tally> = groups
        .into_iter()
        .map(|(setup, (probes, jobs))| tally(results, setup, &probes, &jobs, &unanswerable))
        .collect();
    all.sort_by(|a, b| {
        let recall = |tally: &Tally| tally.scores.fact_recall.unwrap_or(-1.0);
        recall(b)
            .total_cmp(&recall(a))
            .then_with(|| a.setup.cmp(&b.setup))
    });
    all
}

fn tally(
    results: &Results,
    setup: Setup,
    probes: &[&ProbeRow],
    jobs: &[&JobRow],
    unanswerable: &HashMap<(&str, &str), bool>,
) -> Tally {
    let is_none = |row: &ProbeRow| {
        let of = (row.job.stream.as_str(), row.probe.as_str());
        unanswerable.get(&of).copied().unwrap_or(false)
    };
    let abstention = Abstention::over(probes.iter().map(|row| (is_none(row), row.abstained)));
    let mut query_us: Times = probes.iter().map(|row| row.query_us as f64).collect();
    let mut query = |percent| (!probes.is_empty()).then(|| query_us.percentile(percent));
    let turns: usize = jobs.iter().map(|row| row.turns).sum();
    let a_turn = |sum: f64| (turns > 0).then(|| sum / turns as f64);
    let ingest = jobs
        .iter()
        .map(|row| (row.ingest_us_total + row.settle_us) as f64)
        .sum();
    let transcript: usize = jobs.iter().map(|row| row.transcript_bytes).sum();
    let settle = jobs.iter().map(|row| row.settle_us as f64).sum();
    let corpus = |row: &ProbeRow| results.streams[&row.job.stream].corpus.clone();
    let category = |row: &ProbeRow| {
        row.category
            .map_or_else(|| "none".to_owned(), |category| category.name().to_owned())
    };
    Tally {
        setup,
        probes: probes.len(),
        scores: scores(probes),
        fact_in_order: mean(
            probes
                .iter()
                .flat_map(|row| row.facts_in_order.iter().copied().map(Some)),
        ),
        abstention: (abstention.unanswerable > 0).then_some(abstention),
        context_tokens: mean(probes.iter().map(|row| Some(row.context_tokens as f64))),
        stored_tokens: mean(jobs.iter().map(|row| Some(row.stored_tokens as f64))),
        stored_bytes: mean(
            jobs.iter()
                .map(|row| Some((row.stored_bytes + row.transcript_bytes) as f64)),
        ),
        text_tokens_max: jobs
            .iter()
            .map(|row| row.text_tokens_max as f64)
            .reduce(f64::max),
        transcript_bytes: (transcript > 0).then(|| 1_000.0 * transcript as f64 / turns as f64),
        query_us_p50: query(50),
        query_us_p95: query(95),
        ingest_us: a_turn(ingest),
        settle_us: a_turn(settle),
        encoded_texts: mean(probes.iter().map(|row| Some(row.encoded_texts as f64))),
        by_category: recall_by(probes, category, Scores::any_fact_recall),
        by_corpus: recall_by(probes, corpus, |s| s.fact_recall),
        by_stream: recall_by(probes, |row| row.job.stream.clone(), |s| s.fact_recall),
    }
}

fn scores(probes: &[&ProbeRow]) -> Scores {
    let of = |score: fn(&Scores) -> Option<f64>| mean(probes.iter().map(|row| score(&row.scores)));
    Scores {
        fact_recall: of(|s| s.fact_recall),
        fact_recall_adversarial: of(|s| s.fact_recall_adversarial),
        evidence_recall: of(|s| s.evidence_recall),
        regret: of(|s| s.regret),
        containment: of(|s| s.containment),
        evidence_similarity: of(|s| s.evidence_similarity),
        key_entities: of(|s| s.key_entities),
        bleu4: of(|s| s.bleu4),
        rouge_l: of(|s| s.rouge_l),
        bert_score: of(|s| s.bert_score),
        judge: of(|s| s.judge),
    }
}

fn recall_by(
    probes: &[&ProbeRow],
    key: impl Fn(&ProbeRow) -> String,
    recall: impl Fn(&Scores) -> Option<f64>,
) -> BTreeMap<String, f64> {
    let mut groups: BTreeMap<String, Vec<Option<f64>>> = BTreeMap::new();
    for row in probes {
        groups
            .entry(key(row))
            .or_default()
            .push(recall(&row.scores));
    }
    let means = groups.into_iter().map(|(key, values)| (key, mean(values)));
    means
        .filter_map(|(key, mean)| mean.map(|mean| (key, mean)))
        .collect()
}
