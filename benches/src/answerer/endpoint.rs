//! A language model behind an endpoint as the answerer, prompted like ProStream (appendix B.2).
//!
//! The prompt follows that template in our own words, with two differences: it tells the model how
//! to say that the context has no answer, and it names who asks. It contains every method's context
//! as the method wrote it.

use super::{ABSTENTION, Answerer};
use crate::endpoint::Endpoint;
use crate::method::Answered;
use anyhow::Result;
use std::sync::Arc;

/// Maximum tokens of an answer.
const ANSWER_TOKENS_MAX: usize = 128;
const SYSTEM: &str = "You answer directly and briefly: key points only, and no opening such as \
    \"Based on\" or \"According to\".";

/// Answers with a model at temperature 0.
pub struct EndpointAnswerer {
    endpoint: Arc<Endpoint>,
}

impl EndpointAnswerer {
    /// An answerer that uses `endpoint`.
    #[must_use]
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        Self { endpoint }
    }
}

impl Answerer for EndpointAnswerer {
    fn name(&self) -> &str {
        self.endpoint.model()
    }

    fn answer(&self, question: &str, asked_by: Option<&str>, context: &str) -> Result<Answered> {
        let prompt = prompt(question, asked_by, context);
        let text = self
            .endpoint
            .chat(Some(SYSTEM), &prompt, ANSWER_TOKENS_MAX)?;
        let abstained = text.is_empty() || plain(&text).starts_with(&plain(ABSTENTION));
        Ok(Answered { text, abstained })
    }
}

fn prompt(question: &str, asked_by: Option<&str>, context: &str) -> String {
    let asker = asked_by
        .map(|name| format!(" ({name} asks)"))
        .unwrap_or_default();
    let context = context.trim();
    let memory = match (context.is_empty(), context.starts_with("## ")) {
        (true, _) => "## Memory:\n(nothing)".to_owned(),
        (false, true) => context.to_owned(),
        (false, false) => format!("## Memory:\n{context}"),
    };
    format!(
        "Think the following question over, then answer it directly with its key points only. \
         Begin with the answer itself, not with \"Based on\" or \"According to\". Use nothing but \
         the memory below; if it does not hold the answer, write exactly: {ABSTENTION}\n\n\
         {memory}\n\nQuestion{asker}: {question}\n\
         Answer (key points, no introduction):"
    )
}

/// Lower-case letters and digits only, so that punctuation around an abstention is ignored.
fn plain(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::EndpointOptions;
    use crate::endpoint::server::{Act, Server};

    #[test]
    fn the_prompt_holds_context_and_question_and_abstentions_are_seen() {
        let server = Server::start(&[
            Act::Say("Lisbon"),
            Act::Say("\"Nothing I have heard answers that\""),
            Act::Say(""),
        ]);
        let options = EndpointOptions::new(&server.url, "tiny");
        let endpoint = Arc::new(Endpoint::new(options).expect("an address"));
        let answerer = EndpointAnswerer::new(endpoint);
        assert_eq!(answerer.name(), "tiny");
        let answer = |asker, context| {
            let answer = answerer.answer("Where to?", asker, context);
            let answer = answer.expect("answered");
            (answer.text, answer.abstained)
        };
        assert_eq!(
            answer(Some("Bob"), "Anna: Lisbon!"),
            ("Lisbon".to_owned(), false)
        );
        assert!(answer(None, "## Long-term Memory:\nAnna: Lisbon!").1);
        assert!(answer(None, "").1);
        let asked = server.requests();
        let asked = |at: usize| {
            asked[at]["messages"][1]["content"]
                .as_str()
                .expect("a prompt")
        };
        assert!(asked(0).contains("## Memory:\nAnna: Lisbon!\n"));
        assert!(asked(0).contains("Question (Bob asks): Where to?"));
        assert!(!asked(1).contains("## Memory:") && asked(1).contains("Question: Where to?"));
        assert!(asked(2).contains("(nothing)"));
    }
}
