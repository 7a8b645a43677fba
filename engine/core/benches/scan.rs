//! The scan behind every search: one dot product for each node of a tree full at 8,192 tokens,
//! through the tree and `memory::dot`, against a hand-written loop over a copy of the same rows,
//! and against the simplest loop.
//!
//! Corpus: 3,000 turns of `weir_fixtures::talk`, seed 11, vectors of hashed words (384 floats).
//! Caveats: the copy has only rows of live nodes, contiguous; `dot` selects vector instructions at
//! run time, the loops use the compiler's baseline for the target.
//!
//! `cargo bench -p weir-core --bench scan`

#![expect(missing_docs, reason = "criterion's macros write public items")]

mod support;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use support::{FULL_TOKENS, filled, vector};
use weir_core::vectors::dot;

const LANES: usize = 16;

fn by_hand(a: &[f32], b: &[f32]) -> f32 {
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0_f32; LANES];
    for (x, y) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}

fn plainly(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The best row for a given dot product.
fn best(rows: &[f32], query: &[f32], dot: impl Fn(&[f32], &[f32]) -> f32) -> f32 {
    let cosines = rows.chunks_exact(query.len()).map(|row| dot(row, query));
    cosines.fold(f32::MIN, f32::max)
}

fn index(c: &mut Criterion) {
    let session = filled(FULL_TOKENS, usize::MAX);
    let tree = session.tree();
    let rows: Vec<f32> = tree
        .nodes()
        .flat_map(|node| tree.vector(node.id).iter().copied())
        .collect();
    let query = vector("Where does Maria keep the keys of the garden?");
    let mut group = c.benchmark_group("index");
    group.throughput(Throughput::Elements((rows.len() / query.len()) as u64));
    group.bench_function("tree", |bencher| {
        bencher.iter(|| {
            let query = black_box(&query[..]);
            let cosines = tree.nodes().map(|node| dot(tree.vector(node.id), query));
            cosines.fold(f32::MIN, f32::max)
        });
    });
    group.bench_function("rows", |bencher| {
        bencher.iter(|| best(black_box(&rows), black_box(&query), dot));
    });
    group.bench_function("by hand", |bencher| {
        bencher.iter(|| best(black_box(&rows), black_box(&query), by_hand));
    });
    group.bench_function("plainly", |bencher| {
        bencher.iter(|| best(black_box(&rows), black_box(&query), plainly));
    });
    group.finish();
}

criterion_group!(benches, index);
criterion_main!(benches);
