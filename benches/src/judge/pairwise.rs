//! Compares two answers in six dimensions (DAM-LLM appendix A.1.6), in both orders.
//!
//! Judges prefer the first or the last answer they read. So each pair is judged twice with the
//! sides swapped, and a dimension's score is the mean of both. The paper uses one random order.

use super::reply;
use crate::endpoint::Endpoint;
use anyhow::Result;
use std::sync::Arc;

/// Abbreviation and meaning of each dimension, in the order of scores.
pub const DIMENSIONS: [(&str, &str); 6] = [
    ("AC", "Accuracy: facts are right, information is valid"),
    (
        "LC",
        "Logical coherence: sound structure, reasoning that follows",
    ),
    (
        "RMR",
        "Reasonableness of memory reference: memory is used where it fits",
    ),
    ("ER", "Emotional resonance: feelings are understood and met"),
    (
        "Pers",
        "Personalisation: fitted to the user and what went before",
    ),
    ("LF", "Language fluency: good, natural language"),
];

const JUDGEMENT_TOKENS_MAX: usize = 600;
const RANGE: (f64, f64) = (1.0, 5.0);

/// Scores from 1 to 5 of both answers, by dimension.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sides {
    /// Of the first answer.
    pub first: [f64; 6],
    /// Of the second.
    pub second: [f64; 6],
}

/// A model behind an endpoint that compares answers.
pub struct Pairwise {
    endpoint: Arc<Endpoint>,
}

impl Pairwise {
    /// A judge that uses `endpoint`.
    #[must_use]
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        Self { endpoint }
    }

    /// Compares two answers to a question; `history` is what the user said before. `None` if a
    /// reply lacks a score or has one outside 1 to 5.
    ///
    /// # Errors
    /// The model cannot be asked.
    pub fn compare(
        &self,
        question: &str,
        history: &str,
        first: &str,
        second: &str,
    ) -> Result<Option<Sides>> {
        let one = self.judged(question, history, [first, second])?;
        let other = self.judged(question, history, [second, first])?;
        let (Some([first_a, second_a]), Some([second_b, first_b])) = (one, other) else {
            return Ok(None);
        };
        let mean = |a: [f64; 6], b: [f64; 6]| std::array::from_fn(|at| f64::midpoint(a[at], b[at]));
        Ok(Some(Sides {
            first: mean(first_a, first_b),
            second: mean(second_a, second_b),
        }))
    }

    fn judged(&self, question: &str, history: &str, sides: [&str; 2]) -> Result<Scored> {
        let prompt = prompt(question, history, sides);
        let said = self.endpoint.chat(None, &prompt, JUDGEMENT_TOKENS_MAX)?;
        Ok(scores(&said))
    }
}

/// Scores of the side shown first and of the other.
type Scored = Option<[[f64; 6]; 2]>;

fn prompt(question: &str, history: &str, [a, b]: [&str; 2]) -> String {
    let criteria: String = DIMENSIONS
        .iter()
        .map(|(short, meaning)| format!("- {short} - {meaning}\n"))
        .collect();
    let fields: Vec<String> = DIMENSIONS
        .iter()
        .map(|(short, _)| format!("\"{short}\": score"))
        .collect();
    let fields = fields.join(", ");
    format!(
        "Judge two responses of conversational systems, each for itself, whatever their order and \
         your own taste.\n\nDimensions:\n{criteria}\n\
         Scale: 5 far above what is expected, 4 clearly meets it, 3 barely acceptable, 2 with \
         notable faults, 1 severely flawed.\n\n\
         Query: {question}\nWhat the user said before: {history}\n\
         Response A: {a}\nResponse B: {b}\n\n\
         Reply with this JSON alone, no other text:\n\
         {{\"evaluation\": {{\"response_a\": {{{fields}}}, \"response_b\": {{{fields}}}}}, \
         \"rationale\": why scores differ, briefly}}"
    )
}

fn scores(said: &str) -> Scored {
    let whole = reply::json(said)?;
    let side = |name: &str| {
        let mut scores = [0.0; 6];
        for (score, (short, _)) in scores.iter_mut().zip(DIMENSIONS) {
            let given = reply::number(&whole["evaluation"][name][short])?;
            *score = (RANGE.0..=RANGE.1).contains(&given).then_some(given)?;
        }
        Some(scores)
    };
    Some([side("response_a")?, side("response_b")?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::EndpointOptions;
    use crate::endpoint::server::{Act, Server};

    const HIGH_LOW: &str = r#"```json
        {"evaluation": {"response_a": {"AC": 5, "LC": 5, "RMR": 5, "ER": 5, "Pers": 5, "LF": 5},
        "response_b": {"AC": 1, "LC": 2, "RMR": 1, "ER": 1, "Pers": 1, "LF": "3"}}}```"#;
    const EVEN: &str = r#"{"evaluation":
        {"response_a": {"AC": 3, "LC": 3, "RMR": 3, "ER": 3, "Pers": 3, "LF": 3},
        "response_b": {"AC": 4, "LC": 4, "RMR": 4, "ER": 4, "Pers": 4, "LF": 4}}}"#;

    fn compared(script: &[Act]) -> (Option<Sides>, Vec<String>) {
        let server = Server::start(script);
        let options = EndpointOptions::new(&server.url, "tiny");
        let judge = Pairwise::new(Arc::new(Endpoint::new(options).expect("an address")));
        let sides = judge
            .compare("How?", "I like tea", "With tea", "Well")
            .expect("asked");
        let prompts = server.requests().into_iter().map(|request| {
            request["messages"][0]["content"]
                .as_str()
                .expect("a prompt")
                .to_owned()
        });
        (sides, prompts.collect())
    }

    #[test]
    fn both_orders_are_asked_and_averaged() {
        let (sides, prompts) = compared(&[Act::Say(HIGH_LOW), Act::Say(EVEN)]);
        let sides = sides.expect("judged");
        assert_eq!(sides.first, [4.5; 6]);
        assert_eq!(sides.second, [2.0, 2.5, 2.0, 2.0, 2.0, 3.0]);
        assert!(prompts[0].contains("Response A: With tea\nResponse B: Well\n"));
        assert!(prompts[1].contains("Response A: Well\nResponse B: With tea\n"));
        assert!(prompts[0].contains("I like tea") && prompts[0].contains("RMR"));
    }

    #[test]
    fn a_missing_or_illegal_score_leaves_the_pair_unjudged() {
        assert_eq!(compared(&[Act::Say(EVEN), Act::Say("B is better")]).0, None);
        assert_eq!(scores(&EVEN.replace("\"LC\": 4", "\"LC\": 6")), None);
        assert_eq!(scores(&EVEN.replace("\"LF\": 3", "\"XX\": 3")), None);
        assert!(scores(EVEN).is_some());
    }
}
