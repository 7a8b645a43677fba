//! Beliefs: the update against its formula, what compression keeps, bounds, erasure, search.

use super::held::Beliefs;
use super::{BeliefQuery, Tally};
use crate::limits;
use crate::talk::testing::evidence;
use crate::talk::{DistilledOpinion, Utterances};
use crate::text::{Doubt, ObjectKind, Sentiment};
use proptest::prelude::*;
use weir_models::SpaceCounter;

const LOVES: Sentiment = felt(0.9, 0.05, 0.05);
const HATES: Sentiment = felt(0.05, 0.9, 0.05);
const TORN: Sentiment = felt(0.34, 0.33, 0.33);

const fn felt(positive: f32, negative: f32, neutral: f32) -> Sentiment {
    Sentiment {
        positive,
        negative,
        neutral,
    }
}

fn opinion(turn: u64, object: &str, aspect: &str, sentiment: Sentiment) -> DistilledOpinion {
    DistilledOpinion {
        holder: Some("Ana".into()),
        object: object.into(),
        kind: ObjectKind::Food,
        aspect: aspect.into(),
        sentiment,
        strength: 1.0,
        doubt: None,
        evidence: evidence(turn),
        said_ms: turn,
        vector: vec![1.0, 0.0],
    }
}

fn holding(opinions: &[DistilledOpinion]) -> Beliefs {
    let mut beliefs = Beliefs::default();
    for opinion in opinions {
        beliefs.take(opinion, &SpaceCounter);
    }
    beliefs
}

/// `C' = (C W + S P) / (W + S)` by hand: 0.9 at weight 1, then 0.05 at strength 3.
#[test]
fn an_update_is_the_weighted_mean_of_the_paper() {
    let mut tally = Tally::of(LOVES, 1.0);
    tally.add(HATES, 3.0);
    assert!((tally.settled.positive - (0.9 + 3.0 * 0.05) / 4.0).abs() < 1e-6);
    assert!((tally.weight - 4.0).abs() < 1e-6);
    assert_eq!(tally.count, 2);
}

/// After two hundred remarks of love, five of hate leave the paper's profile as it was; the
/// recent one says hate.
#[test]
fn a_few_new_remarks_win_over_a_long_history() {
    let mut tally = Tally::of(LOVES, 1.5);
    for _ in 0..200 {
        tally.add(LOVES, 1.5);
    }
    for _ in 0..5 {
        tally.add(HATES, 1.5);
    }
    assert!(tally.settled.leaning() > 0.7, "{tally:?}");
    assert!(tally.current.leaning() < 0.0, "{tally:?}");
    assert!(tally.shift() < -0.5);
}

#[test]
fn an_uncertain_opinion_is_abandoned() {
    let beliefs = holding(&[opinion(1, "tea", "general", TORN)]);
    assert!(beliefs.held().is_empty());
    assert_eq!(beliefs.counts().abandoned, 1);
}

#[test]
fn a_doubted_remark_is_kept_apart_and_does_not_count() {
    let doubted = DistilledOpinion {
        doubt: Some(Doubt::Sarcasm),
        ..opinion(1, "delay", "general", LOVES)
    };
    let beliefs = holding(&[doubted]);
    assert!(beliefs.held().is_empty());
    assert_eq!(beliefs.doubted()[0].doubt, Doubt::Sarcasm);
    assert_eq!(beliefs.counts().doubted, 1);
}

/// A weak remark has no vector: it is evidence of a belief that is held, and begins none.
#[test]
fn a_weak_remark_counts_only_where_a_belief_is_held() {
    let weak = |turn, aspect: &str| DistilledOpinion {
        strength: 0.5,
        vector: Vec::new(),
        ..opinion(turn, "tea", aspect, HATES)
    };
    let beliefs = holding(&[
        weak(1, "general"),
        opinion(2, "tea", "general", LOVES),
        weak(3, "general"),
        weak(4, "price"),
    ]);
    let [belief] = beliefs.held() else {
        panic!("{:?}", beliefs.held());
    };
    let tally = belief.tally();
    assert_eq!((tally.count, beliefs.counts().observed), (2, 2));
    assert!((tally.weight - 1.5).abs() < 1e-6);
    assert_eq!(beliefs.check(2, 100), Ok(()));
}

