//! Facts that change: current values, past values, and what a question about either finds.

use super::telling::{id, tell};
use crate::support::memory;
use weir_core::memory::Kind;
use weir_core::session::Target;

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
            .text
            .contains("Berlin near the river. (no longer so)"),
        "{}",
        recall.context.text
    );
    let (before, _) = memory.ask("Where did Ana use to live?", None, 400).unwrap();
    assert!(
        before.text.starts_with("Ana: I live in Berlin"),
        "{}",
        before.text
    );
}

#[test]
fn a_fact_that_is_so_again_holds_and_can_be_taken_back() {
    let mut memory = memory(8_192);
    let said = "I live in Berlin near the river.";
    tell(
        &mut memory,
        &[
            ("Ana", said),
            ("Bob", "How nice."),
            ("Ana", "I moved to Porto."),
        ],
    );
    let (berlin, porto) = (id(&memory, "Berlin"), id(&memory, "Porto"));

    // a new statement with the first value; both others are past
    tell(&mut memory, &[("Ana", "I live in Berlin near the river.")]);
    let tree = memory.session().tree();
    assert!(tree.node(porto).unwrap().superseded.is_some());
    let holding = tree
        .of_kind(Kind::Unit)
        .filter(|unit| unit.claim.is_some() && !unit.is_past())
        .collect::<Vec<_>>();
    assert_eq!(holding.len(), 1);
    assert_ne!(holding[0].id, berlin);

    // without the later statements the first holds again
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
            ("Ana", "My boss is Dawn."),
        ],
    );
    let (carla, wrong) = (id(&memory, "Carla"), id(&memory, "Dawn"));
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
