//! Applies the journal of a program with other rules: everything said is held again, and the same
//! inputs under the same rules give the same session.

use crate::support::{BagOfWords, config, counter, said, start};
use proptest::prelude::*;
use std::collections::BTreeSet;
use weir_core::config::{BoundaryPolicy, SessionConfig};
use weir_core::distil::{Distil, Extractive};
use weir_core::memory::{Kind, NodeId};
use weir_core::mentions::Mentions;
use weir_core::session::{EncoderStamp, Input, Recovery, Session, SpeakerChange};

fn session(boundary: BoundaryPolicy) -> Session {
    let config = SessionConfig {
        boundary,
        ..config(100_000)
    };
    let stamp = EncoderStamp::of(BagOfWords::shared().as_ref());
    Session::new(config, stamp, counter()).unwrap()
}

/// Applies an input, distils completed blocks, and journals both.
fn tell(session: &mut Session, input: Input, journal: &mut Vec<Input>, distils: bool) {
    session.apply(&input).unwrap();
    journal.push(input);
    while let Some(block) = session.next_block().filter(|_| distils) {
        let made = Extractive
            .distil(&block, BagOfWords::shared().as_ref())
            .unwrap();
        let mount = Input::Mount(Box::new(made));
        session.apply(&mount).unwrap();
        journal.push(mount);
    }
}

/// A random session under one block rule, with its journal.
fn journal(boundary: BoundaryPolicy, talk: &[(u8, u8)]) -> (Session, Vec<Input>) {
    let things = [
        "garden", "train", "soup", "lamp", "river", "violin", "cabin",
    ];
    let (mut session, mut journal) = (session(boundary), Vec::new());
    tell(&mut session, Input::Begin(start("s")), &mut journal, true);
    for (n, (thing, kind)) in talk.iter().enumerate() {
        let thing = things[*thing as usize % things.len()];
        let text = match kind % 4 {
            0 => "Mm hm.".to_owned(),
            1 => format!("Did you see the {thing}?"),
            _ => format!("The {thing} cost {n} dollars on Friday."),
        };
        let utterance = said(n as u64, ["Ana", "Bob"][n % 2], &text);
        let vector = BagOfWords::shared().encode_for_search(&[&utterance.rendered()]);
        let heard = Input::heard(utterance, vector.unwrap().remove(0));
        // sometimes blocks wait
        tell(&mut session, heard, &mut journal, kind % 3 > 0);
        if kind % 16 == 5 {
            let pause = Input::Break {
                resumes_at_unix_ms: None,
                stream: None,
            };
            tell(&mut session, pause, &mut journal, true);
        }
    }
    (session, journal)
}

/// Turns held in raw talk or as evidence of a unit.
fn held(session: &Session) -> BTreeSet<u64> {
    let units = session.tree().of_kind(Kind::Unit);
    let proofs = units.flat_map(|unit| unit.evidence.iter().map(|item| item.turn));
    proofs
        .chain(session.buffer().raw().map(|heard| heard.turn))
        .collect()
}

fn recovered(into: Session, journal: Vec<Input>) -> (Session, u64) {
    let mut recovery = Recovery::of(into);
    for input in journal {
        recovery.apply(input).unwrap();
    }
    recovery.finish()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn everything_said_under_other_rules_is_held_again(
        talk in proptest::collection::vec((any::<u8>(), any::<u8>()), 1..90),
    ) {
        use BoundaryPolicy::{Adaptive, Paper};
        for (then, now) in [(Paper, Adaptive), (Adaptive, Paper), (Paper, Paper)] {
            let (before, journal) = journal(then, &talk);
            let (after, skipped) = recovered(session(now), journal);
            prop_assert_eq!(after.check(), Ok(()));
            prop_assert_eq!((after.turns(), skipped), (before.turns(), 0));
            let lost: Vec<u64> = held(&before).difference(&held(&after)).copied().collect();
            prop_assert!(lost.is_empty(), "turns {lost:?} of {}", before.turns());
            let units = |session: &Session| session.tree().of_kind(Kind::Unit).count();
            prop_assert_eq!(units(&after), units(&before));
        }
    }
}

/// A node made by recovery may have the name of a different node.
#[test]
fn changes_of_nodes_that_the_snapshot_does_not_have_are_counted_not_applied() {
    let talk: Vec<(u8, u8)> = (0..40).map(|n| (n, 2)).collect();
    let (before, mut journal) = journal(BoundaryPolicy::Paper, &talk);
    let units: Vec<NodeId> = before
        .tree()
        .of_kind(Kind::Unit)
        .map(|unit| unit.id)
        .collect();
    journal.push(Input::Pin {
        node: units[0],
        pinned: true,
    });
    let session_ms = before.now_ms();
    journal.push(Input::Recalled {
        nodes: units.clone(),
        session_ms,
    });
    let (after, skipped) = recovered(session(BoundaryPolicy::Adaptive), journal);
    assert_eq!(skipped, 1, "the pin");
    let touched = |unit: &&weir_core::memory::Node| unit.pinned || unit.frequency > 0;
    assert_eq!(after.tree().of_kind(Kind::Unit).filter(touched).count(), 0);

    // nodes of the snapshot are known
    let pin = Input::Pin {
        node: units[0],
        pinned: true,
    };
    let (after, skipped) = recovered(before, vec![pin]);
    assert_eq!(
        (skipped, after.tree().node(units[0]).unwrap().pinned),
        (0, true)
    );
}

