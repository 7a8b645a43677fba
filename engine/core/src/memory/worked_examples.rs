//! ProStream's rules with values computed by hand, under its own constants: which unit is pruned
//! first, what is merged, what is removed with its last child, and which units a question finds.

use super::context::TreeContext;
use super::node::{Kind, Node, NodeId};
use super::rarity::RarityTable;
use super::tree::MemoryTree;
use crate::answer::Question;
use crate::config::{
    BoundaryPolicy, EncoderProfile, MergePolicy, RecallPolicy, SessionConfig, UtilityPolicy,
};
use crate::sense::Cause;
use crate::session::{EncoderStamp, Session};
use crate::stream::{Span, Utterance};
use crate::talk::{BlockId, BufferedUtterance, Distillate, DistilledUnit};
use crate::talk::{Evidence, Wording};
use crate::text::{Statement, analyse};
use std::sync::Arc;
use weir_models::SpaceCounter;

const HOUR_MS: u64 = 3_600_000;

fn paper(budget_tokens: usize) -> SessionConfig {
    SessionConfig {
        budget_tokens,
        utility: UtilityPolicy::Paper,
        recall: RecallPolicy::TopDown,
        merge: MergePolicy::Paper,
        boundary: BoundaryPolicy::Paper,
        profile: EncoderProfile::prostream_paper(),
        ..SessionConfig::default()
    }
}

pub(super) fn node(kind: Kind, parent: Option<NodeId>, text: &str) -> Node {
    let said = Utterance {
        id: text.into(),
        stream: "s".into(),
        speaker: None,
        span: Span::new(0, 1),
        audio: None,
        confidence: None,
        text: text.into(),
    };
    let heard = BufferedUtterance {
        terms: weir_models::Terms::default(),
        utterance: said,
        turn: 0,
        analysis: Default::default(),
        new_terms: Vec::new(),
        vector: Vec::new(),
        tokens: 0,
        session_ms: 0,
        said_at_unix_ms: None,
    };
    let proof = Evidence::of(&heard, &heard.utterance.text);
    Node {
        terms: weir_models::Terms::default(),
        id: NodeId {
            slot: 0,
            generation: 0,
        },
        kind,
        parent,
        children: Vec::new(),
        text: text.into(),
        asked: None,
        speaker: None,
        evidence: if kind == Kind::Scene {
            Vec::new()
        } else {
            vec![proof]
        },
        evidence_more: 0,
        wording: Wording::Verbatim,
        salience: 1.0,
        said_ms: 0,
        tokens: text.split(' ').count() as u32,
        label_tokens: 0,
        begins_line: false,
        heard_tokens: 0,
        frequency: 0,
        last_access_ms: 0,
        pinned: false,
        edited: false,
        analysis: analyse(Statement {
            text,
            ..Statement::default()
        }),
    }
}

/// A vector at an angle to the first axis, in degrees.
fn at(degrees: f32) -> [f32; 2] {
    let radians = degrees.to_radians();
    [radians.cos(), radians.sin()]
}

/// One scene of one word with two events of two words each.
fn tree() -> (MemoryTree, [NodeId; 2]) {
    let mut tree = MemoryTree::new(2);
    let scene = tree.insert(node(Kind::Scene, None, "home"), &at(0.0));
    let event = |tree: &mut MemoryTree, text: &str, degrees| {
        tree.insert(node(Kind::Event, Some(scene), text), &at(degrees))
    };
    let events = [
        event(&mut tree, "the garden", 0.0),
        event(&mut tree, "the kitchen", 90.0),
    ];
    (tree, events)
}

fn unit(
    tree: &mut MemoryTree,
    event: NodeId,
    text: &str,
    used: (u32, u64),
    degrees: f32,
) -> NodeId {
    let mut unit = node(Kind::Unit, Some(event), text);
    (unit.frequency, unit.last_access_ms) = used;
    tree.insert(unit, &at(degrees))
}

fn enforce_budget(tree: &mut MemoryTree, budget_tokens: usize, now_ms: u64) {
    fit_by(tree, &paper(budget_tokens), now_ms);
}

fn fit_by(tree: &mut MemoryTree, config: &SessionConfig, now_ms: u64) {
    fit_beside(tree, config, now_ms, 0);
}

fn fit_beside(tree: &mut MemoryTree, config: &SessionConfig, now_ms: u64, beside_tokens: usize) {
    let ctx = TreeContext {
        config,
        counter: &SpaceCounter,
        rarity: &RarityTable::default(),
        now_ms,
        turns: 0,
        beside_tokens,
    };
    tree.enforce_budget(&ctx);
}

