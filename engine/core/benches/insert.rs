//! Mounts one block of five ordinary statements: in a tree that is full at 8,192 tokens, and in one
//! nearly as large with free space.
//!
//! Corpus: 3,000 turns of `weir_fixtures::talk`, seed 11, vectors of hashed words (384 floats).
//! Caveats: generated talk is simpler than real talk, so units are short and many; encoding and
//! distilling are not measured; the first case uses a fresh copy of the session each time, with
//! cold caches.
//!
//! `cargo bench -p weir-core --bench insert`

#![expect(missing_docs, reason = "criterion's macros write public items")]

#[path = "support/block.rs"]
mod block;
mod support;

use block::mounting;
use criterion::{Criterion, criterion_group, criterion_main};

fn insert(c: &mut Criterion) {
    mounting(c, "insert", 4, |_, _| {});
}

criterion_group!(benches, insert);
criterion_main!(benches);
