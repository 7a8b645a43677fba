//! Facts that change: what holds now comes first, also where it was so before.

use super::telling::tell;
use crate::support::memory;

#[test]
fn what_was_said_last_comes_first_and_the_rest_as_before() {
    let mut memory = memory(8_192);
    let [berlin, porto] = [
        "I live in Berlin near the river.",
        "I live in Porto near the sea.",
    ];
    let mut answers = Vec::new();
    for home in [berlin, porto, berlin] {
        tell(
            &mut memory,
            &[("Ana", home), ("Bob", "The zoo has a new bear.")],
        );
        let (now, _) = memory.ask("Where does Ana live?", None, 400).unwrap();
        answers.push(now.text);
    }
    let first = format!("Ana: {berlin}");
    assert!(answers[0].starts_with(&first), "{}", answers[0]);
    let then = format!("Ana: {porto} Earlier: Ana: {berlin}");
    assert!(answers[1].starts_with(&then), "{}", answers[1]);
    // said again, it holds again
    assert!(answers[2].starts_with(&first), "{}", answers[2]);
    let (past, _) = memory.ask("Where did Ana use to live?", None, 400).unwrap();
    assert!(!past.text.contains("Earlier:"), "{}", past.text);
}

#[test]
fn a_plan_is_not_what_holds_now() {
    let mut memory = memory(8_192);
    let [now, plan] = [
        "I work at the harbour office.",
        "I will work at the town library in June 2099.",
    ];
    tell(&mut memory, &[("Ana", now), ("Ana", plan)]);
    let told = memory
        .ask("Where does Ana work?", None, 400)
        .unwrap()
        .0
        .text;
    assert!(told.starts_with(&format!("Ana: {now}")), "{told}");
}
