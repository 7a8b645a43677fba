//! One question against a session full at 8,192 tokens: the search, filling a context of 1,300
//! tokens, and both.
//!
//! Corpus: 3,000 turns of `weir_fixtures::talk`, seed 11, vectors of hashed words (384 floats);
//! eight of its own questions in turn. Caveats: encoding the question is not measured; generated
//! talk repeats its words more than real talk, so more units match.
//!
//! `cargo bench -p weir-core --bench recall`

#![expect(missing_docs, reason = "criterion's macros write public items")]

mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use support::{FULL_TOKENS, filled, vector};
use weir_core::answer::Question;
use weir_core::limits::CONTEXT_TOKENS_DEFAULT;
use weir_fixtures::Rng;
use weir_fixtures::talk::{Plan, talk};

fn recall(c: &mut Criterion) {
    let session = filled(FULL_TOKENS, usize::MAX);
    let asked = talk(Plan::default(), &mut Rng::new(11)).facts;
    let questions: Vec<Question> = asked
        .into_iter()
        .take(8)
        .map(|fact| Question {
            terms: weir_models::Terms::default(),
            vector: vector(&fact.question),
            text: fact.question,
            asked_by: None,
        })
        .collect();
    assert_eq!(questions.len(), 8);
    let mut group = c.benchmark_group("recall");
    let mut turn = questions.iter().cycle();
    let mut next = || turn.next().expect("a cycle has no end");
    group.bench_function("search", |bencher| {
        bencher.iter(|| black_box(session.search(next())));
    });
    let found: Vec<_> = questions.iter().map(|q| session.search(q)).collect();
    let mut filling = found.iter().cycle();
    group.bench_function("assemble", |bencher| {
        let mut next = || filling.next().expect("a cycle has no end");
        bencher.iter(|| black_box(next().assemble(CONTEXT_TOKENS_DEFAULT)));
    });
    group.bench_function("both", |bencher| {
        bencher.iter(|| black_box(session.recall(next(), CONTEXT_TOKENS_DEFAULT)));
    });
    group.finish();
}

criterion_group!(benches, recall);
criterion_main!(benches);
