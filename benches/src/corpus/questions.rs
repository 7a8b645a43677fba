//! Natural questions, written for this project, about dialogues of public corpora
//! (`benches/questions`).

use crate::files;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::Path;

/// The first character of the scripts of East Asia.
const FIRST_UNSPACED: char = '\u{2e80}';

/// One question.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Natural {
    pub(crate) corpus: String,
    pub(crate) half: String,
    pub(crate) stream: String,
    pub(crate) id: String,
    pub(crate) question: String,
    /// `None` for a question without an answer in the stream.
    pub(crate) answer: Option<String>,
    /// Groups of alternatives: a right answer has one of each.
    pub(crate) keys: Vec<Vec<String>>,
    pub(crate) asked_by: Option<String>,
}

impl Natural {
    /// Whether the first words of a text contain one alternative of each group at the start of a
    /// word; short alternatives and numbers must be whole words.
    pub(crate) fn is_right(&self, text: &str, words: usize) -> bool {
        let first: Vec<&str> = text.split_whitespace().take(words).collect();
        let first = first.join(" ").to_lowercase();
        let group = |keys: &Vec<String>| keys.iter().any(|key| holds(&first, &key.to_lowercase()));
        self.keys.iter().all(group)
    }
}

fn holds(text: &str, key: &str) -> bool {
    // Japanese has no spaces between words
    if key.starts_with(|c: char| c >= FIRST_UNSPACED) {
        return text.contains(key);
    }
    let whole = key.len() <= 2 || key.ends_with(|c: char| c.is_ascii_digit());
    text.match_indices(key).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + key.len()..].chars().next();
        let joined = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !(joined(before) || whole && joined(after))
    })
}

/// Reads questions, one JSON object per line.
pub(crate) fn read(file: &Path) -> Result<Vec<Natural>> {
    let text = files::text(file)?;
    let lines = text.lines().enumerate();
    lines
        .map(|(at, line)| {
            let wrong = || format!("{}, line {}: not a question", file.display(), at + 1);
            serde_json::from_str(line).with_context(wrong)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_answer_has_one_of_each_group() {
        let line = r#"{"corpus":"c","half":"test","stream":"s","id":"q","question":"?",
            "answer":"7 May","keys":[["7"],["may","maying"]],"asked_by":null}"#;
        let question: Natural = serde_json::from_str(line).expect("a question");
        assert!(question.is_right("It was on 7 May 2023.", 40));
        assert!(question.is_right("7 MAYBE", 40), "a beginning is enough");
        assert!(!question.is_right("It was on 17 May.", 40));
        assert!(!question.is_right("It was in May.", 40));
        assert!(!question.is_right("one two three 7 May", 3));
        assert!(holds("九月に金沢へ", "金沢"));
    }

    #[test]
    fn all_questions_can_be_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("questions");
        for (file, all, nothing) in [("natural.jsonl", 200, 40), ("languages.jsonl", 45, 9)] {
            let questions = read(&folder.join(file)).expect("the questions");
            assert_eq!(questions.len(), all, "{file}");
            let unanswerable = questions.iter().filter(|q| q.answer.is_none());
            assert_eq!(unanswerable.count(), nothing, "{file}");
            let right = questions.iter().filter(|q| q.answer.is_some());
            for question in right {
                assert!(!question.keys.is_empty(), "{}", question.id);
            }
        }
    }
}
