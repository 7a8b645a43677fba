//! Profiles: statements, changes by hand, bounds, erasure.

use super::{FactId, ProfileChange, ProfileError, Profiles};
use crate::talk::testing::evidence;
use crate::talk::{DistilledFact, Utterances};
use crate::text::FactSlot;
use weir_models::SpaceCounter;

fn fact(turn: u64, slot: FactSlot, about: &str, value: &str) -> DistilledFact {
    DistilledFact {
        speaker: Some("Ana".into()),
        slot,
        about: about.into(),
        value: value.into(),
        ended: false,
        changed: false,
        wanted: false,
        evidence: evidence(turn),
        said_ms: turn,
        vector: vec![1.0, 0.0],
    }
}

fn holding(facts: &[DistilledFact]) -> Profiles {
    let mut profiles = Profiles::default();
    for fact in facts {
        profiles.take(fact, &SpaceCounter);
    }
    assert_eq!(profiles.check(2, usize::MAX), Ok(()));
    profiles
}

fn current(profiles: &Profiles) -> Vec<&str> {
    let held = profiles.facts().iter().filter(|it| it.holds());
    held.map(|it| it.value.as_str()).collect()
}

#[test]
fn statements_stand_beside_each_other() {
    let said = |turn, value| fact(turn, FactSlot::Statement, "", value);
    let profiles = holding(&[
        said(1, "I have two dogs."),
        said(2, "I play chess."),
        said(3, "I have two dogs."),
    ]);
    assert_eq!(current(&profiles), ["I have two dogs.", "I play chess."]);
    assert_eq!(profiles.facts()[0].times, 2);
}

/// Builds that read values told so that one is over.
#[test]
fn the_end_of_a_value_is_no_fact() {
    let over = DistilledFact {
        ended: true,
        ..fact(4, FactSlot::Home, "", "Rome")
    };
    let profiles = holding(&[fact(1, FactSlot::Home, "", "I live in Rome."), over]);
    assert_eq!(current(&profiles), ["I live in Rome."]);
}

fn edit(fact: u64, value: &str) -> ProfileChange {
    ProfileChange::Edit {
        fact: FactId(fact),
        value: value.into(),
        vector: vec![0.0, 1.0],
    }
}

#[test]
fn an_edit_holds_at_once() {
    let mut profiles = holding(&[
        fact(1, FactSlot::Home, "", "Rome"),
        fact(5, FactSlot::Home, "", "Porto"),
    ]);
    profiles
        .change(&edit(1, "Roma"), &SpaceCounter, 100)
        .expect("edited");
    assert_eq!(current(&profiles), ["Roma", "Porto"]);
    assert!(profiles.facts()[0].edited);
    let pin = ProfileChange::Pin {
        fact: FactId(1),
        pinned: true,
    };
    profiles.change(&pin, &SpaceCounter, 100).expect("pinned");
    assert!(matches!(
        profiles.change(&edit(1, "Lisbon"), &SpaceCounter, 100),
        Err(ProfileError::Pinned { .. })
    ));
    assert!(matches!(
        profiles.change(&edit(7, "Lisbon"), &SpaceCounter, 100),
        Err(ProfileError::NoFact { .. })
    ));
    let long = "Lisbon ".repeat(70);
    assert!(matches!(
        profiles.change(&edit(2, &long), &SpaceCounter, 100),
        Err(ProfileError::WrongValue { .. })
    ));
    assert_eq!(
        current(&profiles),
        ["Roma", "Porto"],
        "refused changes change nothing"
    );
}

#[test]
fn what_was_said_once_is_forgotten_first_and_pinned_facts_last() {
    let mut profiles = holding(&[
        fact(1, FactSlot::Home, "", "Rome"),
        fact(2, FactSlot::Home, "", "Porto"),
        fact(3, FactSlot::Likes, "tea", "tea"),
        fact(4, FactSlot::Likes, "tea", "tea"),
        fact(5, FactSlot::Likes, "rain", "rain"),
    ]);
    let pin = ProfileChange::Pin {
        fact: FactId(4),
        pinned: true,
    };
    profiles.change(&pin, &SpaceCounter, 100).expect("pinned");
    profiles.fit(5);
    assert_eq!(current(&profiles), ["Porto", "tea", "rain"]);
    profiles.fit(2);
    assert_eq!(current(&profiles), ["rain"]);
    assert_eq!(profiles.forgotten(), 3);
}

#[test]
fn an_erased_utterance_takes_its_facts_along() {
    let mut profiles = holding(&[
        fact(1, FactSlot::Home, "", "Rome"),
        fact(2, FactSlot::Home, "", "Rome"),
        fact(2, FactSlot::Likes, "tea", "tea"),
    ]);
    let mut erased = Utterances::default();
    erased.insert("day", "u2");
    assert_eq!(profiles.erase(&erased), 1);
    assert_eq!(current(&profiles), ["Rome"]);
    let left: Vec<u64> = profiles.evidence().map(|it| it.turn).collect();
    assert_eq!(left, [1]);
}

#[test]
fn a_search_finds_the_facts_of_one_speaker_that_hold() {
    let turned = DistilledFact {
        vector: vec![0.0, 1.0],
        ..fact(2, FactSlot::Likes, "tea", "tea")
    };
    let other = DistilledFact {
        speaker: Some("Bob".into()),
        ..fact(3, FactSlot::Home, "", "Oslo")
    };
    let profiles = holding(&[fact(1, FactSlot::Home, "", "Rome"), turned, other]);
    let found = profiles.find(Some("Ana"), &[0.0, 1.0], 5);
    let found: Vec<_> = found
        .iter()
        .map(|(it, cosine)| (it.value.as_str(), *cosine))
        .collect();
    assert_eq!(found, [("tea", 1.0), ("Rome", 0.0)]);
}
