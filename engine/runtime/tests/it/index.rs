//! Compares the index with the exact scan, also after units were removed, added and changed, and
//! questions with and without the index.

use crate::support::{config, counter, said, start};
use std::collections::HashSet;
use std::sync::Arc;
use weir_core::answer::{Question, Recall};
use weir_core::driver::Driver;
use weir_core::limits;
use weir_core::memory::{Kind, NearestUnits, NodeId, nearest_by_scan};
use weir_core::profile::NearestFacts;
use weir_core::session::{Session, Target};
use weir_core::vectors::normalise;
use weir_engine::index::{FactIndex, Index as _, VectorIndex};
use weir_models::testing::PlainReader;
use weir_models::{Annotate, Encode, EncodeError, EncoderIdentity};

const DIMENSION: usize = 64;

/// Vectors distributed like talk: a few hundred themes, statements scattered around each.
struct Scattered(EncoderIdentity);

impl Scattered {
    fn shared() -> Arc<dyn Encode> {
        Arc::new(Self(EncoderIdentity {
            name: "scattered".into(),
            digest: "1".into(),
        }))
    }
}

fn noise(seed: u64, weight: f32, into: &mut [f32]) {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for x in into {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *x += weight * ((state >> 40) as f32 / (1_u64 << 24) as f32 - 0.5);
    }
}

