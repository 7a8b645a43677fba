//! Results of a reading: one row per run.

use super::bootstrap::{Interval, interval};
use super::contexts::Shown;
use super::sample::Task;
use super::score::{self, Scores};
use crate::markdown::{Column, count, number, table, table_of};
use crate::metric::fact_recall;
use crate::replies::Reply;
use crate::stream::{Category, Probe};
use crate::timing::mean;
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use weir_models::SentenceEncoder;

/// A question, and the answer from one run's context.
pub(super) struct Asked<'a> {
    pub(super) probe: &'a Probe,
    shown: Option<&'a Shown>,
    pub(super) answer: Reply,
    pub(super) scores: Scores,
    /// Of an answerable question.
    fact_recall: Option<f64>,
}

/// What a reader answered from the contexts of one run.
#[derive(Debug, Serialize)]
pub(crate) struct Read {
    pub(crate) name: String,
    pub(crate) model: String,
    /// Answerable and unanswerable questions.
    pub(crate) questions: usize,
    pub(crate) adversarial: usize,
    /// Means over the answerable questions.
    pub(crate) f1: Option<f64>,
    answer_words: Option<f64>,
    pub(crate) bleu4: Option<f64>,
    pub(crate) rouge_l: Option<f64>,
    pub(crate) key_entities: Option<f64>,
    pub(crate) bert: Option<f64>,
    /// Mean of the judge's scores, and the number of answers that it gave one.
    pub(crate) judged: Option<f64>,
    pub(crate) judged_answers: usize,
    /// Mean cross-entropy of the contexts in nats a token.
    pub(crate) entropy: Option<f64>,
    /// Mean over the questions of a kind, and their number.
    f1_by_category: BTreeMap<&'static str, (Option<f64>, usize)>,
    fact_recall: Option<f64>,
    pub(crate) declined: Option<f64>,
    pub(crate) adversarial_declined: Option<f64>,
    context_tokens: Option<f64>,
    text_tokens_max: Option<usize>,
    budget_tokens: Option<usize>,
    prompt_tokens: usize,
    /// Seconds of all answers.
    pub(crate) seconds: f64,
    /// Differences to the baseline, over the same questions.
    f1_difference: Option<Interval>,
    answer_words_difference: Option<Interval>,
}

impl<'a> Asked<'a> {
    pub(super) fn of(
        task: &Task<'a>,
        shown: Option<&'a Shown>,
        answer: Reply,
        bert: Option<&SentenceEncoder>,
    ) -> Result<Self> {
        let (probe, mut recall) = (task.probe, None);
        if !task.is_adversarial() {
            let turns = task.stream.turns();
            let said = turns.map(|it| (&*it.id, &*it.text)).collect();
            let context = shown.map_or("", |it| &it.context);
            let named = shown.map_or(&[][..], |it| &it.context_utterances);
            recall = fact_recall(&probe.gold, &probe.question, context, named, &said)?;
        }
        Ok(Self {
            probe,
            shown,
            scores: score::of(&answer.text, probe.gold.answer.as_deref(), bert)?,
            answer,
            fact_recall: recall,
        })
    }

    pub(super) fn context(&self) -> &str {
        self.shown.map_or("", |it| &it.context)
    }
}

impl Read {
    /// Mean F1 over the questions of these kinds.
    pub(crate) fn f1_of(&self, kinds: &[Category]) -> Option<f64> {
        let kinds = kinds
            .iter()
            .filter_map(|kind| self.f1_by_category.get(kind.name()));
        let (sum, asked) = kinds.fold((0.0, 0), |all, (f1, asked)| {
            (
                all.0 + f1.unwrap_or_default() * *asked as f64,
                all.1 + asked,
            )
        });
        (asked > 0).then(|| sum / asked as f64)
    }

