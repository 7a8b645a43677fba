//! Questions for a fact of a profile: "Where does Ana live?", "What is my phone number?"
//!
//! A few English patterns that the whole question must fit; "where did Ana live in May" is a
//! question about what was said.

use super::slot::FactSlot;
use super::words::display_words;

/// Questions with one place for the holder (`*`), without words that change nothing; `a|b` stands
/// for either word.
const PATTERNS: &[(&str, FactSlot)] = &[
    ("where do|does * live", FactSlot::Home),
    ("where am|is|are * living", FactSlot::Home),
    ("where * live|lives", FactSlot::Home),
    (
        "what|which city|town|country|village|place do|does * live in",
        FactSlot::Home,
    ),
    (
        "what|which city|town|country|village|place do|does * live",
        FactSlot::Home,
    ),
    ("how old am|is|are *", FactSlot::Age),
    ("how old * am|is|are", FactSlot::Age),
    ("what do|does * do for a living|job", FactSlot::Work),
    ("what do|does * do for living|work", FactSlot::Work),
    ("what do|does * work as", FactSlot::Work),
    ("where do|does * work", FactSlot::Employer),
    ("where * work|works", FactSlot::Employer),
    ("who|whom do|does * work for", FactSlot::Employer),
    (
        "what|which company do|does * work for|at",
        FactSlot::Employer,
    ),
    ("who am|is|are * married|engaged to", FactSlot::Partner),
    ("who am|is|are * dating", FactSlot::Partner),
];
/// What somebody has, after "what is my" or "who is Ana's".
const OWNED: &[(&str, FactSlot)] = &[
    ("job", FactSlot::Work),
    ("occupation", FactSlot::Work),
    ("profession", FactSlot::Work),
    ("employer", FactSlot::Employer),
    ("age", FactSlot::Age),
    ("phone number", FactSlot::Phone),
    ("telephone number", FactSlot::Phone),
    ("number", FactSlot::Phone),
    ("partner", FactSlot::Partner),
    ("spouse", FactSlot::Partner),
    ("husband", FactSlot::Partner),
    ("wife", FactSlot::Partner),
    ("boyfriend", FactSlot::Partner),
    ("girlfriend", FactSlot::Partner),
    ("fiance", FactSlot::Partner),
    ("fiancee", FactSlot::Partner),
];
/// What stands before a thing that somebody has: "what is" my phone number.
const OPENINGS: &[&str] = &["what is", "who is", "what"];
/// Requests before a question.
const REQUESTS: &[&str] = &[
    "do you know", "do you remember", "can you tell me", "could you tell me", "please tell me",
    "tell me", "remind me",
];
/// Words that change nothing.
const LOOSE: &[&str] = &[
    "currently", "still", "now", "actually", "exactly", "nowadays", "presently", "please", "again",
];
/// Words before a question that change nothing.
const OPENERS: &[&str] = &["so", "and", "but", "hey", "ok", "okay", "in"];
/// Words that no name begins with: "where did Ana live" asks for something else.
const NO_NAMES: &[&str] = &[
    "did", "do", "does", "is", "was", "would", "will", "should", "could", "can", "may", "the",
];
/// Maximum words of a name.
const HOLDER_WORDS_MAX: usize = 3;

/// A question for a fact that somebody told about themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactAsked {
    /// Who told it, in lower case: "ana", "ana berg"; "i" for the asker.
    pub holder: String,
    /// What is asked.
    pub slot: FactSlot,
}

impl FactAsked {
    /// What a question asks; `None` for any other question. Cost: linear in the question.
    #[must_use]
    pub fn read(question: &str) -> Option<Self> {
        let text = plain(question);
        let asked = REQUESTS.iter().find_map(|it| text.strip_prefix(it));
        let text = asked.unwrap_or(&text);
        let words: Vec<&str> = text.split_whitespace().collect();
        let slot = PATTERNS.iter().find_map(|(pattern, slot)| {
            let holder = holder(pattern, &words)?;
            Some(Self {
                holder,
                slot: *slot,
            })
        });
        slot.or_else(|| owned(&words))
    }
}

