//! Block boundaries: the paper's rule by a worked example, the adaptive rule by properties of any
//! talk.

use crate::support::{BagOfWords, DIMENSION, config, counter, hear_and_mount, memory, said, start};
use proptest::prelude::*;
use std::sync::Arc;
use weir_core::config::{BoundaryPolicy, RawLimits, SessionConfig};
use weir_core::limits;
use weir_core::sense::{AdaptiveRule, Cause, Level, Rule, SensingBuffer};
use weir_core::session::{EncoderStamp, Input, Session};
use weir_core::stream::{Span, Utterance};
use weir_core::talk::BufferedUtterance;
use weir_core::vectors::normalise;

/// Wide bounds, so that only the rules end blocks.
const RAW: RawLimits = RawLimits {
    held: limits::RAW_TOKENS_MAX,
    utterance: limits::UTTERANCE_TOKENS_MAX,
    block: limits::ADAPTIVE_BLOCK_TOKENS_MAX,
    leading: limits::RAW_TOKENS_MAX,
};

/// An utterance with a vector and this many tokens, `silent_ms` after the one before.
fn heard(
    n: u64,
    speaker: &str,
    vector: Vec<f32>,
    tokens: u32,
    silent_ms: u64,
) -> BufferedUtterance {
    let start_ms = n * (1_000 + silent_ms) + silent_ms;
    BufferedUtterance {
        terms: weir_models::Terms::default(),
        turn: 0,
        analysis: Default::default(),
        new_terms: Vec::new(),
        utterance: Utterance {
            id: format!("u{n}"),
            stream: "s".into(),
            speaker: Some(speaker.into()),
            span: Span::new(start_ms, start_ms + 1_000),
            audio: None,
            confidence: None,
            text: format!("word{n}"),
        },
        vector,
        tokens,
        session_ms: start_ms,
        said_at_unix_ms: None,
    }
}

/// Pushes all utterances and mounts each block at once; returns where blocks begin, as indices of
/// utterances, with causes.
fn begins(talk: &[BufferedUtterance], rule: &Rule) -> Vec<(usize, Cause)> {
    let mut buffer = SensingBuffer::default();
    let (mut begins, mut at) = (Vec::new(), 0);
    let mut take = |buffer: &mut SensingBuffer| {
        while let (Some(block), Some(cause)) = (buffer.next_block(), buffer.next_cause()) {
            begins.push((at, cause));
            at += block.fresh.len();
            let spoken: usize = block.fresh.iter().map(|h| h.tokens as usize).sum();
            assert!(spoken <= limits::BLOCK_TOKENS_MAX || block.fresh.len() == 1);
            let most = match rule {
                Rule::Paper { .. } => limits::BLOCK_UTTERANCES_MAX,
                Rule::Adaptive(_) => limits::ADAPTIVE_BLOCK_UTTERANCES_MAX,
            };
            assert!(block.fresh.len() <= most && block.leading.len() <= limits::LEADING_UTTERANCES);
            let ids = block.fresh.iter().map(|h| h.utterance.id.clone());
            let expected = at - block.fresh.len()..at;
            assert!(ids.eq(expected.map(|n| talk[n].utterance.id.clone())));
            buffer.release(&RAW);
        }
    };
    for heard in talk {
        buffer.push(Arc::new(heard.clone()), rule, &RAW);
        take(&mut buffer);
    }
    buffer.cut(rule);
    take(&mut buffer);
    assert_eq!(at, talk.len());
    begins
}

/// A vector of two numbers at this angle in degrees, so that cosines can be computed by hand.
fn at_angle(degrees: f32) -> Vec<f32> {
    vec![degrees.to_radians().cos(), degrees.to_radians().sin()]
}

/// cos 40 = 0.77 and cos 50 = 0.64 lie on either side of 0.7.
#[test]
fn the_papers_rule_cuts_where_it_is_written() {
    let angles = [0.0, 40.0, 90.0, 90.0, 50.0, 10.0, 50.0, 90.0, 0.0, 30.0];
    let talk: Vec<BufferedUtterance> = (0..)
        .zip(angles)
        .map(|(n, angle)| heard(n, "A", at_angle(angle), 10, 0))
        .collect();
    let rule = Rule::Paper { drift_cosine: 0.7 };
    let expected = [
        (0, Cause::Start),
        (3, Cause::Drift), // 40 to 90; the drifting utterance ends the block (algorithm 1)
        (8, Cause::Full),  // five new ones, all within 40 degrees
        (9, Cause::Drift), // 90 to 0: what comes before is compared across the cut
    ];
    assert_eq!(begins(&talk, &rule), expected);
}

/// Vectors about one of two themes, each with a component of its own.
fn themed(n: u64, theme: usize) -> Vec<f32> {
    let mut vector = vec![0.0; 32];
    vector[theme] = 1.0;
    vector[4 + (n * 7 % 28) as usize] = 0.8;
    normalise(&mut vector);
    vector
}

#[test]
fn a_change_of_theme_is_cut_where_it_is() {
    for change in [120_u64, 131, 150] {
        let talk: Vec<BufferedUtterance> = (0..250)
            .map(|n| heard(n, "A", themed(n, usize::from(n >= change)), 12, 0))
            .collect();
        let found: Vec<usize> = begins(&talk, &Rule::Adaptive(AdaptiveRule::default()))
            .into_iter()
            .filter(|(_, cause)| *cause == Cause::Drift)
            .map(|(at, _)| at)
            .collect();
        assert_eq!(found, [change as usize]);
    }
}

