//! Results of a reading: one row per run.

use super::answers::Answer;
use super::bootstrap::{Interval, interval};
use super::contexts::Run;
use crate::markdown::{number, table};
use crate::metric::fact_recall;
use crate::stream::{Category, Probe, Stream};
use crate::timing::{self, Mean};
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

/// A question by stream and id.
type Question = (String, String);

/// One run.
pub(super) struct Row<'a> {
    run: &'a Run,
    /// F1 and word share of answerable questions.
    f1: BTreeMap<Question, f64>,
    words: BTreeMap<Question, f64>,
    by_category: BTreeMap<&'static str, Vec<f64>>,
    /// BLEU, ROUGE-L and key entities.
    likeness: [Mean; 3],
    declined: Vec<f64>,
    adversarial_declined: Vec<f64>,
    fact_recall: Vec<f64>,
    context_tokens: Vec<f64>,
    text_tokens_max: Option<usize>,
    budget_tokens: Option<usize>,
    prompt_tokens: usize,
    seconds: f64,
}

/// What a reader answered from the contexts of one run, for another command.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) name: String,
    pub(crate) model: String,
    /// Answerable and unanswerable questions.
    pub(crate) questions: usize,
    pub(crate) adversarial: usize,
    pub(crate) bleu4: Option<f64>,
    pub(crate) rouge_l: Option<f64>,
    pub(crate) key_entities: Option<f64>,
    pub(crate) f1: Option<f64>,
    pub(crate) declined: Option<f64>,
    pub(crate) adversarial_declined: Option<f64>,
    /// Seconds of all answers.
    pub(crate) seconds: f64,
}

/// A run's differences to the baseline.
pub(super) struct Compared {
    f1: Option<Interval>,
    words: Option<Interval>,
}

impl<'a> Row<'a> {
    pub(super) fn of(run: &'a Run) -> Self {
        Self {
            run,
            f1: BTreeMap::new(),
            words: BTreeMap::new(),
            by_category: BTreeMap::new(),
            likeness: [Mean::default(); 3],
            declined: Vec::new(),
            adversarial_declined: Vec::new(),
            fact_recall: Vec::new(),
            context_tokens: Vec::new(),
            text_tokens_max: None,
            budget_tokens: None,
            prompt_tokens: 0,
            seconds: 0.0,
        }
    }

    /// Adds one answer.
    pub(super) fn add(
        &mut self,
        run: &Run,
        stream: &Stream,
        probe: &Probe,
        answer: &Answer,
    ) -> Result<()> {
        let shown = run.shown(&stream.name, &probe.id);
        self.context_tokens
            .extend(shown.context_tokens.map(|tokens| tokens as f64));
        self.text_tokens_max = self.text_tokens_max.max(shown.text_tokens);
        self.budget_tokens = self.budget_tokens.max(shown.budget_tokens);
        self.prompt_tokens += answer.prompt_tokens;
        self.seconds += answer.seconds;
        let declined = f64::from(u8::from(answer.scores.declined));
        if probe.gold.is_adversarial() {
            self.adversarial_declined.push(declined);
            return Ok(());
        }
        self.declined.push(declined);
        let scores = &answer.scores;
        let likeness = [scores.bleu4, scores.rouge_l, scores.key_entities];
        for (mean, score) in self.likeness.iter_mut().zip(likeness) {
            mean.add(score);
        }
        let question = (stream.name.clone(), probe.id.clone());
        if let Some(f1) = answer.scores.f1 {
            let category = probe.gold.category.map_or("none", Category::name);
            self.by_category.entry(category).or_default().push(f1);
            self.f1.insert(question.clone(), f1);
        }
        if let Some(words) = answer.scores.words {
            self.words.insert(question, words);
        }
        let said: HashMap<&str, &str> = stream
            .turns()
            .map(|turn| (turn.id.as_str(), turn.text.as_str()))
            .collect();
        let (context, turns) = (&shown.context, &shown.context_utterances);
        let found = fact_recall(&probe.gold, &probe.question, context, turns, &said)?;
        self.fact_recall.extend(found);
        Ok(())
    }