/// At two hours, tau one hour. Utility `0.6 ln(f+1) + 0.4 exp(-dt/tau)`, density = utility / cost:
///
/// | unit | f | dt | utility | cost | density |
/// |---|---|---|---|---|---|
/// | a | 0 | 2 h | 0.4 e^-2 = 0.0541 | 4 | 0.0135 |
/// | b | 0 | 0 h | 0.4 | 4 | 0.1000 |
/// | c | 1 | 2 h | 0.6 ln 2 + 0.0541 = 0.4700 | 9 | 0.0522 |
/// | d | 2 | 1 h | 0.6 ln 3 + 0.4 e^-1 = 0.8063 | 4 | 0.2016 |
///
/// So a goes first, then c, though c is worth more than b: it costs more.
#[test]
fn the_least_dense_goes_first() {
    let now = 2 * HOUR_MS;
    let names = |budget_tokens: usize| {
        let (mut tree, [garden, kitchen]) = tree();
        unit(&mut tree, garden, "a is the first", (0, 0), 0.0);
        unit(&mut tree, garden, "b is the second", (0, now), 10.0);
        unit(
            &mut tree,
            kitchen,
            "c is the third and takes eight words here",
            (1, 0),
            80.0,
        );
        unit(&mut tree, kitchen, "d is the fourth", (2, HOUR_MS), 90.0);
        // scene 1, events 4, units 21
        enforce_budget(&mut tree, budget_tokens, now);
        assert!(tree.tokens() <= budget_tokens);
        let kept = tree
            .of_kind(Kind::Unit)
            .map(|unit| unit.text[..1].to_owned());
        kept.collect::<String>()
    };
    assert_eq!(names(300), "abcd");
    assert_eq!(names(25), "bcd");
    assert_eq!(names(20), "bd");
    // b's event is removed too, since it has no other unit
    assert_eq!(names(12), "d");
}

/// An item that can never be kept is pruned before the others, however often it was asked for:
/// otherwise the two small ones are pruned first, and then the large one anyway.
#[test]
fn what_is_too_large_goes_first() {
    let (mut tree, [garden, kitchen]) = tree();
    let roses = unit(&mut tree, garden, "roses grow", (0, 0), 0.0);
    let soup = unit(&mut tree, kitchen, "soup boils", (0, 0), 90.0);
    let words = vec!["word"; 30].join(" ");
    let large = unit(&mut tree, kitchen, &words, (1_000_000, 0), 80.0);
    enforce_budget(&mut tree, 25, HOUR_MS);
    assert!(tree.node(roses).is_some() && tree.node(soup).is_some());
    assert!(tree.node(large).is_none());
}

/// Raw talk takes 10 of 25 tokens, so a unit of 20 can never be kept and is pruned first.
#[test]
fn raw_talk_takes_its_part_of_the_budget() {
    let (mut tree, [garden, kitchen]) = tree();
    let roses = unit(&mut tree, garden, "roses grow", (0, 0), 0.0);
    let soup = unit(&mut tree, kitchen, "soup boils", (0, 0), 90.0);
    let words = vec!["word"; 20].join(" ");
    let large = unit(&mut tree, kitchen, &words, (1_000_000, 0), 80.0);
    fit_beside(&mut tree, &paper(25), HOUR_MS, 10);
    assert!(tree.node(roses).is_some() && tree.node(soup).is_some());
    assert!(tree.node(large).is_none());
}

/// Nothing is pruned while the budget is exactly full.
#[test]
fn a_full_budget_holds() {
    let (mut tree, [garden, kitchen]) = tree();
    unit(&mut tree, garden, "roses grow", (0, 0), 0.0);
    unit(&mut tree, kitchen, "soup boils", (0, 0), 90.0);
    let (tokens, nodes) = (tree.tokens(), tree.len());
    enforce_budget(&mut tree, tokens, HOUR_MS);
    assert_eq!(tree.len(), nodes);
}

/// Pinned units alone exceed the budget. At two hours, as in the table above: a of utility 0.4 and
/// 4 tokens (density 0.1), c of 0.4700 and 9 tokens (0.0522). So c is unpinned and pruned, though
/// it is worth more than a.
#[test]
fn of_pins_that_exceed_the_budget_the_least_dense_goes() {
    let now = 2 * HOUR_MS;
    let (mut tree, [garden, kitchen]) = tree();
    let a = unit(&mut tree, garden, "a is the first", (0, now), 0.0);
    let c = "c is the third and takes eight words here";
    let c = unit(&mut tree, kitchen, c, (1, 0), 80.0);
    for id in [a, c] {
        tree.node_mut(id).expect("a unit").pinned = true;
    }
    enforce_budget(&mut tree, 12, now);
    assert!(tree.tokens() <= 12);
    assert!(tree.node(c).is_none() && tree.node(a).is_some_and(|a| a.pinned));
}

