//! Random use of the memory: said, pinned, edited, erased, asked, in any order.

use crate::support::{counter, memory, said};
use proptest::prelude::*;
use weir_engine::inline::Memory;
use weir_engine::memory::{Kind, Node, NodeId};
use weir_engine::session::{Budgets, Session, Target};

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
