//! What goes next: the order that people see is that in which statements go.

use crate::support::{memory, said};
use std::collections::BTreeSet;
use weir_core::memory::{Kind, NodeId};
use weir_core::session::Session;

const LINES: [&str; 10] = [
    "My locker code is 4711.",
    "We planted tomatoes and basil behind the house.",
    "The ferry to Corsica leaves at nine on Friday.",
    "Carla feeds the cat while we are away.",
    "The spare key is under the fern next to the door.",
    "The tickets are in the blue folder on the shelf.",
    "The old boat needs a new sail before summer.",
    "The garden wall was painted white on Monday.",
    "The dentist moved to the square behind the mill.",
    "The lighthouse was switched on at midnight.",
];

fn units(session: &Session) -> BTreeSet<NodeId> {
    let units = session.tree().of_kind(Kind::Unit);
    units.map(|it| it.id).collect()
}

#[test]
fn what_goes_next_goes_first() {
    let mut memory = memory(300);
    for (n, line) in LINES.iter().enumerate() {
        memory.hear(said(n as u64, "Ana", line)).unwrap();
    }
    memory.flush().unwrap();
    let standings = memory.session().standings();
    let order: Vec<NodeId> = standings.iter().map(|it| it.id).collect();
    let before: Vec<_> = standings.iter().map(|it| it.before).collect();
    assert_eq!(before, (0..order.len()).map(Some).collect::<Vec<_>>());
    assert!(standings.iter().all(|it| it.chance_now <= it.chance));
    let (pinned, dear) = (order[0], order[order.len() - 1]);
    memory.pin(pinned).unwrap();
    let last = *memory.session().standings().last().unwrap();
    assert_eq!((last.id, last.before), (pinned, None), "it does not go");
    for n in 0..150_u64 {
        // words of its own, so that it is no repetition
        let line = format!("Zork{n} keeps blim{n} and vimp{n} behind the quar{n} of dorn{n}.");
        memory.hear(said(100 + n, "Bob", &line)).unwrap();
    }
    memory.flush().unwrap();
    let left = units(memory.session());
    assert!(left.contains(&pinned), "it stays");
    let gone = |id: &NodeId| !left.contains(id);
    assert!(order[1..].iter().any(gone), "something went");
    assert!(gone(&order[1]) || !gone(&dear), "the dearest goes last");
}

#[test]
fn a_greeting_says_little_and_a_fact_does_not() {
    let mut memory = memory(400);
    memory.hear(said(0, "Ana", LINES[0])).unwrap();
    let weigh = |said| memory.session().weigh(said, 0, 0);
    let (greeting, fact) = (weigh("Hey Ana, good to see you!"), weigh(LINES[2]));
    assert!(greeting.says_little, "{greeting:?}");
    assert!(greeting.chance < fact.chance, "{greeting:?} {fact:?}");
    assert!(fact.chance_now <= fact.chance, "{fact:?}");
}
