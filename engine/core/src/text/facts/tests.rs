//! Statements with and without a first-person fact.

use super::*;
use crate::text::words::display_words;
use proptest::prelude::*;

/// The facts of a text as `slot [about] value`, with `ended` and `wanted` where they hold.
fn read(text: &str) -> String {
    let shown = |fact: &Fact<'_>| {
        let ended = if fact.ended { " ended" } else { "" };
        let wanted = if fact.wanted { " wanted" } else { "" };
        format!(
            "{} [{}] {}{ended}{wanted}",
            fact.slot, fact.about, fact.value
        )
    };
    let facts = facts(text, Some("Ana"));
    facts.iter().map(shown).collect::<Vec<_>>().join("; ")
}

/// Statement; its facts.
const TOLD: &[(&str, &str)] = &[
    ("I live in Lisbon.", "home [] Lisbon"),
    (
        "I moved to Porto and work as a nurse.",
        "home [] Porto; work [] nurse",
    ),
    ("I used to live in Rome.", "home [] Rome ended"),
    ("Hi, I'm Ana.", "name [] Ana"),
    ("Just call me Al.", "name [] Al"),
    ("I'm 34.", "age [] 34"),
    (
        "I'm a 41-year-old music teacher.",
        "age [] 41; work [] music teacher",
    ),
    ("My birthday is on 3 May.", "birthday [] 3 May"),
    ("I grew up in Bergen, Norway.", "origin [] Bergen, Norway"),
    ("I'm Irish.", "origin [] Irish"),
    ("I no longer work at Siemens.", "employer [] Siemens ended"),
    ("I quit my job.", "employer [] job ended"),
    (
        "I started a new job at Harbour Museum on Monday.",
        "employer [] Harbour Museum",
    ),
    (
        "I run a small bakery in Porto.",
        "work [] run a small bakery",
    ),
    ("I'm a PhD student.", "education [student] PhD student"),
    (
        "My sister Maria is a doctor.",
        "family [sister Maria] Maria; family [sister Maria work] is a doctor",
    ),
    (
        "My kids love dinosaurs.",
        "family [kids dinosaurs] love dinosaurs",
    ),
    (
        "I'm a single mother of two.",
        "family [children] single mother of two",
    ),
    (
        "My husband, Joe, is a huge history buff.",
        "partner [] Joe; family [husband Joe taste] is a huge history buff",
    ),
    ("I'm divorced.", "partner [status] divorced"),
    (
        "I have a dog named Max and two cats.",
        "pets [dog] a dog named Max; pets [cats] two cats",
    ),
    ("My dog Max passed away.", "pets [dog Max] dog Max ended"),
    (
        "I'm allergic to peanuts.",
        "health [peanuts] allergic to peanuts",
    ),
    (
        "I have celiac disease.",
        "health [celiac disease] celiac disease",
    ),
    ("I don't eat meat.", "diet [meat] don't eat meat"),
    ("I don't eat meat any more.", "diet [meat] eat meat ended"),
    (
        "I follow a strict vegan diet because of my skin.",
        "diet [] strict vegan diet",
    ),
    (
        "I enjoy painting, playing piano and tea tasting.",
        "likes [painting] painting; likes [playing piano] playing piano; \
         likes [tea tasting] tea tasting",
    ),
    (
        "My favourite color is sunset orange.",
        "likes [favorite color] sunset orange",
    ),
    ("Blue is my favorite color.", "likes [favorite color] Blue"),
    ("I don't like jazz.", "dislikes [jazz] jazz"),
    (
        "I strongly dislike long, harsh winters.",
        "dislikes [long harsh winters] long, harsh winters",
    ),
    (
        "I dislike buses and prefer trains that are quiet.",
        "dislikes [buses] buses; likes [trains that are quiet] trains that are quiet",
    ),
    ("I have no interest in golf.", "dislikes [golf] golf"),
    ("I play the guitar.", "hobbies [guitar] play the guitar"),
    (
        "We're planning a trip to Rome.",
        "plans [trip rome] planning a trip to Rome",
    ),
    (
        "I want to become a pilot.",
        "goals [become pilot] want to become a pilot",
    ),
    ("I know how to weld.", "skills [weld] know how to weld"),
    (
        "I speak French and Dutch.",
        "languages [french] French; languages [dutch] Dutch",
    ),
    ("I drive a Toyota.", "possessions [toyota] a Toyota"),
    ("I like a witty tone.", "style [witty tone] a witty tone"),
    (
        "Always answer in French.",
        "style [answer in french] Always answer in French",
    ),
    ("I'm Buddhist.", "beliefs [] Buddhist"),
    (
        "My phone number is 555 1234.",
        "other [phone number] 555 1234",
    ),
    (
        "Remember that my locker code is 4711.",
        "other [locker code] 4711 wanted",
    ),
    ("Don't forget that I'm vegan.", "diet [] vegan wanted"),
    (
        "Can you remember that I live in Rome?",
        "home [] Rome wanted",
    ),
    ("(Where do you live?) I live in Rome.", "home [] Rome"),
];