    /// The row of a run, compared with a baseline, which was asked the same in the same order.
    pub(super) fn of(
        name: &str,
        model: &str,
        asked: &[Asked<'_>],
        baseline: Option<&[Asked<'_>]>,
    ) -> Self {
        let (adversarial, answerable): (Vec<&Asked<'_>>, Vec<_>) =
            asked.iter().partition(|it| it.probe.gold.is_adversarial());
        let scores = || answerable.iter().map(|it| &it.scores);
        let of = |score: fn(&Scores) -> Option<f64>| mean(scores().map(score));
        let declined = |of: &[&Asked<'_>]| {
            let declined = of.iter().map(|it| u8::from(it.scores.declined));
            mean(declined.map(|it| Some(f64::from(it))))
        };
        let difference = |score: fn(&Scores) -> Option<f64>| {
            let pairs = asked.iter().zip(baseline?);
            let pairs = pairs.filter(|(own, _)| !own.probe.gold.is_adversarial());
            let apart = |(own, other): (&Asked<'_>, &Asked<'_>)| {
                Some(score(&own.scores)? - score(&other.scores)?)
            };
            interval(&pairs.filter_map(apart).collect::<Vec<f64>>())
        };
        let (f1, words) = (|it: &Scores| it.f1, |it: &Scores| it.words);
        let mut kinds: BTreeMap<&str, Vec<Option<f64>>> = BTreeMap::new();
        for it in &answerable {
            let kind = it.probe.gold.category.map_or("none", Category::name);
            kinds.entry(kind).or_default().push(it.scores.f1);
        }
        let of_kind = |(kind, f1): (_, Vec<_>)| (kind, (mean(f1.iter().copied()), f1.len()));
        let shown = || asked.iter().filter_map(|it| it.shown);
        let memory = || shown().filter_map(|it| it.memory.as_ref());
        Self {
            name: name.to_owned(),
            model: model.to_owned(),
            questions: answerable.len(),
            adversarial: adversarial.len(),
            f1: of(f1),
            answer_words: of(words),
            bleu4: of(|it| it.bleu4),
            rouge_l: of(|it| it.rouge_l),
            key_entities: of(|it| it.key_entities),
            bert: of(|it| it.bert),
            judged: of(|it| it.judged),
            entropy: of(|it| it.entropy),
            judged_answers: scores().filter_map(|it| it.judged).count(),
            f1_by_category: kinds.into_iter().map(of_kind).collect(),
            fact_recall: mean(answerable.iter().map(|it| it.fact_recall)),
            declined: declined(&answerable),
            adversarial_declined: declined(&adversarial),
            context_tokens: mean(shown().map(|it| it.context_tokens.map(|of| of as f64))),
            text_tokens_max: memory().filter_map(|it| it.text_tokens).max(),
            budget_tokens: memory().filter_map(|it| it.budget_tokens).max(),
            prompt_tokens: asked.iter().map(|it| it.answer.prompt_tokens).sum(),
            seconds: asked.iter().map(|it| it.answer.seconds).sum(),
            f1_difference: difference(f1),
            answer_words_difference: difference(words),
        }
    }
}

/// Answers by the cross-entropy of their contexts, in three parts of one size, as Markdown
/// (ProStream, figure 6); empty where it was not measured.
pub(super) fn by_entropy(asked: &[Vec<Asked<'_>>]) -> String {
    let all = asked.iter().flatten();
    let measured = |it: &'_ Asked<'_>| Some((it.scores.entropy?, it.scores.f1?, it.answer.seconds));
    let mut all: Vec<(f64, f64, f64)> = all.filter_map(measured).collect();
    if all.is_empty() {
        return String::new();
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let part = |part: &[(f64, f64, f64)]| {
        let of = |it: fn(&(f64, f64, f64)) -> f64| mean(part.iter().map(|of| Some(it(of))));
        let ends = part.first().zip(part.last());
        let range =
            |(low, high): (&(f64, _, _), &(f64, _, _))| format!("{:.2} to {:.2}", low.0, high.0);
        vec![
            ends.map_or_else(String::new, range),
            part.len().to_string(),
            number(of(|it| it.1), 3),
            number(of(|it| it.2), 1),
        ]
    };
    let third = |at: usize| all.len() * at / 3;
    let parts = (0..3).map(|at| part(&all[third(at)..third(at + 1)]));
    let parts: Vec<Vec<String>> = parts.collect();
    let heads = ["nats a token", "answers", "F1", "s an answer"];
    format!(
        "\nAll memories, by the cross-entropy of the context:\n\n{}",
        table(&heads, &parts)
    )
}

/// The table as Markdown.
pub(super) fn markdown(rows: &[Read], model: &str, against: Option<&str>) -> String {
    let (answerable, adversarial) = rows
        .first()
        .map_or((0, 0), |it| (it.questions, it.adversarial));
    let mut out = format!(
        "Reader: {model}. {answerable} answerable and {adversarial} adversarial questions.\n"
    );
    let mut columns: Vec<Column<'_, Read>> = vec![
        ("run", |it| it.name.clone()),
        ("budget", |it| count(it.budget_tokens)),
        ("text held, most", |it| count(it.text_tokens_max)),
        ("context tokens", |it| number(it.context_tokens, 0)),
        ("fact recall", |it| number(it.fact_recall, 3)),
        ("F1", |it| number(it.f1, 3)),
        ("answer's words", |it| number(it.answer_words, 3)),
        ("BERTScore", |it| number(it.bert, 3)),
        ("judged", |it| number(it.judged, 3)),
        ("F1, difference", |it| difference(it.f1_difference)),
        ("words, difference", |it| {
            difference(it.answer_words_difference)
        }),
        ("declined", |it| number(it.declined, 3)),
        ("adversarial declined", |it| {
            number(it.adversarial_declined, 3)
        }),
        ("nats", |it| number(it.entropy, 2)),
    ];
    match against {
        Some(against) => out.push_str(&format!(
            "Differences are to {against}, with 95 % intervals of a paired bootstrap.\n"
        )),
        None => columns.retain(|(head, _)| !head.ends_with(", difference")),
    }
    out + "\n" + &table_of(rows, &columns)
}

fn difference(found: Option<Interval>) -> String {
    let told = |Interval { mean, low, high }| format!("{mean:+.3} ({low:+.3} to {high:+.3})");
    found.map_or("–".to_owned(), told)
}