#[test]
fn taste_and_packaging_stay_apart() {
    let beliefs = holding(&[
        opinion(1, "coffee", "taste", LOVES),
        opinion(2, "coffee", "packaging", HATES),
        opinion(3, "coffee", "taste", LOVES),
    ]);
    let counts: Vec<u32> = beliefs.held().iter().map(|it| it.tally().count).collect();
    assert_eq!(counts, [2, 1]);
}

/// Taste is uncertain after two weak remarks that contradict each other and a neutral one; the
/// belief about the whole is sure and takes them in, that about the packaging stays as it is.
#[test]
fn an_uncertain_fragment_becomes_part_of_the_whole() {
    let weak = |turn, sentiment| DistilledOpinion {
        strength: 0.5,
        ..opinion(turn, "coffee", "taste", sentiment)
    };
    let mut said: Vec<_> = (0..6)
        .map(|n| opinion(n, "coffee", "general", LOVES))
        .collect();
    said.push(opinion(6, "coffee", "packaging", HATES));
    said.push(weak(7, LOVES));
    said.push(weak(8, HATES));
    said.push(weak(9, felt(0.05, 0.05, 0.9)));
    let beliefs = holding(&said);
    let counts: Vec<u32> = beliefs.held().iter().map(|it| it.tally().count).collect();
    assert_eq!(counts, [9, 1]);
    assert_eq!(beliefs.counts().integrated, 1);
}

/// A conflict of weight is no fragment, and joining it with another side would say of the packaging
/// what was said of the taste.
#[test]
fn somebody_of_two_minds_stays_so() {
    let mut said = vec![opinion(0, "coffee", "packaging", HATES)];
    for turn in 1..9 {
        let felt = if turn % 2 == 0 { LOVES } else { HATES };
        said.push(opinion(turn, "coffee", "taste", felt));
    }
    said.push(opinion(9, "coffee", "taste", felt(0.05, 0.05, 0.9)));
    said.push(opinion(10, "coffee", "taste", felt(0.05, 0.05, 0.9)));
    let beliefs = holding(&said);
    let counts: Vec<u32> = beliefs.held().iter().map(|it| it.tally().count).collect();
    assert_eq!(counts, [1, 10]);
}

#[test]
fn uncertain_noise_is_deleted_but_never_strong_evidence() {
    let weak = |turn, sentiment| DistilledOpinion {
        strength: 0.3,
        ..opinion(turn, "rain", "general", sentiment)
    };
    let torn = [
        weak(1, LOVES),
        weak(2, HATES),
        weak(3, felt(0.05, 0.05, 0.9)),
    ];
    let beliefs = holding(&torn);
    assert!(beliefs.held().is_empty());
    assert_eq!(beliefs.counts().deleted, 1);

    let strong = |turn, sentiment| DistilledOpinion {
        strength: 2.5,
        ..weak(turn, sentiment)
    };
    let torn = [
        strong(1, LOVES),
        strong(2, HATES),
        strong(3, felt(0.05, 0.05, 0.9)),
    ];
    assert_eq!(holding(&torn).held().len(), 1);
}

#[test]
fn erasing_an_utterance_takes_its_observation_back() {
    let said: Vec<_> = (0..4).map(|n| opinion(n, "tea", "taste", LOVES)).collect();
    let mut beliefs = holding(&said);
    beliefs.take(&opinion(9, "tea", "taste", HATES), &SpaceCounter);
    let mut erased = Utterances::default();
    erased.insert("day", "u9");
    assert_eq!(beliefs.erase(&erased), 0);
    let expected = holding(&said);
    assert_eq!(beliefs.held()[0].tally(), expected.held()[0].tally());
}

