//! What a user sees of the memory: questions in the middle of talk, with evidence, and abstention.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use support::{STARTED, memory, said};
use weir_engine::inline::Memory;
use weir_engine::text::Detail;

const TALK: [(&str, &str); 14] = [
    ("Alice", "Good morning, did you sleep well?"),
    ("Bob", "I did, thank you."),
    (
        "Alice",
        "My sister Nora moved to Denver, and she works as a nurse.",
    ),
    ("Bob", "My brother plays the violin in Boston."),
    ("Maria", "The concert on Friday starts at seven."),
    ("Alice", "I lost my green umbrella at the station."),
    ("Bob", "Who feeds the cat?"),
    ("Maria", "Victor feeds the cat every evening."),
    ("Alice", "We fly to Lisbon tomorrow."),
    ("Bob", "The tickets cost two hundred dollars."),
    ("Maria", "I am allergic to peanuts."),
    ("Alice", "Okay."),
    ("Bob", "Our garden is full of tomatoes."),
    ("Maria", "That is nice."),
];

fn told(upto: usize) -> Memory {
    let mut memory = memory(4_000);
    for (n, (speaker, text)) in TALK.iter().take(upto).enumerate() {
        memory.hear(said(n as u64, speaker, text)).unwrap();
    }
    memory
}

#[track_caller]
fn answers(memory: &mut Memory, question: &str, words: &str, evidence: &str) {
    let (answer, recall) = memory.ask(question, None, 1_300).unwrap();
    assert!(
        !answer.abstained,
        "{question}: abstained at support {}",
        recall.support
    );
    assert!(answer.text.contains(words), "{question}: {}", answer.text);
    assert_eq!(
        answer.citations[0].evidence.utterance, evidence,
        "{question}: {}",
        answer.text
    );
}

#[test]
fn questions_are_answered_with_their_evidence() {
    let mut memory = told(TALK.len());
    answers(&mut memory, "Where did Nora move?", "Denver", "u2");
    answers(
        &mut memory,
        "What does the brother of Bob play?",
        "violin",
        "u3",
    );
    answers(&mut memory, "When does the concert start?", "seven", "u4");
    answers(&mut memory, "What is Maria allergic to?", "peanuts", "u10");
    answers(&mut memory, "Who feeds the cat?", "Victor", "u7");
}

#[test]
fn a_question_in_mid_stream_is_answered_from_raw_talk() {
    // the last utterance is in the block being heard, distilled by nobody
    let mut memory = told(6);
    assert!(memory.session().stats().memory.buffer_tokens > 0);
    answers(&mut memory, "What did Alice lose?", "umbrella", "u5");
}

#[test]
fn what_was_never_said_is_not_answered() {
    let mut memory = told(TALK.len());
    for question in [
        "Which car does Oscar drive?",
        "What is the name of the parrot of Ingrid?",
    ] {
        let (answer, recall) = memory.ask(question, None, 1_300).unwrap();
        assert!(
            answer.abstained,
            "{question}: {} at {}",
            answer.text, recall.support
        );
        assert!(answer.citations.is_empty());
    }
}

#[test]
fn an_empty_memory_abstains() {
    let mut memory = memory(4_000);
    let (answer, recall) = memory.ask("Where are they going?", None, 1_300).unwrap();
    assert!(answer.abstained);
    assert_eq!(recall.context, "");
}

#[test]
fn a_relative_date_is_resolved_in_the_memory() {
    let mut memory = told(TALK.len());
    memory.flush().unwrap();
    answers(
        &mut memory,
        "When do we fly to Lisbon?",
        "tomorrow (2 March 2025)",
        "u8",
    );
}

