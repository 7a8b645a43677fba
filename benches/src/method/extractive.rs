//! What memories write: by a language model where one is given, else without one, by selecting
//! sentences and words in its place.
//!
//! Summaries follow TextRank (Mihalcea and Tarau, 2004), with maximal marginal relevance (Carbonell
//! and Goldstein, 1998) against repetition; key phrases follow RAKE (Rose, Engel, Cramer and
//! Cowley, 2010) with names and numbers first. No rule depends on the corpus.

mod phrases;
mod sentences;

use super::lexical::words;
use crate::options::Model;
use anyhow::Result;
use phrases::key_phrases;
use sentences::{Sentence, central, joined, sentences};
use std::sync::Arc;
use weir_core::text::is_content_word;
use weir_models::{CountTokens, Flow, Generate, Message, Request, Role};

/// Minimum content words of a part of a question that is searched separately.
const PART_WORDS_MIN: usize = 2;

/// Maximum tokens of a line that a model writes.
const LINE_TOKENS_MAX: usize = 32;

/// Writes summaries, phrases and queries.
pub(crate) struct Writer {
    counter: Arc<dyn CountTokens>,
    pub(super) model: Option<Model>,
}

impl Writer {
    /// A writer without a model, which measures summaries with this counter.
    pub(crate) fn new(counter: Arc<dyn CountTokens>) -> Self {
        Self {
            counter,
            model: None,
        }
    }

    /// What the model, if there is one, replies to a text.
    fn asked(&self, told: &str, text: &str, tokens_max: usize) -> Result<Option<String>> {
        let Some(model) = self.model.as_ref().filter(|_| !text.trim().is_empty()) else {
            return Ok(None);
        };
        let messages = [(Role::System, told), (Role::User, text)];
        let messages = messages.map(|(role, text)| Message::new(role, text));
        let request = Request::new(messages.into(), tokens_max);
        Ok(Some(
            model.clone().generate(&request, &mut |_| Flow::On)?.text,
        ))
    }

    /// The first lines of its reply, without the marks of a list.
    fn lines(&self, told: &str, text: &str, lines_max: usize) -> Result<Option<Vec<String>>> {
        let told = format!("{told} One a line, at most {lines_max}, and nothing else.");
        let reply = self.asked(&told, text, lines_max * LINE_TOKENS_MAX)?;
        let mark = |c: char| !c.is_alphanumeric() && !matches!(c, '"' | '\'');
        let bare = |line: &str| {
            let numbered = line.split_once(['.', ')']);
            let numbered = numbered.filter(|(number, _)| number.trim().parse::<u8>().is_ok());
            numbered
                .map_or(line, |(_, text)| text)
                .trim_start_matches(mark)
                .trim()
                .to_owned()
        };
        let lines = |reply: String| {
            let lines = reply.lines().map(bare).filter(|line| !line.is_empty());
            lines.take(lines_max).collect()
        };
        Ok(reply.map(lines))
    }

    /// A summary of texts within a token limit.
    pub(crate) fn summarise(&self, texts: &[&str], tokens_max: usize) -> Result<String> {
        let told = format!(
            "Write a summary of the talk with as many of its key details as possible, in at most \
             {} words. Write the summary alone.",
            tokens_max * 3 / 4
        );
        let written = match self.asked(&told, &texts.join("\n"), tokens_max.max(1))? {
            Some(reply) => reply.split_whitespace().collect::<Vec<_>>().join(" "),
            None => {
                let all = sentences(texts);
                let cost = |sentence: &Sentence<'_>| {
                    let name = sentence.speaker.map_or(0, |it| self.counter.count(it) + 1);
                    name + self.counter.count(sentence.text)
                };
                let costs: Vec<usize> = all.iter().map(cost).collect();
                let picked = central(&all, &costs, tokens_max);
                joined(picked.iter().map(|at| &all[*at]))
            }
        };
        Ok(self.cut(&written, tokens_max).to_owned())
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

    /// Names, numbers and key phrases of a text, up to a number; in lower case.
    pub(crate) fn phrases(&self, text: &str, phrases_max: usize) -> Result<Vec<String>> {
        let told = "Name the key concepts of what is said, as it words them: names first, then \
            numbers and nouns.";
        let lines = self.lines(told, text, phrases_max)?;
        let lower = |lines: Vec<String>| lines.iter().map(|line| line.to_lowercase()).collect();
        Ok(lines.map_or_else(|| key_phrases(text, phrases_max), lower))
    }

    /// What the model, if there is one, recalls of a memory to answer a question.
    pub(crate) fn clues(
        &self,
        question: &str,
        memory: &str,
        clues_max: usize,
    ) -> Result<Option<Vec<String>>> {
        let told = "Give clues from the notes that help to find in the talk what answers the \
            question.";
        let text = format!("Notes:\n{memory}\n\nQuestion: {question}");
        self.lines(told, &text, clues_max)
    }

