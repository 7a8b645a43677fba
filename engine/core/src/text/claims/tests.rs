//! Statements with and without a claim.

use super::*;

fn read(text: &str) -> Option<(String, String, String, bool)> {
    let claim = Claim::read(text, Some("Ana"))?;
    Some((claim.subject, claim.slot, claim.value, claim.over))
}

/// Statement; subject, slot and value; whether the value no longer holds.
const FILLED: &[(&str, &str, &str, &str, bool)] = &[
    ("I live in Rome.", "ana", "home", "rome", false),
    (
        "Actually I've just moved to Porto because of the sea.",
        "ana",
        "home",
        "porto",
        false,
    ),
    ("I used to live in Berlin.", "ana", "home", "berlin", true),
    (
        "I don't live in Berlin anymore.",
        "ana",
        "home",
        "berlin",
        true,
    ),
    (
        "I no longer work at Siemens.",
        "ana",
        "employer",
        "siemens",
        true,
    ),
    ("We're living in Oslo now.", "ana", "home", "oslo", false),
    ("I'm working as a nurse.", "ana", "job", "nurse", false),
    ("I quit my job at Bosch.", "ana", "employer", "bosch", true),
    ("I turned 34.", "ana", "age", "34", false),
    ("I'm 34 years old.", "ana", "age", "34", false),
    ("My boss is Carla.", "ana", "boss", "carla", false),
    (
        "My favourite color is green.",
        "ana",
        "favorite color",
        "green",
        false,
    ),
    (
        "Tom's phone number is 555 1234.",
        "tom",
        "phone number",
        "555 1234",
        false,
    ),
    ("Maria lives in Porto.", "maria", "home", "porto", false),
    (
        "Maria used to work for Bosch.",
        "maria",
        "employer",
        "bosch",
        true,
    ),
    (
        "The meeting is at seven.",
        "the meeting",
        "time",
        "seven",
        false,
    ),
    (
        "The meeting was moved to eight.",
        "the meeting",
        "time",
        "eight",
        false,
    ),
    (
        "Our flight leaves on Friday.",
        "ana",
        "flight leave day",
        "friday",
        false,
    ),
    (
        "The party has been postponed to Sunday.",
        "the party",
        "day",
        "sunday",
        false,
    ),
];

#[test]
fn statements_that_fill_a_slot() {
    for (text, subject, slot, value, over) in FILLED {
        let own = |word: &&str| (*word).to_owned();
        let expected = (own(subject), own(slot), own(value), *over);
        assert_eq!(read(text), Some(expected), "{text}");
    }
}

#[test]
fn statements_that_fill_none() {
    for text in [
        "Do you live in Rome?",
        "I joined a gym.",
        "I've been working for hours.",
        "I'm working at home today.",
        "I work for a big German company.",
        "I live in a small flat.",
        "We're living in strange times.",
        "I moved to the front row.",
        "I moved to Paris in 2010.",
        "I moved to Berlin when I was five.",
        "I drive my kids to school.",
        "My boss is really annoying.",
        "My boss is done.",
        "My wife is pregnant.",
        "My birthday is coming up.",
        "My name is hard to spell.",
        "The meeting is on floor two.",
        "I turned 180 degrees.",
        "I turned one of them down.",
        "Tom joined the call late.",
        "Mom works at Bosch.",
        "I'm dating again.",
        "I like dogs.",
        "I don't live in Rome.",
        "She lives in Rome.",
        "My brother is funny.",
        "My sister is in Rome.",
        "The soup is hot.",
        "That's my favourite.",
        "I went to Rome.",
        "It's at seven.",
        "My birthday is not on Monday.",
        "",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
    let answered = Claim::read("(Where do you live now?) I moved to Porto.", Some("Ana"));
    assert_eq!(answered.map(|claim| claim.value).as_deref(), Some("porto"));
    assert_eq!(
        Claim::read("I live in Rome.", None),
        None,
        "no subject without a speaker"
    );
}
