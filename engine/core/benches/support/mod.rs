//! The session of all benchmarks: full of generated talk.

use std::sync::Arc;
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::distil::{Distil, Extractive};
use weir_core::session::{EncoderStamp, Input, Session};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_fixtures::Rng;
use weir_fixtures::talk::{Plan, Turn, talk};
use weir_models::{Encode, WordHashEncoder, WordPieceCounter};

/// A small budget that fills quickly.
pub(crate) const FULL_TOKENS: usize = 8_192;
/// Enough turns to fill it several times.
pub(crate) const TURNS: usize = 3_000;
const STREAM: &str = "talk";

pub(crate) fn vector(text: &str) -> Vec<f32> {
    let vectors = WordHashEncoder::new().encode(&[text]);
    vectors.expect("hashing cannot fail").remove(0)
}

pub(crate) fn turns() -> Vec<Turn> {
    let plan = Plan {
        turns: TURNS,
        fact_share: 0.6,
        ..Plan::default()
    };
    talk(plan, &mut Rng::new(11)).turns
}

pub(crate) fn session(budget_tokens: usize) -> Session {
    let config = SessionConfig {
        budget_tokens,
        profile: EncoderProfile::word_hash(),
        ..SessionConfig::default()
    };
    let stamp = EncoderStamp::of(&WordHashEncoder::new());
    let counter = Arc::new(WordPieceCounter::shared());
    let mut session = Session::new(config, stamp, counter).expect("settings in range");
    let begin = Input::Begin(StreamStart::new(STREAM, Some(1_740_823_200_000)));
    session.apply(&begin).expect("a stream may begin");
    session
}

/// Adds one more statement, made unique by its number and its own words.
pub(crate) fn hear(session: &mut Session, turn: &Turn, text: String) {
    let before_ms = session.now_ms();
    let vector = vector(&format!("{}: {text}", turn.speaker));
    let input = Input::heard(
        Utterance {
            id: format!("u{}", session.stats().turns),
            stream: STREAM.into(),
            speaker: Some(turn.speaker.into()),
            span: Span::new(before_ms + 500, before_ms + 4_000),
            audio: None,
            confidence: None,
            text,
        },
        vector.into(),
    );
    session.apply(&input).expect("raw memory has room");
}

/// The distillate of the next waiting block, if any.
pub(crate) fn next_mount(session: &Session) -> Option<Input> {
    let block = session.next_block()?;
    let distilled = Extractive.distil(&block, &WordHashEncoder::new());
    Some(Input::Mount(Box::new(
        distilled.expect("hashing cannot fail"),
    )))
}

/// A session that heard all turns, or as many as fit into a tree of `tokens_max` tokens.
pub(crate) fn filled(budget_tokens: usize, tokens_max: usize) -> Session {
    let mut session = session(budget_tokens);
    for (n, turn) in turns().iter().enumerate() {
        hear(
            &mut session,
            turn,
            format!("{} That was number {n}.", turn.text),
        );
        while let Some(mount) = next_mount(&session) {
            session.apply(&mount).expect("it is the next block");
        }
        if session.tree().tokens() >= tokens_max {
            break;
        }
    }
    session
}
