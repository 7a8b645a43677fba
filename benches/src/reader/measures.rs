//! Measures of answers that need a model: BERTScore, a judge after B.3 of ProStream, and the
//! cross-entropy of the context (ProStream, figure 6).
//!
//! The judge gives each answer a score from 0 to 1 against the gold answer. A reply without such a
//! score leaves the answer unjudged.

use super::score::Scores;
use super::table::Asked;
use crate::files::name;
use crate::options::ServerModelArgs;
use crate::progress::Progress;
use crate::replies::Replies;
use crate::timing::mean;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_models::{
    Ended, Flow, Generate, GenerateError, Generated, Generator, GeneratorOptions, Message, Request,
    Role, SentenceEncoder,
};

/// Maximum tokens of a judgement, reasoning of the model included.
const JUDGEMENT_TOKENS_MAX: usize = 1_024;

/// Options for measures of answers that need a model.
#[derive(clap::Args)]
pub(crate) struct MeasureArgs {
    /// Folder of a sentence encoder, for BERTScore of the answers
    #[arg(long, value_name = "DIR")]
    bert: Option<PathBuf>,
    /// Server with OpenAI's API whose model judges the answers, with the key and time limit of
    /// --endpoint
    #[arg(long, value_name = "URL", requires = "judge_model")]
    judge_endpoint: Option<String>,
    /// Name of the judge on the server
    #[arg(long, value_name = "NAME", requires = "judge_endpoint")]
    judge_model: Option<String>,
    /// Model under which the cross-entropy of contexts is measured, as far as they fit into it: a
    /// .gguf file or a folder
    #[arg(long, value_name = "PATH")]
    entropy_under: Option<PathBuf>,
}

impl MeasureArgs {
    /// The options as they stand in a document.
    pub(crate) fn told(&self) -> String {
        let bert = self.bert.iter().map(|it| format!(" --bert {}", name(it)));
        let judge = self.judge_model.iter();
        let entropy = self.entropy_under.iter().map(|it| name(it));
        bert.chain(judge.map(|it| format!(" --judge-model {it}")))
            .chain(entropy.map(|it| format!(" --entropy-under {it}")))
            .collect()
    }

    /// The models, the judge with the key and the time limit of `server`.
    pub(crate) fn open(&self, server: &ServerModelArgs) -> Result<Arc<Measures>> {
        let bert = self.bert.as_ref();
        let judge = self.judge_endpoint.as_ref().zip(self.judge_model.as_ref());
        let judge = judge.map(|(url, model)| server.with(url, model));
        let entropy = self.entropy_under.as_ref().map(Entropy::load);
        Ok(Arc::new(Measures {
            bert: bert.map(SentenceEncoder::load).transpose()?,
            judge: judge.transpose()?.map(Mutex::new),
            entropy: entropy.transpose()?.map(Mutex::new),
        }))
    }
}

/// A model that measures answers.
pub(super) type Measuring = Mutex<Box<dyn Generate>>;

/// The models of the measures that are wanted.
#[derive(Default)]
pub(crate) struct Measures {
    pub(super) bert: Option<SentenceEncoder>,
    pub(super) judge: Option<Measuring>,
    /// Replies with the cross-entropy of a text.
    pub(super) entropy: Option<Measuring>,
}

impl Measures {
    /// Measures the cross-entropy of the contexts, if there is a model for it.
    pub(super) fn entropy(&self, asked: Vec<&mut Asked<'_>>, folder: &Path) -> Result<()> {
        let request = |it: &Asked<'_>| {
            let context = Message::new(Role::User, it.context());
            Request::new(vec![context], 0)
        };
        let found = |scores: &mut Scores, reply: &str| scores.entropy = reply.parse().ok();
        let file = folder.join("entropy.jsonl");
        ask_about(
            self.entropy.as_ref(),
            asked,
            &file,
            "contexts",
            request,
            found,
        )
    }

    /// Lets the judge, if there is one, score the answers.
    pub(super) fn judge(&self, asked: Vec<&mut Asked<'_>>, folder: &Path) -> Result<()> {
        let request = |it: &Asked<'_>| {
            let gold = it.probe.gold.answer.as_deref().unwrap_or_default();
            request(&it.probe.question, gold, &it.answer.text)
        };
        let found = |scores: &mut Scores, reply: &str| scores.judged = score(reply);
        let file = folder.join("judged.jsonl");
        ask_about(
            self.judge.as_ref(),
            asked,
            &file,
            "judgements",
            request,
            found,
        )
        .context("the judge did not reply")
    }
}

