//! Polarity and strength of a sentence of 15 words: by its words, and with a sentence vector.
//!
//! Corpus: one sentence with a negation, a modifier and a contrast. Caveats: the vector is given,
//! encoding is not measured; the tables are read before the first measured call.
//!
//! `cargo bench -p weir-core --bench affect`

#![expect(missing_docs, reason = "criterion's macros write public items")]

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use weir_core::text::Affect;

const SENTENCE: &str =
    "The food wasn't bad at all, but the waiters were really slow and quite rude.";
const DIMENSION: usize = 384;

fn affect(c: &mut Criterion) {
    let vector = [1.0 / (DIMENSION as f32).sqrt(); DIMENSION];
    let mut group = c.benchmark_group("affect");
    group.bench_function("words", |bencher| {
        bencher.iter(|| Affect::of_words(black_box(SENTENCE)));
    });
    group.bench_function("with a vector", |bencher| {
        bencher.iter(|| Affect::of(black_box(SENTENCE), Some(("all-MiniLM-L6-v2", &vector))));
    });
    group.finish();
}

criterion_group!(benches, affect);
criterion_main!(benches);
