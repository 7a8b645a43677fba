//! Compares the tree and its lexicon with a naive list, under random insertions and removals.

use super::lexicon::Lexicon;
use super::node::{Kind, Node, NodeId};
use super::tree::MemoryTree;
use super::worked_examples::node;
use crate::text::{heard_terms, terms};
use crate::vectors::dot;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const WORDS: [&str; 8] = [
    "rose", "soup", "train", "lamp", "river", "ticket", "cloud", "shoe",
];

/// The list's entry for a node.
#[derive(Debug, Clone)]
struct Plain {
    kind: Kind,
    parent: Option<NodeId>,
    text: String,
    tokens: usize,
    vector: [f32; 2],
}

type List = BTreeMap<NodeId, Plain>;

/// Where to insert (0 for a scene, else under the n-th possible parent) or what to remove, and
/// words.
fn steps() -> impl Strategy<Value = Vec<(u8, u8, Vec<u8>, bool)>> {
    let words = proptest::collection::vec(0_u8..8, 1..5);
    proptest::collection::vec(
        (0_u8..3, any::<u8>(), words, prop::bool::weighted(0.7)),
        1..80,
    )
}

fn nth(list: &List, kind: Kind, n: u8) -> Option<NodeId> {
    let of_kind: Vec<NodeId> = list
        .iter()
        .filter(|(_, p)| p.kind == kind)
        .map(|(id, _)| *id)
        .collect();
    of_kind.get(usize::from(n) % of_kind.len().max(1)).copied()
}

fn insert(tree: &mut MemoryTree, list: &mut List, level: u8, under: u8, words: &[u8]) {
    let text: Vec<&str> = words.iter().map(|w| WORDS[usize::from(*w)]).collect();
    let (text, angle) = (
        text.join(" "),
        f32::from(words[0]) * 0.7 + words.len() as f32 * 0.1,
    );
    let (kind, parent) = match level {
        0 => (Kind::Scene, None),
        1 => (Kind::Event, nth(list, Kind::Scene, under)),
        _ => (Kind::Unit, nth(list, Kind::Event, under)),
    };
    if kind != Kind::Scene && parent.is_none() {
        return;
    }
    let vector = [angle.cos(), angle.sin()];
    let made: Node = node(kind, parent, &text);
    let tokens = made.tokens as usize;
    let id = tree.insert(made, &vector);
    let plain = Plain {
        kind,
        parent,
        text,
        tokens,
        vector,
    };
    assert!(list.insert(id, plain).is_none(), "{id} was given twice");
}

/// Removes a unit, and ancestors that become empty.
fn remove(tree: &mut MemoryTree, list: &mut List, which: u8) {
    let Some(unit) = nth(list, Kind::Unit, which) else {
        return;
    };
    let (mut next, mut gone) = (Some(unit), 0);
    while let Some(id) = next.take() {
        let parent = list.remove(&id).and_then(|plain| plain.parent);
        gone += 1;
        next = parent.filter(|p| !list.values().any(|other| other.parent == Some(*p)));
    }
    assert_eq!(tree.remove(unit), gone);
    assert!(tree.node(unit).is_none(), "an old name finds nothing");
}

fn agree(tree: &MemoryTree, list: &List) -> Result<(), TestCaseError> {
    let held: BTreeSet<NodeId> = tree.nodes().map(|node| node.id).collect();
    prop_assert_eq!(held, list.keys().copied().collect::<BTreeSet<_>>());
    prop_assert_eq!(
        tree.tokens(),
        list.values().map(|plain| plain.tokens).sum::<usize>()
    );
    prop_assert_eq!(tree.len(), list.len());
    for (id, plain) in list {
        let node = tree.node(*id).expect("it is held");
        prop_assert_eq!(
            (node.kind, node.parent, &node.text),
            (plain.kind, plain.parent, &plain.text)
        );
        let below: BTreeSet<NodeId> = node.children.iter().copied().collect();
        let listed = list.iter().filter(|(_, other)| other.parent == Some(*id));
        prop_assert_eq!(below, listed.map(|(id, _)| *id).collect::<BTreeSet<_>>());
    }
    let asked = [0.6_f32, 0.8];
    let best = list.iter().filter(|(_, plain)| plain.kind == Kind::Unit);
    let best = best
        .map(|(_, plain)| dot(&plain.vector, &asked))
        .reduce(f32::max);
    let nearest = tree.nearest_held(&[&asked]);
    prop_assert_eq!(nearest[0].map(|(_, cosine)| cosine), best);
    Ok(())
}

/// BM25 by definition over a list of texts, k1 = 1.2 and b = 0.4.
fn bm25(texts: &[Vec<u32>], at: usize, query: &[u32]) -> f32 {
    let mean = texts.iter().map(Vec::len).sum::<usize>() as f32 / texts.len() as f32;
    let norm = 1.2 * (1.0 - 0.4 + 0.4 * texts[at].len() as f32 / mean.max(1.0));
    let of = |term: &u32| {
        let with = texts.iter().filter(|text| text.contains(term)).count() as f32;
        let rarity = (1.0 + (texts.len() as f32 - with + 0.5) / (with + 0.5)).ln();
        let count = texts[at].iter().filter(|other| *other == term).count() as f32;
        rarity * count * 2.2 / (count + norm)
    };
    query.iter().map(of).sum()
}

fn lexicon_agrees(lexicon: &Lexicon, list: &List) -> Result<(), TestCaseError> {
    let units: Vec<(&NodeId, Vec<u32>)> = list
        .iter()
        .filter(|(_, plain)| plain.kind == Kind::Unit)
        .map(|(id, plain)| {
            let mut words = heard_terms(&plain.text);
            words.sort_unstable();
            (id, words)
        })
        .collect();
    let texts: Vec<Vec<u32>> = units.iter().map(|(_, text)| text.clone()).collect();
    let query = terms("rose train river");
    for (at, (id, text)) in units.iter().enumerate() {
        let document = lexicon.document(id.slot);
        prop_assert_eq!(document, text.as_slice());
        let matched = query.iter().map(|term| {
            let count = document.iter().filter(|other| *other == term).count() as u32;
            (lexicon.rarity(*term, 0, 0), count)
        });
        let (found, naive) = (
            lexicon.score(document.len(), matched),
            bm25(&texts, at, &query),
        );
        prop_assert!((found - naive).abs() < 1e-4, "{found} and {naive}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_tree_is_what_a_list_says(steps in steps()) {
        let mut tree = MemoryTree::new(2);
        let mut list = List::new();
        for (level, which, words, inserts) in steps {
            if inserts {
                insert(&mut tree, &mut list, level, which, &words);
            } else {
                remove(&mut tree, &mut list, which);
            }
            agree(&tree, &list)?;
        }
        lexicon_agrees(tree.index().words(), &list)?;
    }
}
