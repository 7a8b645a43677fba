//! Memory changed by hand and by what is said: pins, edits, budgets, erasure, facts that supersede.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use proptest::prelude::*;
use support::{counter, memory, said};
use weir_engine::inline::{Memory, MemoryError};
use weir_engine::memory::{Kind, Node, NodeId, PinError};
use weir_engine::session::{Budgets, EraseError, InputError, Session, Target};

fn tell(memory: &mut Memory, lines: &[(&str, &str)]) {
    let from = memory.session().stats().turns;
    for (n, (speaker, text)) in (from..).zip(lines) {
        memory.hear(said(n, speaker, text)).unwrap();
    }
    memory.flush().unwrap();
}

fn unit<'a>(memory: &'a Memory, words: &str) -> Option<&'a Node> {
    let tree = memory.session().tree();
    tree.of_kind(Kind::Unit)
        .find(|unit| unit.text.contains(words))
}

fn id(memory: &Memory, words: &str) -> NodeId {
    unit(memory, words)
        .unwrap_or_else(|| panic!("no unit says {words}"))
        .id
}

/// Talk about nothing in particular, enough to fill a small budget.
fn chatter(memory: &mut Memory, lines: u64) {
    let words = [
        "garden", "train", "soup", "lamp", "river", "ticket", "shoe", "cloud",
    ];
    let from = memory.session().stats().turns;
    for n in from..from + lines {
        let word = |k: u64| words[(n * 7 + k * 3) as usize % words.len()];
        let text = format!(
            "We talked of {} number {n} and of {} {}.",
            word(0),
            word(1),
            n * 31
        );
        memory.hear(said(n, "Bob", &text)).unwrap();
    }
    memory.flush().unwrap();
}

#[test]
fn a_pinned_unit_stays_while_it_is_pinned() {
    let mut memory = memory(512);
    let little = "It was rather nice.";
    tell(&mut memory, &[("Ana", little)]);
    let nice = id(&memory, little);
    memory.pin(nice, true).unwrap();
    chatter(&mut memory, 200);
    let kept = unit(&memory, little).expect("it was pinned");
    assert_eq!((kept.id, kept.text.as_str()), (nice, little));
    let image = memory.session().to_image();
    let again = Session::from_image(&image, counter()).unwrap();
    assert!(again.tree().node(nice).unwrap().pinned, "pins are stored");
    memory.pin(nice, false).unwrap();
    chatter(&mut memory, 200);
    assert!(
        memory.session().tree().node(nice).is_none(),
        "let go, it is forgotten like others"
    );
}

#[test]
fn pins_are_bounded_and_say_so() {
    let mut memory = memory(512);
    chatter(&mut memory, 60);
    let tree = memory.session().tree();
    let units: Vec<NodeId> = tree.of_kind(Kind::Unit).map(|unit| unit.id).collect();
    let refused = units
        .iter()
        .find_map(|&id| memory.pin(id, true).err())
        .unwrap();
    let MemoryError::Input(InputError::Pin(PinError::Full {
        what,
        needed,
        most,
        budget,
    })) = &refused
    else {
        panic!("{refused:?}");
    };
    assert_eq!((*what, *most, *budget), ("tokens", 256, 512));
    assert!(needed > most);
    assert!(refused.to_string().contains("unpin some"), "{refused}");
    assert_eq!(memory.session().check(), Ok(()));
    let pinned = memory
        .session()
        .tree()
        .nodes()
        .filter(|node| node.pinned)
        .count();
    assert!(pinned > 0 && pinned < units.len());
    // what is pinned also bounds how low a budget may be set
    let low = memory.set_budgets(Budgets {
        tokens: Some(300),
        ..Budgets::default()
    });
    assert!(matches!(
        low,
        Err(MemoryError::Input(InputError::Pin(PinError::Full { .. })))
    ));
    assert_eq!(
        memory.session().config().budget_tokens,
        512,
        "nothing changed"
    );
    let gone = NodeId {
        slot: 9_999,
        generation: 0,
    };
    assert!(matches!(
        memory.pin(gone, true),
        Err(MemoryError::Input(InputError::Pin(PinError::NoUnit { .. })))
    ));
}

