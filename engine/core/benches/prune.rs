//! Enforces the budget: mounts the largest possible block (five statements, about 380 tokens) in a
//! tree full at 8,192 tokens, and in one with free space. The difference is merging, reducing to
//! key words and pruning.
//!
//! Corpus: 3,000 turns of `weir_fixtures::talk`, seed 11, vectors of hashed words (384 floats).
//! Caveats: as in `insert`; ordinary blocks exceed the budget by less.
//!
//! `cargo bench -p weir-core --bench prune`

#![expect(missing_docs, reason = "criterion's macros write public items")]

#[path = "support/block.rs"]
mod block;
mod support;

use block::mounting;
use criterion::{Criterion, criterion_group, criterion_main};

fn prune(c: &mut Criterion) {
    mounting(c, "prune", 20, |name, done| {
        let saved = done.keyed + done.pruned + done.merged > 0;
        assert_eq!(saved, name == "full", "{name} measures something else");
    });
}

criterion_group!(benches, prune);
criterion_main!(benches);
