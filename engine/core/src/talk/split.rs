//! Prepares an utterance for memory: normalises white space, and splits text over the limit at word
//! boundaries.
//!
//! The parts keep id, speaker and audio file; the utterance's time is divided in proportion to
//! their letters, at least a millisecond for each. Invariants: the parts joined by single blanks
//! are the utterance's words; no two parts are equal, even if their words are.

use crate::stream::{Span, Utterance, says_anything};
use std::borrow::Cow;
use std::ops::Range;
use weir_models::CountTokens;

/// Bytes of text that count as a token at least.
const TOKEN_BYTES_MAX: usize = 16;

/// The utterance in parts of at most `tokens_max` tokens each, speaker included.
///
/// A single word with more tokens is split at letters. An utterance without words gives no parts.
#[must_use]
pub fn split(utterance: Utterance, tokens_max: usize, counter: &dyn CountTokens) -> Vec<Utterance> {
    if !says_anything(&utterance.text) {
        return Vec::new();
    }
    let label = utterance
        .speaker
        .as_deref()
        .map_or(0, |speaker| counter.count(speaker) + counter.count(": "));
    let room = tokens_max.saturating_sub(label).max(1);
    // a token has at least one byte, so short text needs no counting
    if utterance.text.len() <= room || fits(&utterance.text, room, counter) {
        let mut whole = utterance;
        if let Cow::Owned(even) = with_even_space(&whole.text) {
            whole.text = even;
        }
        return vec![whole];
    }
    let texts = parts(&utterance.text, room, counter);
    let letters: usize = texts.iter().map(String::len).sum();
    let mut before = 0;
    texts
        .into_iter()
        .map(|text| {
            let own = before..before + text.len();
            before = own.end;
            part(&utterance, text, own, letters)
        })
        .filter(|part| says_anything(&part.text))
        .collect()
}

/// The text with each run of white space replaced by one line end or one blank, and trimmed:
/// between statements, a wider gap would mean omitted words.
fn with_even_space(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim();
    let odd = |c: char| c.is_whitespace() && c != ' ' && c != '\n';
    let mut pairs = trimmed.chars().zip(trimmed.chars().skip(1));
    let is_even = trimmed.len() == text.len()
        && !trimmed.contains(odd)
        && !pairs.any(|(a, b)| a.is_whitespace() && b.is_whitespace());
    if is_even {
        return Cow::Borrowed(text);
    }
    let mut lines: Vec<Vec<&str>> = Vec::new();
    for line in trimmed.lines() {
        lines.push(line.split_whitespace().collect());
    }
    lines.retain(|words| !words.is_empty());
    let lines: Vec<String> = lines.iter().map(|words| words.join(" ")).collect();
    Cow::Owned(lines.join("\n"))
}

/// The part of an utterance that has these letters of all, with its share of the time.
fn part(whole: &Utterance, text: String, own: Range<usize>, all: usize) -> Utterance {
    let within = |span: Span, least_ms: u64| {
        let length = (span.end_ms - span.start_ms).max(least_ms);
        let at = |letters: usize| {
            span.start_ms + (length as u128 * letters as u128 / all.max(1) as u128) as u64
        };
        Span::new(at(own.start), at(own.end))
    };
    let mut part = whole.clone();
    part.span = within(whole.span, all as u64);
    if let Some(audio) = &mut part.audio {
        audio.span = within(audio.span, 0);
    }
    part.text = text;
    part
}

/// Whether a text has room. A counter may count a long run without spaces as one unknown token.
fn fits(text: &str, room: usize, counter: &dyn CountTokens) -> bool {
    text.len() <= room * TOKEN_BYTES_MAX && counter.count(text) <= room
}

fn parts(text: &str, room: usize, counter: &dyn CountTokens) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut open, mut used) = (String::new(), 0);
    for word in text.split_whitespace() {
        let cost = counter.count(word).max(word.len() / TOKEN_BYTES_MAX);
        if used + cost > room && !open.is_empty() {
            parts.push(std::mem::take(&mut open));
            used = 0;
        }
        if cost > room {
            parts.extend(letters(word, room, counter));
            continue;
        }
        if !open.is_empty() {
            open.push(' ');
        }
        open.push_str(word);
        used += cost;
    }
    if !open.is_empty() {
        parts.push(open);
    }
    parts
}

