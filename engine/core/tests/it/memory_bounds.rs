//! Properties of the memory on random talk: the budget holds after every step, nothing said is
//! missing from memory before it was weighed, and the same input gives the same bytes.

use crate::support::{BagOfWords, config, counter, hear_and_mount, memory, said, start};
use proptest::prelude::*;
use std::collections::HashSet;
use weir_core::answer::Question;
use weir_core::config::SessionConfig;
use weir_core::distil::{Distil, Extractive};
use weir_core::driver::Driver;
use weir_core::limits;
use weir_core::memory::Kind;
use weir_core::session::{EncoderStamp, Input, Session};
use weir_core::sources::{Source, SourceText, TextKind, excerpts};
use weir_core::stream::Span;
use weir_core::talk::Evidence;
use weir_core::text::{content_words, display_words};
use weir_core::transcript::{HeldTranscript, Transcript};
use weir_models::Encode;

fn sentence() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("garden"),
        Just("Lisbon"),
        Just("seven"),
        Just("I"),
        Just("bought"),
        Just("a"),
        Just("bike"),
        Just("not"),
        Just("sister"),
        Just("Friday"),
        Just("painting"),
        Just("and"),
        Just("she"),
        Just("likes"),
        Just("coffee"),
        Just("the"),
        Just("train"),
        Just("tomorrow"),
    ];
    (
        proptest::collection::vec(word, 1..14),
        prop_oneof![Just("."), Just("?"), Just("! Yes.")],
    )
        .prop_map(|(words, end)| format!("{}{end}", words.join(" ")))
}

fn talk() -> impl Strategy<Value = Vec<(u8, String)>> {
    proptest::collection::vec((0_u8..3, sentence()), 1..80)
}