/// To erase more than requested is better than to leave a trace.
#[test]
fn an_erasure_under_other_rules_leaves_no_trace() {
    let talk: Vec<(u8, u8)> = (0..40).map(|n| (n, 2)).collect();
    let (mut before, mut journal) = journal(BoundaryPolicy::Paper, &talk);
    let target = weir_core::session::Target::Speaker("Ana".into());
    let erasure = before.erasure(&[target], Some(BagOfWords::shared().as_ref()), None);
    let erase = Input::Erase(Box::new(erasure.unwrap()));
    before.apply(&erase).unwrap();
    journal.push(erase);
    let (after, skipped) = recovered(session(BoundaryPolicy::Adaptive), journal);
    assert_eq!((skipped, after.check()), (0, Ok(())));
    let ana = |item: &weir_core::talk::Evidence| item.speaker.as_deref() == Some("Ana");
    assert!(
        !after
            .tree()
            .nodes()
            .any(|node| node.evidence.iter().any(ana))
    );
    assert!(held(&after).iter().all(|turn| turn % 2 == 1), "Bob's turns");
}

/// Regression: what was heard after a speaker got a name came back under the label.
#[test]
fn an_utterance_under_other_rules_comes_in_under_the_speakers_name() {
    let talk: Vec<(u8, u8)> = (0..40).map(|n| (n, 2)).collect();
    let (_, journal) = journal(BoundaryPolicy::Paper, &talk);
    let mut snapshot = session(BoundaryPolicy::Adaptive);
    let begin = journal[..2].iter().cloned();
    for input in begin {
        snapshot.apply(&input).unwrap();
    }
    let change = SpeakerChange::Name {
        speaker: "Ana".into(),
        name: "Anna".into(),
    };
    snapshot
        .apply(&Input::Speaker(Box::new(change.into())))
        .unwrap();
    let (after, skipped) = recovered(snapshot, journal[2..].to_vec());
    assert_eq!((skipped, after.check()), (0, Ok(())));
    assert_eq!(after.speakers(), ["Anna", "Bob"]);
}

/// Everything that is read from words, by hand too.
fn journal_of_changes() -> Vec<Input> {
    let talk: Vec<(u8, u8)> = (0..40).map(|n| (n, 2)).collect();
    let (mut session, mut journal) = journal(BoundaryPolicy::Adaptive, &talk);
    let encoder = BagOfWords::shared();
    let name = SpeakerChange::Name {
        speaker: "Ana".into(),
        name: "Anna Ames".into(),
    };
    let naming = session.naming(name, Some(encoder.as_ref()), None).unwrap();
    let naming = Input::Speaker(Box::new(naming));
    tell(&mut session, naming, &mut journal, true);
    let unit = session.tree().of_kind(Kind::Unit).next().unwrap().id;
    let edit = session.editing(unit, "I live in Rome since yesterday.", encoder.as_ref());
    tell(&mut session, edit.unwrap(), &mut journal, true);
    let target = weir_core::session::Target::Speaker("Bob".into());
    let erasure = session.erasure(&[target], Some(encoder.as_ref()), None);
    let erase = Input::Erase(Box::new(erasure.unwrap()));
    tell(&mut session, erase, &mut journal, true);
    journal
}

/// A journal of format 8 has only the words, and nothing that they name; one of today has what was
/// read from them behind.
#[test]
fn an_entry_gives_its_input_again_and_one_of_format_8_is_completed() {
    let mut session = session(BoundaryPolicy::Adaptive);
    let (mut words, mut all) = (0, 0);
    for input in journal_of_changes() {
        let entry = input.to_entry().unwrap();
        assert_eq!(Input::from_entry(&entry, &session), Ok(input.clone()));
        let of_format_8 = postcard::to_stdvec(&input).unwrap();
        let mut unnamed = input.clone();
        if let Input::Mount(made) = &mut unnamed {
            for unit in &mut made.units {
                unit.analysis.mentions = Mentions::default();
            }
        }
        assert_eq!(Input::from_entry(&of_format_8, &session), Ok(unnamed));
        let none_behind = [&of_format_8[..], &[0]].concat();
        // a list that is not empty
        let has_words = entry[of_format_8.len()] != 0;
        let read = Input::from_entry(&none_behind, &session);
        assert_eq!(read.is_err(), has_words, "{read:?}");
        (words, all) = (words + of_format_8.len(), all + entry.len());
        session.apply(&input).unwrap();
    }
    assert!(all > words && all * 10 < words * 13, "{all} after {words}");
}

/// `apply` takes what was read from words, and reads none itself: so a word list may change.
#[test]
fn an_input_means_what_was_read_from_its_words_when_it_was_made() {
    let mut session = session(BoundaryPolicy::Adaptive);
    session.apply(&Input::Begin(start("s"))).unwrap();
    let said = said(0, "Ana", "I moved to Rome yesterday.");
    let found = BagOfWords::shared().encode_for_search(&[&said.rendered()]);
    let heard = Input::heard(said, found.unwrap().remove(0));
    session.apply(&heard).unwrap();
    session.apply(&Input::Flush).unwrap();
    let block = session.next_block().unwrap();
    let mut made = Extractive
        .distil(&block, BagOfWords::shared().as_ref())
        .unwrap();
    made.units[0].analysis = weir_core::analysis::Analysis {
        terms: vec![7],
        ..Default::default()
    };
    session.apply(&Input::Mount(Box::new(made))).unwrap();
    let unit = session.tree().of_kind(Kind::Unit).next().unwrap();
    assert_eq!(unit.analysis.terms, [7]);
    assert_eq!(unit.display_text(), "I moved to Rome yesterday.");
    assert_eq!(session.check(), Ok(()));
}