#[test]
fn budgets_change_while_it_runs() {
    let mut memory = memory(2_048);
    chatter(&mut memory, 150);
    let before = memory.session().tree().len();
    memory
        .set_budgets(Budgets {
            tokens: Some(512),
            ..Budgets::default()
        })
        .unwrap();
    assert!(memory.session().tree().tokens() <= 512);
    let outcome = memory
        .set_budgets(Budgets {
            nodes: Some(12),
            ..Budgets::default()
        })
        .unwrap();
    assert!(outcome.mounted.unwrap().pruned > 0);
    assert!(memory.session().tree().len() <= 12 && before > 12);
    chatter(&mut memory, 40);
    assert!(memory.session().tree().len() <= 12);
    let bytes = 64 << 10;
    let raised = Budgets {
        tokens: Some(100_000),
        bytes: Some(bytes),
        nodes: Some(100_000),
    };
    memory.set_budgets(raised).unwrap();
    chatter(&mut memory, 400);
    let tree = memory.session().tree();
    assert!(tree.held_bytes() <= bytes && tree.held_bytes() > bytes / 2);
    assert_eq!(memory.session().check(), Ok(()));
    let wrong = memory.set_budgets(Budgets {
        tokens: Some(7),
        ..Budgets::default()
    });
    assert_eq!(
        wrong.unwrap_err().to_string(),
        "budget-tokens is 7; it must be between 256 and 4194304"
    );
}

#[test]
fn an_edit_changes_what_is_said_and_not_what_was_heard() {
    let mut memory = memory(8_192);
    tell(
        &mut memory,
        &[
            ("Ana", "My sister lives in Lease Bon."),
            ("Bob", "How nice for you."),
        ],
    );
    let sister = id(&memory, "Lease Bon");
    memory.edit(sister, "My sister lives in Lisbon.").unwrap();
    let node = memory.session().tree().node(sister).unwrap();
    assert_eq!(node.text, "My sister lives in Lisbon.");
    assert_eq!(node.evidence[0].quote, "My sister lives in Lease Bon.");
    let (answer, _) = memory.ask("Who lives in Lisbon?", None, 200).unwrap();
    assert!(answer.text.contains("Lisbon"), "{}", answer.text);
    assert_eq!(memory.session().check(), Ok(()));
    assert!(memory.edit(sister, " ... ").is_err(), "no words");
    assert!(
        memory.edit(sister, &"word ".repeat(400)).is_err(),
        "too many"
    );
    assert_eq!(
        memory.session().tree().node(sister).unwrap().text,
        "My sister lives in Lisbon."
    );
}

#[test]
fn a_fact_that_changed_is_superseded_and_found_when_asked_for() {
    let mut memory = memory(8_192);
    tell(
        &mut memory,
        &[
            ("Ana", "I live in Berlin near the river."),
            ("Bob", "I like the zoo of that town."),
            ("Ana", "Guess what, I moved to Porto last month."),
            ("Bob", "Great news about the sea there."),
        ],
    );
    let (berlin, porto) = (id(&memory, "Berlin"), id(&memory, "Porto"));
    let end = memory
        .session()
        .tree()
        .node(berlin)
        .unwrap()
        .superseded
        .unwrap();
    assert_eq!(end.by, porto);
    assert!(
        memory
            .session()
            .tree()
            .node(porto)
            .unwrap()
            .superseded
            .is_none()
    );
    let (now, recall) = memory.ask("Where does Ana live?", None, 400).unwrap();
    assert!(
        now.text.contains("Porto") && !now.text.starts_with("Ana: I live in"),
        "{}",
        now.text
    );
    assert!(
        recall
            .context
            .contains("Berlin near the river. (no longer so)"),
        "{}",
        recall.context
    );
    let (before, _) = memory.ask("Where did Ana use to live?", None, 400).unwrap();
    assert!(
        before.text.starts_with("Ana: I live in Berlin"),
        "{}",
        before.text
    );

    // back again: a statement of its own, and both others are past
    tell(&mut memory, &[("Ana", "I live in Berlin near the river.")]);
    let tree = memory.session().tree();
    assert!(tree.node(porto).unwrap().superseded.is_some());
    let holding = tree
        .of_kind(Kind::Unit)
        .filter(|unit| unit.claim.is_some() && !unit.is_past())
        .collect::<Vec<_>>();
    assert_eq!(holding.len(), 1);
    assert_ne!(holding[0].id, berlin);

    // reversible: without the later statements the first holds again
    let back = holding[0].id;
    memory
        .erase(&[Target::Node(back), Target::Node(porto)])
        .unwrap();
    assert!(
        memory
            .session()
            .tree()
            .node(berlin)
            .unwrap()
            .superseded
            .is_none()
    );
}

