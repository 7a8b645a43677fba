//! A writer without a model: it selects existing sentences and words.
//!
//! Summaries follow TextRank (Mihalcea and Tarau, 2004), with maximal marginal relevance (Carbonell
//! and Goldstein, 1998) against repetition; key phrases follow RAKE (Rose, Engel, Cramer and
//! Cowley, 2010) with names and numbers first. No rule depends on the corpus.

mod phrases;
mod sentences;

use super::lexical::words;
use super::writer::Writer;
use anyhow::Result;
use sentences::{Sentence, central, sentences};
use std::sync::Arc;
use weir_core::text::is_content_word;
use weir_models::CountTokens;

/// Maximum number of candidate sentences of a summary; the first ones of each text are preferred.
const SENTENCES_MAX: usize = 192;

/// Minimum content words of a part of a question that is searched separately.
const PART_WORDS_MIN: usize = 2;

/// Selects instead of writing.
pub struct ExtractiveWriter {
    counter: Arc<dyn CountTokens>,
}

impl ExtractiveWriter {
    /// A writer that measures summaries with this counter.
    #[must_use]
    pub fn new(counter: Arc<dyn CountTokens>) -> Self {
        Self { counter }
    }

    fn cost(&self, sentence: &Sentence<'_>) -> usize {
        let speaker = sentence
            .speaker
            .map_or(0, |name| self.counter.count(name) + 1);
        speaker + self.counter.count(sentence.text)
    }
}

impl Writer for ExtractiveWriter {
    fn name(&self) -> &str {
        "extractive"
    }

    fn summarise(&self, texts: &[&str], tokens_max: usize) -> Result<String> {
        let all = sentences(texts, SENTENCES_MAX);
        let costs: Vec<usize> = all.iter().map(|sentence| self.cost(sentence)).collect();
        let picked = central(&all, &costs, tokens_max);
        Ok(sentences::joined(picked.iter().map(|at| &all[*at])))
    }

    fn rewrite(&self, question: &str, queries_max: usize) -> Result<Vec<String>> {
        let mut queries = parts(question);
        queries.extend(by_name(question));
        queries.push(phrases::key_phrases(question, 6).join(" "));
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
        Ok(queries)
    }

    fn key_phrases(&self, text: &str, phrases_max: usize) -> Result<Vec<String>> {
        Ok(phrases::key_phrases(text, phrases_max))
    }
}

fn content(text: &str) -> Vec<String> {
    let mut words = words(text);
    words.retain(|word| is_content_word(word));
    words
}

/// The two sides of a conjunction, if each side is a question.
fn parts(question: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for word in question.split_whitespace() {
        let bare = word.trim_end_matches([',', ';']).to_lowercase();
        let joins = ["and", "or", "but", "before", "after", "while"].contains(&bare.as_str());
        if joins {
            parts.push(String::new());
            continue;
        }
        if let Some(part) = parts.last_mut() {
            part.push_str(word);
            part.push(' ');
        }
        if word.ends_with([';', '?']) {
            parts.push(String::new());
        }
    }
    let parts: Vec<String> = parts.iter().map(|part| part.trim().to_owned()).collect();
    let asks = |part: &&String| content(part).len() >= PART_WORDS_MIN;
    let asking: Vec<String> = parts.iter().filter(asks).cloned().collect();
    if asking.len() > 1 { asking } else { Vec::new() }
}

/// With several names, the question about each one alone.
fn by_name(question: &str) -> Vec<String> {
    let names = phrases::names(question);
    if names.len() < 2 {
        return Vec::new();
    }
    let of_names: Vec<String> = names.iter().flat_map(|name| words(name)).collect();
    let mut rest = content(question);
    rest.retain(|word| !of_names.contains(word));
    names
        .iter()
        .map(|name| format!("{name} {}", rest.join(" ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordPieceCounter;

    fn writer() -> ExtractiveWriter {
        ExtractiveWriter::new(Arc::new(WordPieceCounter::shared()))
    }

    const TALK: [&str; 5] = [
        "Ana: We moved to Lisbon in May. The flat in Lisbon is small.",
        "Bob: Okay.",
        "Ana: The small flat has a view of the river in Lisbon.",
        "Bob: I would love a view of the river!",
        "Ana: Hm.",
    ];

    #[test]
    fn a_summary_is_of_central_sentences_in_order_and_fits() {
        let whole = writer().summarise(&TALK, 1000).expect("it cannot fail");
        assert!(
            whole.starts_with("Ana: We moved to Lisbon in May. The flat"),
            "{whole}"
        );
        assert!(whole.contains("Bob: I would love a view"), "{whole}");
        for tokens_max in 0..60 {
            let text = writer()
                .summarise(&TALK, tokens_max)
                .expect("it cannot fail");
            let tokens = WordPieceCounter::shared().count(&text);
            assert!(tokens <= tokens_max, "{tokens} of {tokens_max}: {text}");
        }
        let short = writer().summarise(&TALK, 18).expect("it cannot fail");
        assert!(short.contains("flat") && !short.contains("Hm"), "{short}");
        assert_eq!(writer().summarise(&[], 50).expect("it cannot fail"), "");
    }

    #[test]
    fn a_question_falls_into_its_parts() {
        let ask = |question: &str| writer().rewrite(question, 8).expect("it cannot fail");
        let parts = ask("Where did Ana buy the red kite and when did Bob lose it?");
        assert_eq!(parts[0], "Where did Ana buy the red kite");
        assert!(
            parts.contains(&"ana buy red kite lose".to_owned()),
            "{parts:?}"
        );
        let one = ask("What colour is the kite?");
        assert!(one.contains(&"colour kite".to_owned()), "{one:?}");
        assert!(!one.iter().any(|query| query == "What colour is the kite?"));
        assert_eq!(ask("").len(), 0);
        assert_eq!(
            writer()
                .rewrite("Ana, Bob or Eve?", 1)
                .expect("it cannot fail")
                .len(),
            1
        );
    }
}
