//! A language model behind an endpoint as the writer of summaries, queries and key phrases.

use super::Endpoint;
use crate::method::writer::Writer;
use anyhow::Result;
use std::sync::Arc;
use weir_models::{CountTokens, WordPieceCounter};

/// Maximum tokens of a reply that is a list.
const LIST_TOKENS_MAX: usize = 256;
/// Margin, because a model's tokens may be shorter than the counter's.
const ROOM: usize = 2;

/// Writes with a model at temperature 0.
pub struct EndpointWriter {
    endpoint: Arc<Endpoint>,
    counter: &'static WordPieceCounter,
}

impl EndpointWriter {
    /// A writer that uses `endpoint`.
    #[must_use]
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        Self {
            endpoint,
            counter: WordPieceCounter::shared(),
        }
    }

    /// The longest prefix of a text with at most this many tokens, cut between words.
    fn cut(&self, text: &str, tokens_max: usize) -> String {
        if self.counter.count(text) <= tokens_max {
            return text.to_owned();
        }
        let blanks = text.match_indices(char::is_whitespace).map(|(at, _)| at);
        let ends: Vec<usize> = std::iter::once(0).chain(blanks).collect();
        let fits = |end: &usize| self.counter.count(&text[..*end]) <= tokens_max;
        let fitting = ends.partition_point(fits);
        text[..ends[fitting.saturating_sub(1)]]
            .trim_end()
            .to_owned()
    }

    fn listed(&self, prompt: &str, items_max: usize) -> Result<Vec<String>> {
        let reply = self.endpoint.chat(None, prompt, LIST_TOKENS_MAX)?;
        Ok(items(&reply, items_max))
    }
}

impl Writer for EndpointWriter {
    fn name(&self) -> &str {
        self.endpoint.model()
    }

    fn summarise(&self, texts: &[&str], tokens_max: usize) -> Result<String> {
        let prompt = format!(
            "Summarise this talk in at most {} words. Keep who said what, names, figures and days. \
             Write statements only, nothing before or after them.\n\n{}",
            (tokens_max * 3 / 4).max(1),
            texts.join("\n")
        );
        let reply = self.endpoint.chat(None, &prompt, tokens_max * ROOM)?;
        Ok(self.cut(&reply, tokens_max))
    }

    fn rewrite(&self, question: &str, queries_max: usize) -> Result<Vec<String>> {
        let prompt = format!(
            "To find what answers the question below in a record of talk, write at most \
             {queries_max} search queries: the question in other words, or its parts where it has \
             several. One query a line, nothing else.\n\nQuestion: {question}"
        );
        let mut queries = self.listed(&prompt, queries_max + 1)?;
        queries.retain(|query| !query.eq_ignore_ascii_case(question.trim()));
        queries.truncate(queries_max);
        Ok(queries)
    }

    fn key_phrases(&self, text: &str, phrases_max: usize) -> Result<Vec<String>> {
        let prompt = format!(
            "List the at most {phrases_max} names and key phrases that tell best what this text is \
             about, the most telling first. One a line, nothing else.\n\n{text}"
        );
        let phrases = self.listed(&prompt, phrases_max)?;
        Ok(phrases.iter().map(|phrase| phrase.to_lowercase()).collect())
    }
}

/// The items of a list, one per line, without marks, numbers and quotes, without duplicates.
fn items(reply: &str, items_max: usize) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in reply.lines() {
        let line = line.trim();
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
        let line = if numbered { &digits[1..] } else { line };
        let item = line.trim_matches(|c: char| " -*•\"'“”\t".contains(c));
        let known = items.iter().any(|other| other == item);
        if !item.is_empty() && !known && items.len() < items_max {
            items.push(item.to_owned());
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::super::EndpointOptions;
    use super::super::server::{Act, Server};
    use super::*;

    fn writer(server: &Server) -> EndpointWriter {
        let options = EndpointOptions::new(&server.url, "tiny");
        EndpointWriter::new(Arc::new(Endpoint::new(options).expect("an address")))
    }

    #[test]
    fn a_summary_keeps_to_its_tokens() {
        let server = Server::start(&[Act::Say("Anna sold the boat to Bob in May.")]);
        let writer = writer(&server);
        assert_eq!(
            writer.summarise(&["a", "b"], 4).expect("written"),
            "Anna sold the boat"
        );
        assert_eq!(writer.summarise(&["a"], 40).expect("written").len(), 33);
        let asked = server.requests();
        let asked = asked[0]["messages"][0]["content"]
            .as_str()
            .expect("a prompt");
        assert!(
            asked.contains("at most 3 words") && asked.ends_with("a\nb"),
            "{asked}"
        );
    }

    #[test]
    fn lists_lose_their_marks_and_the_question() {
        let list = "1. Who sold it?\n2) \"the boat's sale\"\n- who SOLD it?\n\n* 1999 boats\nmore";
        let server = Server::start(&[Act::Say(list)]);
        let writer = writer(&server);
        let queries = writer.rewrite("Who sold it?", 2).expect("written");
        assert_eq!(queries, ["the boat's sale"]);
        let phrases = writer.key_phrases("text", 4).expect("written");
        assert_eq!(
            phrases[1..],
            ["the boat's sale", "who sold it?", "1999 boats"]
        );
    }
}
