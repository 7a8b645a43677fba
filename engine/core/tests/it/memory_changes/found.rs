//! Regression tests of bugs found in reviews.

use super::telling::{id, tell};
use crate::support::{counter, memory, said};
use weir_core::memory::Kind;
use weir_core::session::{Budgets, Session, Target};

/// A pinned unit grows by the note "no longer so"; the session could not be opened again.
#[test]
fn pinned_units_may_be_superseded() {
    let mut memory = memory(256);
    let names: Vec<String> = (0..30).map(|n| format!("P{n}x")).collect();
    let mut pinned = Vec::new();
    for name in &names {
        tell(&mut memory, &[(name, "I live in Rome.")]);
        let tree = memory.session().tree();
        let unit = tree
            .of_kind(Kind::Unit)
            .find(|unit| unit.speaker.as_deref() == Some(name));
        let unit = unit.map(|unit| unit.id);
        if unit.is_some_and(|unit| memory.pin(unit).is_ok()) {
            pinned.push(name);
        }
    }
    assert!(pinned.len() > 3);
    for name in pinned {
        tell(&mut memory, &[(name, "I moved to Porto.")]);
        assert_eq!(memory.session().check(), Ok(()));
    }
    assert!(Session::from_image(&memory.session().to_image(), counter()).is_ok());
}

/// A pinned unit grows with each evidence item; the byte budget must hold anyway.
#[test]
fn pinned_units_may_be_heard_again_and_again() {
    let mut memory = memory(8_192);
    let bytes = Some(64 << 10);
    memory
        .set_budgets(Budgets {
            bytes,
            ..Budgets::default()
        })
        .unwrap();
    let texts: Vec<String> = (0..40)
        .map(|n| format!("My cat Minka{n} likes soup{n} number {n}."))
        .collect();
    for text in &texts {
        tell(&mut memory, &[("Ana", text)]);
        let tree = memory.session().tree();
        let unit = tree
            .of_kind(Kind::Unit)
            .find(|unit| unit.text == *text)
            .map(|unit| unit.id);
        drop(unit.map(|unit| memory.pin(unit)));
    }
    for _ in 0..8 {
        for text in &texts {
            tell(&mut memory, &[("Ana", text)]);
            assert_eq!(memory.session().check(), Ok(()));
        }
    }
}

/// Summaries quoted whole utterances and outlived the units made of them.
#[test]
fn what_only_summaries_quote_is_erased() {
    let mut memory = memory(300);
    for n in 0..40_u64 {
        let cost = n * 31;
        let ana = format!("My cat Minka{n} turned {n} in March and I paid {cost} dollars.");
        let other = format!("Is the xylophone{n} nice?");
        tell(&mut memory, &[("Ana", &ana), ("Zebulon", &other)]);
    }
    memory.erase(&[Target::Speaker("Zebulon".into())]).unwrap();
    let image = String::from_utf8_lossy(&memory.session().to_image()).into_owned();
    assert!(!image.contains("xylophone") && !image.contains("Zebulon"));
}

/// The drift state and the speaker of a summary kept an erased name.
#[test]
fn an_erased_speaker_is_named_nowhere() {
    let mut memory = memory(4_096);
    let said_first = "I paid 99 dollars for the green bicycle in Lisbon.";
    tell(
        &mut memory,
        &[("Zebulon", said_first), ("Ana", "Nice garden.")],
    );
    for n in 0..40_u64 {
        tell(
            &mut memory,
            &[(
                "Ana",
                &format!("We talked of the garden number {n} and soup."),
            )],
        );
    }
    memory.erase(&[Target::Speaker("Zebulon".into())]).unwrap();
    let image = String::from_utf8_lossy(&memory.session().to_image()).into_owned();
    assert!(!image.contains("Zebulon") && !image.contains("bicycle"));
}

/// A label outlived everything that it was made of.
#[test]
fn a_label_forgets_with_what_it_was_made_of() {
    let mut memory = memory(256);
    tell(
        &mut memory,
        &[("Zebulon", "Chlamydia hospital chlamydia doctor.")],
    );
    for n in 0..60_u64 {
        let line = format!(
            "The doctor {n} of the hospital saw me in March for {} dollars.",
            n * 7
        );
        tell(&mut memory, &[("Ana", &line)]);
    }
    drop(memory.erase(&[Target::Speaker("Zebulon".into())]));
    let image = String::from_utf8_lossy(&memory.session().to_image()).to_lowercase();
    assert!(!image.contains("chlamydia"));
}

/// The question of an erased answer remained.
#[test]
fn an_erased_answer_takes_its_unit_along() {
    let mut memory = memory(4_096);
    tell(
        &mut memory,
        &[
            ("Ana", "Do you still smoke cigars?"),
            ("Bob", "Rarely, Havana."),
        ],
    );
    let answer = Target::Utterance {
        stream: "s".into(),
        id: "u1".into(),
    };
    memory.erase(&[answer]).unwrap();
    let tree = memory.session().tree();
    assert!(
        tree.of_kind(Kind::Unit)
            .all(|unit| unit.speaker.as_deref() != Some("Bob"))
    );
}

/// Facts are also stated in answers.
#[test]
fn a_fact_told_in_an_answer_supersedes() {
    let mut memory = memory(4_096);
    tell(
        &mut memory,
        &[("Bob", "Where do you live?"), ("Ana", "I live in Rome.")],
    );
    tell(
        &mut memory,
        &[
            ("Bob", "Where do you live now?"),
            ("Ana", "I moved to Porto."),
        ],
    );
    let tree = memory.session().tree();
    let rome = tree
        .of_kind(Kind::Unit)
        .find(|unit| unit.text.contains("Rome"));
    assert!(rome.unwrap().superseded.is_some());
}

/// A fact that was true again, and then repeated, was stored once per repetition.
#[test]
fn a_fact_that_is_so_again_is_kept_once() {
    let mut memory = memory(4_096);
    let rome = "I live in Rome.";
    for text in [rome, "I moved to Porto.", rome, rome, rome, rome] {
        tell(&mut memory, &[("Ana", text)]);
    }
    let tree = memory.session().tree();
    let saying = tree
        .of_kind(Kind::Unit)
        .filter(|unit| unit.text == rome)
        .count();
    assert_eq!(saying, 2, "the one that ended, and the one that holds");
}

/// Correcting a letter restored a superseded fact.
#[test]
fn an_edit_does_not_revive_what_ended() {
    let mut memory = memory(300);
    tell(&mut memory, &[("Ana", "I live in Rome near the market.")]);
    let rome = id(&memory, "Rome");
    memory.pin(rome).unwrap();
    tell(&mut memory, &[("Ana", "I moved to Porto.")]);
    let porto = id(&memory, "Porto");
    for n in 100..400_u64 {
        let line = format!("I met my sister {n} in Oslo in March, she read \"Novel {n}\" there.");
        memory.hear(said(n, "Bob", &line)).unwrap();
    }
    memory.flush().unwrap();
    let nodes = Some(8);
    memory
        .set_budgets(Budgets {
            nodes,
            ..Budgets::default()
        })
        .unwrap();
    let tree = memory.session().tree();
    assert!(tree.node(porto).is_none(), "it was forgotten");
    assert!(tree.node(rome).unwrap().superseded.is_some());
    memory
        .edit(rome, "I live in Rome near the markets.")
        .unwrap();
    assert!(
        memory
            .session()
            .tree()
            .node(rome)
            .unwrap()
            .superseded
            .is_some()
    );
}
