//! Tests of completed questions.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn turns<'a>(said: &'a [(&'a str, &'a str)]) -> Vec<Turn<'a>> {
    let turn = |(speaker, text): &(&'a str, &'a str)| Turn {
        speaker: (!speaker.is_empty()).then_some(*speaker),
        text,
    };
    said.iter().map(turn).collect()
}

fn check(before: &[(&str, &str)], question: &str, expected: Option<&str>) {
    let whole = complete_question(question, &turns(before));
    assert_eq!(whole.as_deref(), expected, "{question} after {before:?}");
}

const MOVED: &[(&str, &str)] = &[
    ("user", "When did Caroline move to Oslo?"),
    ("assistant", "In May 2023."),
];

#[test]
fn the_example_of_the_paper() {
    let before = [("Sherlock Holmes", "I thought about my father yesterday.")];
    let whole = "What is Sherlock Holmes's father's name?";
    check(&before, "What is his name?", Some(whole));
    let nobody = [("", "I thought about my father yesterday.")];
    check(
        &nobody,
        "What is his name?",
        Some("What is my father's name?"),
    );
}

#[test]
fn pronouns_are_replaced_by_what_was_talked_of() {
    check(
        MOVED,
        "What does she do there?",
        Some("What does Caroline do in Oslo?"),
    );
    check(
        MOVED,
        "Who did her brother meet then?",
        Some("Who did Caroline's brother meet in May 2023?"),
    );
    let asked = [("user", "Who is Bob's sister?"), ("assistant", "Anna.")];
    check(
        &asked,
        "Where does she live?",
        Some("Where does Anna live?"),
    );
    let bought = [("user", "Did Ana buy a camera?"), ("assistant", "Yes.")];
    check(
        &bought,
        "How much did it cost?",
        Some("How much did the camera cost?"),
    );
    let visit = [("", "I visited my sister Anna in Leeds.")];
    check(&visit, "How old is she?", Some("How old is Anna?"));
    check(
        &visit,
        "How is the weather there?",
        Some("How is the weather in Leeds?"),
    );
    let both = [("", "Did Jon and Gina meet?")];
    check(
        &both,
        "Where did they meet?",
        Some("Where did Jon and Gina meet?"),
    );
    let own = [("Ana", "I bought a kettle.")];
    check(
        &own,
        "Where did she buy it?",
        Some("Where did Ana buy the kettle?"),
    );
}

#[test]
fn elliptic_questions_take_the_frame_of_the_last_one() {
    check(
        MOVED,
        "And Melanie?",
        Some("When did Melanie move to Oslo?"),
    );
    check(
        MOVED,
        "What about Lisbon?",
        Some("When did Caroline move to Lisbon?"),
    );
    check(MOVED, "Why?", Some("Why did Caroline move to Oslo?"));
    let chain = [
        ("user", "When did Caroline move to Oslo?"),
        ("assistant", "In May 2023."),
        ("user", "What does she do there?"),
        ("assistant", "I do not know."),
    ];
    check(
        &chain,
        "And Melanie?",
        Some("What does Melanie do in Oslo?"),
    );
    check(
        &[("", "I moved to Porto.")],
        "Why?",
        Some("Why I moved to Porto?"),
    );
}

#[test]
fn what_stands_alone_or_is_not_certain_stays() {
    for question in [
        "When did Melanie go camping?",
        "What does Melanie do to help her kids?",
        "Is there a bus on Sunday?",
        "How long does it take to fly home?",
        "What time is it?",
        "Is it raining?",
        "Will Bob come if it rains?",
        "Did Bob go out although it snowed?",
        "Did Bob say that he was tired?",
        "What do you think about that idea?",
        "And what did you do?",
        "",
    ] {
        check(MOVED, question, None);
    }
    check(&[], "What is his name?", None);
    check(&[], "Why?", None);
    let men = [("", "I met Jon and Tim.")];
    check(&men, "Where does he live?", None);
    let woman = [("", "I met Gina.")];
    check(&woman, "Where does he live?", None);
    let things = [("", "We looked at a lamp beside the sofa with a cover.")];
    check(&things, "How much does it cost?", None);
}

#[test]
fn only_the_last_turns_are_read() {
    let mut said = vec![("", "I met Gina.")];
    said.extend([("", "The weather was fine."); TURNS_MAX - 1]);
    check(&said, "Where does she live?", Some("Where does Gina live?"));
    said.push(("", "The weather was fine."));
    check(&said, "Where does she live?", None);
}

/// Words in lower case, without possessive endings and without the articles and prepositions that
/// may be added.
fn words(text: &str) -> BTreeSet<String> {
    let words = crate::text::display_words(text).map(|word| {
        let lower = word.to_lowercase().replace('’', "'");
        lower
            .trim_end_matches("'s")
            .trim_end_matches('\'')
            .to_owned()
    });
    words
        .filter(|it| !["in", "at", "to", "the", ""].contains(&it.as_str()))
        .collect()
}

/// Talk of the words that the rules react to, in any order.
fn talk() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "Ana", "Bob", "Zürich", "Lisbon's", "my", "sister", "the", "camera", "of", "in", "to", "I",
        "met", "he", "she", "it", "its", "her", "they", "there", "then", "that", "and", "what",
        "about", "why", "did", "is", "move", "May", "2023", "?", ".", ",", "’s", "—", "kids", "ß",
    ]);
    prop::collection::vec(words, 0..14).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn little_is_added_and_nothing_invented(
        question in prop_oneof![talk(), ".{0,60}"],
        said in prop::collection::vec((prop::option::of("[A-Z][a-z]{1,6}"), talk()), 0..8),
    ) {
        let before: Vec<Turn<'_>> = said
            .iter()
            .map(|(speaker, text)| Turn { speaker: speaker.as_deref(), text })
            .collect();
        if let Some(whole) = complete_question(&question, &before) {
            let count = |text: &str| text.split_whitespace().count();
            prop_assert!(count(&whole) <= count(&question) + WORDS_ADDED_MAX);
            prop_assert!(whole != question);
            let mut known = words(&question);
            for turn in &before {
                known.extend(words(turn.text));
                known.extend(turn.speaker.map(words).unwrap_or_default());
            }
            let made = words(&whole);
            prop_assert!(made.is_subset(&known), "{whole} of {question} and {said:?}");
        }
    }
}
