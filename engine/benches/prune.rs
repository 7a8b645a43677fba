//! Bringing a tree back under its budget: mounting the largest block there is (five statements,
//! about 380 tokens) into a tree full at 8,192 tokens, and the same into one that has room. The
//! difference is merging, condensing and pruning.
//!
//! Corpus: 3,000 turns of `weir_fixtures::talk`, seed 11, vectors of hashed words (384 floats).
//! Caveats: as in `insert`; ordinary blocks overflow by less.
//!
//! `cargo bench -p weir-engine --no-default-features --bench prune`

#![expect(missing_docs, reason = "criterion's macros write public items")]

#[path = "support/block.rs"]
mod block;
mod support;

use block::with_block;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use support::filled;
use weir_engine::limits::BUDGET_TOKENS_DEFAULT;

fn prune(c: &mut Criterion) {
    let mut group = c.benchmark_group("prune");
    for (name, budget_tokens, tokens_max) in [
        ("full", BUDGET_TOKENS_DEFAULT, usize::MAX),
        ("room", 65_536, BUDGET_TOKENS_DEFAULT - 400),
    ] {
        let (session, mount) = with_block(filled(budget_tokens, tokens_max), 20);
        let mut once = session.clone();
        let done = once.apply(&mount).expect("it is the next block").mounted;
        let saved = done.is_some_and(|done| done.condensed + done.pruned + done.merged > 0);
        assert_eq!(saved, name == "full", "{name} measures something else");
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

criterion_group!(benches, prune);
criterion_main!(benches);