#[test]
fn the_context_lists_what_it_carries_and_nothing_else() {
    let mut memory = told(TALK.len());
    memory.flush().unwrap();
    let (_, recall) = memory.ask("Where did Nora move?", None, 64).unwrap();
    assert!(recall.context_tokens <= 64);
    let present: std::collections::BTreeSet<String> =
        weir_engine::text::content_words(&recall.context).collect();
    for (_, id) in &recall.context_utterances {
        let text = TALK[id[1..].parse::<usize>().unwrap()].1;
        let words: std::collections::BTreeSet<String> =
            weir_engine::text::content_words(text).collect();
        let shared = words.intersection(&present).count();
        assert!(
            shared * 2 >= words.len(),
            "{id} is listed, its words are not in the context"
        );
    }
    assert!(!recall.context_utterances.is_empty());
}

#[test]
fn hearing_the_same_again_reinforces_and_adds_no_unit() {
    let mut memory = memory(4_000);
    for n in 0..6 {
        memory
            .hear(said(n, "Maria", "I am allergic to peanuts."))
            .unwrap();
    }
    memory.flush().unwrap();
    let stats = memory.session().stats();
    assert_eq!((stats.memory.amus, stats.turns), (1, 6));
    let unit = memory
        .session()
        .tree()
        .of_kind(weir_engine::memory::Kind::Unit)
        .next()
        .unwrap();
    assert_eq!(unit.evidence.len(), 6);
    assert_eq!(unit.frequency, 5);
}

/// A full memory shows a statement in fewer words and still quotes it as it was said.
#[test]
fn what_was_condensed_is_quoted_in_full() {
    let mut memory = memory(256);
    let first = "We fly to Lisbon tomorrow because the harbour festival begins there.";
    memory.hear(said(0, "Alice", first)).unwrap();
    for n in 1..40 {
        let filler = format!("It is so nice that we have number {n} on the list of things here.");
        memory.hear(said(n, "Bob", &filler)).unwrap();
    }
    memory.flush().unwrap();
    let unit = memory
        .session()
        .tree()
        .nodes()
        .find(|node| node.text.contains("harbour"))
        .expect("rare words stay")
        .clone();
    assert_ne!(unit.detail, Detail::Whole, "{unit:?}");
    assert!(unit.text.len() < first.len(), "{}", unit.text);
    let (answer, _) = memory
        .ask("When do we fly to Lisbon?", None, 1_300)
        .unwrap();
    assert!(
        answer
            .text
            .contains("We fly to Lisbon tomorrow (2 March 2025)"),
        "{}",
        answer.text
    );
    assert_eq!(answer.citations[0].evidence.utterance, "u0");
}

/// Heard and not yet distilled, twice in a minute: the context says it once.
#[test]
fn the_same_words_are_shown_once() {
    let mut memory = memory(8_192);
    for n in 0..2 {
        memory
            .hear(said(n, "Ana", "The spare key hangs behind the blue door."))
            .unwrap();
    }
    let (_, recall) = memory
        .ask("Where does the spare key hang?", None, 300)
        .unwrap();
    assert_eq!(
        recall.context.matches("spare key").count(),
        1,
        "{}",
        recall.context
    );
}

#[test]
fn a_day_in_the_question_leads_to_what_was_said_then() {
    let mut memory = memory(8_192);
    for n in 0..6 {
        memory
            .hear(said(n, "Ana", &format!("The choir sang {n} songs for us.")))
            .unwrap();
    }
    // three days later; the first was Saturday, 1 March 2025
    memory.pause(Some(STARTED + 3 * 86_400_000)).unwrap();
    for n in 6..12 {
        memory
            .hear(said(n, "Ana", &format!("The choir sang {n} songs for us.")))
            .unwrap();
    }
    memory.flush().unwrap();
    let days = |memory: &mut Memory, question: &str| {
        let (_, recall) = memory.ask(question, None, 70).unwrap();
        ["[1 March 2025]", "[4 March 2025]"].map(|day| recall.context.contains(day))
    };
    assert_eq!(
        days(&mut memory, "What did Ana say of the choir last Saturday?"),
        [true, false]
    );
    assert_eq!(
        days(&mut memory, "What did Ana say of the choir today?"),
        [false, true]
    );
}
