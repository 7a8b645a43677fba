//! Follow-up questions made of questions that stand alone.
//!
//! A question that names exactly one speaker of the stream becomes up to three follow-ups:
//!
//! - **person**: the name becomes "he", "she" or, where neither is known, "they". Before it stand
//!   the last question of the list about another single speaker with its answer, and the last one
//!   about the same speaker with its answer.
//! - **thing**: the last phrase with an article becomes "it" too, or "there" after "to", "at" or
//!   "in". Before it stand "Did NAME mention PHRASE?" and "Yes."
//! - **elliptic**: "And NAME?", or "What about NAME?" for every second question. Before it stand
//!   the question with the next speaker's name in the place of the name, and "I don't know."
//!
//! An asker is "user" and answers come from "assistant", as in a session with an assistant.

use crate::stream::Probe;
use weir_core::text::{display_words, is_content_word};

/// A follow-up, and the turns before it: who said what.
pub(super) struct Followup {
    pub(super) kind: &'static str,
    pub(super) question: String,
    pub(super) before: Vec<(&'static str, String)>,
}

/// Common names of the streams with their pronoun; all others are "they".
const SHE: [&str; 5] = ["caroline", "melanie", "gina", "maria", "joanna"];
const HE: [&str; 4] = ["jon", "john", "nate", "tim"];
/// Words after which a name is the subject of the question.
const BEFORE_SUBJECT: [&str; 24] = [
    "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "will", "would", "can",
    "could", "might", "should", "when", "what", "why", "how", "where", "who", "that", "which",
];
const ARTICLES: [&str; 3] = ["the", "a", "an"];
const TO_PLACES: [&str; 3] = ["to", "at", "in"];

/// The follow-ups of the question with this index. `speakers` are all names of the stream.
pub(super) fn of(at: usize, probes: &[&Probe], speakers: &[String]) -> Vec<Followup> {
    let question = &probes[at].question;
    let Some(name) = only_one(question, speakers) else {
        return Vec::new();
    };
    let mut made = Vec::new();
    let earlier = |same: bool| {
        let fits = |probe: &&&Probe| {
            let of = only_one(&probe.question, speakers);
            of.is_some_and(|of| (of == name) == same)
        };
        probes[..at].iter().rev().find(fits)
    };
    let asked = with_pronoun(question, name);
    if let (Some(other), Some(same)) = (earlier(false), earlier(true)) {
        made.push(Followup {
            kind: "person",
            question: asked.clone(),
            before: exchange(other).into_iter().chain(exchange(same)).collect(),
        });
    }
    if let Some((phrase, question)) = without_thing(&asked) {
        let mention = format!("Did {name} mention {phrase}?");
        made.push(Followup {
            kind: "thing",
            question,
            before: vec![("user", mention), ("assistant", "Yes.".to_owned())],
        });
    }
    let next = speakers
        .iter()
        .position(|it| it == name)
        .map_or(0, |n| n + 1);
    let other = &speakers[next % speakers.len()];
    let phrase = if at.is_multiple_of(2) {
        "And"
    } else {
        "What about"
    };
    made.push(Followup {
        kind: "elliptic",
        question: format!("{phrase} {name}?"),
        before: vec![
            ("user", question.replace(name, other)),
            ("assistant", "I don't know.".to_owned()),
        ],
    });
    made
}

/// A question and its answer as two turns.
fn exchange(probe: &Probe) -> [(&'static str, String); 2] {
    let answer = probe.gold.answer.as_deref().unwrap_or("I don't know.");
    [
        ("user", probe.question.clone()),
        ("assistant", answer.to_owned()),
    ]
}

/// The only speaker whose name stands in a question.
fn only_one<'a>(question: &str, speakers: &'a [String]) -> Option<&'a str> {
    let mut named = speakers
        .iter()
        .filter(|name| !places(question, name).is_empty());
    let first = named.next()?;
    named.next().is_none().then_some(first.as_str())
}

/// The places of a name as whole words.
fn places(text: &str, name: &str) -> Vec<usize> {
    let whole = |at: &usize| {
        let outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        let end = text[*at + name.len()..].chars().next();
        outside(text[..*at].chars().next_back()) && outside(end)
    };
    let found = text.match_indices(name).map(|(at, _)| at);
    found.filter(whole).collect()
}

