//! A writer without a model: it selects sentences and words in the place of a language model.
//!
//! Summaries follow TextRank (Mihalcea and Tarau, 2004), with maximal marginal relevance (Carbonell
//! and Goldstein, 1998) against repetition; key phrases follow RAKE (Rose, Engel, Cramer and
//! Cowley, 2010) with names and numbers first. No rule depends on the corpus.

mod phrases;
mod sentences;

use super::lexical::words;
use sentences::{Sentence, central, joined, sentences};
use std::sync::Arc;
use weir_core::text::is_content_word;
use weir_models::CountTokens;

pub(crate) use phrases::key_phrases;

/// Maximum number of candidate sentences of a summary; the first ones of each text are preferred.
const SENTENCES_MAX: usize = 192;

/// Minimum content words of a part of a question that is searched separately.
const PART_WORDS_MIN: usize = 2;

/// Selects the sentences of summaries.
pub(crate) struct ExtractiveWriter {
    counter: Arc<dyn CountTokens>,
}

impl ExtractiveWriter {
    /// A writer that measures summaries with this counter.
    pub(crate) fn new(counter: Arc<dyn CountTokens>) -> Self {
        Self { counter }
    }

    fn cost(&self, sentence: &Sentence<'_>) -> usize {
        let speaker = sentence
            .speaker
            .map_or(0, |name| self.counter.count(name) + 1);
        speaker + self.counter.count(sentence.text)
    }

    /// A summary of texts within a token limit.
    pub(crate) fn summarise(&self, texts: &[&str], tokens_max: usize) -> String {
        let all = sentences(texts, SENTENCES_MAX);
        let costs: Vec<usize> = all.iter().map(|sentence| self.cost(sentence)).collect();
        let picked = central(&all, &costs, tokens_max);
        let written = joined(picked.iter().map(|at| &all[*at]));
        self.cut(&written, tokens_max).to_owned()
    }

    /// The longest prefix of `text` with at most this many tokens, cut between words.
    pub(crate) fn cut<'a>(&self, text: &'a str, tokens_max: usize) -> &'a str {
        if self.counter.count(text) <= tokens_max {
            return text;
        }
        let spaces = text.char_indices().filter(|(_, c)| c.is_whitespace());
        let mut ends: Vec<usize> = spaces.map(|(at, _)| at).collect();
        ends.insert(0, 0);
        // a longer prefix never has fewer tokens
        let fitting = ends.partition_point(|end| self.counter.count(&text[..*end]) <= tokens_max);
        text[..ends[fitting.saturating_sub(1)]].trim_end()
    }
}

/// Parts of a question, its key phrases and its content words, up to a number; without the
/// question itself.
pub(crate) fn rewrite(question: &str, queries_max: usize) -> Vec<String> {
    let mut queries = parts(question);
    queries.push(key_phrases(question, 6).join(" "));
    queries.push(content(question).join(" "));
    let mut seen = vec![words(question)];
    queries.retain(|query| {
        let words = words(query);
        let new = !words.is_empty() && !seen.contains(&words);
        if new {
            seen.push(words);
        }
        new
    });
    queries.truncate(queries_max);
    queries
}

fn content(text: &str) -> Vec<String> {
    let mut words = words(text);
    words.retain(|word| is_content_word(word));
    words
}

/// The sides of a conjunction, if several of them are questions.
fn parts(question: &str) -> Vec<String> {
    const JOINS: [&str; 6] = ["and", "or", "but", "before", "after", "while"];
    let words: Vec<&str> = question.split_whitespace().collect();
    let sides = words.split(|word| JOINS.contains(&word.trim_end_matches([',', ';'])));
    let sides = sides.map(|side| side.join(" "));
    let asking: Vec<String> = sides
        .filter(|side| content(side).len() >= PART_WORDS_MIN)
        .collect();
    if asking.len() > 1 { asking } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordPieceCounter;

    const TALK: [&str; 5] = [
        "Ana: We moved to Lisbon in May. The flat in Lisbon is small.",
        "Bob: Okay.",
        "Ana: The small flat has a view of the river in Lisbon.",
        "Bob: I would love a view of the river!",
        "Ana: Hm.",
    ];

    fn writer() -> ExtractiveWriter {
        ExtractiveWriter::new(Arc::new(WordPieceCounter::shared()))
    }

    #[test]
    fn text_is_cut_between_words() {
        for (tokens, expected) in [(0, ""), (1, "one"), (2, "one two"), (9, "one two three")] {
            assert_eq!(writer().cut("one two three", tokens), expected);
        }
        assert_eq!(writer().cut("Unbelievableness of it", 1), "");
    }

    #[test]
    fn a_summary_is_of_central_sentences_in_order_and_fits() {
        let writer = writer();
        let whole = writer.summarise(&TALK, 1000);
        assert!(
            whole.starts_with("Ana: We moved to Lisbon in May. The flat"),
            "{whole}"
        );
        assert!(whole.contains("Bob: I would love a view"), "{whole}");
        for tokens_max in 0..60 {
            let text = writer.summarise(&TALK, tokens_max);
            let tokens = WordPieceCounter::shared().count(&text);
            assert!(tokens <= tokens_max, "{tokens} of {tokens_max}: {text}");
        }
        let short = writer.summarise(&TALK, 18);
        assert!(short.contains("flat") && !short.contains("Hm"), "{short}");
        assert_eq!(writer.summarise(&[], 50), "");
    }

    #[test]
    fn a_question_falls_into_its_parts() {
        let asked = "Where did Ana buy the red kite and when did Bob lose it?";
        let parts = rewrite(asked, 8);
        assert_eq!(parts[0], "Where did Ana buy the red kite");
        assert!(
            parts.contains(&"ana buy red kite bob lose".to_owned()),
            "{parts:?}"
        );
        let one = rewrite("What colour is the kite?", 8);
        assert!(one.contains(&"colour kite".to_owned()), "{one:?}");
        assert!(!one.iter().any(|query| query == "What colour is the kite?"));
        assert_eq!(rewrite("", 8).len(), 0);
        assert_eq!(rewrite(asked, 1).len(), 1);
    }
}