/// Uniform talk with one change of speakers or one silence: the cut is there.
#[test]
fn speakers_and_pauses_are_evidence() {
    let rule = |speaker_weight, pause_weight| {
        Rule::Adaptive(AdaptiveRule {
            speaker_weight,
            pause_weight,
            ..AdaptiveRule::default()
        })
    };
    let changes = |talk: &[BufferedUtterance], rule: &Rule| -> Vec<usize> {
        let begins = begins(talk, rule).into_iter();
        begins
            .filter(|(_, cause)| *cause == Cause::Drift)
            .map(|(at, _)| at)
            .collect()
    };
    let speaker = |n: u64| if n < 130 { "A" } else { "B" };
    let talk: Vec<BufferedUtterance> = (0..200)
        .map(|n| heard(n, speaker(n), themed(n, 0), 12, 0))
        .collect();
    assert_eq!(changes(&talk, &rule(0.3, 0.2)), [130]);
    assert!(changes(&talk, &rule(0.0, 0.2)).is_empty());
    let mut talk: Vec<BufferedUtterance> = (0..200)
        .map(|n| heard(n, "A", themed(n, 0), 12, 0))
        .collect();
    for heard in &mut talk[130..] {
        heard.session_ms += 60_000;
    }
    assert_eq!(changes(&talk, &rule(0.3, 0.2)), [130]);
    assert!(changes(&talk, &rule(0.3, 0.0)).is_empty());
}

/// With a fixed level that is never reached, only capacity cuts.
#[test]
fn a_level_out_of_reach_leaves_capacity() {
    let talk: Vec<BufferedUtterance> = (0..200)
        .map(|n| heard(n, "A", themed(n, usize::from(n > 99)), 12, 0))
        .collect();
    let rule = AdaptiveRule {
        level: Level::Fixed(9.0),
        ..AdaptiveRule::default()
    };
    let begins = begins(&talk, &Rule::Adaptive(rule));
    assert_eq!(begins[0], (0, Cause::Start));
    assert!(begins.len() > 5);
    assert!(begins[1..].iter().all(|(_, cause)| *cause == Cause::Full));
}

fn talk() -> impl Strategy<Value = Vec<BufferedUtterance>> {
    let one = (
        proptest::collection::vec(-1.0_f32..1.0, 6),
        0_usize..20,
        1_u32..=limits::UTTERANCE_TOKENS_MAX as u32,
        any::<bool>(),
        0_u64..20_000,
    );
    proptest::collection::vec(one, 1..120).prop_map(|talk| {
        (0..)
            .zip(talk)
            .map(|(n, (mut vector, speaker, tokens, short, silent_ms))| {
                normalise(&mut vector);
                let tokens = if short { 1 + tokens % 16 } else { tokens };
                heard(n, &format!("S{speaker}"), vector, tokens, silent_ms)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// `begins` checks every block against its bounds, and that no utterance is lost or duplicated.
    #[test]
    fn blocks_keep_their_bounds_and_the_same_talk_is_cut_the_same(talk in talk()) {
        for rule in [
            Rule::Paper { drift_cosine: 0.1 },
            Rule::Adaptive(AdaptiveRule::default()),
            Rule::Adaptive(AdaptiveRule { rest_tokens: 0, ..AdaptiveRule::default() }),
        ] {
            prop_assert_eq!(begins(&talk, &rule), begins(&talk, &rule));
        }
    }

    /// A session read from its image at any point continues like the original.
    #[test]
    fn what_the_rule_knows_survives_the_image(seed in 0_u64..1_000, stop in 1_u64..120) {
        for boundary in [BoundaryPolicy::Paper, BoundaryPolicy::Adaptive] {
            let settings = SessionConfig { boundary, ..config(2_000) };
            let stamp = EncoderStamp::of(BagOfWords::shared().as_ref());
            let mut whole = Session::new(settings, stamp, counter()).unwrap();
            whole.apply(&Input::Begin(start("s"))).unwrap();
            let mut read = None;
            for n in 0..120 {
                if n == stop {
                    read = Some(Session::from_image(&whole.to_image(), counter()).unwrap());
                }
                hear(&mut whole, seed, n);
                if let Some(read) = &mut read {
                    hear(read, seed, n);
                    if n % 8 == 7 {
                        prop_assert_eq!(read.digest(), whole.digest());
                    }
                }
            }
        }
    }
}

const WORDS: [&str; 12] = [
    "garden", "train", "budget", "remote", "button", "coffee", "sister", "plastic", "screen",
    "holiday", "battery", "market",
];

fn hear(session: &mut Session, seed: u64, n: u64) {
    let at = |k: u64| WORDS[((seed + n * 31 + k * k * 7 + n / 40 * 5) % 12) as usize];
    let words: Vec<&str> = (0..8 + n % 9).map(at).collect();
    let speaker = ["Alice", "Bob", "Maria"][((seed + n * n) % 3) as usize];
    hear_and_mount(session, said(n, speaker, &words.join(" ")));
}

#[test]
fn the_default_rule_cuts_blocks_of_a_real_session() {
    let mut memory = memory(8_000);
    let mut cut = 0;
    for n in 0..200 {
        let words: Vec<&str> = (0..9).map(|k| WORDS[(n * 5 + k) as usize % 12]).collect();
        cut += memory
            .hear(said(n, "Alice", &words.join(" ")))
            .unwrap()
            .cut
            .len();
    }
    assert!(cut > 3, "{cut} blocks");
    assert_eq!(memory.session().check(), Ok(()));
    assert!(memory.session().buffer().bytes() > DIMENSION * 4);
}
