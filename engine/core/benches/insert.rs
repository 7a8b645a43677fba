//! Mounting one block of five ordinary statements: into a tree that is full at 8,192
//! tokens, and into one nearly as large that has room.
//!
//! Corpus: 3,000 turns of `weir_fixtures::talk`, seed 11, vectors of hashed words (384 floats).
//! Caveats: generated talk is simpler than people's, so units are short and many; encoding and
//! distilling are not in the time; the first is a copy of the session each time, with cold caches.
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