const SPEAKERS: [&str; 3] = ["Alice", "Bob", "Maria"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_budget_holds_after_every_step(talk in talk(), budget in 256_usize..500) {
        let mut memory = memory(budget);
        for (n, (speaker, text)) in talk.iter().enumerate() {
            let speaker = SPEAKERS[usize::from(*speaker)];
            memory.hear(said(n as u64, speaker, text)).unwrap();
            let session = memory.session();
            prop_assert_eq!(session.check(), Ok(()));
            prop_assert!(session.text_tokens() <= budget);
            if n % 7 == 0 {
                let (_, recall) = memory.ask("Where is the train?", None, 120).unwrap();
                prop_assert!(recall.context.tokens <= 120);
            }
        }
        memory.flush().unwrap();
        prop_assert_eq!(memory.session().check(), Ok(()));
    }

    /// With any budget, what memory holds of an utterance is whole clauses of it, verbatim and in
    /// order, or its key words, which are never shown.
    #[test]
    fn what_is_held_was_said(talk in talk(), with_transcript in any::<bool>()) {
        let (mut memory, transcript) = told(&talk, 256, with_transcript);
        memory.flush().unwrap();
        let heard = |item: &Evidence| talk[item.turn as usize].1.as_str();
        for unit in memory.session().tree().of_kind(Kind::Unit) {
            let source = &unit.evidence[0];
            prop_assert_eq!(format!("u{}", source.turn), source.utterance.clone());
            let clause = source.part.unwrap().in_text(heard(source)).unwrap();
            if unit.is_key() {
                prop_assert!(with_transcript);
                let said: HashSet<&str> = display_words(clause).collect();
                prop_assert!(display_words(&unit.text).all(|word| said.contains(word)));
                prop_assert_eq!(transcript.quote(source), Some(clause.to_owned()));
            } else {
                prop_assert_eq!(unit.quote(), Some(clause));
                prop_assert!(ends_as_a_clause(clause, heard(source)), "{}", clause);
            }
            if let Some(asked) = &unit.asked {
                prop_assert!(heard(&unit.evidence[1]).contains(asked.as_str()));
            }
        }
    }

    /// Every line of a context consists of whole clauses of one utterance, in order, with an
    /// ellipsis for omitted parts, and of how often each was said; every citation quotes its
    /// utterance.
    #[test]
    fn contexts_and_quotes_are_what_was_said(talk in talk(), with_transcript in any::<bool>()) {
        let (memory, transcript) = told(&talk, 300, with_transcript);
        let session = memory.session();
        let question = Question {
 terms: weir_models::Terms::default(),
            text: "Who bought the bike in Lisbon?".to_owned(),
            vector: BagOfWords::shared().encode(&["Who bought the bike?"]).unwrap().remove(0),
            asked_by: None,
            at: weir_core::answer::QuestionTime::default(),
        };
        let found = session.search(&question);
        let found = if with_transcript { found.with_transcript(&transcript) } else { found };
        let recall = found.assemble(200);
        let texts: Vec<&str> = talk.iter().map(|(_, text)| text.as_str()).collect();
        let lines = recall.context.text.lines();
        for line in lines.filter(|l| !l.starts_with('#') && !l.starts_with('[')) {
            let (_, said) = line.split_once(": ").unwrap();
            prop_assert!(texts.iter().any(|text| is_made_of(said, text, &texts)), "{}", line);
        }
        for citation in &recall.heard.citations {
            let known = with_transcript || citation.evidence.verbatim;
            prop_assert!(!known || citation.quote.is_some(), "{:?}", citation.evidence);
            let quote = citation.quote.as_deref().unwrap_or_default();
            let text = &talk[citation.evidence.turn as usize].1;
            prop_assert!(in_order(quote, text), "{} of {}", quote, text);
        }
    }

    /// All text held is counted: nothing else in an export contains words.
    #[test]
    fn all_text_held_is_counted(talk in talk(), with_transcript in any::<bool>()) {
        let budget = 300;
        let mut config = config(budget);
        config.transcript_bytes = if with_transcript { 1 << 30 } else { 0 };
        let mut memory = memory_of(config);
        let texts = vec![SourceText {
            file: "notes.md".into(),
            excerpts: excerpts("The market opens at seven.", TextKind::Plain).unwrap(),
        }];
        let source = Source::of("town", 1.0, texts, BagOfWords::shared().as_ref()).unwrap();
        memory.step(Input::AddSource(Box::new(source))).unwrap();
        for (n, (speaker, text)) in talk.iter().enumerate() {
            memory.hear(said(n as u64, SPEAKERS[usize::from(*speaker)], text)).unwrap();
            let session = memory.session();
            let held = words_held(session);
            let counted = session.text_tokens();
            prop_assert!(held <= counted, "{held} words, counted {counted}");
            prop_assert!(session.text_tokens() <= budget);
            prop_assert_eq!(session.stats().memory.text_tokens, session.text_tokens());
        }
    }

    #[test]
    fn the_same_input_gives_the_same_bytes(talk in talk()) {
        let run = || {
            let mut memory = memory(300);
            for (n, (speaker, text)) in talk.iter().enumerate() {
                let speaker = SPEAKERS[usize::from(*speaker)];
                memory.hear(said(n as u64, speaker, text)).unwrap();
            }
            memory.into_inner()
        };
        let (first, second) = (run(), run());
        prop_assert_eq!(first.digest(), second.digest());
        let read = Session::from_image(&first.to_image(), counter()).unwrap();
        prop_assert_eq!(read.digest(), first.digest());
    }

    /// Whenever blocks are distilled, with a budget that keeps everything, every utterance with
    /// content is held at every moment.
    #[test]
    fn nothing_said_is_in_no_part_of_memory(
        talk in talk(),
        schedule in proptest::collection::vec(any::<bool>(), 80),
    ) {
        let encoder = BagOfWords::shared();
        let stamp = EncoderStamp::of(encoder.as_ref());
        let mut session = Session::new(config(100_000), stamp, counter()).unwrap();
        session.apply(&Input::Begin(start("s"))).unwrap();
        let mut said_so_far = HashSet::new();
        for (n, (speaker, text)) in talk.iter().enumerate() {
            let utterance = said(n as u64, SPEAKERS[usize::from(*speaker)], text);
            let vector = encoder.encode(&[text]).unwrap().remove(0);
            said_so_far.insert(utterance.id.clone());
            session.apply(&Input::heard(utterance, vector.into())).unwrap();
            if schedule[n] {
                mount_next(&mut session, encoder.as_ref());
            }
            let held: HashSet<String> = session.held().into_iter().map(|(_, id)| id).collect();
            for id in &said_so_far {
                let text = &talk[id[1..].parse::<usize>().unwrap()].1;
                let empty = content_words(text).next().is_none();
                // a unit keeps eight evidence items and counts the rest
                let counted = session.tree().nodes().any(|node| node.evidence_more > 0);
                prop_assert!(empty || counted || held.contains(id), "{id} is lost");
            }
        }
    }
}

fn mount_next(session: &mut Session, encoder: &dyn Encode) {
    if let Some(block) = session.next_block() {
        let distillate = Extractive.distil(&block, encoder).unwrap();
        session.apply(&Input::Mount(Box::new(distillate))).unwrap();
    }
}

/// A memory that heard the talk, in which two utterances at a time begin at once; and its words.
fn told(talk: &[(u8, String)], budget: usize, with_transcript: bool) -> (Driver, HeldTranscript) {
    let mut config = config(budget);
    config.transcript_bytes = if with_transcript { 1 << 30 } else { 0 };
    let mut memory = memory_of(config);
    let mut transcript = HeldTranscript::default();
    for (n, (speaker, text)) in talk.iter().enumerate() {
        let mut said = said(n as u64, SPEAKERS[usize::from(*speaker)], text);
        let at_ms = n as u64 / 2 * 8_000;
        said.span = Span::new(at_ms, at_ms + 3_000);
        transcript.insert(n as u64, said.clone());
        memory.hear(said).unwrap();
    }
    (memory, transcript)
}

