//! Every answer follows from the words of its evidence, and no question comes before it.

use super::*;
use crate::convert::no_look_ahead;
use crate::stream::Turn;
use proptest::prelude::*;
use std::collections::HashMap;
use weir_core::text::content_words;
use weir_engine::streamfile::{Category, Probe};

fn planted(seed: u64, number: u32, place: Place) -> Stream {
    draft(seed, number, 150, &[])
        .expect("a world")
        .finish(place)
        .0
}

fn said<'a>(stream: &'a Stream, probe: &Probe) -> Vec<&'a Turn> {
    let turns: HashMap<&str, &Turn> = stream.turns().map(|t| (t.id.as_str(), t)).collect();
    probe
        .gold
        .evidence
        .iter()
        .map(|id| turns[id.as_str()])
        .collect()
}

/// The number of a line that is a count: years occur in lines about days.
fn number(turn: &Turn) -> u32 {
    let mut words = turn.text.split(|c: char| !c.is_ascii_digit());
    let number = words.find(|word| !word.is_empty()).expect("a number");
    number.parse().expect("a number")
}

/// Month and day that a line names.
fn day(turn: &Turn) -> (usize, u32) {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let words: Vec<&str> = turn.text.split(' ').collect();
    let year = words
        .iter()
        .position(|word| word.starts_with("2024"))
        .expect("a year");
    let month = MONTHS.find(&words[year - 1][..3]).expect("a month");
    (month, words[year - 2].parse().expect("a day"))
}

/// The person that a line is about: its speaker, unless it names another.
fn about(turn: &Turn, names: &[&str]) -> String {
    let named = names.iter().find(|name| turn.text.contains(*name));
    named.map_or_else(
        || turn.speaker.clone().expect("a name"),
        |name| (*name).to_owned(),
    )
}

/// The two things that a comparative question compares.
fn choices(question: &str) -> [&str; 2] {
    let (_, choices) = question.rsplit_once(", ").expect("two choices");
    let (a, b) = choices
        .trim_end_matches('?')
        .split_once(" or ")
        .expect("two choices");
    [a, b].map(|choice| choice.trim_start_matches("the "))
}

