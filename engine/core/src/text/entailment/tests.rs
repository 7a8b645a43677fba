//! Worked examples of each rule, and what holds of any text.

use super::{SpeakerText, Verdict, entailment};
use proptest::prelude::*;

fn verdict(claim: &str, speaker: &str, statement: &str) -> Verdict {
    let claim = SpeakerText {
        speaker: None,
        text: claim,
    };
    let statement = SpeakerText {
        speaker: Some(speaker),
        text: statement,
    };
    entailment(claim, statement)
}

fn all(verdict_of_all: Verdict, cases: &[(&str, &str, &str)]) {
    for (claim, speaker, statement) in cases {
        let found = verdict(claim, speaker, statement);
        assert_eq!(found, verdict_of_all, "{claim} / {speaker}: {statement}");
    }
}

#[test]
fn what_was_said_supports_the_same_in_the_third_person() {
    all(
        Verdict::Supported,
        &[
            (
                "Dora sold the piano.",
                "Dora",
                "I sold the piano on Monday.",
            ),
            (
                "Dora's cousin repairs clocks.",
                "Dora",
                "Well, my cousin repairs clocks.",
            ),
            ("Dora does not play golf.", "Dora", "I don't play golf."),
            (
                "The ferry takes 9 hours.",
                "Dora",
                "So the ferry takes nine hours, they said.",
            ),
            ("The tea was not hot.", "Dora", "The tea was cold."),
            ("Dora's own piano is old.", "Dora", "My own piano is old."),
            ("Nobody called Dora.", "Dora", "No one called me."),
            (
                "The piano costs 1200 euros.",
                "Dora",
                "The piano costs 1,200 euros.",
            ),
            ("The fair is in May.", "Dora", "The fair is in May."),
            (
                "Dora lives in Bern.",
                "Dora",
                "(Where do you live?) In Bern.",
            ),
            ("Speaker 2 likes plums.", "Speaker 2", "I like plums."),
            ("Dora will visit Rome.", "Dora", "I'm going to visit Rome."),
        ],
    );
}

#[test]
fn another_polarity_number_time_or_value_contradicts() {
    all(
        Verdict::Contradicted,
        &[
            ("Dora plays golf.", "Dora", "I don't play golf."),
            ("The tea was hot.", "Dora", "The tea was cold."),
            (
                "The ferry takes six hours.",
                "Dora",
                "The ferry takes nine hours.",
            ),
            (
                "The ferry leaves on Tuesday.",
                "Dora",
                "The ferry leaves on Sunday.",
            ),
            ("Dora has a piano.", "Dora", "I sold the piano."),
            ("Dora has a cat.", "Dora", "(Do you have a cat?) No."),
        ],
    );
}

#[test]
fn other_people_questions_wishes_and_other_orders_leave_it_open() {
    all(
        Verdict::Neither,
        &[
            ("Otto sold the piano.", "Dora", "I sold the piano."),
            ("Dora repairs clocks.", "Dora", "My cousin repairs clocks."),
            ("Dora's cousin repairs clocks.", "Dora", "I repair clocks."),
            (
                "Dora sold the piano.",
                "Otto",
                "Dora, did you sell the piano?",
            ),
            ("Dora sold the piano.", "Dora", "I want to sell the piano."),
            ("Dora sold the piano.", "Dora", "I'll sell the piano."),
            ("Otto helped Dora.", "Max", "Dora helped Otto."),
            ("Dora sold the piano in May.", "Dora", "I sold the piano."),
            ("Dora sold the piano.", "Dora", "It rained."),
            ("Speaker 2 likes plums.", "Speaker 1", "I like plums."),
            (
                "Dora has a cat.",
                "Dora",
                "(Do you have a cat?) No, I have a dog.",
            ),
        ],
    );
}

proptest! {
    #[test]
    fn any_texts_can_be_compared(claim in "\\PC{0,60}", said in "\\PC{0,60}") {
        verdict(&claim, "Dora", &said);
    }

    /// A fact stated twice is proven, and its denial contradicted.
    #[test]
    fn a_fact_proves_itself_and_refutes_its_denial(
        verb in prop::sample::select(vec!["paints", "carries", "visits"]),
        thing in "[a-z]{4,9}",
    ) {
        let said = format!("Otto {verb} the {thing}.");
        let denied = format!("Otto never {verb} the {thing}.");
        prop_assert_eq!(verdict(&said, "Dora", &said), Verdict::Supported);
        prop_assert_eq!(verdict(&denied, "Dora", &said), Verdict::Contradicted);
        prop_assert_eq!(verdict(&said, "Dora", &denied), Verdict::Contradicted);
    }
}