/// An utterance of four units is larger than what three nodes leave, but one of its units fits: the
/// others go one by one, the least useful first, and it stays.
#[test]
fn part_of_an_utterance_that_is_too_large_is_kept() {
    let mut tree = MemoryTree::new(2);
    let scene = tree.insert(node(Kind::Scene, None, "home"), &at(0.0));
    let street = tree.insert(node(Kind::Event, Some(scene), ""), &at(0.0));
    let said = [
        ("a car came", 1),
        ("it was red", 9),
        ("it stopped", 2),
        ("we ran", 3),
    ];
    let [_, red, ..] = said.map(|(text, used)| unit(&mut tree, street, text, (used, 0), 0.0));
    let config = SessionConfig {
        budget_nodes: 3,
        ..SessionConfig::default()
    };
    fit_by(&mut tree, &config, HOUR_MS);
    let kept: Vec<NodeId> = tree.of_kind(Kind::Unit).map(|unit| unit.id).collect();
    assert_eq!(kept, [red]);
}

/// Eight nodes are allowed, eleven are held. The soup statement has the least value and is removed
/// with its event and scene; then the utterance of three units fits beside the roses.
#[test]
fn what_falls_with_its_last_unit_is_room_for_others() {
    let mut tree = MemoryTree::new(2);
    let mut event = |degrees| {
        let scene = tree.insert(node(Kind::Scene, None, "home"), &at(degrees));
        tree.insert(node(Kind::Event, Some(scene), ""), &at(degrees))
    };
    let [garden, kitchen, street] = [0.0, 90.0, 45.0].map(&mut event);
    let roses = unit(&mut tree, garden, "roses grow", (2, 0), 0.0);
    let soup = unit(&mut tree, kitchen, "soup boils", (0, 0), 90.0);
    let said = ["a car came", "it was red", "it stopped"];
    let said = said.map(|text| unit(&mut tree, street, text, (5, 0), 45.0));
    let config = SessionConfig {
        budget_nodes: 8,
        ..SessionConfig::default()
    };
    fit_by(&mut tree, &config, HOUR_MS);
    assert_eq!(tree.len(), 8);
    assert!(tree.node(soup).is_none() && tree.node(roses).is_some());
    assert!(said.iter().all(|&id| tree.node(id).is_some()));
}

/// A tree with two units about roses, the longer one first, and one about soup.
fn two_alike() -> (MemoryTree, [NodeId; 3]) {
    let (mut tree, [garden, _]) = tree();
    let long = unit(
        &mut tree,
        garden,
        "roses grow behind our house",
        (2, 0),
        0.0,
    );
    let short = unit(&mut tree, garden, "roses grow", (0, HOUR_MS), 20.0);
    let other = unit(&mut tree, garden, "soup was cold", (0, 0), 90.0);
    (tree, [long, short, other])
}

/// Two units at 20 degrees: cos 20 = 0.940 > 0.85. The merged one has the longer words, both
/// evidence items, the sum of frequencies and the mean vector weighted by frequency + 1: weights 3
/// and 1 at 0 and 20 degrees, `(3 + cos 20, sin 20) = (3.940, 0.342)`, that is 4.96 degrees.
#[test]
fn two_that_say_the_same_are_merged_before_any_goes() {
    let (mut tree, [long, short, other]) = two_alike();
    tree.remember_merge(long, short);
    tree.remember_merge(long, other);
    // one token too many: merging saves two, so nothing is pruned
    let config = SessionConfig {
        merge: MergePolicy::Claims,
        ..paper(14)
    };
    fit_by(&mut tree, &config, HOUR_MS);
    assert!(tree.node(short).is_none());
    assert!(tree.node(other).is_some(), "cos 90 = 0: another matter");
    let merged = tree.node(long).expect("it is kept");
    assert_eq!(merged.text, "roses grow behind our house");
    assert_eq!((merged.frequency, merged.last_access_ms), (2, HOUR_MS));
    assert_eq!(merged.evidence.len(), 2);
    let vector = tree.vector(long);
    let degrees = vector[1].atan2(vector[0]).to_degrees();
    assert!((degrees - 4.96).abs() < 0.01, "{degrees}");
}

/// In the paper's algorithm 1 the least useful goes first, then what is alike is merged: the soup,
/// then the roses.
#[test]
fn by_the_paper_one_goes_before_two_are_merged() {
    let (mut tree, [long, short, other]) = two_alike();
    tree.remember_merge(long, short);
    enforce_budget(&mut tree, 14, HOUR_MS);
    assert!(tree.node(other).is_none() && tree.node(short).is_none());
    assert!(tree.node(long).is_some());
}

