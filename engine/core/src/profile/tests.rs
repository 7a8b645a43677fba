//! Profiles: values that supersede each other, contradictions, changes by hand, bounds, erasure.

use super::{EndedBy, FactId, ProfileChange, ProfileError, ProfileFact, Profiles};
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

fn changed(fact: DistilledFact) -> DistilledFact {
    DistilledFact {
        changed: true,
        ..fact
    }
}

fn ended(fact: DistilledFact) -> DistilledFact {
    DistilledFact {
        ended: true,
        ..fact
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
fn a_new_home_ends_the_old_one_and_keeps_it_as_history() {
    let home = |turn, value| fact(turn, FactSlot::Home, "", value);
    let profiles = holding(&[home(1, "Rome"), home(2, "Rome"), changed(home(5, "Porto"))]);
    assert_eq!(current(&profiles), ["Porto"]);
    let rome = &profiles.facts()[0];
    assert_eq!((rome.times, rome.evidence.len()), (2, 2));
    assert_eq!(rome.until, Some((5, EndedBy::Change(FactId(2)))));
    assert!(profiles.contradictions().is_empty());
}

#[test]
fn two_homes_without_a_move_contradict_each_other() {
    let home = |turn, value| fact(turn, FactSlot::Home, "", value);
    let profiles = holding(&[home(1, "Rome"), home(5, "Porto")]);
    assert_eq!(current(&profiles), ["Porto"]);
    let found = profiles.contradictions();
    let values: Vec<_> = found
        .iter()
        .map(|(a, b)| (a.value.as_str(), b.value.as_str()))
        .collect();
    assert_eq!(values, [("Rome", "Porto")]);
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

#[test]
fn what_is_over_ends_without_a_successor() {
    let profiles = holding(&[
        fact(1, FactSlot::Home, "", "Rome"),
        ended(fact(4, FactSlot::Home, "", "Rome")),
        ended(fact(5, FactSlot::Home, "", "Paris")),
    ]);
    assert!(current(&profiles).is_empty());
    assert_eq!(profiles.facts()[0].until, Some((4, EndedBy::Said)));
}

#[test]
fn talk_against_a_pinned_fact_is_shown_as_a_contradiction() {
    let mut profiles = holding(&[fact(1, FactSlot::Home, "", "Rome")]);
    let pin = ProfileChange::Pin {
        fact: FactId(1),
        pinned: true,
    };
    profiles
        .change(&pin, &SpaceCounter, 100)
        .expect("it is pinned");
    profiles.take(
        &changed(fact(5, FactSlot::Home, "", "Porto")),
        &SpaceCounter,
    );
    assert_eq!(current(&profiles), ["Rome", "Porto"]);
    assert_eq!(profiles.contradictions().len(), 1);
}

fn edit(fact: u64, value: &str) -> ProfileChange {
    ProfileChange::Edit {
        fact: FactId(fact),
        value: value.into(),
        vector: vec![0.0, 1.0],
    }
}

#[test]
fn an_edit_holds_at_once_and_against_no_pinned_fact() {
    let mut profiles = holding(&[
        fact(1, FactSlot::Home, "", "Rome"),
        changed(fact(5, FactSlot::Home, "", "Porto")),
    ]);
    profiles
        .change(&edit(1, "Roma"), &SpaceCounter, 100)
        .expect("edited");
    assert_eq!(current(&profiles), ["Roma"]);
    assert!(profiles.facts()[0].edited);
    let pin = ProfileChange::Pin {
        fact: FactId(1),
        pinned: true,
    };
    profiles.change(&pin, &SpaceCounter, 100).expect("pinned");
    let refused = profiles.change(&edit(2, "Lisbon"), &SpaceCounter, 100);
    let expected = ProfileError::AgainstPinned {
        pinned: FactId(1),
        value: "Roma".into(),
    };
    assert_eq!(refused, Err(expected));
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
        ["Roma"],
        "refused changes change nothing"
    );
}

#[test]
fn what_no_longer_holds_is_forgotten_first_and_pinned_facts_last() {
    let mut profiles = holding(&[
        fact(1, FactSlot::Home, "", "Rome"),
        changed(fact(2, FactSlot::Home, "", "Porto")),
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

#[test]
fn a_fact_reads_as_a_sentence() {
    let profiles = holding(&[fact(1, FactSlot::Home, "", "Rome")]);
    assert!(ProfileFact::sentence(&profiles.facts()[0]).contains("Rome"));
}
