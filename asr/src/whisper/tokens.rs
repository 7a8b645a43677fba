//! Converts whisper's tokens to words with exact spans.
//!
//! It checks no content. Invariant: words are in order, their spans lie inside the segment and
//! never run backwards, and a word's text is its tokens' bytes joined before they are decoded as
//! UTF-8 (one letter may span several tokens).

use whisper_rs::{WhisperState, WhisperToken, WhisperTokenId};

use crate::{SampleSpan, Transcript, Word};

/// Samples in one of whisper's time units of 10 ms.
const SAMPLES_PER_TICK: i64 = 160;

/// A word under construction.
#[derive(Default)]
struct Draft {
    bytes: Vec<u8>,
    start_tick: i64,
    end_tick: i64,
    log_probability: f32,
    tokens: u32,
}

/// Reads the words of the last run from a state.
pub(super) fn read(
    state: &WhisperState,
    end_of_text: WhisperTokenId,
    span: SampleSpan,
) -> Transcript {
    let mut collector = Collector {
        span,
        last: span.start,
        ..Collector::default()
    };
    let (mut no_speech, mut end) = (0.0f32, 0);
    for segment in state.as_iter() {
        no_speech = no_speech.max(segment.no_speech_probability());
        let tokens = (0..segment.n_tokens()).filter_map(|at| segment.get_token(at));
        // ids from the end-of-text token on are control and time tokens
        for token in tokens.filter(|token| token.token_id() < end_of_text) {
            let token = Token::of(&token, end);
            end = token.end;
            collector.token(&token.bytes, token.probability, token.start, token.end);
        }
        collector.end_word();
    }
    let confidence = if collector.tokens == 0 {
        0.0
    } else {
        (collector.log_probability / collector.tokens as f32).exp()
    };
    Transcript {
        words: collector.words,
        confidence,
        no_speech,
    }
}

/// The last text tokens of the last run, at most `count`.
pub(super) fn last(
    state: &WhisperState,
    end_of_text: WhisperTokenId,
    count: usize,
) -> Vec<WhisperTokenId> {
    let mut ids = Vec::new();
    for segment in state.as_iter() {
        let tokens = (0..segment.n_tokens()).filter_map(|at| segment.get_token(at));
        let text = tokens.map(|token| token.token_id());
        ids.extend(text.filter(|id| *id < end_of_text));
    }
    ids.split_off(ids.len().saturating_sub(count))
}

/// Longest assumed duration of a token with unknown start, in ticks: the time since the previous
/// token includes any pause before it.
const ALIGNED_TICKS_MAX: i64 = 60;

/// A text token with its time in ticks.
struct Token {
    bytes: Vec<u8>,
    probability: f32,
    start: i64,
    end: i64,
}

impl Token {
    /// A token, when the previous one ended at `before`. Alignment gives the end of a token
    /// (whisper.cpp's `t_dtw`); without it whisper guesses both ends from time tokens.
    fn of(token: &WhisperToken<'_, '_>, before: i64) -> Self {
        let data = token.token_data();
        let (start, end) = match data.t_dtw {
            end @ 0.. => (before.max(end - ALIGNED_TICKS_MAX), end),
            _ => (data.t0, data.t1),
        };
        Self {
            bytes: token.to_bytes().unwrap_or_default().to_vec(),
            probability: data.p,
            start,
            end,
        }
    }
}

#[derive(Default)]
struct Collector {
    span: SampleSpan,
    /// End of the last word: the next begins at or after it.
    last: u64,
    words: Vec<Word>,
    draft: Draft,
    log_probability: f32,
    tokens: u32,
}

impl Collector {
    fn token(&mut self, bytes: &[u8], probability: f32, start_tick: i64, end_tick: i64) {
        if bytes.is_empty() {
            return;
        }
        if begins_word(bytes) {
            self.end_word();
        }
        let log_probability = probability.clamp(1e-6, 1.0).ln();
        self.log_probability += log_probability;
        self.tokens += 1;
        let draft = &mut self.draft;
        if draft.tokens == 0 {
            draft.start_tick = start_tick;
            draft.end_tick = end_tick;
        }
        draft.bytes.extend_from_slice(bytes);
        // a full stop's time includes the pause after it
        if !bytes.iter().all(u8::is_ascii_punctuation) {
            draft.end_tick = draft.end_tick.max(end_tick);
        }
        draft.log_probability += log_probability;
        draft.tokens += 1;
    }

    fn end_word(&mut self) {
        let draft = std::mem::take(&mut self.draft);
        let text = String::from_utf8_lossy(&draft.bytes).trim().to_owned();
        if text.is_empty() {
            return;
        }
        let start = self.sample(draft.start_tick).max(self.last);
        let end = self.sample(draft.end_tick).max(start);
        self.last = end;
        let confidence = (draft.log_probability / draft.tokens.max(1) as f32).exp();
        self.words.push(Word {
            text,
            span: SampleSpan { start, end },
            confidence,
        });
    }

    /// Source sample for a time in the segment, clamped to the segment.
    fn sample(&self, tick: i64) -> u64 {
        let offset = u64::try_from(tick.max(0) * SAMPLES_PER_TICK).unwrap_or(0);
        (self.span.start + offset).min(self.span.end)
    }
}

/// True when a token opens a new word: it begins with a space, or with a letter of a script written
/// without spaces.
fn begins_word(bytes: &[u8]) -> bool {
    if bytes.first() == Some(&b' ') {
        return true;
    }
    let first = std::str::from_utf8(bytes)
        .ok()
        .and_then(|text| text.chars().next());
    first.is_some_and(|c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'))
}