/// The expected answer, from the lines alone, if it is not a quote.
fn recomputed(stream: &Stream, probe: &Probe) -> Option<String> {
    let lines = said(stream, probe);
    let question = probe.question.as_str();
    match probe.gold.category {
        Some(Category::Aggregative) if question.starts_with("How many") => Some(
            lines
                .iter()
                .map(|line| number(line))
                .sum::<u32>()
                .to_string(),
        ),
        Some(Category::Temporal) if question.contains(" first, ") => {
            let first = lines.iter().min_by_key(|line| day(line)).expect("lines");
            let city = choices(question)
                .into_iter()
                .find(|city| first.text.contains(city));
            city.map(str::to_owned)
        }
        Some(Category::Comparative) => {
            let choices = choices(question);
            let most = lines.iter().max_by_key(|line| number(line)).expect("lines");
            let of_things = choices.iter().find(|choice| most.text.contains(**choice));
            Some(match question.starts_with("Who") {
                true => about(most, &choices),
                false => (*of_things.expect("a thing")).to_owned(),
            })
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_answer_follows_from_its_evidence(seed in any::<u64>(), number in 0_u32..50) {
        let stream = planted(seed, number, Place::Soon);
        no_look_ahead(&stream).expect("no question looks ahead");
        let mut kinds: HashMap<Category, usize> = HashMap::new();
        for probe in stream.probes() {
            let category = probe.gold.category.expect("a kind");
            *kinds.entry(category).or_default() += 1;
            let Some(answer) = &probe.gold.answer else {
                prop_assert_eq!(category, Category::Adversarial);
                prop_assert!(probe.gold.evidence.is_empty());
                continue;
            };
            prop_assert!(!probe.gold.evidence.is_empty(), "{:?}", probe);
            if let Some(expected) = recomputed(&stream, probe) {
                prop_assert_eq!(answer, &expected, "{:?} of {:?}", probe, said(&stream, probe));
                continue;
            }
            let proof: Vec<String> = said(&stream, probe).iter().map(|t| t.said()).collect();
            let proof: HashSet<String> = content_words(&proof.join(" ")).collect();
            for word in content_words(answer) {
                prop_assert!(proof.contains(&word), "{} of {:?} in {:?}", word, probe, proof);
            }
        }
        for category in Category::ALL {
            prop_assert!(kinds[&category] >= 3, "{:?}: {:?}", category, kinds);
        }
    }

    #[test]
    fn nothing_answers_an_adversarial_question(seed in any::<u64>()) {
        let stream = planted(seed, 0, Place::End);
        let people: HashSet<&str> = stream.turns().filter_map(|t| t.speaker.as_deref()).collect();
        let adversarial = |probe: &&Probe| probe.gold.is_adversarial();
        for probe in stream.probes().filter(adversarial) {
            let asked = people.iter().find(|name| probe.question.contains(**name));
            let asked = asked.expect("it is about somebody");
            let what = probe.question.trim_end_matches('?').rsplit(' ').next().expect("a word");
            let tells = |turn: &&Turn| {
                let told = ["called", "bought", "paid", "visit"];
                told.iter().any(|word| turn.text.contains(word))
                    && turn.text.contains(what)
                    && subject(turn, &people) == Some(*asked)
            };
            let found = stream.turns().find(tells);
            prop_assert!(found.is_none(), "{} {:?}", probe.question, found);
        }
    }
}

/// The person that a line is about.
fn subject<'a>(turn: &'a Turn, people: &HashSet<&'a str>) -> Option<&'a str> {
    let own = turn
        .text
        .split(' ')
        .any(|word| matches!(word, "I" | "my" | "My"));
    match own {
        true => turn.speaker.as_deref(),
        false => people
            .iter()
            .find(|name| turn.text.contains(**name))
            .copied(),
    }
}

#[test]
fn one_seed_is_one_stream_and_more_streams_change_none() {
    let (first, again) = (planted(3, 0, Place::End), planted(3, 0, Place::End));
    assert_eq!(first, again);
    assert_ne!(first, planted(3, 1, Place::End));
    assert_ne!(first, planted(4, 0, Place::End));
    assert_eq!(first.turns().count(), 150);
    let breaks = |item: &&crate::stream::Item| matches!(item, crate::stream::Item::Break { .. });
    assert_eq!(first.items.iter().filter(breaks).count(), SITTINGS - 1);
}

#[test]
fn talk_of_others_keeps_its_words_and_its_names_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("talk.stream.jsonl");
    let lines = r#"{"weir_stream": 1, "name": "t", "started_at": null}
{"utterance": {"id": "a", "speaker": "Nora", "start_ms": 0, "end_ms": 1, "text": "To Oslo!"}}
{"utterance": {"id": "b", "speaker": null, "start_ms": 2, "end_ms": 3, "text": "Why?"}}"#;
    std::fs::write(&path, lines).expect("written");
    let args = PlantArgs {
        out: folder.path().join("out"),
        seed: 1,
        streams: 2,
        turns: 120,
        talk: Some(path),
        place: Place::End,
    };
    run(&args).expect("planted");
    for number in 0..2 {
        let path = args.out.join(format!("planted-1-{number}.stream.jsonl"));
        let stream = Stream::read(&path).expect("it is whole");
        let count = |text: &str| stream.turns().filter(|turn| turn.text == text).count();
        assert!(count("To Oslo!") > 20 && count("Why?") > 20);
        let of = |word: &str| {
            stream
                .turns()
                .filter(|turn| turn.said().contains(word))
                .count()
        };
        assert_eq!(
            of("Nora"),
            count("To Oslo!"),
            "nobody of the world is called so"
        );
        assert_eq!(of("Oslo"), count("To Oslo!"));
    }
    let names: Vec<(Option<String>, String)> = world::CITIES
        .iter()
        .map(|city| (None, city.0.to_owned()))
        .collect();
    let told = draft(1, 0, 120, &names)
        .expect_err("no city is free")
        .to_string();
    assert!(told.contains("take other talk"), "{told}");
}
