//! Captions: SRT and `WebVTT`, with their times; speakers come from `<v Name>` or `Name:`.
//!
//! A cue is a turn. If `<v>` or a line's `Name:` changes inside a cue, the parts are separate turns
//! with the cue's time. Markup is removed.

use super::draft::{Draft, Said, Step, one_line};
use super::input;
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// The two kinds of captions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Srt,
    Vtt,
}

/// Most words of a name before a colon; longer texts are sentences.
const NAME_WORDS_MAX: usize = 4;

/// The captions of a file as one stream.
pub(super) fn read(path: &Path, kind: Kind) -> Result<Draft> {
    let text = input::text(path)?.replace("\r\n", "\n");
    let steps = steps(&text, kind).with_context(|| path.display().to_string())?;
    Ok(Draft {
        name: input::stem(path)?,
        steps,
        ..Draft::default()
    })
}

fn steps(text: &str, kind: Kind) -> Result<Vec<Step>> {
    let what = match kind {
        Kind::Srt => "SRT cues such as `1`, `00:00:01,000 --> 00:00:02,500`, words",
        Kind::Vtt => "WEBVTT on the first line, then cues `00:01.000 --> 00:02.500`, words",
    };
    if kind == Kind::Vtt {
        let first = text.lines().next().unwrap_or_default();
        let rest = first.strip_prefix("WEBVTT");
        ensure!(
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])),
            "expected {what}; found `{first}`"
        );
    }
    let mut steps = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    let mut number = 0;
    while number < lines.len() {
        let Some((start, end)) = lines[number].split_once("-->") else {
            number += 1;
            continue;
        };
        // the end time is followed by settings for the position on the screen
        let end = end.split_whitespace().next().unwrap_or_default();
        let time = |text: &str| {
            clock_ms(text.trim())
                .with_context(|| format!("line {}: `{text}` is not a time", number + 1))
        };
        let span = (time(start)?, time(end)?);
        let body = &lines[number + 1..];
        let body = &body[..body
            .iter()
            .take_while(|line| !line.trim().is_empty())
            .count()];
        ensure!(
            !body.iter().any(|line| line.contains("-->")),
            "line {}: a blank line has to stand between two cues",
            number + 1
        );
        for (speaker, text) in parts(body) {
            steps.push(Step::Turn(Said {
                id: format!("c{}", steps.len() + 1),
                speaker,
                text,
                span: Some(span),
            }));
        }
        number += 1 + body.len();
    }
    if steps.is_empty() {
        let first = text.lines().next().unwrap_or_default();
        bail!("expected {what}; found no cue, and `{first}` on the first line");
    }
    Ok(steps)
}

/// The speakers of a cue and their words.
fn parts(lines: &[&str]) -> Vec<(Option<String>, String)> {
    let mut parts: Vec<(Option<String>, String)> = Vec::new();
    for line in lines {
        for (voice, text) in voices(line) {
            let text = entities(&untagged(&text));
            let (name, words) = match (voice, named(&text)) {
                (Some(voice), _) => (Some(voice), text.as_str()),
                (None, Some((name, words))) => (Some(name.to_owned()), words),
                (None, None) => (None, text.as_str()),
            };
            let words = one_line(words);
            match parts.last_mut() {
                Some((_, so_far)) if name.is_none() => {
                    so_far.push(' ');
                    so_far.push_str(&words);
                }
                _ => parts.push((name, words)),
            }
        }
    }
    parts.retain(|(_, words)| !words.trim().is_empty());
    parts
}

/// The pieces of a line split by `<v Name>` or `<v.class Name>`; `None` before the first.
fn voices(line: &str) -> Vec<(Option<String>, String)> {
    let mut pieces = Vec::new();
    let (mut voice, mut rest, mut text) = (None, line, String::new());
    while let Some((before, after)) = rest.split_once("<v") {
        let name = after
            .split_once('>')
            .filter(|_| after.starts_with([' ', '.', '\t']));
        text.push_str(before);
        let Some((name, after)) = name else {
            text.push_str("<v");
            rest = after;
            continue;
        };
        if !text.trim().is_empty() {
            pieces.push((voice.take(), std::mem::take(&mut text)));
        }
        let name = name.split_once([' ', '\t']).map_or("", |(_, name)| name);
        voice = Some(entities(name.trim())).filter(|name| !name.is_empty());
        rest = after;
    }
    text.push_str(rest);
    pieces.push((voice, text));
    pieces
}

/// `Name: words`, also `>> NAME: words` and `- Name: words`; the name starts with a capital.
fn named(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(['>', '-', ' ']);
    let (name, words) = text.split_once(':')?;
    let capital = name.starts_with(char::is_uppercase);
    let short = name.split_whitespace().count() <= NAME_WORDS_MAX;
    let lettered = name
        .chars()
        .all(|c| c.is_alphanumeric() || " .'-_()#".contains(c));
    // 12:30 is a time of day, http://x an address
    let spoken = words.starts_with(' ') && !words.trim().is_empty();
    (capital && short && lettered && spoken).then_some((name.trim(), words.trim()))
}

/// Text without `<tags>` and `{\an8}` position marks.
fn untagged(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['<', '{']) {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let inside = &tag[1..];
        let close = if tag.starts_with('<') { '>' } else { '}' };
        let markup = match close {
            '>' => inside.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/'),
            _ => inside.starts_with('\\'),
        };
        match tag.split_once(close).filter(|_| markup) {
            Some((_, after)) => rest = after,
            None => {
                out.push_str(&tag[..1]);
                rest = inside;
            }
        }
    }
    out + rest
}

fn entities(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    let text = text
        .replace("&nbsp;", " ")
        .replace("&lrm;", "")
        .replace("&rlm;", "");
    text.replace("&amp;", "&")
}

/// `[hours:]minutes:seconds,milliseconds`, with a comma or a point, in milliseconds.
pub(super) fn clock_ms(text: &str) -> Option<u64> {
    let (clock, fraction) = text.trim().rsplit_once([',', '.'])?;
    let digits = |text: &str| match text.bytes().all(|b| b.is_ascii_digit()) {
        true => text.parse::<u64>().ok().filter(|&n| n < 1_000_000),
        false => None,
    };
    let parts: Vec<u64> = clock.split(':').map(digits).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match parts[..] {
        [minutes, seconds] => (0, minutes, seconds),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return None,
    };
    let fraction = match fraction.len() {
        1..=3 => digits(fraction)? * 10_u64.pow(3 - fraction.len() as u32),
        _ => return None,
    };
    Some(((hours * 60 + minutes) * 60 + seconds) * 1_000 + fraction)
}
