//! Mounting one block of five ordinary statements: into a tree that is full at the default budget
//! of 8,192 tokens, and into one nearly as large that has room.
//!
//! Corpus: 3,000 turns of `weir_fixtures::talk`, seed 11, vectors of hashed words (384 floats).
//! Caveats: generated talk is simpler than people's, so units are short and many; encoding and
//! distilling are not in the time; the first is a copy of the session each time, with cold caches.
//!
//! `cargo bench -p weir-engine --no-default-features --bench insert`

#![expect(missing_docs, reason = "criterion's macros write public items")]

#[path = "support/block.rs"]
mod block;
mod support;

use block::with_block;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use support::filled;
use weir_engine::limits::BUDGET_TOKENS_DEFAULT;

fn insert(c: &mut Criterion) {
    let mut group = c.benchmark_group("insert");
    for (name, budget_tokens, tokens_max) in [
        ("full", BUDGET_TOKENS_DEFAULT, usize::MAX),
        ("room", 65_536, BUDGET_TOKENS_DEFAULT - 400),
    ] {
        let (session, mount) = with_block(filled(budget_tokens, tokens_max), 4);
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

criterion_group!(benches, insert);
criterion_main!(benches);
