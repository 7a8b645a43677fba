//! The API for programs that embed a memory.

use crate::folded::FoldedWords;
use crate::plain_memory::files_with;
use std::path::{Path, PathBuf};
use weir_core::answer::{CheckClaim, CheckError, LexicalCheck};
use weir_core::memory::Kind;
use weir_core::session::{SpeakerChange, Target};
use weir_core::stream::StreamStart;
use weir_core::text::{SpeakerText, Verdict};
use weir_engine::chat::{Chat, Reply};
use weir_engine::{Answer, AnswerKind, Memory, MemoryError, Span, Utterance, WordHashEncoder};

/// The memory in a directory, with a transcript.
fn open(dir: &Path) -> Memory {
    let builder = Memory::builder(WordHashEncoder::new()).transcript_bytes(1 << 20);
    builder.open(dir).unwrap()
}

fn told(memory: &Memory) {
    for (speaker, text) in [
        ("Ana", "The keys of the cabin hang behind the stove."),
        ("Ben", "Good, then I only bring the firewood."),
        ("Ana", "We leave on Friday at seven."),
    ] {
        memory.hear(Utterance::new(speaker, text)).unwrap();
    }
}

/// An answer can be serialised and deserialised.
#[test]
fn an_answer_is_json_with_its_kind_and_its_evidence() {
    let builder = Memory::builder(WordHashEncoder::new());
    let memory = builder.budget_tokens(2_048).in_memory().unwrap();
    assert!(memory.warnings().is_empty());
    told(&memory);
    let answer = memory.ask("Where are the keys of the cabin?").unwrap();
    assert!(answer.text.contains("behind the stove"), "{}", answer.text);
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["kind"], "answer");
    assert_eq!(json["citations"][0]["evidence"]["speaker"], "Ana");
    assert_eq!(serde_json::from_value::<Answer>(json).unwrap(), answer);
    let none = memory.ask("Which violin did the dentist sell?").unwrap();
    assert_eq!(none.kind, AnswerKind::NotKnown, "{}", none.text);
}

/// Checks nothing: each claim is an error.
struct Broken;

impl CheckClaim for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn check(&mut self, _: SpeakerText<'_>, _: SpeakerText<'_>) -> Result<Verdict, CheckError> {
        Err(CheckError {
            check: "broken".into(),
            reason: "no model".into(),
        })
    }
}

/// Without a check there is none; one that fails leaves the answer as it is.
#[test]
fn answers_are_checked_on_request_also_in_a_conversation() {
    let question = "Where are the keys of the cabin?";
    let of = |check: Option<Box<dyn CheckClaim>>| {
        let builder = Memory::builder(WordHashEncoder::new());
        let memory = builder.check(check).in_memory().unwrap();
        told(&memory);
        let asked = memory.ask_as(question, Some("Ana")).unwrap();
        let start = StreamStart::new("chat", None);
        match Chat::new(memory, "Ana", start).turn(question, 0).unwrap() {
            Reply::Answered { answered, .. } => {
                assert_eq!(answered.answer.text, asked.answer.text);
                assert_eq!(answered.check, asked.check);
            }
            other => panic!("{other:?}"),
        }
        (asked.answer, asked.check)
    };
    let (plain, none) = of(None);
    assert_eq!(none, None);
    let (answer, checked) = of(Some(Box::new(LexicalCheck)));
    let checked = checked.unwrap().unwrap();
    assert_eq!(
        (checked.check.as_str(), &answer.text),
        ("lexical", &plain.text)
    );
    assert_eq!(checked.claims[0].found.verdict, Verdict::Supported);
    let (answer, failed) = of(Some(Box::new(Broken)));
    assert_eq!(answer.text, plain.text);
    assert!(
        failed
            .unwrap()
            .unwrap_err()
            .to_string()
            .contains("no model")
    );
}

#[test]
fn a_name_given_once_is_in_answers_and_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    let open = || open(dir.path());
    let memory = open();
    told(&memory);
    let change = SpeakerChange::Name {
        speaker: "Ben".into(),
        name: "Benjamin".into(),
    };
    memory.change_speaker(change.clone()).unwrap();
    let refused = memory.change_speaker(change).unwrap_err().to_string();
    assert!(refused.contains("Benjamin already"), "{refused}");
    drop(memory);
    let memory = open();
    let late = Utterance::new("Ben", "Omar sold his violin.").at(Span::new(60_000, 62_000));
    memory.hear(late).unwrap();
    let answer = memory.ask("What did Benjamin say about the firewood?");
    let answer = answer.unwrap();
    let cited = answer.citations[0].evidence.speaker.as_deref();
    assert_eq!(cited, Some("Benjamin"), "{}", answer.text);
    assert_eq!(memory.session().speakers(), ["Ana", "Benjamin"]);
}

