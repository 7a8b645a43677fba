//! Statements and the opinions in them.

use super::*;
use proptest::prelude::*;

/// Opinions as "object/aspect+" with the doubt behind.
fn found(text: &str, before: Option<&str>) -> Vec<String> {
    let said = Said {
        text,
        speaker: Some("Mia"),
        vector: None,
        before,
    };
    let all = opinions(&said).into_iter();
    all.map(|opinion| {
        let sign = match opinion.affect.sentiment.leaning() > 0.0 {
            true => '+',
            false => '-',
        };
        let doubt = opinion.doubt.map(|doubt| format!(" {doubt:?}"));
        format!(
            "{}/{}{sign}{}",
            opinion.object,
            opinion.aspect,
            doubt.unwrap_or_default()
        )
    })
    .collect()
}

fn check(cases: &[(&str, Option<&str>, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, before, wanted)| {
            let got = found(text, *before);
            (got != *wanted).then(|| format!("{text}\n  wanted {wanted:?}\n  got    {got:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn things_their_parts_and_what_they_do() {
    check(&[
        (
            "I really enjoy drinking tea in the evening",
            None,
            &["tea/general+"],
        ),
        (
            "The scent of fresh bread is so soothing",
            None,
            &["bread/smell+"],
        ),
        (
            "This hotel has excellent service",
            None,
            &["hotel/service+"],
        ),
        (
            "I hate when it snows, it ruins my plans",
            None,
            &["snow/general-"],
        ),
        (
            "This laptop has the best screen I’ve ever used",
            None,
            &["laptop/screen+"],
        ),
        (
            "My laptop turned off again - how annoying.",
            None,
            &["laptop/general-"],
        ),
        (
            "I’m so excited about our trip to Norway next month.",
            None,
            &["trip to Norway/general+"],
        ),
        (
            "The concert was a total disaster for me.",
            None,
            &["concert/general-"],
        ),
    ]);
}

#[test]
fn feelings_of_the_speaker() {
    check(&[
        (
            "I like tea and coffee.",
            None,
            &["tea/general+", "coffee/general+"],
        ),
        (
            "I don't like the new office.",
            None,
            &["new office/general-"],
        ),
        ("I can't stand my boss.", None, &["boss/general-"]),
        ("I love to cook.", None, &["cooking/general+"]),
        ("I'm afraid of spiders.", None, &["spider/general-"]),
        ("I'm so proud of my daughter.", None, &["daughter/general+"]),
        ("I'm tired of the commute.", None, &["commute/general-"]),
        ("I miss Lisbon.", None, &["Lisbon/general+"]),
        (
            "I prefer tea to coffee.",
            None,
            &["tea/general+", "coffee/general-"],
        ),
        ("I tried sushi and loved it.", None, &["sushi/general+"]),
        (
            "I wish the battery lasted longer.",
            Some("phone"),
            &["phone/battery-"],
        ),
        ("I love this place!", Some("Luigi's"), &["Luigi's/general+"]),
    ]);
}

#[test]
fn qualities_of_objects() {
    check(&[
        ("It's amazing.", Some("coffee"), &["coffee/general+"]),
        ("It's amazing.", None, &[]),
        (
            "The food is good but the service is slow.",
            Some("restaurant"),
            &["restaurant/food+", "restaurant/service-"],
        ),
        (
            "The new office isn't comfortable.",
            None,
            &["new office/general-"],
        ),
        (
            "The Pixel is better than the iPhone.",
            None,
            &["Pixel/general+", "iPhone/general-"],
        ),
        (
            "My old phone was not as good as the iPhone.",
            None,
            &["old phone/general-", "iPhone/general+"],
        ),
        (
            "The price of the tickets is terrible.",
            None,
            &["ticket/price-"],
        ),
        ("The phone's camera is excellent.", None, &["phone/camera+"]),
        ("My boss is rude.", None, &["boss/general-"]),
        (
            "I went to Lisbon and it was beautiful.",
            None,
            &["Lisbon/general+"],
        ),
        ("What a great movie!", None, &["movie/general+"]),
        (
            "I had a great time at the beach.",
            None,
            &["beach/general+"],
        ),
    ]);
}

#[test]
fn what_does_not_count_has_its_doubt() {
    check(&[
        (
            "If the coffee were good, I would stay.",
            None,
            &["coffee/general+ Hypothetical"],
        ),
        (
            "Ana says she hates jazz.",
            None,
            &["jazz/general- Reported"],
        ),
        (
            "My sister loves horror movies.",
            None,
            &["horror movie/general+ Reported"],
        ),
        ("I used to love jazz.", None, &["jazz/general+ Past"]),
        (
            "Oh great, another delay.",
            None,
            &["delay/general+ Sarcasm"],
        ),
        (
            "A new phone would be great.",
            None,
            &["new phone/general+ Hypothetical"],
        ),
    ]);
}

#[test]
fn no_feeling_gives_no_opinion() {
    let none: &[&str] = &[
        "Nice to meet you!",
        "Good for you.",
        "That's great!",
        "Thanks a lot, you're the best.",
        "Do you like coffee?",
        "Isn't the coffee great?",
        "We moved to Porto in March.",
        "I'd love to visit Japan.",
        "I feel like a coffee.",
        "It looks like rain.",
        "Good luck with your exam!",
        "I'm so proud of you.",
        "My sister is sick.",
        "I was sad yesterday.",
        "Have a great day!",
        "It's great to see you.",
        "That sounds like fun.",
        "I would like a coffee.",
        "The meeting is at nine.",
        "",
        "...",
    ];
    let cases: Vec<(&str, Option<&str>, &[&str])> =
        none.iter().map(|text| (*text, None, &[][..])).collect();
    check(&cases);
}

#[test]
fn pronouns_stand_for_what_was_named() {
    check(&[
        ("Thanks so much, Mel! It's beautiful!", None, &[]),
        ("Wow, it looks great!", Some("dance class"), &[]),
        ("It was amazing being around others.", Some("party"), &[]),
        ("It's great seeing you.", Some("party"), &[]),
        ("It was so special.", Some("horse"), &[]),
        ("It can be tough.", Some("pottery"), &[]),
        ("I like that.", Some("coffee"), &[]),
        ("I really appreciate it!", Some("coffee"), &[]),
        (
            "I bought a new phone. It was a bargain, and it is reliable.",
            None,
            &["new phone/general+"],
        ),
        (
            "I read a novel about Rome. It was fascinating.",
            None,
            &["novel/general+"],
        ),
        (
            "I went to a support group and it was inspiring.",
            None,
            &["support group/general+"],
        ),
        (
            "This phone is old, but I love it.",
            None,
            &["phone/general+"],
        ),
    ]);
}

#[test]
fn talk_is_not_read_for_more_than_it_says() {
    check(&[
        ("Oh, that's great!", None, &[]),
        ("Joey, that is so sweet.", None, &[]),
        ("The kids are so excited.", None, &[]),
        ("Sharing our experiences isn't easy.", None, &[]),
        ("What I said was helpful.", None, &[]),
        ("I missed the bus.", None, &[]),
        ("We have like five of them.", None, &[]),
        ("I got home late.", None, &[]),
        ("Check it out, he's winning!", None, &[]),
        ("I-I love this song.", None, &["song/general+"]),
        (
            "I hate practical jokes!",
            None,
            &["practical joke/general-"],
        ),
        ("I love the yellow roses.", None, &["yellow rose/general+"]),
        (
            "The flickering is annoying me.",
            None,
            &["flickering/general-"],
        ),
    ]);
}

#[test]
fn objects_have_a_kind() {
    for (text, kind) in [
        ("I love coffee.", ObjectKind::Food),
        ("I love hiking.", ObjectKind::Activity),
        ("I can't stand my boss.", ObjectKind::Person),
        ("I love rainy days.", ObjectKind::Weather),
        ("I'm so excited about my trip to Japan.", ObjectKind::Event),
        ("I hate zorbs.", ObjectKind::Other),
    ] {
        let said = Said {
            text,
            speaker: None,
            vector: None,
            before: None,
        };
        assert_eq!(opinions(&said)[0].kind, kind, "{text}");
        let written = serde_json::to_string(&kind).expect("a kind");
        assert_eq!(written, format!("\"{kind}\""));
    }
}

#[test]
fn a_stronger_word_is_a_stronger_opinion() {
    let strength = |text| {
        let said = Said {
            text,
            speaker: None,
            vector: None,
            before: None,
        };
        opinions(&said)[0].affect
    };
    let (plain, much) = (strength("I like tea."), strength("I absolutely love tea."));
    assert!(plain.strength < much.strength && much.strength <= 3.0);
    assert!(much.sentiment.entropy() < plain.sentiment.entropy());
    assert!(plain.sentiment.entropy() < 1.4);
}

#[test]
fn a_reason_is_a_part_of_the_statement() {
    let text = "We met at noon, and I love this cafe because it is quiet.";
    let said = Said {
        text,
        speaker: None,
        vector: None,
        before: None,
    };
    assert_eq!(
        opinions(&said)[0].clause,
        "I love this cafe because it is quiet"
    );
}

proptest! {
    #[test]
    fn a_clause_is_a_part_and_objects_are_words(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "I", "love", "the", "coffee", "is", "not", "great", "and", "but", "it", "of",
                "battery", "my", "Ana", "says", "'s", "terrible", "than", "better", "when",
                "rains", "to", "cook", "drinking", ",", "-", "what", "a", "how", "has", "their",
                "service", "tired", "makes", "me", "happy", "wish", "this", "as", "good",
            ]),
            0..24,
        ),
        before in prop::option::of("[a-z]{3,8}"),
    ) {
        let text = words.join(" ");
        let said = Said { text: &text, speaker: None, vector: None, before: before.as_deref() };
        let all = opinions(&said);
        prop_assert!(all.len() <= OPINIONS_MAX);
        for opinion in all {
            let inside = opinion.clause.as_ptr() as usize - text.as_ptr() as usize;
            prop_assert_eq!(&text[inside..inside + opinion.clause.len()], opinion.clause);
            prop_assert!(!opinion.object.is_empty());
            prop_assert!(opinion.object.split(' ').count() <= 4);
            let stems: Vec<String> = text.split(' ').map(super::super::stem).collect();
            for word in opinion.object.split(' ') {
                let said = stems.contains(&super::super::stem(&word.to_lowercase()))
                    || text.contains(word);
                let known = before.as_deref().is_some_and(|before| before.contains(word));
                prop_assert!(said || known, "{} in {}", opinion.object, text);
            }
        }
    }

    #[test]
    fn any_text_is_taken(text in "\\PC{0,120}", before in prop::option::of("\\PC{0,10}")) {
        let said = Said { text: &text, speaker: None, vector: None, before: before.as_deref() };
        for opinion in opinions(&said) {
            prop_assert!(text.contains(opinion.clause));
        }
    }
}

/// "It makes, my ..." once gave a clause that ended before its object began.
#[test]
fn a_clause_may_end_anywhere() {
    const WORDS: [&str; 10] = [
        "it", "makes", "gives", "me", "my", "day", "and", "but", "that", ",",
    ];
    for code in 0..100_000_usize {
        let word = |place: u32| WORDS[code / 10_usize.pow(place) % 10];
        let text = (0..5).map(word).collect::<Vec<_>>().join(" ");
        found(&text, None);
    }
}
