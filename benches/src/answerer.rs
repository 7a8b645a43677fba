//! Turns a context into an answer without a model: the line nearest to the question.
//!
//! One answerer for all methods, so that only memory differs. It knows nothing of how a context was
//! made. Where no line is near it abstains; how near is the profile's least similarity in recall.

use crate::lines;
use crate::method::Answered;
use anyhow::Result;
use std::sync::Arc;
use weir_core::config::EncoderProfile;
use weir_core::vectors::dot;
use weir_models::Encode;

/// The answer when the context has none.
pub(crate) const ABSTENTION: &str = "Nothing I have heard answers that.";

/// Answers questions from contexts.
pub(crate) struct Answerer {
    encoder: Arc<dyn Encode>,
    cosine_min: f32,
}

impl Answerer {
    /// An answerer that compares lines and questions with `encoder`.
    pub(crate) fn new(encoder: Arc<dyn Encode>) -> Self {
        let profile = EncoderProfile::for_encoder(&encoder.identity().name);
        Self {
            encoder,
            cosine_min: profile.recall_cosine,
        }
    }

    /// Answers from the context alone, or abstains.
    pub(crate) fn answer(&self, question: &str, context: &str) -> Result<Answered> {
        let asked = self.encoder.encode(&[question])?.pop().unwrap_or_default();
        let mut best = (self.cosine_min, None);
        for line in lines::read(context) {
            let statements = line.statements();
            let texts: Vec<&str> = statements.iter().map(String::as_str).collect();
            let cosines = self.encoder.encode(&texts)?;
            let nearest = cosines.iter().map(|vector| dot(&asked, vector));
            let nearest = nearest.fold(f32::NEG_INFINITY, f32::max);
            if nearest > best.0 {
                best = (nearest, Some(line.text));
            }
        }
        Ok(Answered {
            text: best.1.unwrap_or(ABSTENTION).to_owned(),
            abstained: best.1.is_none(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordHashEncoder;

    #[test]
    fn the_nearest_line_is_quoted_and_what_nothing_supports_is_not_answered() {
        let context = "## Short-term Memory:\n[8 May 2023]\n\
            10:00 Anna: We sold the boat to a fisherman in Porto.\n\
            10:02 Bob: I bought three cats in Porto.\n";
        let answerer = Answerer::new(Arc::new(WordHashEncoder::new()));
        let answered = |question: &str, context: &str| {
            let answer = answerer.answer(question, context);
            answer.expect("words are encoded")
        };
        let sold = answered("Who did Anna sell the boat to?", context);
        assert_eq!(sold.text, "Anna: We sold the boat to a fisherman in Porto.");
        assert!(!sold.abstained);
        for context in ["", "## Long-term Memory:\n[8 May 2023]\n", context] {
            let none = answered("Which violin concerto moved Carol?", context);
            assert!(none.abstained, "{}", none.text);
            assert_eq!(none.text, ABSTENTION);
        }
    }
}