#[test]
fn an_edit_supersedes_like_speech() {
    let mut memory = memory(8_192);
    tell(
        &mut memory,
        &[
            ("Ana", "My boss is Carla."),
            ("Ana", "Some clouds today."),
            ("Ana", "My boss is done."),
        ],
    );
    let (carla, wrong) = (id(&memory, "Carla"), id(&memory, "done"));
    assert!(
        memory
            .session()
            .tree()
            .node(carla)
            .unwrap()
            .superseded
            .is_some()
    );
    memory.edit(wrong, "My bus is gone.").unwrap();
    assert!(
        memory
            .session()
            .tree()
            .node(carla)
            .unwrap()
            .superseded
            .is_none(),
        "no claim now"
    );
    memory.edit(wrong, "My boss is Dan.").unwrap();
    assert_eq!(
        memory
            .session()
            .tree()
            .node(carla)
            .unwrap()
            .superseded
            .unwrap()
            .by,
        wrong
    );
}

#[test]
fn what_is_erased_is_nowhere() {
    let mut memory = memory(8_192);
    tell(
        &mut memory,
        &[
            ("Ana", "The password of the safe is xylophone."),
            ("Bob", "I painted the kitchen in yellow."),
            ("Ana", "And my cat is called Minka."),
        ],
    );
    let erased = memory
        .erase(&[Target::Node(id(&memory, "xylophone"))])
        .unwrap();
    assert_eq!((erased.utterances, erased.raw), (1, 1));
    let image = String::from_utf8_lossy(&memory.session().to_image()).to_lowercase();
    for word in ["xylophone", "password", "safe"] {
        assert!(!image.contains(word), "`{word}` is still in the session");
    }
    assert!(image.contains("minka") && image.contains("kitchen"));
    assert_eq!(memory.session().check(), Ok(()));
    let gone = memory
        .ask("What is the password of the safe?", None, 400)
        .unwrap()
        .0;
    assert!(gone.abstained, "{}", gone.text);

    let other = Target::Utterance {
        stream: "s".into(),
        id: "u77".into(),
    };
    let nothing = memory.erase(&[other]).unwrap_err();
    assert!(matches!(
        nothing,
        MemoryError::Erase(EraseError::Nothing { .. })
    ));
    assert!(
        nothing
            .to_string()
            .contains("utterance `u77` of stream `s`"),
        "{nothing}"
    );
    memory.erase(&[Target::Speaker("ana".into())]).unwrap();
    let image = String::from_utf8_lossy(&memory.session().to_image()).to_lowercase();
    assert!(!image.contains("minka") && image.contains("kitchen"));
}

#[test]
fn what_was_said_twice_stays_by_its_other_proof() {
    let mut memory = memory(8_192);
    let twice = "My cat is called Minka.";
    tell(
        &mut memory,
        &[
            ("Ana", twice),
            ("Bob", "The soup was cold."),
            ("Ana", twice),
        ],
    );
    let minka = id(&memory, "Minka");
    assert_eq!(
        memory.session().tree().node(minka).unwrap().evidence.len(),
        2
    );
    let first = Target::Utterance {
        stream: "s".into(),
        id: "u0".into(),
    };
    let erased = memory.erase(&[first]).unwrap();
    assert_eq!(erased.rewritten, 1);
    let node = memory.session().tree().node(minka).unwrap();
    assert_eq!(node.text, twice);
    assert_eq!(node.evidence.len(), 1);
    assert_eq!(node.evidence[0].utterance, "u2");
}

#[test]
fn raw_talk_is_erased_too() {
    let mut memory = memory(8_192);
    memory
        .hear(said(0, "Ana", "The password is xylophone."))
        .unwrap();
    let erased = memory.erase(&[Target::Speaker("Ana".into())]).unwrap();
    assert_eq!((erased.utterances, erased.raw, erased.nodes), (1, 1, 0));
    memory.hear(said(1, "Bob", "Good day.")).unwrap();
    memory.flush().unwrap();
    assert_eq!(memory.session().check(), Ok(()));
    assert!(!String::from_utf8_lossy(&memory.session().to_image()).contains("xylophone"));
}