/// A question in lower case, its contractions resolved, without loose words and punctuation.
fn plain(question: &str) -> String {
    let words = display_words(question).map(|word| word.to_lowercase().replace('’', "'"));
    let words = words.flat_map(|word| match word.strip_suffix("'s") {
        Some(asks @ ("what" | "where" | "who" | "when")) => vec![asks.to_owned(), "is".to_owned()],
        _ => vec![word],
    });
    let words = words.skip_while(|it| OPENERS.contains(&it.as_str()));
    let kept: Vec<String> = words.filter(|it| !LOOSE.contains(&it.as_str())).collect();
    let text = kept.join(" ");
    let mut text = text.as_str();
    for end in [" right", " today", " these days", " at the moment"] {
        text = text.strip_suffix(end).unwrap_or(text);
    }
    text.to_owned()
}

/// The words in the place of the holder, if a question fits a pattern as a whole.
fn holder(pattern: &str, words: &[&str]) -> Option<String> {
    let (before, after) = pattern.split_once('*')?;
    let before: Vec<&str> = before.split_whitespace().collect();
    let after: Vec<&str> = after.split_whitespace().collect();
    let held = words.len().checked_sub(before.len() + after.len())?;
    let fit = |pattern: &[&str], words: &[&str]| {
        let mut pairs = pattern.iter().zip(words);
        pairs.all(|(any, word)| any.split('|').any(|one| one == *word))
    };
    let (first, rest) = words.split_at(before.len());
    let (middle, last) = rest.split_at(held);
    let named = (1..=HOLDER_WORDS_MAX).contains(&held) && !NO_NAMES.contains(&middle[0]);
    (named && fit(&before, first) && fit(&after, last)).then(|| middle.join(" "))
}

/// "What is Ana's job", "who is my husband", and after a request "my phone number".
fn owned(words: &[&str]) -> Option<FactAsked> {
    let text = words.join(" ");
    let opening = OPENINGS
        .iter()
        .find(|it| text.starts_with(&format!("{it} ")));
    let rest = opening.map_or(text.as_str(), |it| text[it.len()..].trim_start());
    // "what my phone number is", "what is my husband called", "what is the name of my wife"
    let rest = rest.strip_suffix(" is").unwrap_or(rest);
    let rest = rest.strip_prefix("the name of ").unwrap_or(rest);
    let called = rest.strip_suffix(" called").unwrap_or(rest);
    let called = called.strip_suffix(" is").unwrap_or(called);
    let (holder, thing) = owner(called)?;
    let thing = thing.strip_suffix("'s name").unwrap_or(thing);
    let (_, slot) = OWNED.iter().find(|it| it.0 == thing)?;
    let slot = *slot;
    Some(FactAsked { holder, slot })
}

/// The owner and what is owned: "my sister's name", "ana berg's job".
fn owner(text: &str) -> Option<(String, &str)> {
    if let Some(thing) = text.strip_prefix("my ") {
        return Some(("i".to_owned(), thing));
    }
    let (owner, thing) = text.split_once("'s ").or_else(|| text.split_once("s' "))?;
    let words = owner.split(' ').count();
    (words <= HOLDER_WORDS_MAX).then(|| (owner.to_owned(), thing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_asks_for_a_slot_of_somebody() {
        for (question, holder, slot) in [
            ("Where do I live?", "i", FactSlot::Home),
            ("Where does Ana Berg live now?", "ana berg", FactSlot::Home),
            ("What city do I live in?", "i", FactSlot::Home),
            ("Do you know where I live?", "i", FactSlot::Home),
            ("How old is Ana?", "ana", FactSlot::Age),
            ("What is Ana Berg’s job?", "ana berg", FactSlot::Work),
            ("Who do I work for?", "i", FactSlot::Employer),
            ("Where do I work?", "i", FactSlot::Employer),
            ("What's my phone number?", "i", FactSlot::Phone),
            ("Remind me what my phone number is.", "i", FactSlot::Phone),
            ("Who is Ana's husband?", "ana", FactSlot::Partner),
            ("What is my wife's name?", "i", FactSlot::Partner),
            ("What is my wife called?", "i", FactSlot::Partner),
        ] {
            let holder = holder.to_owned();
            let asked = Some(FactAsked { holder, slot });
            assert_eq!(FactAsked::read(question), asked, "{question}");
        }
    }

    #[test]
    fn other_questions_ask_for_no_fact() {
        for question in [
            "Where did Ana live?",
            "Where does Ana live in summer?",
            "Where do Ana and Bob and Carla live?",
            "What does Ana do?",
            "What is the locker code?",
            "What's my locker code?",
            "What is your name?",
            "Who is Ana?",
            "When did I move to Porto?",
            "",
        ] {
            assert_eq!(FactAsked::read(question), None, "{question}");
        }
    }
}
