//! Example headings, and properties of any heading.

use super::small_talk::heading_stems;
use super::*;
use crate::text::words as said_words;
use proptest::prelude::*;

fn people() -> BTreeSet<String> {
    ["audrey", "melanie", "jon"].map(str::to_owned).into()
}

fn of(said: &str) -> Option<String> {
    heading(said, Some("Audrey"), &people()).map(|made| made.text)
}

#[test]
fn the_first_person_becomes_the_speaker_where_grammar_is_sure() {
    for (said, made) in [
        ("I adopted a puppy, Pixie!", "Audrey adopted a puppy, Pixie"),
        (
            "Oh, well, Mel, I've started a pottery class.",
            "Audrey has started a pottery class",
        ),
        (
            "Yeah, I love hiking in the mountains!",
            "Audrey loves hiking in the mountains",
        ),
        (
            "I'm planning a trip to Rio.",
            "Audrey is planning a trip to Rio",
        ),
        ("I'd love to visit Rio.", "Audrey would love to visit Rio"),
        (
            "I do n't eat meat or fish .",
            "Audrey doesn't eat meat or fish",
        ),
        (
            "My sister moved to Porto.",
            "Audrey's sister moved to Porto",
        ),
        (
            "The group gave me new courage.",
            "The group gave Audrey new courage",
        ),
        (
            "Last weekend I joined a chess club.",
            "Last weekend Audrey joined a chess club",
        ),
        (
            "Um I I bought a a red bicycle .",
            "Audrey bought a red bicycle",
        ),
    ] {
        assert_eq!(of(said).as_deref(), Some(made), "{said}");
    }
}

#[test]
fn where_it_is_not_sure_the_words_stay_as_they_were_said() {
    for (said, made) in [
        (
            "I took my dog to the vet.",
            "Audrey: I took my dog to the vet",
        ),
        (
            "We went camping in June.",
            "Audrey: We went camping in June",
        ),
        (
            "I read a book about rivers.",
            "Audrey: I read a book about rivers",
        ),
        (
            "My mom and I made dinner for Jon.",
            "Audrey: My mom and I made dinner for Jon",
        ),
    ] {
        assert_eq!(of(said).as_deref(), Some(made), "{said}");
    }
}

#[test]
fn a_long_statement_is_cut_where_a_phrase_ends() {
    for (said, made) in [
        (
            "I got a new job at the museum downtown, and I start there next Monday morning.",
            "Audrey got a new job at the museum downtown",
        ),
        ("I cook pasta and bake bread.", "Audrey cooks pasta"),
        (
            "I joined a group of volunteers that helps people in the old town near the river.",
            "Audrey joined a group of volunteers that helps people",
        ),
    ] {
        assert_eq!(of(said).as_deref(), Some(made), "{said}");
    }
}

#[test]
fn what_says_nothing_by_itself_makes_no_heading() {
    for said in [
        "Hey Mel!",
        "Thanks, Jon!",
        "Good to see you!",
        "What do you think of the new museum?",
        "That's really cool.",
        "",
    ] {
        assert_eq!(of(said), None, "{said}");
    }
}

#[test]
fn a_condition_is_not_left_out() {
    // "Audrey moves to Porto" would change the meaning
    let made = of("I move to Porto if the company pays for the flat and the flight there.");
    assert!(
        made.as_deref()
            .is_some_and(|made| made.contains(" if ") || made.contains('…')),
        "{made:?}"
    );
    let led = of("If I win the lottery I buy a boat.");
    assert!(
        led.as_deref()
            .is_none_or(|made| !made.starts_with("Audrey buys")),
        "{led:?}"
    );
}

#[test]
fn what_holds_only_under_a_condition_is_no_heading() {
    let made = of("If I have to, I'll coach the soccer team.");
    assert_eq!(made, None);
    let made = of("I'll coach the soccer team.");
    assert_eq!(made.as_deref(), Some("Audrey will coach the soccer team"));
}

#[test]
fn greetings_thanks_and_short_replies_are_small_talk() {
    for (said, small) in [
        ("Hey Mel!", true),
        ("Thanks so much, Jon!", true),
        ("Yeah, totally agree.", true),
        ("Mm-hmm .", true),
        ("Good to see you!", true),
        ("Okay, the train leaves at seven.", false),
        ("Lisbon.", false),
        ("No, my dad.", false),
    ] {
        assert_eq!(is_small_talk(said, &people()), small, "{said}");
    }
}

#[test]
fn what_is_shown_beside_the_words_is_told_of_who_shows_it() {
    let made = of("[shares a photo of a dog running along a beach near the old harbour]");
    assert_eq!(
        made.as_deref(),
        Some("Audrey shares a photo of a dog running along a beach")
    );
    let made = heading("( Carol and Susan arrive . )", None, &people());
    assert_eq!(
        made.map(|made| made.text).as_deref(),
        Some("Carol and Susan arrive")
    );
}

/// Words that the rules match.
const VOCABULARY: &str = "\
    I I'm I've I'd my My me we you it that how and but if to the a of for with not don't \
    love study went adopted made is was been puppy, Pixie Rio. museum Mel, Oh, really last \
    weekend seven walking happy gon na n't 's , ... - um s [shares photo] “Rivers” über \
    Привет";

/// Random sentences of such words.
fn sentence() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(VOCABULARY.split_whitespace().collect::<Vec<_>>());
    proptest::collection::vec(word, 0..24).prop_map(|words| words.join(" "))
}

/// The content of a text: stems of its content words, without helping verbs and negations.
fn content(text: &str) -> BTreeSet<String> {
    said_words(text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_heading_says_nothing_that_was_not_said(said in sentence()) {
        let mut known = content(&said);
        known.extend(heading_stems(&said));
        known.extend(content("Audrey"));
        let made = heading(&said, Some("Audrey"), &people()).map(|made| made.text);
        for text in made.into_iter().chain([opening(&said, Some("Audrey"), &people())]) {
            let new: Vec<_> = content(&text).difference(&known).cloned().collect();
            prop_assert!(new.is_empty(), "{said} / {text} / {new:?}");
        }
    }

    #[test]
    fn a_heading_is_short_and_any_text_is_taken(said in "\\PC{0,120}") {
        if let Some(made) = heading(&said, Some("Audrey"), &people()) {
            // the name, a helping verb, and the cut mark are extra
            let words = made.text.split_whitespace().count();
            prop_assert!(words <= WORDS_MAX + 3, "{}", made.text);
            prop_assert!(made.worth.is_finite());
        }
        let _ = opening(&said, None, &people());
    }
}