/// Removing a unit removes its event and scene only if it is their last unit.
#[test]
fn what_is_left_empty_falls() {
    let (mut tree, [garden, kitchen]) = tree();
    let rose = unit(&mut tree, garden, "roses grow", (0, 0), 0.0);
    let tree_of_apples = unit(&mut tree, garden, "apples grow", (0, 0), 10.0);
    let soup = unit(&mut tree, kitchen, "soup boils", (0, 0), 90.0);
    assert_eq!(tree.remove(rose), 1);
    assert!(tree.node(garden).is_some());
    assert_eq!(tree.remove(tree_of_apples), 2, "the unit and its event");
    assert!(tree.node(garden).is_none() && tree.scenes().count() == 1);
    assert_eq!(tree.remove(soup), 3, "unit, event and scene");
    assert!(tree.is_empty() && tree.tokens() == 0 && tree.held_bytes() == 0);
}

/// Two scenes at 0 and 40 degrees. Talk at 20 pulls the nearer one towards the other until cos >
/// 0.85 (31.8 degrees): then they merge to one scene with the events of both.
#[test]
fn scenes_that_became_one_theme_are_one_scene() {
    let (mut tree, _) = tree();
    let other = tree.insert(node(Kind::Scene, None, "house"), &at(40.0));
    tree.insert(node(Kind::Event, Some(other), "the roof"), &at(40.0));
    let config = paper(8_192);
    let ctx = TreeContext {
        config: &config,
        counter: &SpaceCounter,
        rarity: &RarityTable::default(),
        now_ms: 0,
        turns: 0,
        beside_tokens: 0,
    };
    for n in 0..4 {
        tree.mount(&block(n, 20.0), Cause::Start, &ctx);
    }
    assert_eq!(tree.scenes().count(), 1);
    let scene = tree.scenes().next().expect("one is left");
    assert_eq!(scene.children.len(), 7, "two, one and four");
}

/// A block of one unit, all of it in one direction.
fn block(n: u64, degrees: f32) -> Distillate {
    let text = format!("thing {n}");
    let proof = node(Kind::Unit, None, &text).evidence;
    Distillate {
        block: BlockId(n),
        scene_label: "house".into(),
        scene_vector: at(degrees).to_vec(),
        event_text: text.clone(),
        event_vector: at(degrees + 60.0 + 40.0 * n as f32).to_vec(),
        event_speaker: None,
        event_evidence: proof.clone(),
        said_ms: n,
        units: vec![DistilledUnit {
            terms: weir_models::Terms::default(),
            text,
            retold: false,
            asked: None,
            speaker: None,
            evidence: proof,
            salience: 1.0,
            said_ms: n,
            vector: at(100.0 + 40.0 * n as f32).to_vec(),
            analysis: Default::default(),
        }],
        opinions: Vec::new(),
        facts: Vec::new(),
        event_analysis: Default::default(),
        scene_analysis: Default::default(),
    }
}

/// `S = cos * u` among units of the opened events with `cos >= 0.5`. Question at 0 degrees, all
/// fresh: u = 0.6 ln(f+1) + 0.4.
///
/// | unit | degrees | cos | f | u | S |
/// |---|---|---|---|---|---|
/// | near | 0 | 1.000 | 0 | 0.4000 | 0.4000 |
/// | used | 45 | 0.707 | 3 | 1.2318 | 0.8710 |
/// | once | 30 | 0.866 | 1 | 0.8159 | 0.7066 |
/// | far | 70 | 0.342 | 9 | 1.7816 | below 0.5: not recalled |
///
/// So: used, once, near.
#[test]
fn the_best_by_cosine_times_utility() {
    let (mut tree, [garden, _]) = tree();
    unit(&mut tree, garden, "near", (0, 0), 0.0);
    unit(&mut tree, garden, "used", (3, 0), 45.0);
    unit(&mut tree, garden, "once", (1, 0), 30.0);
    unit(&mut tree, garden, "far", (9, 0), 70.0);
    let stamp = EncoderStamp {
        terms: None,
        name: "angles".into(),
        digest: "1".into(),
        dimension: 2,
    };
    let config = paper(8_192);
    let session = Session::new(config, stamp, Arc::new(SpaceCounter)).expect("in range");
    let session = session.with_tree(tree);
    let question = Question {
        terms: weir_models::Terms::default(),
        text: "?".into(),
        vector: at(0.0).to_vec(),
        asked_by: None,
        at: crate::answer::QuestionTime::default(),
    };
    let found = session.search(&question);
    let ranked = found.order();
    assert_eq!(
        ranked,
        [("used", 0.8710), ("once", 0.7066), ("near", 0.4)].map(|(name, s)| (name.to_owned(), s))
    );
}