/// Asks a model, if there is one, about each answer that has a gold answer. Its replies are kept in
/// the file.
fn ask_about(
    model: Option<&Measuring>,
    mut asked: Vec<&mut Asked<'_>>,
    file: &Path,
    items: &'static str,
    request: impl Fn(&Asked<'_>) -> Request,
    found: impl Fn(&mut Scores, &str),
) -> Result<()> {
    let Some(model) = model else {
        return Ok(());
    };
    let mut model = lock(model);
    asked.retain(|it| it.probe.gold.answer.is_some());
    let mut replies = Replies::open(file)?;
    let mut progress = Progress::new(asked.len(), items);
    for it in asked {
        let (request, about) = (request(it), &it.answer.about);
        let reply = replies.ask_told(&mut **model, &request, about, &mut progress)?;
        found(&mut it.scores, &reply.text);
    }
    Ok(())
}

fn lock(model: &Measuring) -> MutexGuard<'_, Box<dyn Generate>> {
    model.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The name of a model that measures.
pub(super) fn name_of(model: Option<&Measuring>) -> Option<String> {
    Some(lock(model?).name().to_owned())
}

/// A model that replies with the cross-entropy of a text in nats a token, so that it is kept as
/// replies are.
struct Entropy {
    name: String,
    model: Generator,
}

impl Entropy {
    fn load(path: &PathBuf) -> Result<Box<dyn Generate>> {
        let model = Generator::load(path, GeneratorOptions::default())?;
        let name = format!("cross-entropy under {}", model.name());
        Ok(Box::new(Self { name, model }))
    }

    fn of(&mut self, text: &str) -> Result<Option<f64>, GenerateError> {
        let mut tokens = self.model.tokens(text)?;
        tokens.truncate(self.model.context_tokens());
        Ok(cross_entropy(&self.model.logits(&tokens)?, &tokens))
    }
}

/// Mean negative log-likelihood of each token but the first, by the logits after the one before it;
/// `None` below two tokens.
fn cross_entropy(rows: &[Vec<f32>], tokens: &[u32]) -> Option<f64> {
    let nats = |(row, next): (&Vec<f32>, &u32)| {
        let most = row.iter().fold(f32::NEG_INFINITY, |a, b| a.max(*b));
        let sum: f64 = row.iter().map(|it| f64::from(it - most).exp()).sum();
        Some(f64::from(most) + sum.ln() - f64::from(row[*next as usize]))
    };
    mean(rows.iter().zip(tokens.iter().skip(1)).map(nats))
}

impl Generate for Entropy {
    fn name(&self) -> &str {
        &self.name
    }

    fn context_tokens(&self) -> usize {
        self.model.context_tokens()
    }

    fn generate(
        &mut self,
        request: &Request,
        _: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        let text = request.messages.last().map_or("", |it| &it.content);
        let nats = self.of(text)?;
        Ok(Generated {
            text: nats.map_or_else(String::new, |nats| nats.to_string()),
            prompt_tokens: 0,
            reused_tokens: 0,
            reply_tokens: 0,
            ended: Ended::Done,
        })
    }
}

fn request(question: &str, gold: &str, answer: &str) -> Request {
    let prompt = format!(
        "Judge how accurate the answer of a dialogue system is, given the right answer.\n\n\
         Question: {question}\nAnswer to judge: {answer}\nRight answer: {gold}\n\n\
         Compare the two and weigh:\n\
         1. Core: do they make the same main point?\n\
         2. Facts: are names, figures and events correct?\n\
         3. Meaning: is it kept, however it is put?\n\
         4. Grave errors: is anything made up or contradicted?\n\n\
         Reply with this JSON alone, no other text:\n\
         {{\"score\": a number from 0 (wrong) to 1 (fully right), \"reason\": why}}"
    );
    Request::new(vec![Message::new(Role::User, prompt)], JUDGEMENT_TOKENS_MAX)
}

/// The score in a reply's JSON, with any text around it.
fn score(reply: &str) -> Option<f64> {
    let json = reply.get(reply.find('{')?..=reply.rfind('}')?)?;
    let score = &serde_json::from_str::<Value>(json).ok()?["score"];
    let score = score
        .as_f64()
        .or_else(|| score.as_str()?.trim().parse().ok());
    score.filter(|score| (0.0..=1.0).contains(score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cross_entropy_is_of_what_follows() {
        let rows = [
            vec![7.0; 4],
            vec![0.0, 3.0_f32.ln(), 0.0, 0.0],
            vec![9.0; 4],
        ];
        let found = cross_entropy(&rows, &[0, 2, 1]).expect("two tokens follow");
        assert!(
            (found - (4_f64.ln() + 2_f64.ln()) / 2.0).abs() < 1e-6,
            "{found}"
        );
        assert_eq!(cross_entropy(&rows[..1], &[0]), None);
    }

    #[test]
    fn a_score_stands_in_json_and_in_range() {
        for (reply, expected) in [
            ("{\"score\": 0.25, \"reason\": \"1 of 4\"}", Some(0.25)),
            ("```json\n{\"score\": \"1\"}\n```", Some(1.0)),
            ("{\"score\": 7}", None),
            ("{\"score\": null}", None),
            ("I would say 0.5", None),
            ("}{", None),
        ] {
            assert_eq!(score(reply), expected, "{reply}");
        }
    }
}