/// Older observations are only a sum: they go when all that is held one by one goes.
#[test]
fn erasing_all_that_is_held_of_a_belief_erases_the_belief() {
    let many = limits::BELIEF_OBSERVATIONS_MAX as u64 + 10;
    let said: Vec<_> = (0..many)
        .map(|n| opinion(n, "tea", "taste", LOVES))
        .collect();
    let mut beliefs = holding(&said);
    assert_eq!(u64::from(beliefs.held()[0].tally().count), many);
    let mut erased = Utterances::default();
    for n in 10..many {
        erased.insert("day", &format!("u{n}"));
    }
    assert_eq!(beliefs.erase(&erased), 1);
    assert!(beliefs.held().is_empty());
}

#[test]
fn two_names_of_one_person_have_one_belief() {
    let mut beliefs = holding(&[opinion(1, "tea", "taste", LOVES)]);
    let by_label = DistilledOpinion {
        holder: Some("Speaker 1".into()),
        ..opinion(2, "tea", "taste", LOVES)
    };
    beliefs.take(&by_label, &SpaceCounter);
    assert_eq!(beliefs.held().len(), 2);
    beliefs.rename("Speaker 1", "Ana");
    assert_eq!(beliefs.held().len(), 1);
    assert_eq!(beliefs.held()[0].tally().count, 2);
}

#[test]
fn a_question_finds_object_aspect_kind_and_holder() {
    let bob = DistilledOpinion {
        holder: Some("Bob".into()),
        ..opinion(4, "coffee", "taste", HATES)
    };
    let beliefs = holding(&[
        opinion(1, "coffee", "taste", LOVES),
        opinion(2, "coffee", "packaging", HATES),
        opinion(3, "green tea", "general", HATES),
        bob,
    ]);
    let ana = ["ana".to_owned()];
    let find = |about: &str| -> Vec<String> {
        let sought = BeliefQuery {
            holders: &ana,
            about,
            vector: &[1.0, 0.0],
        };
        let found = beliefs.find(&sought).into_iter();
        found
            .map(|(it, _)| format!("{} {}", it.object, it.aspect))
            .collect()
    };
    let mut coffee = find("what does Ana think of coffee");
    coffee.sort_unstable();
    assert_eq!(coffee, ["coffee packaging", "coffee taste"]);
    assert_eq!(find("taste of the coffee"), ["coffee taste"]);
    assert_eq!(find("green tea"), ["green tea general"]);
    assert_eq!(find("food").len(), 3, "all are of that kind");
    assert!(find("wine").is_empty());
}

fn any_opinion() -> impl Strategy<Value = DistilledOpinion> {
    let object = prop_oneof![Just("tea"), Just("coffee"), Just("the long way home")];
    let aspect = prop_oneof![Just("taste"), Just("general"), Just("price")];
    let parts = (0.0_f32..1.0, 0.0_f32..1.0, 0.01_f32..1.0);
    (object, aspect, parts, 0.0_f32..3.0, 0_u64..500).prop_map(
        |(object, aspect, (positive, negative, neutral), strength, turn)| {
            let all = positive + negative + neutral;
            let sentiment = felt(positive / all, negative / all, neutral / all);
            DistilledOpinion {
                strength,
                ..opinion(turn, object, aspect, sentiment)
            }
        },
    )
}

proptest! {
    /// Whatever is said, beliefs are sound and within their bounds, no opinion is lost without a
    /// count, and erasing everything leaves nothing.
    #[test]
    fn beliefs_are_sound_whatever_is_said(
        said in proptest::collection::vec(any_opinion(), 1..200),
        most in 0_usize..12,
    ) {
        let mut beliefs = holding(&said);
        prop_assert_eq!(beliefs.check(2, usize::MAX), Ok(()));
        let counts = beliefs.counts();
        prop_assert_eq!(counts.observed + counts.abandoned, said.len() as u64);
        let held: u32 = beliefs.held().iter().map(|it| it.tally().count).sum();
        prop_assert!(counts.deleted > 0 || u64::from(held) == counts.observed);
        beliefs.fit(most);
        prop_assert_eq!(beliefs.check(2, most), Ok(()));
        let mut erased = Utterances::default();
        for n in 0..500 {
            erased.insert("day", &format!("u{n}"));
        }
        beliefs.erase(&erased);
        prop_assert!(beliefs.held().is_empty());
    }
}