/// One step of random use.
#[derive(Debug, Clone)]
enum Step {
    Say(u8, u8, u8),
    Pin(u8, bool),
    Edit(u8, u8),
    Budget(u16),
    Erase(u8),
    Ask(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u8..3, 0_u8..8, 0_u8..8).prop_map(|(who, what, of)| Step::Say(who, what, of)),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(which, pinned)| Step::Pin(which, pinned)),
        1 => (any::<u8>(), 0_u8..8).prop_map(|(which, of)| Step::Edit(which, of)),
        1 => (256_u16..1_200).prop_map(Step::Budget),
        1 => any::<u8>().prop_map(Step::Erase),
        1 => (0_u8..8).prop_map(Step::Ask),
    ]
}

const WHO: [&str; 3] = ["Ana", "Bob", "Maria"];
const WHERE: [&str; 8] = [
    "Rome", "Porto", "Oslo", "Bonn", "Paris", "Kiel", "Graz", "Lund",
];

fn sentence(what: u8, of: u8) -> String {
    let place = WHERE[usize::from(of)];
    match what {
        0 => format!("I live in {place}."),
        1 => format!("I used to live in {place}."),
        2 => format!("I work at {place} Steel and the train to {place} is late."),
        3 => format!("My boss is {place} Smith."),
        4 => format!("Ana lives in {place}, and she told me about {place} twice."),
        5 => format!("The meeting in {place} is at {}.", of + 1),
        6 => format!("I don't live in {place} anymore!"),
        _ => format!("Did you see {place}?"),
    }
}

fn take(memory: &mut Memory, step: &Step, turn: &mut u64) {
    let tree = memory.session().tree();
    let units: Vec<NodeId> = tree.of_kind(Kind::Unit).map(|unit| unit.id).collect();
    let pick = |which: u8| units.get(usize::from(which) % units.len().max(1)).copied();
    match step {
        Step::Say(who, what, of) => {
            let line = said(*turn, WHO[usize::from(*who)], &sentence(*what, *of));
            memory.hear(line).unwrap();
            *turn += 1;
        }
        // a refusal is an answer; that it changes nothing is what check() sees
        Step::Pin(which, pinned) => drop(pick(*which).map(|id| memory.pin(id, *pinned))),
        Step::Edit(which, of) => {
            drop(pick(*which).map(|id| memory.edit(id, &sentence(0, *of))));
        }
        Step::Budget(tokens) => {
            let tokens = Some(usize::from(*tokens));
            drop(memory.set_budgets(Budgets {
                tokens,
                ..Budgets::default()
            }));
        }
        Step::Erase(which) => {
            drop(pick(*which).map(|id| memory.erase(&[Target::Node(id)])));
        }
        Step::Ask(of) => {
            let question = format!("Who lives in {}?", WHERE[usize::from(*of)]);
            memory.ask(&question, None, 200).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is done in whatever order: every invariant holds, and the image is the session.
    #[test]
    fn every_invariant_holds_after_every_change(steps in proptest::collection::vec(step(), 1..60)) {
        let mut memory = memory(600);
        let mut turn = 0;
        for step in &steps {
            take(&mut memory, step, &mut turn);
            prop_assert_eq!(memory.session().check(), Ok(()), "after {:?}", step);
        }
        let image = memory.session().to_image();
        let read = Session::from_image(&image, counter()).unwrap();
        prop_assert_eq!(read.digest(), memory.session().digest());
    }

    /// At most one value of a slot holds, whatever was forgotten, edited or erased meanwhile.
    #[test]
    fn one_value_of_a_slot_holds(steps in proptest::collection::vec(step(), 1..60)) {
        let mut memory = memory(8_192);
        let mut turn = 0;
        for step in steps.iter().filter(|step| !matches!(step, Step::Budget(_))) {
            take(&mut memory, step, &mut turn);
        }
        memory.flush().unwrap();
        let tree = memory.session().tree();
        let holding: Vec<&Node> = tree
            .of_kind(Kind::Unit)
            .filter(|unit| unit.claim.is_some() && !unit.is_past())
            .collect();
        for (at, a) in holding.iter().enumerate() {
            for b in &holding[at + 1..] {
                let (x, y) = (a.claim.as_ref().unwrap(), b.claim.as_ref().unwrap());
                let rivals = x.same_slot(y) && !x.same_value(y) && a.said_ms != b.said_ms;
                prop_assert!(!rivals, "{} and {} both hold", a.text, b.text);
            }
        }
    }
}