/// The question with a pronoun for each place of the name.
pub(super) fn with_pronoun(question: &str, name: &str) -> String {
    let lower = name.to_lowercase();
    let [subject, object, owner] = match lower.as_str() {
        it if SHE.contains(&it) => ["she", "her", "her"],
        it if HE.contains(&it) => ["he", "him", "his"],
        _ => ["they", "them", "their"],
    };
    let mut text = question.to_owned();
    for at in places(question, name).into_iter().rev() {
        let end = at + name.len();
        let rest = &question[end..];
        let tail = rest.strip_prefix("'s").or_else(|| rest.strip_prefix("’s"));
        let end = question.len() - tail.unwrap_or(rest).len();
        let before = question[..at].trim_end();
        // "the Project Manager" goes as a whole
        let article = before.to_lowercase().ends_with(" the");
        let from = if article { before.len() - 3 } else { at };
        let last = display_words(&question[..from])
            .last()
            .unwrap_or_default()
            .to_lowercase();
        let pronoun = match tail {
            Some(_) => owner,
            None if last.is_empty() || BEFORE_SUBJECT.contains(&last.as_str()) => subject,
            None => object,
        };
        text.replace_range(from..end, pronoun);
    }
    text
}

/// The last phrase with an article, and the question with "it" or "there" in its place.
fn without_thing(question: &str) -> Option<(String, String)> {
    let words: Vec<&str> = question.split_whitespace().collect();
    let plain = |word: &str| {
        word.trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    };
    let at = words.iter().rposition(|word| ARTICLES.contains(word))?;
    let ends = |word: &&&str| !word.ends_with([',', '?']) && is_content_word(&plain(word));
    let inner = words[at + 1..].iter().take_while(ends).count();
    // the word with the punctuation belongs to the phrase
    let last = words
        .get(at + 1 + inner)
        .filter(|it| is_content_word(&plain(it)));
    let end = at + 1 + inner + usize::from(last.is_some());
    if end == at + 1 {
        return None;
    }
    let phrase = words[at..end].join(" ");
    let phrase = phrase.trim_end_matches(['?', ',', '.']).to_owned();
    let to = at > 0 && TO_PLACES.contains(&words[at - 1]);
    let (from, pronoun) = if to { (at - 1, "there") } else { (at, "it") };
    let mark = if end == words.len() { "?" } else { "" };
    let pronoun = format!("{pronoun}{mark}");
    let made: Vec<&str> = words[..from]
        .iter()
        .copied()
        .chain([pronoun.as_str()])
        .chain(words[end..].iter().copied())
        .collect();
    Some((phrase, made.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Gold;

    fn probe(question: &str, answer: &str) -> Probe {
        Probe {
            id: question.to_owned(),
            question: question.to_owned(),
            asked_by: None,
            gold: Gold {
                answer: Some(answer.to_owned()),
                evidence: Vec::new(),
                category: None,
            },
        }
    }

    #[test]
    fn names_become_pronouns_of_their_place() {
        for (question, name, made) in [
            ("When did Caroline move?", "Caroline", "When did she move?"),
            ("What is Jon's job?", "Jon", "What is his job?"),
            ("Who gave Gina a ring?", "Gina", "Who gave her a ring?"),
            (
                "What did the Project Manager say?",
                "Project Manager",
                "What did they say?",
            ),
        ] {
            assert_eq!(with_pronoun(question, name), made);
        }
    }

    #[test]
    fn a_question_becomes_three_follow_ups() {
        let all = [
            probe("Where does Gina live?", "In Leeds"),
            probe("What does Jon like?", "Tea"),
            probe("When did Jon go to the old market?", "In May"),
        ];
        let probes: Vec<&Probe> = all.iter().collect();
        let speakers = ["Gina".to_owned(), "Jon".to_owned()];
        let made = of(2, &probes, &speakers);
        let asked: Vec<&str> = made.iter().map(|one| one.question.as_str()).collect();
        assert_eq!(
            asked,
            [
                "When did he go to the old market?",
                "When did he go there?",
                "And Jon?"
            ]
        );
        assert_eq!(made[0].before.len(), 4);
        assert_eq!(made[0].before[0].1, "Where does Gina live?");
        assert_eq!(made[1].before[0].1, "Did Jon mention the old market?");
        assert_eq!(made[2].before[0].1, "When did Gina go to the old market?");
    }
}
