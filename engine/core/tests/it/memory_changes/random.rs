//! Random use of the memory: utterances, pins, edits, erasures and questions in any order.

use crate::support::{counter, memory, said};
use proptest::prelude::*;
use weir_core::driver::Driver;
use weir_core::memory::{Kind, NodeId};
use weir_core::session::{Budgets, Session, Target};

/// One step of random use.
#[derive(Debug, Clone)]
enum Step {
    Say(u8, u8, u8),
    Pin(u8, bool),
    Edit(u8, u8),
    Budget(u16),
    Bytes(u32),
    Nodes(u8),
    Erase(u8),
    EraseSaid(u8),
    EraseSpeaker(u8),
    Ask(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u8..3, 0_u8..8, 0_u8..8).prop_map(|(who, what, of)| Step::Say(who, what, of)),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(which, pinned)| Step::Pin(which, pinned)),
        1 => (any::<u8>(), 0_u8..8).prop_map(|(which, of)| Step::Edit(which, of)),
        1 => (256_u16..1_200).prop_map(Step::Budget),
        1 => (64_000_u32..200_000).prop_map(Step::Bytes),
        1 => (8_u8..120).prop_map(Step::Nodes),
        1 => any::<u8>().prop_map(Step::Erase),
        1 => any::<u8>().prop_map(Step::EraseSaid),
        1 => (0_u8..12).prop_map(Step::EraseSpeaker),
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

fn take(memory: &mut Driver, step: &Step, turn: &mut u64) {
    let tree = memory.session().tree();
    let units: Vec<NodeId> = tree.of_kind(Kind::Unit).map(|unit| unit.id).collect();
    let pick = |which: u8| units.get(usize::from(which) % units.len().max(1)).copied();
    match step {
        Step::Say(who, what, of) => {
            let line = said(*turn, WHO[usize::from(*who)], &sentence(*what, *of));
            memory.hear(line).unwrap();
            *turn += 1;
        }
        // inputs may be refused; check() verifies that a refusal changes nothing
        Step::Pin(which, true) => drop(pick(*which).map(|id| memory.pin(id))),
        Step::Pin(which, false) => drop(pick(*which).map(|id| memory.unpin(id))),
        Step::Edit(which, of) => {
            drop(pick(*which).map(|id| memory.edit(id, &sentence(0, *of))));
        }
        Step::Budget(tokens) => rebudget(memory, |new| new.tokens = Some((*tokens).into())),
        Step::Bytes(bytes) => rebudget(memory, |new| new.bytes = Some(*bytes as usize)),
        Step::Nodes(nodes) => rebudget(memory, |new| new.nodes = Some((*nodes).into())),
        Step::EraseSaid(which) => erase_said(memory, u64::from(*which)),
        // rarely, so that memory holds something
        Step::EraseSpeaker(who) => {
            if let Some(who) = WHO.get(usize::from(*who)) {
                erase_all(memory, who);
            }
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

fn rebudget(memory: &mut Driver, change: impl FnOnce(&mut Budgets)) {
    let mut budgets = Budgets::default();
    change(&mut budgets);
    drop(memory.set_budgets(budgets));
}

/// Afterwards nobody of that name speaks or is quoted.
fn erase_all(memory: &mut Driver, who: &str) {
    drop(memory.erase(&[Target::Speaker(who.into())]));
    let tree = memory.session().tree();
    let said_by = |said: &Option<String>| said.as_deref() == Some(who);
    let mut proofs = tree.nodes().flat_map(|node| &node.evidence);
    assert!(
        !proofs.any(|item| said_by(&item.speaker)),
        "{who} is quoted"
    );
    assert!(
        !tree.nodes().any(|node| said_by(&node.speaker)),
        "{who} speaks"
    );
}

/// Afterwards no node quotes the utterance.
fn erase_said(memory: &mut Driver, which: u64) {
    let id = format!("u{which}");
    let target = Target::Utterance {
        stream: "s".into(),
        id: id.clone(),
    };
    drop(memory.erase(&[target]));
    let mut proofs = memory
        .session()
        .tree()
        .nodes()
        .flat_map(|node| &node.evidence);
    assert!(
        !proofs.any(|item| item.utterance == id),
        "{id} is still quoted"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// After any steps in any order, every invariant holds, and the image equals the session.
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
}
