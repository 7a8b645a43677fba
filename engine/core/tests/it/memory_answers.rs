//! The memory from a user's view: questions during talk, evidence, and abstention.

use crate::support::{BagOfWords, STARTED, config, counter, memory, said, start};
use weir_core::answer::{Answer, Question, quote};
use weir_core::config::SessionConfig;
use weir_core::driver::Driver;
use weir_core::memory::{Kind, Node, NodeId};
use weir_core::stream::{Span, Utterance};
use weir_core::transcript::HeldTranscript;

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

fn told(upto: usize) -> Driver {
    let mut memory = memory(4_000);
    for (n, (speaker, text)) in TALK.iter().take(upto).enumerate() {
        memory.hear(said(n as u64, speaker, text)).unwrap();
    }
    memory
}

#[track_caller]
fn answers(memory: &mut Driver, question: &str, words: &str, evidence: &str) {
    let (answer, recall) = memory.ask(question, None, 1_300).unwrap();
    assert!(
        answer.kind.is_answered(),
        "{question}: abstained at support {}",
        recall.heard.support
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

/// A line as from a recogniser, shortly after the one before.
fn line(n: u64, speaker: &str, text: &str) -> Utterance {
    Utterance {
        span: Span::new(n * 4_000, n * 4_000 + 3_800),
        ..said(n, speaker, text)
    }
}

/// The answer to a question about what follows `TALK`.
fn answer_after(lines: &[(&str, &str)], question: &str) -> Answer {
    let mut memory = told(TALK.len());
    for (n, (speaker, text)) in (TALK.len() as u64..).zip(lines) {
        memory.hear(line(n, speaker, text)).unwrap();
    }
    memory.ask(question, None, 1_300).unwrap().0
}

#[test]
fn a_quote_goes_on_where_its_sentence_does() {
    let lines = [
        ("Victor", "At the harbour you should ask for the blue boat,"),
        ("Victor", "because it belongs to my uncle."),
        ("Victor", "Dinner is at eight."),
    ];
    let question = "Whose is the blue boat at the harbour?";
    let answer = answer_after(&lines, question);
    let whole =
        "Victor: At the harbour you should ask for the blue boat, because it belongs to my uncle.";
    assert_eq!(answer.text, whole);
    let cited = answer.citations.iter();
    let cited: Vec<&str> = cited.map(|it| it.evidence.utterance.as_str()).collect();
    assert_eq!(cited, ["u14", "u15"]);
}

#[test]
fn a_quote_ends_where_somebody_else_speaks() {
    let lines = [
        ("Victor", "At the harbour you should ask for the blue boat,"),
        ("Bob", "because it belongs to my uncle."),
    ];
    let answer = answer_after(&lines, "What should I ask for at the harbour?");
    let broken_off = "Victor: At the harbour you should ask for the blue boat…";
    assert_eq!(answer.text, broken_off);
}

#[test]
fn a_question_in_mid_stream_is_answered_from_raw_talk() {
    // the last utterance is in the open block, not distilled yet
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
            !answer.kind.is_answered(),
            "{question}: {} at {}",
            answer.text,
            recall.heard.support
        );
        assert!(answer.citations.is_empty());
    }
}

#[test]
fn an_empty_memory_abstains() {
    let mut memory = memory(4_000);
    let (answer, recall) = memory.ask("Where are they going?", None, 1_300).unwrap();
    assert!(!answer.kind.is_answered());
    assert_eq!(recall.context.text, "");
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
    assert!(recall.context.tokens <= 64);
    let present: std::collections::BTreeSet<String> =
        weir_core::text::content_words(&recall.context.text).collect();
    for (_, id) in &recall.context.utterances {
        let text = TALK[id[1..].parse::<usize>().unwrap()].1;
        let words: std::collections::BTreeSet<String> =
            weir_core::text::content_words(text).collect();
        let shared = words.intersection(&present).count();
        assert!(
            shared * 2 >= words.len(),
            "{id} is listed, its words are not in the context"
        );
    }
    assert!(!recall.context.utterances.is_empty());
}

/// The units that an answer quotes, and no others of its context, count as recalled.
#[test]
fn what_an_answer_quotes_is_recalled() {
    let mut memory = told(TALK.len());
    memory.flush().unwrap();
    let (answer, recall) = memory.ask("Where did Nora move?", None, 64).unwrap();
    let tree = memory.session().tree();
    let ids = |is: &dyn Fn(&Node) -> bool| -> Vec<NodeId> {
        let units = tree.of_kind(Kind::Unit).filter(|unit| is(unit));
        units.map(|unit| unit.id).collect()
    };
    let shown = ids(&|unit| recall.context.text.contains(&*unit.display_text()));
    assert!(!shown.is_empty() && shown.len() < TALK.len(), "{shown:?}");
    let mut nodes: Vec<_> = recall.context.nodes().collect();
    nodes.sort_unstable();
    assert_eq!(nodes, shown);
    let quoted = ids(&|unit| answer.text.contains(&*unit.text));
    assert!(!quoted.is_empty() && quoted.len() < shown.len());
    assert_eq!(ids(&|unit| unit.frequency == 1), quoted);
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
    let unit = memory.session().tree().of_kind(Kind::Unit).next().unwrap();
    assert_eq!(unit.evidence.len(), 6);
    assert_eq!(unit.frequency, 5);
}

