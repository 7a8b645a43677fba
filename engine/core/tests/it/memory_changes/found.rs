//! Regression tests of bugs found in reviews.

use super::telling::tell;
use crate::support::memory;
use weir_core::memory::Kind;
use weir_core::session::{Budgets, Target};

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
    assert_eq!(saying, 1);
}
