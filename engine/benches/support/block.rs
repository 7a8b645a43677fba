//! One block more, for the benchmarks that mount it.

use super::support::{hear, next_mount, turns};
use weir_engine::session::{Input, Session};

/// The session with one block more that waits, each of its statements of `words` words, and what
/// mounts it.
pub(crate) fn with_block(mut session: Session, words: usize) -> (Session, Input) {
    session.apply(&Input::Flush).expect("it may always end");
    while let Some(mount) = next_mount(&session) {
        session.apply(&mount).expect("it is the next block");
    }
    for turn in turns().iter().take(5) {
        let number = session.stats().turns;
        let rest = (0..words).map(|word| format!("marble{}", word * 31 % 97));
        let text = format!(
            "{} {number} {}.",
            turn.text,
            rest.collect::<Vec<_>>().join(" ")
        );
        hear(&mut session, turn, text);
    }
    session.apply(&Input::Flush).expect("it may always end");
    let mount = next_mount(&session).expect("five statements are a block");
    (session, mount)
}
