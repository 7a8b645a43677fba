//! One question against a session full at 8,192 tokens: the search, filling a context of 1,300
//! tokens, and both.
//!
//! Corpus: 3,000 turns of `weir_fixtures::talk`, seed 11, vectors of hashed words (384 floats);
//! eight of its own questions in turn. Caveats: encoding the question is not measured; generated
//! talk repeats its words more than real talk, so more units match.
//!
//! `both_with_sources`: the same session with sources that fill their share, a quarter of the
//! budget, beside as much talk as the rest holds.
//!
//! `cargo bench -p weir-core --bench recall`

#![expect(missing_docs, reason = "criterion's macros write public items")]

mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use support::{FULL_TOKENS, filled, turns, vector};
use weir_core::answer::Question;
use weir_core::limits::{CONTEXT_TOKENS_DEFAULT, SOURCES_PART};
use weir_core::session::{Input, Session};
use weir_core::sources::{Source, SourceText, TextKind, excerpts};
use weir_fixtures::Rng;
use weir_fixtures::talk::{Plan, talk};
use weir_models::WordHashEncoder;

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
            at: weir_core::answer::QuestionTime::default(),
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
    let with_sources = with_sources(session.clone());
    group.bench_function("both_with_sources", |bencher| {
        bencher.iter(|| black_box(with_sources.recall(next(), CONTEXT_TOKENS_DEFAULT)));
    });
    group.finish();
}

/// The session with notes in as many sources as fit into their share.
fn with_sources(mut session: Session) -> Session {
    let notes = turns().into_iter().map(|turn| turn.text);
    let notes: Vec<String> = notes.collect();
    let share = FULL_TOKENS / SOURCES_PART;
    for (n, lines) in notes.chunks(24).enumerate() {
        let text = lines.join("\n\n");
        let texts = vec![SourceText {
            file: format!("notes{n}.md"),
            excerpts: excerpts(&text, TextKind::Markdown).expect("a text"),
        }];
        let source = Source::of(&format!("notes{n}"), 1.0, texts, &WordHashEncoder::new());
        let source = Box::new(source.expect("hashing cannot fail"));
        if session.apply(&Input::AddSource(source)).is_err() {
            break;
        }
    }
    let held = session.sources().tokens();
    assert!(5 * held > 4 * share, "{held} of {share} tokens");
    session
}

criterion_group!(benches, recall);
criterion_main!(benches);
