//! A memory changed by hand: pins, edits, budgets, erasure.

use super::telling::{id, tell, unit};
use crate::support::{counter, memory, said};
use weir_core::driver::{Driver, DriverError};
use weir_core::memory::{Kind, NodeId, PinError};
use weir_core::profile::{FactId, ProfileChange};
use weir_core::session::{Budgets, EraseError, Input, InputError, Session, Target};

/// Unspecific talk, enough to fill a small budget.
fn chatter(memory: &mut Driver, lines: u64) {
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
    let little = "Thanks, you know that you are really very nice to us.";
    tell(&mut memory, &[("Ana", little)]);
    let nice = id(&memory, little);
    memory.pin(nice).unwrap();
    chatter(&mut memory, 200);
    let kept = unit(&memory, little).expect("it was pinned");
    assert_eq!((kept.id, kept.text.as_str()), (nice, little));
    let image = memory.session().to_image();
    let again = Session::from_image(&image, counter()).unwrap();
    assert!(again.tree().node(nice).unwrap().pinned, "pins are stored");
    memory.unpin(nice).unwrap();
    chatter(&mut memory, 200);
    assert!(
        memory.session().tree().node(nice).is_none(),
        "let go, it is forgotten like others"
    );
}

/// Units may use half of this budget and leave pinned facts no room: then the unit is refused.
#[test]
fn a_pinned_fact_is_not_squeezed_out_by_pinned_units() {
    let mut memory = memory(512);
    let own = [
        "I live in Porto.",
        "I work as a nurse.",
        "My favourite food is rice.",
    ];
    tell(&mut memory, &own.map(|text| ("Ana", text)));
    let pin = |fact: FactId| Input::Profile(Box::new(ProfileChange::Pin { fact, pinned: true }));
    let facts: Vec<FactId> = memory
        .session()
        .profiles()
        .facts()
        .iter()
        .map(|it| it.id)
        .collect();
    for &fact in &facts {
        memory.step(pin(fact)).unwrap();
    }
    chatter(&mut memory, 60);
    let tree = memory.session().tree();
    let units: Vec<NodeId> = tree.of_kind(Kind::Unit).map(|unit| unit.id).collect();
    let refused = units.iter().filter_map(|&id| memory.pin(id).err());
    let refused: Vec<String> = refused.map(|it| it.to_string()).collect();
    let told = "pinned facts of profiles use";
    assert!(refused.iter().any(|it| it.starts_with(told)), "{refused:?}");
    let session = memory.session();
    assert!(
        !facts.is_empty()
            && facts
                .iter()
                .all(|it| session.profiles().fact(*it).is_some())
    );
    assert_eq!(session.check(), Ok(()));
}

#[test]
fn pins_are_bounded_and_say_so() {
    let mut memory = memory(512);
    chatter(&mut memory, 60);
    let tree = memory.session().tree();
    let units: Vec<NodeId> = tree.of_kind(Kind::Unit).map(|unit| unit.id).collect();
    let refused = units.iter().find_map(|&id| memory.pin(id).err()).unwrap();
    let DriverError::Input(InputError::Pin(PinError::Full {
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
    // pinned units also limit how low a budget may be set
    let low = memory.set_budgets(Budgets {
        tokens: Some(300),
        ..Budgets::default()
    });
    assert!(matches!(
        low,
        Err(DriverError::Input(InputError::Pin(PinError::Full { .. })))
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
        memory.pin(gone),
        Err(DriverError::Input(InputError::Pin(PinError::NoUnit { .. })))
    ));
    let scene = memory.session().tree().scenes().next().unwrap().id;
    let refused = memory.pin(scene).unwrap_err().to_string();
    assert!(
        refused.contains("is a scene; only single statements can be pinned"),
        "{refused}"
    );
}

/// A context carries an utterance if it shows at least half of its content words.
#[test]
fn an_edited_unit_carries_what_it_still_says() {
    let mut memory = memory(8_192);
    let twice = "My cat is called Minka and sleeps outside.";
    tell(&mut memory, &[("Ana", twice), ("Ana", twice)]);
    chatter(&mut memory, 20);
    let minka = id(&memory, "Minka");
    assert_eq!(unit(&memory, "Minka").unwrap().evidence.len(), 2);
    let mut carried = |text: &str| {
        memory.edit(minka, text).unwrap();
        let (_, recall) = memory.ask("What of Minka?", None, 200).unwrap();
        assert!(
            recall.context.text.contains(text),
            "{}",
            recall.context.text
        );
        let mut quotes = recall
            .heard
            .citations
            .iter()
            .filter_map(|it| it.quote.as_deref());
        assert!(!quotes.any(|quote| quote == text), "it was not said");
        let has = |said: &str| recall.context.utterances.iter().any(|(_, id)| id == said);
        [has("u0"), has("u1")]
    };
    // of five: cat, called, Minka, sleeps, outside
    assert_eq!(carried("My cat Minka sleeps indoors."), [true, true]);
    assert_eq!(carried("I sold Minka."), [false, false]);
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
        transcript_bytes: None,
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
    assert_eq!(
        node.quote(),
        None,
        "its words are not those that were heard"
    );
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
    assert!(!gone.kind.is_answered(), "{}", gone.text);

    let other = Target::Utterance {
        stream: "s".into(),
        id: "u77".into(),
    };
    let nothing = memory.erase(&[other]).unwrap_err();
    assert!(matches!(
        nothing,
        DriverError::Erase(EraseError::Nothing { .. })
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
