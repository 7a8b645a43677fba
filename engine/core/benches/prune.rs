//! Bringing a tree back under its budget: mounting the largest block there is (five statements,
//! about 380 tokens) into a tree full at 8,192 tokens, and the same into one that has room. The
//! difference is merging, reducing to key words and pruning.
//!
//! Corpus: 3,000 turns of `weir_fixtures::talk`, seed 11, vectors of hashed words (384 floats).
//! Caveats: as in `insert`; ordinary blocks overflow by less.
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