impl Encode for Scattered {
    fn language(&self) -> Option<&dyn Annotate> {
        Some(&PlainReader)
    }

    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.0
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let hash = |text: &str| {
            text.bytes().fold(7_u64, |sum, byte| {
                sum.wrapping_mul(1_099_511_628_211) ^ u64::from(byte)
            })
        };
        let vector = |text: &&str| {
            let mut vector = vec![0.0; DIMENSION];
            let hash = hash(text);
            noise(hash % 300 + 1, 1.0, &mut vector);
            noise(hash, 0.8, &mut vector);
            normalise(&mut vector);
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}

const THINGS: [&str; 12] = [
    "garden", "train", "soup", "lamp", "river", "ticket", "shoe", "cloud", "violin", "ladder",
    "bridge", "candle",
];

/// A memory with this many units.
fn large(units: u64) -> Driver {
    let mut memory = Driver::new(config(4_000_000), Scattered::shared(), counter()).unwrap();
    memory.begin(start("s")).unwrap();
    for n in 0..units {
        let thing = |k: u64| THINGS[((n >> k) % 12) as usize];
        let text = format!("I saw {} number {n} behind the {}.", thing(0), thing(4));
        memory
            .hear(said(n, ["Ana", "Bob"][n as usize % 2], &text))
            .unwrap();
    }
    memory.flush().unwrap();
    memory
}

fn question(text: &str) -> Question {
    Question {
        terms: weir_models::Terms::default(),
        text: text.into(),
        vector: Scattered::shared().encode(&[text]).unwrap().remove(0),
        asked_by: None,
        at: weir_core::answer::QuestionTime::default(),
    }
}

/// Share of the ten exact nearest units that the index finds, over many questions.
fn recall_at_10(session: &Session, index: &VectorIndex) -> f64 {
    let mut found = 0;
    for n in 0..200 {
        let vector = question(&format!("question {n}")).vector;
        let exact = nearest_by_scan(session.tree(), &vector, 10);
        let quick: HashSet<NodeId> = index
            .nearest(session.tree(), &vector, 10)
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        found += exact.iter().filter(|(id, _)| quick.contains(id)).count();
    }
    found as f64 / 2_000.0
}

/// Small enough for a debug build; `weir-bench simulate --budgets` measures realistic sizes.
#[test]
fn the_index_finds_what_the_scan_finds() {
    let mut memory = large(1_500);
    let index = VectorIndex::build(memory.session().tree(), &|| false).unwrap();
    let recall = recall_at_10(memory.session(), &index);

    assert!(recall >= 0.99, "{recall}");

    // units are removed, and others take their slots
    let units: Vec<NodeId> = memory
        .session()
        .tree()
        .of_kind(Kind::Unit)
        .map(|unit| unit.id)
        .collect();
    let gone: Vec<Target> = units
        .iter()
        .step_by(5)
        .map(|id| Target::Node(*id))
        .collect();
    memory.erase(&gone).unwrap();
    memory
        .edit(units[1], "I saw nothing at all behind the moon.")
        .unwrap();
    for n in 2_000..2_100 {
        memory
            .hear(said(n, "Ana", &format!("A new thing number {n} came.")))
            .unwrap();
    }
    memory.flush().unwrap();
    let tree = memory.session().tree();
    for n in 0..50 {
        let vector = question(&format!("question {n}")).vector;
        for (id, _) in index.nearest(tree, &vector, 10) {
            assert!(tree.node(id).is_some(), "{id} is gone");
        }
    }
    let recall = recall_at_10(memory.session(), &index);

    assert!(recall >= 0.99, "{recall}");
    let edited = question("I saw nothing at all behind the moon.").vector;
    let nearest = index.nearest(tree, &edited, 1);
    assert_eq!(nearest, nearest_by_scan(tree, &edited, 1));
}

#[test]
fn a_question_by_the_index_finds_what_was_asked_for() {
    let memory = large(3_000);
    let session = memory.session();
    let index = VectorIndex::build(session.tree(), &|| false).unwrap();
    let (mut by_scan, mut by_index) = (0, 0);
    for n in (0..3_000).step_by(60) {
        let asked = question(&format!("Where did you see {} number {n}?", THINGS[n % 12]));
        let shows = |recall: &Recall| {
            let said = recall.context.utterances.iter();
            said.map(|(_, id)| id).any(|id| *id == format!("u{n}"))
        };
        by_scan += usize::from(shows(&session.recall(&asked, 300)));
        by_index += usize::from(shows(&session.search_by(&asked, &index).assemble(300)));
    }
    assert!(by_scan >= 40, "{by_scan} of 50");
    assert!(by_index >= by_scan - 1, "{by_index}, {by_scan} by the scan");
}

#[test]
fn an_index_is_due_for_a_large_tree_only_and_when_it_fell_behind() {
    let memory = large(400);
    let tree = memory.session().tree();
    assert!(tree.of_kind(Kind::Unit).count() < limits::INDEX_UNITS_MIN);
    assert!(!VectorIndex::is_due(None, tree));
    assert!(
        VectorIndex::build(tree, &|| true).is_none(),
        "it was told to stop"
    );
}

/// Facts of two speakers, each said once.
fn profiled(facts: usize) -> Driver {
    let mut memory = large(0);
    for n in 0..facts as u64 {
        let text = format!("I have song number {n}.");
        memory
            .hear(said(n, ["Ana", "Bob"][n as usize % 8 / 7], &text))
            .unwrap();
    }
    memory.flush().unwrap();
    memory
}

/// A speaker with a graph and one without, facts said after it was built, and an edit.
#[test]
fn the_index_of_profiles_finds_what_the_scan_finds() {
    let mut memory = profiled(1_600);
    let index = FactIndex::of(memory.session().profiles(), 1_000, &|| false).unwrap();
    let agree = |memory: &Driver, speaker: &str| {
        let profiles = memory.session().profiles();
        let mut found = 0;
        for n in 0..50 {
            let vector = question(&format!("question {n}")).vector;
            let exact = profiles.find(Some(speaker), &vector, 10);
            let quick = index.nearest(profiles, Some(speaker), &vector, 10);
            found += exact.iter().filter(|it| quick.contains(it)).count();
        }
        found as f64 / 500.0
    };
    assert!(memory.session().profiles().facts().len() > 1_500);
    assert!(agree(&memory, "Ana") >= 0.98, "{}", agree(&memory, "Ana"));
    assert_eq!(agree(&memory, "Bob"), 1.0);
    for n in 1_600..2_300 {
        let text = format!("I like tune number {n}.");
        memory.hear(said(n, "Ana", &text)).unwrap();
    }
    memory.flush().unwrap();
    assert!(agree(&memory, "Ana") >= 0.98, "{}", agree(&memory, "Ana"));
    assert!(!FactIndex::is_due(None, memory.session()), "few facts");
    assert!(FactIndex::of(memory.session().profiles(), 1_000, &|| true).is_none());
}