#[test]
fn statements_that_tell_a_fact() {
    for (text, told) in TOLD {
        assert_eq!(read(text), *told, "{text}");
    }
}

#[test]
fn statements_that_tell_none() {
    for text in [
        "Do you live in Rome?",
        "Do you remember that I live in Rome?",
        "If I lived in Rome, I would work as a guide.",
        "If you ask, I live in Rome.",
        "I lived in Rome when I was five.",
        "I moved to Paris in 2010.",
        "She said, \"I live in Rome.\"",
        "Ana said I live in Rome.",
        "I live in Rome, just kidding!",
        "I live in hope.",
        "I don't live in Rome.",
        "I'm tired.",
        "I'm 100% behind you.",
        "I'm a terrible cook.",
        "I'm a big part of it.",
        "I love it.",
        "I love your hat.",
        "I like that idea.",
        "I like the idea of a moon.",
        "I love the plot.",
        "I'd like some tea.",
        "I want to know more.",
        "I'm learning new things.",
        "I have a meeting with my boss.",
        "I'm going to bed.",
        "My sister is here.",
        "My mom is the best.",
        "My favorite part is the ending.",
        "Remember that anything is possible.",
        "Never give up!",
        "You live in Rome.",
        "She lives in Rome.",
        "",
    ] {
        assert_eq!(read(text), "", "{text}");
    }
}

#[test]
fn facts_read_as_sentences_and_predicates() {
    for (text, first, third) in [
        ("I live in Lisbon.", "I live in Lisbon.", "lives in Lisbon"),
        (
            "I used to live in Rome.",
            "I no longer live in Rome.",
            "no longer lives in Rome",
        ),
        ("My name is Ana.", "My name is Ana.", "name is Ana"),
        ("I'm a nurse.", "I am a nurse.", "is a nurse"),
        (
            "I'm no longer a vegetarian.",
            "I am no longer vegetarian.",
            "is no longer vegetarian",
        ),
        ("My son is 7.", "My son is 7.", "son is 7"),
        ("I have two cats.", "I have two cats.", "has two cats"),
        (
            "I have a fear of heights.",
            "I have a fear of heights.",
            "has a fear of heights",
        ),
        ("I never eat pork.", "I never eat pork.", "never eats pork"),
        (
            "My favorite genres are rock and pop.",
            "My favorite genres are rock and pop.",
            "favorite genres are rock and pop",
        ),
        ("I hate golf.", "I do not like golf.", "does not like golf"),
        ("I only use Linux.", "I only use Linux.", "only uses Linux"),
        (
            "My goal is to run a marathon.",
            "My goal is to run a marathon.",
            "goal is to run a marathon",
        ),
    ] {
        let facts = facts(text, None);
        let [fact] = facts.as_slice() else {
            panic!("{text}: {facts:?}")
        };
        let (slot, about, value) = (fact.slot, &fact.about, &fact.value);
        assert_eq!(fact_sentence(slot, about, value, fact.ended), first);
        assert_eq!(fact_predicate(slot, about, value, fact.ended), third);
    }
}

#[test]
fn slots_are_stored_by_name() {
    for slot in FactSlot::ALL {
        let stored = serde_json::to_string(&slot).expect("a slot is plain data");
        assert_eq!(stored, format!("\"{slot}\""));
    }
}

/// Words that patterns are made of, so that random texts reach them.
const WORDS: &str = "I i'm we my live in like don't anymore have a dog Rome and , . not to be is \
    34 favorite color sister Maria allergic eat remember that \" ( ) prefer want become any more é";

proptest! {
    #[test]
    fn facts_are_parts_of_their_statement(
        picked in proptest::collection::vec(0..WORDS.split(' ').count(), 0..24),
        noise in "\\PC{0,12}",
    ) {
        let known: Vec<&str> = WORDS.split(' ').collect();
        let words: Vec<&str> = picked.iter().map(|&at| known[at]).collect();
        let text = format!("{} {noise}", words.join(" "));
        for sentence in sentences(&text) {
            prop_assert!(facts(sentence, None).len() <= FACTS_MAX, "{}", sentence);
        }
        for fact in facts(&text, None) {
            prop_assert!(text.contains(fact.clause) && !fact.clause.is_empty());
            prop_assert!(fact.value.split(' ').count() <= VALUE_WORDS_MAX);
            for word in display_words(&fact.value) {
                prop_assert!(display_words(&text).any(|said| said == word), "{}", word);
            }
            let sentence = fact_sentence(fact.slot, &fact.about, &fact.value, fact.ended);
            prop_assert!(sentence.ends_with('.'));
        }
    }

    #[test]
    fn any_text_is_taken(text in "\\PC{0,80}") {
        for fact in facts(&text, Some("Ana")) {
            prop_assert!(text.contains(fact.clause));
        }
    }
}