    /// Queries refined from a question, up to a number and without the question itself: the
    /// model's, else its parts, its key phrases and its content words.
    pub(crate) fn rewrite(&self, question: &str, queries_max: usize) -> Result<Vec<String>> {
        let told = "Rewrite the question, or split it into simpler ones, so that each finds a \
            part of the answer in a search.";
        let asked = self.lines(told, question, queries_max)?;
        let mut queries = asked.unwrap_or_else(|| {
            let words = [key_phrases(question, 6), content(question)];
            let words = words.map(|words| words.join(" "));
            parts(question).into_iter().chain(words).collect()
        });
        let mut seen = vec![words(question)];
        queries.retain(|query| {
            let words = words(query);
            let new = !words.is_empty() && !seen.contains(&words);
            seen.push(words);
            new
        });
        queries.truncate(queries_max);
        Ok(queries)
    }
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
    let asking = sides.filter(|side| content(side).len() >= PART_WORDS_MIN);
    let asking: Vec<String> = asking.collect();
    if asking.len() > 1 { asking } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordPieceCounter;
    use weir_models::testing::Says;

    const TALK: [&str; 5] = [
        "Ana: We moved to Lisbon in May. The flat in Lisbon is small.",
        "Bob: Okay.",
        "Ana: The small flat has a view of the river in Lisbon.",
        "Bob: I would love a view of the river!",
        "Ana: Hm.",
    ];

    fn writer() -> Writer {
        Writer::new(Arc::new(WordPieceCounter::shared()))
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
        let summarise = |texts: &[&str], tokens_max| {
            let written = writer.summarise(texts, tokens_max);
            written.expect("no model is asked")
        };
        let whole = summarise(&TALK, 1000);
        let first = "Ana: We moved to Lisbon in May. The flat";
        assert!(whole.starts_with(first), "{whole}");
        assert!(whole.contains("Bob: I would love a view"), "{whole}");
        for tokens_max in 0..60 {
            let text = summarise(&TALK, tokens_max);
            let tokens = WordPieceCounter::shared().count(&text);
            assert!(tokens <= tokens_max, "{tokens} of {tokens_max}: {text}");
        }
        let short = summarise(&TALK, 18);
        assert!(short.contains("flat") && !short.contains("Hm"), "{short}");
        assert_eq!(summarise(&[], 50), "");
    }

    #[test]
    fn a_question_falls_into_its_parts() {
        let rewrite = |question, queries_max| {
            let queries = writer().rewrite(question, queries_max);
            queries.expect("no model is asked")
        };
        let asked = "Where did Ana buy the red kite and when did Bob lose it?";
        let parts = rewrite(asked, 8);
        assert_eq!(parts[0], "Where did Ana buy the red kite");
        let content = "ana buy red kite bob lose";
        assert!(parts.iter().any(|part| part == content), "{parts:?}");
        let one = rewrite("What colour is the kite?", 8);
        assert!(one.contains(&"colour kite".to_owned()), "{one:?}");
        assert!(!one.iter().any(|query| query == "What colour is the kite?"));
        assert_eq!(rewrite("", 8).len(), 0);
        assert_eq!(rewrite(asked, 1).len(), 1);
    }

    #[test]
    fn a_model_writes_what_the_papers_ask_one_for() {
        let model = Says::with(|request| {
            let told = &request.messages[0].content;
            let reply = match told.contains("summary") {
                true => "They live\nin Lisbon, in a flat that has a view.",
                false => "1. Lisbon flat\n- Where is it?\n\n* 7 rooms\n- more",
            };
            Ok(reply.to_owned())
        });
        let writer = Writer {
            model: Some(Model::new(Box::new(model.clone()), None)),
            ..writer()
        };
        let written = writer.summarise(&TALK, 6).expect("it replies");
        assert_eq!(written, "They live in Lisbon, in");
        assert_eq!(model.asked()[0].messages[1].content, TALK.join("\n"));
        let phrases = writer.phrases(TALK[0], 3).expect("it replies");
        assert_eq!(phrases, ["lisbon flat", "where is it?", "7 rooms"]);
        let queries = writer.rewrite("Where is it?", 3).expect("it replies");
        assert_eq!(queries, ["Lisbon flat", "7 rooms"]);
        let clues = writer.clues("Where?", "It is in Lisbon.", 1);
        let clues = clues.expect("it replies").expect("a model");
        assert_eq!(clues, ["Lisbon flat"]);
        // nothing is asked about nothing, and what fails is told
        assert_eq!(writer.summarise(&[""], 9).expect("nothing"), "");
        assert_eq!(model.asked().len(), 4);
        let writer = Writer {
            model: Some(Model::new(Box::new(Says::failing("it is gone")), None)),
            ..writer
        };
        writer.phrases("Ana", 3).expect_err("the model is gone");
    }
}
