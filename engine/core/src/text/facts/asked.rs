//! Questions for a fact of a profile: "Where does Ana live?", "What is my locker number?"
//!
//! A few English patterns that the whole question must fit; "where did Ana live in May" is a
//! question about what was said.

use super::lists::{ANIMALS, PARTNERS, RELATIVES};
use super::sentence::Sentence;
use super::slot::FactSlot;
use super::spelling::is_same_thing;
use crate::text::claims::lists::KIN;
use crate::text::words::display_words;

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
    ("when was|were * born", FactSlot::Birthday),
    ("where am|is|are * from", FactSlot::Origin),
    ("where do|does * come from", FactSlot::Origin),
    ("what|which country am|is|are * from", FactSlot::Origin),
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
    ("what am|is|are * allergic to", FactSlot::Health),
    (
        "what|which language|languages do|does * speak",
        FactSlot::Languages,
    ),
];
/// What stands before a thing that somebody has: "what is" my locker number.
const OPENINGS: &[&str] = &[
    "what is", "what are", "who is", "when is", "what was", "what",
];
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
    thing: Thing,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Thing {
    /// The value of a slot.
    Slot(FactSlot),
    /// The value of one thing in a slot: the locker number, the favourite colour.
    Of(FactSlot, String),
    /// The name of a relative or an animal.
    NameOf(String),
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
            let thing = Thing::Slot(*slot);
            Some(Self { holder, thing })
        });
        slot.or_else(|| owned(&words))
    }

    /// Whether a fact answers it.
    #[must_use]
    pub fn is_answered_by(&self, slot: FactSlot, about: &str, value: &str) -> bool {
        match &self.thing {
            Thing::Slot(FactSlot::Health) => slot == FactSlot::Health && value.contains("allerg"),
            Thing::Slot(FactSlot::Partner) => slot == FactSlot::Partner && about.is_empty(),
            Thing::Slot(asked) => slot == *asked,
            Thing::Of(asked, thing) => slot == *asked && is_same_thing(about, thing),
            Thing::NameOf(whom) => {
                let named = about.strip_prefix(whom.as_str()).map(str::trim_start);
                let kind = matches!(slot, FactSlot::Family | FactSlot::Pets);
                kind && named == Some(value)
            }
        }
    }

    /// Whether several facts may answer together: languages, names of sisters.
    #[must_use]
    pub fn may_have_many(&self) -> bool {
        match &self.thing {
            Thing::Slot(slot) => !slot.single(),
            Thing::Of(..) => false,
            Thing::NameOf(_) => true,
        }
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

/// "What is Ana's job", "who is my husband", and after a request "my locker number".
fn owned(words: &[&str]) -> Option<FactAsked> {
    let text = words.join(" ");
    let opening = OPENINGS
        .iter()
        .find(|it| text.starts_with(&format!("{it} ")));
    let who = opening.is_some_and(|it| it.starts_with("who"));
    let rest = opening.map_or(text.as_str(), |it| text[it.len()..].trim_start());
    // "what my locker number is", "what my sister is called"
    let rest = rest.strip_suffix(" is").unwrap_or(rest);
    if rest == "am i called" || rest == "i am called" {
        return Some(FactAsked {
            holder: "i".to_owned(),
            thing: Thing::Slot(FactSlot::Name),
        });
    }
    let of = rest.strip_prefix("the name of ");
    let called = rest.strip_suffix(" called");
    let called = called.map(|it| it.strip_suffix(" is").unwrap_or(it));
    let (owner, thing) = owner(of.or(called).unwrap_or(rest))?;
    let named = thing
        .strip_suffix(" name")
        .and_then(|it| it.strip_suffix("'s"));
    let whom = named.or((of.is_some() || called.is_some() || who).then_some(thing));
    let thing = match whom {
        Some(whom) if PARTNERS.contains(whom) => Thing::Slot(FactSlot::Partner),
        Some(whom) if is_kin(whom) => Thing::NameOf(whom.to_owned()),
        Some(_) if !who => return None,
        _ => thing_of(thing),
    };
    (thing != Thing::Slot(FactSlot::Name) || owner == "i").then_some(FactAsked {
        holder: owner,
        thing,
    })
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

fn is_kin(word: &str) -> bool {
    KIN.contains(word) || RELATIVES.contains(word) || ANIMALS.contains(word)
}

fn thing_of(thing: &str) -> Thing {
    let slot = match thing {
        "name" | "full name" | "first name" => FactSlot::Name,
        "age" => FactSlot::Age,
        "birthday" | "date of birth" => FactSlot::Birthday,
        "nationality" | "hometown" | "home town" | "home country" => FactSlot::Origin,
        "job" | "occupation" | "profession" => FactSlot::Work,
        "employer" => FactSlot::Employer,
        _ => {
            let favourite = ["favorite ", "favourite "].map(|it| thing.starts_with(it));
            let slot = match favourite.contains(&true) {
                true => FactSlot::Likes,
                false => FactSlot::Other,
            };
            let sentence = Sentence::of(thing);
            return Thing::Of(slot, sentence.key(0..sentence.len()));
        }
    };
    Thing::Slot(slot)
}

#[cfg(test)]
mod tests {
    use super::super::facts;
    use super::*;

    /// What a question gets from what somebody said.
    fn answers(question: &str, said: &str) -> Vec<String> {
        let asked = FactAsked::read(question);
        let told = facts(said, None).into_iter();
        let fits = |it: &super::super::Fact<'_>| {
            let fits = |asked: &FactAsked| asked.is_answered_by(it.slot, &it.about, &it.value);
            asked.as_ref().is_some_and(fits)
        };
        told.filter(fits).map(|it| it.value).collect()
    }

    #[test]
    fn a_question_gets_the_fact_that_it_asks_for() {
        for (question, said, value) in [
            ("Where do I live?", "I live in Porto.", "Porto"),
            ("Where does Ana live now?", "I moved to Porto.", "Porto"),
            ("What city do I live in?", "I live in Porto.", "Porto"),
            ("Do you know where I live?", "I live in Porto.", "Porto"),
            ("What's my name?", "My name is Ana Berg.", "Ana Berg"),
            ("How old is Ana?", "I'm 34 years old.", "34"),
            ("When is my birthday?", "My birthday is on 3 May.", "3 May"),
            ("What is Ana Berg’s job?", "I work as a nurse.", "nurse"),
            ("Who do I work for?", "I work at Siemens.", "Siemens"),
            (
                "What is my sister's name?",
                "My sister Maria lives in Rome.",
                "Maria",
            ),
            ("What is my dog called?", "My dog is called Max.", "Max"),
            (
                "What is the name of Ana's dog?",
                "My dog is called Max.",
                "Max",
            ),
            ("Who is Ana's husband?", "My husband Tom is a nurse.", "Tom"),
            (
                "What is my favourite colour?",
                "My favorite color is green.",
                "green",
            ),
            (
                "What's my locker code?",
                "Remember that my locker code is 4711.",
                "4711",
            ),
            (
                "Remind me what my locker code is.",
                "Remember that my locker code is 4711.",
                "4711",
            ),
            (
                "What am I allergic to?",
                "I'm allergic to peanuts.",
                "allergic to peanuts",
            ),
            (
                "Which languages does Ana speak?",
                "I speak French.",
                "French",
            ),
        ] {
            assert_eq!(answers(question, said), [value], "{question}");
        }
    }

    #[test]
    fn one_sentence_may_answer_several_questions() {
        let nurse = "I work as a nurse at Siemens.";
        assert_eq!(answers("What is my job?", nurse), ["nurse"]);
        assert_eq!(answers("Where do I work?", nurse), ["Siemens"]);
        let nurse = "I'm a nurse at Siemens.";
        assert_eq!(answers("What is my job?", nurse), ["nurse"]);
        assert_eq!(answers("Where do I work?", nurse), ["Siemens"]);
        let born = "Remember that I was born on 3 May 1990.";
        assert_eq!(answers("When was I born?", born), ["3 May 1990"]);
        assert_eq!(answers("When is my birthday?", born), ["3 May 1990"]);
    }

    #[test]
    fn another_fact_does_not_answer() {
        for (question, said) in [
            ("What is my sister's name?", "My brother Max is a doctor."),
            ("What is my favorite food?", "My favorite color is green."),
            (
                "What's my phone number?",
                "Remember that my locker code is 4711.",
            ),
            ("What am I allergic to?", "I have asthma."),
            ("Who is my husband?", "I'm married."),
            ("Where do I work?", "I work as a nurse for a living."),
            ("Where do I work?", "I'm a nurse at the moment."),
        ] {
            assert!(answers(question, said).is_empty(), "{question}");
        }
    }

    #[test]
    fn the_holder_is_read() {
        for (question, holder) in [
            ("Where do I live?", "i"),
            ("Where does Ana Berg live?", "ana berg"),
            ("What is Ana's sister's name?", "ana"),
            ("What is my sister's name?", "i"),
        ] {
            let asked = FactAsked::read(question);
            assert_eq!(asked.map(|it| it.holder).as_deref(), Some(holder));
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
            "What is your name?",
            "What is Ana's name?",
            "Who is Ana?",
            "When did I move to Porto?",
            "",
        ] {
            assert_eq!(FactAsked::read(question), None, "{question}");
        }
    }
}
