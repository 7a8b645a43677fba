//! Names that the user gives to speakers show in all that was said, before and after.

use crate::support::{BagOfWords, counter, memory, said, start};
use proptest::prelude::*;
use std::io::Cursor;
use weir_core::driver::{Driver, DriverError};
use weir_core::memory::Kind;
use weir_core::session::{Input, InputError, Session, SpeakerChange, SpeakerError, Target};

fn name(speaker: &str, name: &str) -> SpeakerChange {
    SpeakerChange::Name {
        speaker: speaker.into(),
        name: name.into(),
    }
}

fn merge(speaker: &str, into: &str) -> SpeakerChange {
    SpeakerChange::Merge {
        speaker: speaker.into(),
        into: into.into(),
    }
}

fn forget(speaker: &str) -> SpeakerChange {
    SpeakerChange::Forget {
        speaker: speaker.into(),
    }
}

/// Two voices that have talked, some of it distilled and some of it raw.
fn talk() -> Driver {
    let mut memory = memory(8_192);
    for (n, (speaker, text)) in [
        ("Speaker 1", "The budget for the garden is forty dollars."),
        ("Speaker 2", "The budget for the kitchen is ninety dollars."),
        ("Speaker 1", "I live in Rome."),
        ("Speaker 2", "We meet on Friday at noon."),
    ]
    .into_iter()
    .enumerate()
    {
        memory.hear(said(n as u64, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
    let raw = "The train to Porto leaves at nine.";
    memory.hear(said(9, "Speaker 1", raw)).unwrap();
    memory
}

fn refused(memory: &mut Driver, change: SpeakerChange) -> SpeakerError {
    let before = memory.session().digest();
    let wrong = memory.change_speaker(change, None).unwrap_err();
    assert_eq!(memory.session().digest(), before, "nothing was changed");
    match wrong {
        DriverError::Input(InputError::Speaker(wrong)) => wrong,
        other => panic!("{other}"),
    }
}

fn answer(memory: &mut Driver, question: &str) -> (String, Option<String>) {
    let (answer, _) = memory.ask(question, None, 400).unwrap();
    let cited = answer.citations.first().expect(&answer.text);
    (answer.text, cited.evidence.speaker.clone())
}

#[test]
fn one_name_shows_in_what_was_said_before_and_after() {
    let mut memory = talk();
    memory
        .change_speaker(name("Speaker 1", "Ana"), None)
        .unwrap();
    let (text, speaker) = answer(&mut memory, "What did Ana say about the budget?");
    assert!(text.contains("forty"), "{text}");
    assert_eq!(speaker.as_deref(), Some("Ana"));
    let (text, speaker) = answer(&mut memory, "What did Speaker 2 say about the budget?");
    assert!(text.contains("ninety"), "{text}");
    assert_eq!(speaker.as_deref(), Some("Speaker 2"));
    let (_, speaker) = answer(&mut memory, "When does the train leave?");
    assert_eq!(speaker.as_deref(), Some("Ana"), "raw talk");

    // the voice is still heard as Speaker 1
    let later = "The lamp in the hall is broken.";
    memory.hear(said(20, "Speaker 1", later)).unwrap();
    let (_, speaker) = answer(&mut memory, "What about the lamp in the hall?");
    assert_eq!(speaker.as_deref(), Some("Ana"));
    assert_eq!(memory.session().speakers(), ["Ana", "Speaker 2"]);
}

#[test]
fn two_labels_become_one_person() {
    let mut memory = talk();
    memory
        .change_speaker(name("Speaker 1", "Ana"), None)
        .unwrap();
    memory
        .change_speaker(merge("Speaker 2", "Ana"), None)
        .unwrap();
    assert_eq!(memory.session().speakers(), ["Ana"]);
    memory
        .hear(said(20, "Speaker 2", "The soup is ready."))
        .unwrap();
    assert_eq!(memory.session().speakers(), ["Ana"]);
    let names = memory.session().speaker_names();
    assert_eq!(names.named()[0].heard_as, ["Speaker 1", "Speaker 2"]);
    // without the name they stay one person
    memory.change_speaker(forget("Ana"), None).unwrap();
    assert_eq!(memory.session().speakers(), ["Speaker 1"]);
    assert!(!format!("{:?}", memory.session().speaker_names()).contains("Ana"));
}

#[test]
fn another_name_replaces_the_first_and_frees_it() {
    let mut memory = talk();
    memory
        .change_speaker(name("Speaker 1", "Anna"), None)
        .unwrap();
    memory.change_speaker(name("Anna", "Ana"), None).unwrap();
    let names = memory.session().speaker_names();
    assert_eq!(names.named()[0].former, ["Anna"]);
    assert_eq!(
        (names.current("Anna"), names.label("Ana")),
        ("Ana", "Speaker 1")
    );
    memory
        .change_speaker(name("Speaker 2", "Anna"), None)
        .unwrap();
    assert_eq!(memory.session().speakers(), ["Ana", "Anna"]);
    assert_eq!(memory.session().speaker_names().current("Anna"), "Anna");
}

#[test]
fn names_that_cannot_be_are_refused_with_advice() {
    let mut memory = talk();
    memory
        .change_speaker(name("Speaker 1", "Ana"), None)
        .unwrap();
    let told = |memory: &mut Driver, change| refused(memory, change).to_string();
    let taken = told(&mut memory, name("Speaker 2", "Ana"));
    assert!(
        taken.contains("if `Speaker 2` is the same person, merge"),
        "{taken}"
    );
    let letters = told(&mut memory, name("Speaker 2", "ANA"));
    assert!(letters.contains("the name `Ana` is taken"), "{letters}");
    let two = told(&mut memory, name("Speaker 1", "Bob"));
    assert!(two.contains("`Speaker 1` is called Ana already"), "{two}");
    let nobody = told(&mut memory, name("Speaker 7", "Bob"));
    assert!(
        nobody.contains("nobody here is called `Speaker 7`"),
        "{nobody}"
    );
    for wrong in ["", " Ana", "a:b", "a\nb", "Speaker 4", "4", &"x".repeat(41)] {
        let change = name("Speaker 2", wrong);
        assert!(matches!(
            refused(&mut memory, change),
            SpeakerError::NoName { .. }
        ));
    }
    let change = forget("Speaker 2");
    assert!(matches!(
        refused(&mut memory, change),
        SpeakerError::NotNamed { .. }
    ));
}

#[test]
fn letters_of_a_name_may_change_and_a_recognised_voice_knows_no_case() {
    let mut memory = talk();
    memory
        .change_speaker(name("Speaker 1", "ana"), None)
        .unwrap();
    memory.change_speaker(name("ana", "Ana"), None).unwrap();
    assert_eq!(memory.session().speakers(), ["Ana", "Speaker 2"]);
    let same = memory.session().recognising("Speaker 2", "ANA");
    assert_eq!(same, Some(merge("Speaker 2", "Ana")));
    assert_eq!(memory.session().recognising("Speaker 1", "Bob"), None);
}

#[test]
fn new_voices_are_numbered_after_those_heard() {
    let mut memory = talk();
    let before = |memory: &Driver| memory.session().stream().unwrap().labels;
    let labels = memory.session().speaker_names().labels();
    assert_eq!((labels, before(&memory)), (2, 0));
    memory.begin(start("t")).unwrap();
    assert_eq!(before(&memory), 2);
}

/// A distillate may have been made before a name was given.
#[test]
fn a_block_distilled_before_the_name_is_mounted_under_it() {
    let mut memory = memory(8_192);
    memory
        .hear(said(1, "Speaker 1", "I live in Rome."))
        .unwrap();
    let mut session = memory.into_inner();
    session.apply(&Input::Flush).unwrap();
    let block = session.next_block().expect("a block waits");
    let encoder = BagOfWords::shared();
    let mut distiller = weir_core::distil::Extractive;
    let made = weir_core::distil::Distil::distil(&mut distiller, &block, encoder.as_ref()).unwrap();
    session
        .apply(&Input::Speaker(Box::new(name("Speaker 1", "Ana").into())))
        .unwrap();
    session.apply(&Input::Mount(Box::new(made))).unwrap();
    assert_eq!(session.check(), Ok(()));
    for unit in session.tree().of_kind(Kind::Unit) {
        assert_eq!(unit.speaker.as_deref(), Some("Ana"));
        assert_eq!(unit.evidence[0].speaker.as_deref(), Some("Ana"));
    }
}

#[test]
fn what_a_named_speaker_said_is_erased_by_name() {
    let mut memory = talk();
    memory
        .change_speaker(name("Speaker 1", "Ana"), None)
        .unwrap();
    memory.erase(&[Target::Speaker("ana".into())]).unwrap();
    assert_eq!(memory.session().speakers(), ["Speaker 2"]);
    assert_eq!(memory.session().speaker_names().named(), []);
    let mut held = memory.session().tree().of_kind(Kind::Unit);
    assert!(held.all(|unit| unit.speaker.as_deref() == Some("Speaker 2")));
}

fn step() -> impl Strategy<Value = (u8, usize, usize)> {
    (0..8_u8, 0..4_usize, 0..4_usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is done to names: nobody keeps a name that was taken away, image, export and
    /// journal give the same session, and every invariant holds.
    #[test]
    fn any_order_of_names_keeps_the_session_whole(steps in prop::collection::vec(step(), 1..40)) {
        let called = ["Ana", "Bob", "Carla", "Dmitri Ivanovich"];
        let mut memory = memory(512);
        let mut journal = Session::from_image(&memory.session().to_image(), counter()).unwrap();
        for (n, (what, a, b)) in steps.into_iter().enumerate() {
            let known = memory.session().speakers();
            let speaker = known.get(a % known.len().max(1)).cloned().unwrap_or_default();
            let other = known.get(b % known.len().max(1)).cloned().unwrap_or_default();
            let change = match what {
                0 => name(&speaker, called[b]),
                1 => merge(&speaker, &other),
                2 => forget(&speaker),
                _ => {
                    let text = format!("The lamp number {n} in room {b} costs {a} dollars.");
                    let label = format!("Speaker {}", a + 1);
                    let heard = said(n as u64, &label, &text);
                    let mut both = Driver::around(journal, BagOfWords::shared());
                    memory.hear(heard.clone()).unwrap();
                    both.hear(heard).unwrap();
                    journal = both.into_inner();
                    continue;
                }
            };
            let encoder = BagOfWords::shared();
            let naming = journal.naming(change.clone(), Some(encoder.as_ref()), None);
            let done = memory.change_speaker(change.clone(), None).is_ok();
            prop_assert_eq!(naming.is_ok(), done);
            if let Ok(naming) = naming {
                prop_assert!(journal.apply(&Input::Speaker(Box::new(naming))).is_ok());
            }
            let gone = match &change {
                SpeakerChange::Forget { speaker } => Some(speaker),
                SpeakerChange::Merge { speaker, into } if speaker != into => Some(speaker),
                SpeakerChange::Name { speaker, .. } => Some(speaker),
                SpeakerChange::Merge { .. } => None,
            };
            if let Some(gone) = gone.filter(|_| done) {
                prop_assert!(!memory.session().speakers().contains(gone), "{:?}", change);
            }
            prop_assert_eq!(memory.session().check(), Ok(()));
        }
        let session = memory.session();
        prop_assert_eq!(journal.digest(), session.digest());
        let stored = Session::from_image(&session.to_image(), counter()).unwrap();
        prop_assert_eq!(stored.digest(), session.digest());
        let mut lines = Vec::new();
        session.export(&mut lines).unwrap();
        let imported = Session::import(&mut Cursor::new(&lines), counter()).unwrap();
        prop_assert_eq!(imported.session.digest(), session.digest());
    }
}
