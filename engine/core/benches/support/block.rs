//! One more block, for the benchmarks that mount it.

use super::support::{FULL_TOKENS, filled, hear, next_mount, turns};
use criterion::{BatchSize, Criterion};
use weir_core::memory::MountCounts;
use weir_core::session::{Input, Session};

/// The session with one more waiting block, each of its statements of `words` words, and the input
/// that mounts it.
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

/// Measures mounting a block whose statements have `words` words, in a full session and in one with
/// free space; `check` inspects the result of one mounting.
pub(crate) fn mounting(c: &mut Criterion, group: &str, words: usize, check: fn(&str, MountCounts)) {
    let mut group = c.benchmark_group(group);
    for (name, budget_tokens, tokens_max) in [
        ("full", FULL_TOKENS, usize::MAX),
        ("room", 65_536, FULL_TOKENS - 400),
    ] {
        let (session, mount) = with_block(filled(budget_tokens, tokens_max), words);
        let once = session.clone().apply(&mount).expect("it is the next block");
        check(name, once.mounted.unwrap_or_default());
        group.bench_function(name, |bencher| {
            bencher.iter_batched(
                || session.clone(),
                |mut session| {
                    let outcome = session.apply(&mount).expect("it is the next block");
                    (session, outcome)
                },
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}