#[test]
fn what_was_heard_is_on_disk_when_hearing_returns() {
    let dir = tempfile::tempdir().unwrap();
    let open = || open(dir.path());
    let memory = open();
    memory.begin("trip", Some(1_740_823_200_000)).unwrap();
    told(&memory);
    memory.flush().unwrap();
    let unit = memory
        .session()
        .tree()
        .of_kind(Kind::Unit)
        .next()
        .unwrap()
        .id;
    memory.pin(unit).unwrap();
    let late = Utterance::new("Ben", "Omar sold his violin.").at(Span::new(60_000, 62_000));
    memory.hear(late).unwrap();
    drop(memory);

    let memory = open();
    assert_eq!(memory.session().turns(), 4);
    assert!(memory.session().tree().node(unit).unwrap().pinned);
    let answer = memory.ask("What did Omar sell?").unwrap();
    let proof = &answer.citations[0].evidence;
    assert_eq!(
        (proof.stream.as_str(), proof.span.start_ms),
        ("trip", 60_000)
    );
    // ids continue to count up
    memory
        .hear(Utterance::new("Ana", "He will miss it."))
        .unwrap();
    memory.close().unwrap();
    assert_eq!(open().session().turns(), 5);
}

#[test]
fn what_is_too_long_at_once_is_taken_in_parts_and_what_is_wrong_is_named() {
    let builder = Memory::builder(WordHashEncoder::new()).budget_tokens(4_096);
    let memory = builder.in_memory().unwrap();
    let long = "The red boat sails to the island on Sunday. ".repeat(200);
    memory.hear(Utterance::new("Ana", long)).unwrap();
    assert!(memory.session().turns() > 1, "in parts");
    let silent = memory.hear(Utterance::new("Ana", "... !")).unwrap_err();
    assert!(silent.to_string().contains("has no words"), "{silent}");
    let small = Memory::builder(WordHashEncoder::new()).budget_tokens(3);
    let wrong = small.in_memory().err().unwrap();
    assert!(matches!(wrong, MemoryError::Config(_)), "{wrong}");
}

/// No word of what was erased is left in any file, and the memory goes on.
#[test]
fn what_is_erased_is_gone_from_the_directory() {
    let dir = tempfile::tempdir().unwrap();
    let memory = open(dir.path());
    told(&memory);
    memory.flush().unwrap();
    memory
        .hear(Utterance::new("Zoe", "My password is xylophone."))
        .unwrap();
    let receipt = memory.erase(&[Target::Speaker("Zoe".into())]).unwrap();
    assert_eq!(receipt.erased.utterances, 1);
    memory
        .hear(Utterance::new("Ben", "We take the small boat."))
        .unwrap();
    let answer = memory.ask("Where are the keys of the cabin?").unwrap();
    assert!(answer.text.contains("behind the stove"), "{}", answer.text);
    let nobody = [Target::Speaker("Nobody".into())];
    assert!(memory.erase(&nobody).is_err());
    assert_eq!(files_with(dir.path(), &["xylophone"]), [] as [PathBuf; 0]);
    drop(memory);
    let turns = open(dir.path()).session().turns();
    assert_eq!(turns, 5, "also those that are erased");
}

/// Thresholds of another encoder always cause a warning.
#[test]
fn an_encoder_without_thresholds_of_its_own_is_warned_of() {
    struct Unknown(std::sync::Arc<dyn weir_engine::Encode>);
    impl weir_engine::Encode for Unknown {
        fn dimension(&self) -> usize {
            self.0.dimension()
        }
        fn identity(&self) -> &weir_models::EncoderIdentity {
            self.0.identity()
        }
        fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, weir_models::EncodeError> {
            self.0.encode(texts)
        }
    }
    let unknown = || Unknown(FoldedWords::shared());
    let memory = Memory::builder(unknown()).in_memory().unwrap();
    assert!(memory.warnings()[0].contains("`word-hash-folded`"));
    let profile = weir_core::config::EncoderProfile::word_hash();
    let memory = Memory::builder(unknown())
        .profile(profile)
        .in_memory()
        .unwrap();
    assert!(memory.warnings().is_empty());
}

/// A source is in the journal when `add_source` returns: what a killed process leaves opens with
/// it. Removed, no byte of it is in any file.
#[test]
fn a_source_survives_a_kill_and_leaves_nothing_when_removed() {
    let (dir, left) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let rules = dir.path().join("rules.md");
    std::fs::write(
        &rules,
        "# Sauna\nThe sauna is heated on Thursdays by Wilhelmine.\n",
    )
    .unwrap();
    let session = dir.path().join("s");
    let memory = open(&session);
    told(&memory);
    let absent = memory.add_source("house", 1.0, &[dir.path().join("none.md")]);
    assert!(matches!(absent, Err(MemoryError::SourceFile(_))));
    memory.add_source("house", 1.0, &[rules]).unwrap();
    // the files as they are while the writer lives
    for entry in std::fs::read_dir(&session).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), left.path().join(entry.file_name())).unwrap();
        }
    }
    let question = "When is the sauna heated?";
    let answer = memory.ask(question).unwrap();
    assert!(
        answer.text.starts_with("house, rules.md:1-2: "),
        "{}",
        answer.text
    );
    let recovered = open(left.path());
    assert_eq!(recovered.ask(question).unwrap(), answer);
    let receipt = memory.remove_source("house").unwrap();
    assert_eq!(receipt.erased.passages, 1);
    assert_eq!(files_with(&session, &["wilhelmine"]), [] as [PathBuf; 0]);
    assert!(!memory.ask(question).unwrap().kind.is_answered());
    assert!(memory.remove_source("house").is_err());
}