/// With a transcript, a full memory keeps key words, finds their statements, and quotes them as
/// said; without the words it says that it cannot quote.
#[test]
fn what_is_held_as_key_words_is_quoted_from_the_transcript() {
    let config = SessionConfig {
        transcript_bytes: 1 << 20,
        ..config(256)
    };
    let mut memory = Driver::new(config, BagOfWords::shared(), counter()).unwrap();
    memory.begin(start("s")).unwrap();
    let mut transcript = HeldTranscript::default();
    let first = "We fly to Lisbon tomorrow because the harbour festival begins there.";
    let mut tell = |memory: &mut Driver, n: u64, speaker: &str, text: &str| {
        let said = said(n, speaker, text);
        transcript.insert(n, said.clone());
        memory.hear(said).unwrap();
    };
    tell(&mut memory, 0, "Alice", first);
    for n in 1..60 {
        let filler = format!("I saw number {n} in Porto with my cousin {n} when I went there.");
        tell(&mut memory, n, "Bob", &filler);
    }
    memory.flush().unwrap();
    let session = memory.session();
    let proved = |unit: &&Node| unit.evidence[0].turn == 0;
    let unit = session
        .tree()
        .of_kind(Kind::Unit)
        .find(proved)
        .expect("rare words stay");
    assert!(unit.is_key() && unit.text.len() < first.len(), "{unit:?}");
    let text = "When do we fly to Lisbon?";
    let vector = BagOfWords::shared().encode(&[text]).unwrap().remove(0);
    let question = Question::new(text, vector.into(), None);
    let recall = session
        .search(&question)
        .with_transcript(&transcript)
        .assemble(1_300);
    let answer = quote(&question, &recall);
    let dated = "We fly to Lisbon tomorrow (2 March 2025)";
    assert!(answer.text.contains(dated), "{}", answer.text);
    let context = &recall.context.text;
    assert!(context.contains(dated), "{context}");
    assert_eq!(answer.citations[0].quote.as_deref(), Some(first));
    let recall = session.search(&question).assemble(1_300);
    assert!(recall.heard.unreadable > 0);
    let context = &recall.context.text;
    assert!(!context.contains("Lisbon"), "{context}");
}

/// An utterance over the limit is taken in parts under one id. Each part is quoted separately,
/// since words of one part are not in the other.
#[test]
fn parts_of_a_long_utterance_are_quoted_apart() {
    let mut memory = memory(8_192);
    let parts = [
        "First of all the garden gate was painted green last spring. My aunt chose the colour.",
        "The garden gate fell down in the storm. We never found the garden gate again.",
    ];
    for (n, text) in parts.iter().enumerate() {
        let mut part = said(n as u64, "Ana", text);
        part.id = "long".to_owned();
        memory.hear(part).unwrap();
    }
    memory.flush().unwrap();
    let (_, recall) = memory
        .ask("What happened to the garden gate?", None, 300)
        .unwrap();
    let quotes = recall
        .heard
        .citations
        .iter()
        .filter_map(|it| it.quote.as_deref());
    let quotes: Vec<&str> = quotes.collect();
    assert_eq!(quotes.len(), 2, "{quotes:?}");
    for quote in quotes {
        let of_one = |text: &&str| quote.split(" … ").all(|piece| text.contains(piece));
        assert!(parts.iter().any(of_one), "{quote}");
    }
}

/// The same text twice in a minute, not yet distilled: the context has it once.
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
        recall.context.text.matches("spare key").count(),
        1,
        "{}",
        recall.context.text
    );
}

#[test]
fn two_who_write_at_once_have_a_line_each() {
    let mut memory = memory(8_192);
    for (n, text) in [
        "I sold the boat. It was too slow.",
        "Bring the tent. Mind the boat.",
    ]
    .into_iter()
    .enumerate()
    {
        let mut message = said(n as u64, "Ana", text);
        message.span = Span::new(1_000, 1_000);
        memory.hear(message).unwrap();
    }
    memory.flush().unwrap();
    let (_, recall) = memory.ask("What of the boat?", None, 200).unwrap();
    for line in [
        "10:00 Ana: I sold the boat. It was too slow.",
        "10:00 Ana: Bring the tent. Mind the boat.",
    ] {
        assert!(
            recall.context.text.lines().any(|other| other == line),
            "{}",
            recall.context.text
        );
    }
    assert_eq!(recall.context.text.matches("[1 March 2025]").count(), 1);
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
    let days = |memory: &mut Driver, question: &str| {
        let (_, recall) = memory.ask(question, None, 70).unwrap();
        let lines = recall
            .context
            .text
            .lines()
            .filter(|line| !line.starts_with('#'));
        let lines: Vec<&str> = lines.collect();
        let begin = ["1 March 2025 Ana: ", "4 March 2025 Ana: "];
        let is_of_a_day = |line: &&str| begin.iter().any(|day| line.starts_with(day));
        assert!(lines.iter().all(is_of_a_day), "{lines:?}");
        begin.map(|day| lines.iter().any(|line| line.starts_with(day)))
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