fn memory_of(config: SessionConfig) -> Driver {
    let mut memory = Driver::new(config, BagOfWords::shared(), counter()).unwrap();
    memory.begin(start("s")).unwrap();
    memory
}

/// Whether a clause ends at the end of a sentence, before a conjunction, or at the maximum length.
fn ends_as_a_clause(clause: &str, text: &str) -> bool {
    let at = text.find(clause).unwrap() + clause.len();
    let rest = text[at..].trim_start();
    clause.ends_with(['.', '?', '!'])
        || rest.is_empty()
        || rest.starts_with("and ")
        || clause.split_whitespace().count() >= limits::UNIT_WORDS_MAX
}

/// Whether a line consists of clauses of `text` in order. It may also have the question that was
/// answered, the resolved date of "tomorrow", and how often each was said.
fn is_made_of(line: &str, text: &str, all: &[&str]) -> bool {
    let mut line = line
        .replace(" (2 March 2025)", "")
        .replace(" (no longer so)", "");
    for times in 2..=all.len() {
        line = line.replace(&format!(" (said {times} times)"), "");
    }
    while let Some(start) = line.find('(') {
        let Some(end) = line[start..].find("?) ").map(|end| start + end) else {
            return false;
        };
        let asked = &line[start + 1..=end];
        if !all.iter().any(|text| text.contains(asked)) {
            return false;
        }
        line.replace_range(start..end + 3, "");
    }
    in_order(&line, text)
}

/// Whether the parts between ellipses are in the text, complete and in order.
fn in_order(quote: &str, text: &str) -> bool {
    let mut rest = text;
    quote.split(" … ").all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// Number of words in the strings of an export, without names, ids and other data that is not talk.
fn words_held(session: &Session) -> usize {
    let mut lines = Vec::new();
    session.export(&mut lines).unwrap();
    let mut words = 0;
    for line in String::from_utf8(lines).unwrap().lines() {
        count_words(&serde_json::from_str(line).unwrap(), "", &mut words);
    }
    words
}

/// Fields without words of talk: names of streams, utterances, speakers, encoders, settings and
/// kinds, and vectors as digits.
const NAMES: [&str; 23] = [
    "wording", "begun", "cause", "shares", "stream", "utterance", "id", "speaker", "holder",
    "name", "vector", "digest", "counter", "kind", "slot", "doubt", "until", "file", "utility",
    "recall", "boundary", "merge", "files",
];

fn count_words(value: &serde_json::Value, key: &str, words: &mut usize) {
    match value {
        serde_json::Value::String(text) if !NAMES.contains(&key) => {
            *words += text
                .split_whitespace()
                .filter(|w| w.chars().any(char::is_alphabetic))
                .count();
        }
        serde_json::Value::Array(all) => all.iter().for_each(|it| count_words(it, key, words)),
        serde_json::Value::Object(all) => {
            all.iter().for_each(|(key, it)| count_words(it, key, words));
        }
        _ => {}
    }
}

/// In a full memory with a transcript, what says nothing goes before statements become key words.
#[test]
fn greetings_are_forgotten_before_statements_are_shortened() {
    let settings = SessionConfig {
        transcript_bytes: limits::TRANSCRIPT_BYTES_DEFAULT,
        ..config(600)
    };
    let stamp = EncoderStamp::of(BagOfWords::shared().as_ref());
    let mut session = Session::new(settings, stamp, counter()).unwrap();
    session.apply(&Input::Begin(start("s"))).unwrap();
    let things = [
        "lamp", "carpet", "clock", "kettle", "mirror", "ladder", "basket",
    ];
    let places = ["attic", "market", "harbour", "museum", "cellar", "village"];
    let small = [
        "Hey Bob!", "Wow!", "Thanks so much!", "Oh, nice!", "Good morning, Alice!", "Haha.",
    ];
    let mut hear = |n: u64, speaker: &str, text: &str| {
        hear_and_mount(&mut session, said(n, speaker, text));
    };
    for n in 0..60_usize {
        let (thing, place) = (things[n % things.len()], places[n % places.len()]);
        let told = format!("We bought the old {thing} number {n} for {n} euros at the {place}.");
        hear(2 * n as u64, "Alice", &told);
        hear(2 * n as u64 + 1, "Bob", small[n % small.len()]);
    }
    let units = || session.tree().of_kind(Kind::Unit);
    let keys = units().filter(|it| it.is_key()).count();
    let whole = units()
        .filter(|it| !it.is_key() && it.text.contains("euros"))
        .count();
    let said_nothing: Vec<&str> = units()
        .filter(|it| small.iter().any(|text| text.contains(it.text.as_str())))
        .map(|it| it.text.as_str())
        .collect();
    assert!(keys > 0 && whole > 0, "{keys} {whole}");
    assert!(
        said_nothing.len() <= 1,
        "{said_nothing:?} beside {keys} key words"
    );
}
