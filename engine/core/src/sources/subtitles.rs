//! Subtitles, SubRip and WebVTT: cues with times, joined into excerpts.

use super::excerpt::{Excerpt, ExcerptError};
use crate::limits;
use crate::stream::Span;
use crate::text::is_whole_sentence;

/// Silence between two cues that separates them like a blank line, and like a heading, in
/// milliseconds.
const PAUSE_MS: u64 = 3_000;
const BREAK_MS: u64 = 20_000;
const ARROW: &str = "-->";

/// A cue with its words on one line.
struct Cue {
    span: Span,
    first_line: u32,
    last_line: u32,
    text: String,
}

/// Joins cues up to the end of a sentence, a pause, or the maximum length.
pub(super) fn excerpts(text: &str) -> Result<Vec<Excerpt>, ExcerptError> {
    let cues = cues(text)?;
    if cues.is_empty() {
        return Err(ExcerptError::NoCue);
    }
    let mut found: Vec<Excerpt> = Vec::new();
    for cue in cues.into_iter().filter(|cue| !cue.text.is_empty()) {
        match found.last_mut().filter(|open| goes_on(open, &cue)) {
            Some(open) => {
                open.text.push(' ');
                open.text.push_str(&cue.text);
                open.last_line = cue.last_line;
                open.span = open.span.map(|it| Span::new(it.start_ms, cue.span.end_ms));
            }
            None => found.push(Excerpt {
                text: cue.text,
                first_line: cue.first_line,
                last_line: cue.last_line,
                span: Some(cue.span),
            }),
        }
    }
    Ok(found)
}

/// Whether a cue belongs to the excerpt before it.
fn goes_on(open: &Excerpt, cue: &Cue) -> bool {
    let words = |text: &str| text.split_whitespace().count();
    let long = words(&open.text) >= limits::PASSAGE_WORDS_MIN;
    let ended_ms = open.span.map_or(0, |span| span.end_ms);
    let silent_ms = cue.span.start_ms.saturating_sub(ended_ms);
    let fits = words(&open.text) + words(&cue.text) <= limits::PASSAGE_WORDS_MAX
        && open.text.len() + 1 + cue.text.len() <= limits::PASSAGE_BYTES_MAX;
    let ends = long && (silent_ms >= PAUSE_MS || is_whole_sentence(&open.text));
    fits && !ends && silent_ms < BREAK_MS
}

/// All cues, in the order of the file. A blank line ends a cue; lines outside of cues are skipped.
fn cues(text: &str) -> Result<Vec<Cue>, ExcerptError> {
    let mut cues: Vec<Cue> = Vec::new();
    let mut open = false;
    for (line, number) in text.lines().zip(1..) {
        if line.contains(ARROW) {
            let wrong = || ExcerptError::CueTimes {
                line: number,
                found: line.trim().to_owned(),
            };
            cues.push(Cue {
                span: times(line).ok_or_else(wrong)?,
                first_line: number,
                last_line: number,
                text: String::new(),
            });
            open = true;
        } else if line.trim().is_empty() {
            open = false;
        } else if let Some(cue) = cues.last_mut().filter(|_| open) {
            let words = untagged(line);
            let words: Vec<&str> = words.split_whitespace().collect();
            if !cue.text.is_empty() && !words.is_empty() {
                cue.text.push(' ');
            }
            cue.text.push_str(&words.join(" "));
            cue.last_line = number;
        }
    }
    Ok(cues)
}

/// `00:01:02,000 --> 00:01:04,000`, with what may follow in WebVTT.
fn times(line: &str) -> Option<Span> {
    let (start, rest) = line.split_once(ARROW)?;
    let end = rest.split_whitespace().next()?;
    let (start_ms, end_ms) = (milliseconds(start.trim())?, milliseconds(end)?);
    (start_ms <= end_ms).then(|| Span::new(start_ms, end_ms))
}

/// `[hours:]minutes:seconds` with a comma or a point before the milliseconds.
fn milliseconds(time: &str) -> Option<u64> {
    let (whole, part) = time.split_once([',', '.'])?;
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| text.len() <= 4);
    let fields: Option<Vec<u64>> = whole.split(':').map(number).collect();
    let seconds = match fields?[..] {
        [hours, minutes, seconds] => (hours * 60 + minutes) * 60 + seconds,
        [minutes, seconds] => minutes * 60 + seconds,
        _ => return None,
    };
    Some(seconds * 1_000 + number(part).filter(|_| part.len() == 3)?)
}

/// A line without tags such as `<i>` and `<v Ana>`.
fn untagged(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/');
        match tag.split_once('>').filter(|_| is_tag) {
            Some((_, after)) => rest = after,
            None => {
                text.push('<');
                rest = tag;
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRT: &str = "1\n00:00:01,000 --> 00:00:02,500\n<i>The boat leaves</i>\nat noon.\n\n\
                       2\n00:00:02,600 --> 00:00:04,000\nDo not be late.\n\n";

    #[test]
    fn short_cues_are_joined_with_their_time() {
        let found = excerpts(SRT).expect("two cues");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text, "The boat leaves at noon. Do not be late.");
        assert_eq!((found[0].first_line, found[0].last_line), (2, 8));
        assert_eq!(found[0].span, Some(Span::new(1_000, 4_000)));
    }

    #[test]
    fn webvtt_has_a_head_short_times_and_settings() {
        let text = "WEBVTT\n\nNOTE by hand\n\n00:01.000 --> 00:02.000 align:start\n<v Ana>1 < 2\n";
        let found = excerpts(text).expect("one cue");
        assert_eq!(found[0].text, "1 < 2");
        assert_eq!(found[0].span, Some(Span::new(1_000, 2_000)));
    }

    #[test]
    fn a_long_excerpt_ends_with_a_sentence_or_a_pause() {
        let long = ["word"; 30].join(" ");
        let cue = |n: u64, text: &str| format!("00:{n:02}.000 --> 00:{n:02}.900\n{text}\n\n");
        let apart = |first: &str, next: u64| {
            let text = format!("{}{}", cue(1, first), cue(next, "and on."));
            excerpts(&text).expect("cues").len()
        };
        assert_eq!(apart(&long, 2), 1);
        assert_eq!(apart(&long, 9), 2);
        assert_eq!(apart(&format!("{long}."), 2), 2);
        assert_eq!((apart("short", 9), apart("short", 22)), (1, 2));
    }

    #[test]
    fn wrong_times_and_missing_cues_are_told() {
        assert_eq!(excerpts("hello\n"), Err(ExcerptError::NoCue));
        for wrong in ["1 --> 2", "00:02.000 --> 00:01.000", "00:01.0 --> 00:02.0"] {
            let told = excerpts(&format!("\n{wrong}\nhello\n"));
            assert!(
                matches!(told, Err(ExcerptError::CueTimes { line: 2, .. })),
                "{wrong}"
            );
        }
    }
}