    /// The row as JSON.
    pub(super) fn json(&self, model: &str, compared: Option<&Compared>) -> Value {
        let by_category = self.by_category.iter();
        let by_category: BTreeMap<&str, Option<f64>> = by_category
            .map(|(name, f1)| (*name, mean(f1.iter())))
            .collect();
        json!({"run": {
            "name": self.run.name,
            "model": model,
            "questions": self.f1.len(),
            "f1": mean(self.f1.values()),
            "answer_words": mean(self.words.values()),
            "bleu4": self.likeness[0].get(),
            "rouge_l": self.likeness[1].get(),
            "key_entities": self.likeness[2].get(),
            "f1_by_category": by_category,
            "declined": mean(self.declined.iter()),
            "adversarial": self.adversarial_declined.len(),
            "adversarial_declined": mean(self.adversarial_declined.iter()),
            "fact_recall": mean(self.fact_recall.iter()),
            "context_tokens": mean(self.context_tokens.iter()),
            "budget_tokens": self.budget_tokens,
            "text_tokens_max": self.text_tokens_max,
            "prompt_tokens": self.prompt_tokens,
            "seconds": self.seconds,
            "f1_difference": compared.and_then(|c| c.f1).map(bounds),
            "answer_words_difference": compared.and_then(|c| c.words).map(bounds),
        }})
    }

    /// The row for another command.
    pub(super) fn read(&self, model: &str) -> Read {
        let [bleu4, rouge_l, key_entities] = self.likeness.map(Mean::get);
        Read {
            name: self.run.name.clone(),
            model: model.to_owned(),
            questions: self.declined.len(),
            adversarial: self.adversarial_declined.len(),
            bleu4,
            rouge_l,
            key_entities,
            f1: mean(self.f1.values()),
            declined: mean(self.declined.iter()),
            adversarial_declined: mean(self.adversarial_declined.iter()),
            seconds: self.seconds,
        }
    }

    /// The row of the table.
    fn cells(&self, compared: Option<&Compared>, has_baseline: bool) -> Vec<String> {
        let count =
            |value: Option<usize>| value.map_or("–".to_owned(), |value| value.to_string());
        let difference = |found: Option<Interval>| match found {
            Some(Interval { mean, low, high }) => format!("{mean:+.3} ({low:+.3} to {high:+.3})"),
            None => "–".to_owned(),
        };
        let mut cells = vec![
            self.run.name.clone(),
            count(self.budget_tokens),
            count(self.text_tokens_max),
            number(mean(self.context_tokens.iter()), 0),
            number(mean(self.fact_recall.iter()), 3),
            number(mean(self.f1.values()), 3),
            number(mean(self.words.values()), 3),
        ];
        if has_baseline {
            cells.push(difference(compared.and_then(|c| c.f1)));
            cells.push(difference(compared.and_then(|c| c.words)));
        }
        cells.push(number(mean(self.declined.iter()), 3));
        cells.push(number(mean(self.adversarial_declined.iter()), 3));
        cells
    }
}

fn bounds(interval: Interval) -> Value {
    json!({"mean": interval.mean, "low": interval.low, "high": interval.high})
}

/// Each row's differences to the baseline; `None` for the baseline itself, or without one.
pub(super) fn compare(rows: &[Row<'_>], against: Option<&str>) -> Vec<Option<Compared>> {
    let baseline = rows
        .iter()
        .find(|row| Some(row.run.name.as_str()) == against);
    let compared = |row: &Row<'_>| {
        let baseline = baseline.filter(|other| other.run.name != row.run.name)?;
        Some(Compared {
            f1: interval(&differences(&row.f1, &baseline.f1)),
            words: interval(&differences(&row.words, &baseline.words)),
        })
    };
    rows.iter().map(compared).collect()
}

fn differences(row: &BTreeMap<Question, f64>, baseline: &BTreeMap<Question, f64>) -> Vec<f64> {
    let pairs = row.iter();
    pairs
        .filter_map(|(question, value)| Some(value - baseline.get(question)?))
        .collect()
}

/// The table as Markdown.
pub(super) fn markdown(
    rows: &[Row<'_>],
    compared: &[Option<Compared>],
    model: &str,
    against: Option<&str>,
) -> String {
    let answerable = rows.first().map_or(0, |row| row.declined.len());
    let adversarial = rows.first().map_or(0, |row| row.adversarial_declined.len());
    let mut out = format!(
        "Reader: {model}. {answerable} answerable and {adversarial} adversarial questions.\n"
    );
    let mut heads = vec![
        "run", "budget", "text held, most", "context tokens", "fact recall", "F1", "answer's words",
    ];
    if let Some(against) = against {
        out.push_str(&format!(
            "Differences are to {against}, with 95 % intervals of a paired bootstrap.\n"
        ));
        heads.extend(["F1, difference", "words, difference"]);
    }
    heads.extend(["declined", "adversarial declined"]);
    let cells = rows.iter().zip(compared);
    let cells = cells.map(|(row, compared)| row.cells(compared.as_ref(), against.is_some()));
    out.push('\n');
    out.push_str(&table(&heads, &cells.collect::<Vec<_>>()));
    out
}

fn mean<'a>(values: impl Iterator<Item = &'a f64>) -> Option<f64> {
    timing::mean(values.copied().map(Some))
}
