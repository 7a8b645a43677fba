//! Language models as judges of answers, with the rubrics of the papers.
//!
//! Criteria and scales are those of the papers, in our own words. A reply without a valid score
//! leaves the answer unjudged; it is counted, and nothing is guessed.

mod pairwise;
mod reply;

use crate::endpoint::Endpoint;
use anyhow::{Result, bail};
use std::sync::Arc;

pub use pairwise::{DIMENSIONS, Pairwise, Sides};

/// Maximum tokens of a judgement.
const JUDGEMENT_TOKENS_MAX: usize = 400;

/// Scores answers.
pub trait Judge: Send + Sync {
    /// Model and rubric, for results.
    fn name(&self) -> &str;

    /// The score of an answer in the rubric's range; `None` if the reply has none.
    ///
    /// # Errors
    /// The model cannot be asked.
    fn score(&self, question: &str, gold: &str, answer: &str) -> Result<Option<f64>>;
}

/// A scale with its criteria.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rubric {
    /// ProStream B.3: accuracy against the gold answer, 0 to 1.
    Accuracy,
    /// User memory 4.3: how well an answer fits the person it is about, 1 to 10.
    Persona,
}

impl Rubric {
    /// The rubric of a name.
    ///
    /// # Errors
    /// No rubric has this name.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "accuracy" => Ok(Self::Accuracy),
            "persona" => Ok(Self::Persona),
            other => bail!("rubric `{other}`: accuracy and persona are known"),
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Persona => "persona",
        }
    }

    /// The lowest and the highest score.
    #[must_use]
    pub fn range(self) -> (f64, f64) {
        match self {
            Self::Accuracy => (0.0, 1.0),
            Self::Persona => (1.0, 10.0),
        }
    }

    fn prompt(self, question: &str, gold: &str, answer: &str) -> String {
        match self {
            Self::Accuracy => format!(
                "Judge how accurate an answer from a dialogue system is, given the right answer.\n\
                 \nQuestion: {question}\nAnswer to judge: {answer}\nRight answer: {gold}\n\n\
                 Compare the two and weigh:\n\
                 1. Core: do they make the same main point?\n\
                 2. Facts: are names, figures and events correct?\n\
                 3. Meaning: is it kept, however it is put?\n\
                 4. Grave errors: is anything made up or contradicted?\n\n\
                 Reply with this JSON alone, no other text:\n\
                 {{\"score\": a number from 0 (wrong) to 1 (fully right), \"reason\": why}}"
            ),
            Self::Persona => format!(
                "Judge strictly how well an assistant's answer uses what is known of a person.\n\n\
                 Known of the person and the talk so far: {gold}\nThe person asks: {question}\n\
                 The assistant answers: {answer}\n\nScale:\n\
                 1-3: contradicts what is known of the person, or misses the point.\n\
                 4-6: could be said to anybody.\n\
                 7-8: coherent, and agrees with what is known.\n\
                 9-10: tailored to the person with full command of what is known.\n\n\
                 Reply with this JSON alone, no other text:\n\
                 {{\"score\": a whole number from 1 to 10, \"justification\": why}}"
            ),
        }
    }
}

/// A model behind an endpoint that judges by one rubric.
pub struct EndpointJudge {
    endpoint: Arc<Endpoint>,
    rubric: Rubric,
    name: String,
}

impl EndpointJudge {
    /// A judge that uses `endpoint`.
    #[must_use]
    pub fn new(endpoint: Arc<Endpoint>, rubric: Rubric) -> Self {
        let name = format!("{}, {}", endpoint.model(), rubric.name());
        Self {
            endpoint,
            rubric,
            name,
        }
    }
}

impl Judge for EndpointJudge {
    fn name(&self) -> &str {
        &self.name
    }

    fn score(&self, question: &str, gold: &str, answer: &str) -> Result<Option<f64>> {
        let prompt = self.rubric.prompt(question, gold, answer);
        let said = self.endpoint.chat(None, &prompt, JUDGEMENT_TOKENS_MAX)?;
        Ok(reply::score(&said, self.rubric.range()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::EndpointOptions;
    use crate::endpoint::server::{Act, Server};

    fn judged(rubric: Rubric, says: &'static str) -> (Option<f64>, String) {
        let server = Server::start(&[Act::Say(says)]);
        let options = EndpointOptions::new(&server.url, "tiny");
        let endpoint = Arc::new(Endpoint::new(options).expect("an address"));
        let judge = EndpointJudge::new(endpoint, rubric);
        assert_eq!(judge.name(), format!("tiny, {}", rubric.name()));
        let score = judge.score("Where to?", "Lisbon", "Porto").expect("asked");
        let asked = server.requests().remove(0);
        let prompt = asked["messages"][0]["content"].as_str().expect("a prompt");
        (score, prompt.to_owned())
    }

    #[test]
    fn a_score_in_range_is_taken_and_any_other_is_none() {
        let reply = "{\"score\": 0.25, \"reason\": \"1 of 4\"}";
        let (score, prompt) = judged(Rubric::Accuracy, reply);
        assert_eq!(score, Some(0.25));
        for part in [
            "Question: Where to?", "Right answer: Lisbon", "judge: Porto",
        ] {
            assert!(prompt.contains(part), "{prompt}");
        }
        assert_eq!(judged(Rubric::Accuracy, "I would rather not").0, None);
        assert_eq!(judged(Rubric::Accuracy, "{\"score\": 7}").0, None);
        let (score, prompt) = judged(Rubric::Persona, "```json\n{\"score\": \"7\"}\n```");
        assert_eq!(score, Some(7.0));
        assert!(prompt.contains("9-10"));
        assert_eq!(judged(Rubric::Persona, "{\"score\": 0}").0, None);
    }

    #[test]
    fn rubrics_go_by_name() {
        for rubric in [Rubric::Accuracy, Rubric::Persona] {
            assert_eq!(Rubric::named(rubric.name()).expect("known"), rubric);
        }
        let error = Rubric::named("taste").expect_err("unknown").to_string();
        assert!(
            error.contains("`taste`") && error.contains("accuracy"),
            "{error}"
        );
    }
}