/// Splits one word that is too long; halves it until every piece fits.
fn letters(word: &str, room: usize, counter: &dyn CountTokens) -> Vec<String> {
    if fits(word, room, counter) {
        return vec![word.to_owned()];
    }
    let middle = word
        .char_indices()
        .map(|(at, _)| at)
        .find(|&at| at > 0 && at >= word.len() / 2);
    match middle {
        None => vec![word.to_owned()],
        Some(at) => {
            let mut pieces = letters(&word[..at], room, counter);
            pieces.extend(letters(&word[at..], room, counter));
            pieces
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::UTTERANCE_TOKENS_MAX;
    use crate::stream::AudioSpan;
    use weir_models::SpaceCounter;

    fn said(text: String) -> Utterance {
        Utterance {
            id: "u1".into(),
            stream: "s".into(),
            speaker: Some("Bob".into()),
            span: Span::new(1_000, 11_000),
            audio: Some(AudioSpan {
                file: "a.wav".into(),
                span: Span::new(500, 10_500),
            }),
            confidence: None,
            text,
        }
    }

    #[test]
    fn a_short_utterance_stays_whole() {
        let whole = said("Hello there.".into());
        assert_eq!(
            split(whole.clone(), UTTERANCE_TOKENS_MAX, &SpaceCounter),
            vec![whole]
        );
        assert!(split(said("... ?!".into()), UTTERANCE_TOKENS_MAX, &SpaceCounter).is_empty());
    }

    #[test]
    fn white_space_is_made_even() {
        for (text, even) in [
            ("Steps:\n\n   Open  it.", "Steps:\nOpen it."),
            ("One.\u{3000}Two.\t Three. ", "One. Two. Three."),
            ("One.\nTwo, three.", "One.\nTwo, three."),
        ] {
            let parts = split(said(text.into()), UTTERANCE_TOKENS_MAX, &SpaceCounter);
            assert_eq!(parts.len(), 1);
            assert_eq!(parts[0].text, even);
        }
    }

    #[test]
    fn a_long_one_loses_no_word_and_no_time() {
        let text: Vec<String> = (0..1_000).map(|n| format!("word{n}")).collect();
        let parts = split(said(text.join(" ")), UTTERANCE_TOKENS_MAX, &SpaceCounter);
        assert!(parts.len() > 1_000 / UTTERANCE_TOKENS_MAX);
        let joined: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(joined.join(" "), text.join(" "));
        assert_eq!(parts[0].span.start_ms, 1_000);
        assert_eq!(parts[parts.len() - 1].span.end_ms, 11_000);
        for pair in parts.windows(2) {
            assert_eq!(pair[0].span.end_ms, pair[1].span.start_ms);
        }
        for part in &parts {
            assert!(SpaceCounter.count(&part.text) + 2 <= UTTERANCE_TOKENS_MAX);
            assert_eq!(part.id, "u1");
        }
    }

    /// Regression: equal parts of typed text, which takes no time, were taken for one part that was
    /// said twice, and all but one were lost.
    #[test]
    fn equal_parts_of_one_moment_are_different() {
        let mut typed = said("very ".repeat(2_000));
        typed.span = Span::new(1_000, 1_000);
        let parts = split(typed, UTTERANCE_TOKENS_MAX, &SpaceCounter);
        assert_eq!(parts[0].text, parts[1].text);
        for pair in parts.windows(2) {
            assert!(pair[0].span.start_ms < pair[1].span.start_ms);
            assert_eq!(pair[0].id, pair[1].id);
        }
    }

    /// Counts every letter as a token, like text outside the vocabulary.
    struct LetterCounter;

    impl CountTokens for LetterCounter {
        fn count(&self, text: &str) -> usize {
            text.chars().filter(|c| !c.is_whitespace()).count()
        }

        fn name(&self) -> &str {
            "letters"
        }
    }

    #[test]
    fn a_word_longer_than_the_limit_is_cut_at_letters() {
        let parts = split(
            said("ä".repeat(1_000)),
            UTTERANCE_TOKENS_MAX,
            &LetterCounter,
        );
        let joined: String = parts.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(joined, "ä".repeat(1_000));
        for part in &parts {
            assert!(LetterCounter.count(&part.text) <= UTTERANCE_TOKENS_MAX);
        }
    }
}
