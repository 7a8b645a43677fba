//! SRT and WebVTT: cues with their times, and who speaks where the file says so.
//!
//! Tags go, entities become characters. `<v Name>` names a speaker; so does `Name: ` at the
//! beginning of cues, but only where it is the habit of the whole file: a colon alone names nobody.

use super::draft::{At, Draft, clean, digest};
use super::error::{ImportError, ImportProblem};
use super::files::Files;
use super::format::Format;
use std::collections::HashMap;
use weir_api::LeftOutReason;
use weir_core::stream::Span;

/// One cue in this many that begins with `Name: ` makes that a habit.
const NAMED_PART: usize = 3;
/// One cue in this many that begins with the line before makes captions roll.
const ROLLING_PART: usize = 4;
/// Longest name before a colon, in letters and in words.
const NAME_CHARS_MAX: usize = 40;
const NAME_WORDS_MAX: usize = 4;

struct Cue {
    span: Span,
    lines: Vec<String>,
}

/// Cues as they are read, line by line.
#[derive(Default)]
struct Cues {
    cues: Vec<Cue>,
    /// Lines below a blank one: a number, a name or a remark, or more of the cue above.
    above: Vec<String>,
    is_outside: bool,
    /// Whether the words of a cue follow whose times cannot be read.
    is_skipped: bool,
    /// Cues whose times cannot be read, and the line of the first.
    bad: u64,
    first_bad: Option<u64>,
}

/// Reads the one file.
pub(super) fn read(
    files: &mut Files,
    format: Format,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let name = files.names[0].clone();
    let text = files.text(&name)?;
    let mut cues = Cues {
        is_outside: true,
        ..Cues::default()
    };
    for (line, number) in text.lines().zip(1..) {
        cues.add(line, number, format == Format::Srt);
    }
    let behind = text.lines().count() as u64 + 1;
    cues.blank(behind, format == Format::Srt);
    if cues.cues.is_empty() {
        let why = "no cue with two times, such as 00:00:01,000 --> 00:00:04,000".to_owned();
        let problem = ImportProblem::NotOf { format, why };
        return Err(problem.at(&files.shown, cues.first_bad));
    }
    (0..cues.bad).for_each(|_| draft.leave(LeftOutReason::Unreadable));
    draft.begin(&name, digest(&[&text]));
    let whole = |problem: ImportProblem| problem.at(&files.shown, None);
    say(cues.cues, draft).map_err(whole)
}

impl Cues {
    fn add(&mut self, line: &str, number: u64, is_srt: bool) {
        // a line with a blank is empty in SRT; in WebVTT it is a part of a rolling caption
        let is_blank = line.is_empty() || is_srt && line.trim().is_empty();
        if let Some((start, rest)) = line.split_once("-->") {
            self.head(number, is_srt);
            let end = rest.split_whitespace().next().and_then(time);
            let times = time(start.trim()).zip(end);
            self.is_outside = false;
            self.is_skipped = times.is_none();
            if let Some((start, end)) = times {
                let (span, lines) = (Span::new(start, end), Vec::new());
                self.cues.push(Cue { span, lines });
            } else {
                self.bad += 1;
                self.first_bad.get_or_insert(number);
            }
        } else if is_blank {
            self.blank(number, is_srt);
        } else if self.is_outside {
            self.above.push(line.to_owned());
        } else if let Some(cue) = self.cues.last_mut().filter(|_| !self.is_skipped) {
            cue.lines.push(line.to_owned());
        }
    }

    /// A cue begins: the number above it is no words.
    fn head(&mut self, number: u64, is_srt: bool) {
        let is_number = |line: &String| line.trim().bytes().all(|it| it.is_ascii_digit());
        let above = match (self.is_outside, self.is_skipped) {
            (true, _) => Some(&mut self.above),
            (false, true) => None,
            (false, false) => self.cues.last_mut().map(|cue| &mut cue.lines),
        };
        if let Some(above) = above.filter(|_| is_srt)
            && above.last().is_some_and(is_number)
        {
            above.pop();
        }
        self.blank(number, is_srt);
    }

    /// A cue ends. In SRT what follows without times belongs to it, unless it is a cue of its own
    /// whose times are broken; in WebVTT it is a remark.
    fn blank(&mut self, number: u64, is_srt: bool) {
        let is_cue = |lines: &[String]| {
            let mut heads = lines.iter().take(2);
            heads.any(|line| {
                line.split_whitespace()
                    .next()
                    .is_some_and(|it| time(it).is_some())
            })
        };
        if is_srt && self.is_outside && is_cue(&self.above) {
            self.bad += 1;
            let first = number.saturating_sub(self.above.len() as u64);
            self.first_bad.get_or_insert(first);
        } else if let Some(cue) = self.cues.last_mut().filter(|_| is_srt) {
            cue.lines.append(&mut self.above);
        }
        self.above.clear();
        self.is_outside = true;
    }
}

/// `01:02:03,004`, `02:03.004` or `3:04` in milliseconds.
fn time(text: &str) -> Option<u64> {
    let mut ms = 0_u64;
    let (whole, part) = text.split_once([',', '.']).unwrap_or((text, "0"));
    let parts: Vec<&str> = whole.split(':').collect();
    if !(2..=3).contains(&parts.len()) || part.is_empty() || part.len() > 3 {
        return None;
    }
    for part in parts {
        ms = ms.checked_mul(60)?.checked_add(digits(part)?)?;
    }
    ms.checked_mul(1_000)?
        .checked_add(digits(&format!("{part:0<3}"))?)
}

fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.len() <= 6;
    let is_number = is_number && text.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// What is said in the cues.
fn say(mut cues: Vec<Cue>, draft: &mut Draft) -> Result<(), ImportProblem> {
    cues.sort_by_key(|cue| cue.span.start_ms);
    let mut spoken: Vec<(Span, Option<String>, Vec<String>)> = Vec::new();
    for cue in cues {
        let parts = voices(&cue.lines.join("\n"));
        spoken.extend(parts.into_iter().map(|(who, text)| {
            let lines = text.split('\n').map(clean).filter(|it| !it.is_empty());
            (cue.span, who, lines.collect())
        }));
    }
    let rolls = rolling(&spoken);
    let mut last = String::new();
    for (_, _, lines) in &mut spoken {
        let shown = lines.last().cloned();
        if rolls {
            let again = lines.iter().take_while(|it| **it == last).count();
            lines.drain(..again);
            if lines.is_empty() && shown.is_some() {
                lines.push(String::new());
            }
        }
        last = shown.unwrap_or(last);
    }
    let names = habit(&spoken);
    for (span, who, lines) in spoken {
        let text = lines.join(" ");
        if text.is_empty() && !lines.is_empty() {
            draft.leave(LeftOutReason::Repeat);
            continue;
        }
        let named = prefix(&text).filter(|(name, _)| names.contains_key(*name));
        let (who, text) = match (who, named) {
            (None, Some((name, rest))) => (Some(name.to_owned()), rest.to_owned()),
            (who, _) => (who, text),
        };
        draft.say(who.as_deref(), &text, At::Recording(span))?;
    }
    Ok(())
}

/// Whether captions roll up: a new line below the one that was there before.
fn rolling(spoken: &[(Span, Option<String>, Vec<String>)]) -> bool {
    let again = spoken.windows(2).filter(|two| {
        let last = two[0].2.last();
        last.is_some() && last == two[1].2.first()
    });
    again.count() * ROLLING_PART >= spoken.len().max(3 * ROLLING_PART)
}

/// The names before a colon, if that is how this file says who speaks.
fn habit(spoken: &[(Span, Option<String>, Vec<String>)]) -> HashMap<String, usize> {
    let mut names = HashMap::<String, usize>::new();
    for (_, who, lines) in spoken {
        if let Some((name, _)) = lines
            .first()
            .and_then(|it| prefix(it))
            .filter(|_| who.is_none())
        {
            *names.entry(name.to_owned()).or_default() += 1;
        }
    }
    names.retain(|_, count| *count > 1);
    if names.values().sum::<usize>() * NAMED_PART < spoken.len() {
        names.clear();
    }
    names
}

/// A name at the beginning of a text, and what follows it.
fn prefix(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(": ")?;
    let words = name.split(' ').count();
    let is_name = |c: char| c.is_alphanumeric() || " .-'’_#()".contains(c);
    let fits = words <= NAME_WORDS_MAX && name.chars().count() <= NAME_CHARS_MAX;
    let is_named = name.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
    (fits && is_named && name.chars().all(is_name)).then(|| (name, rest.trim()))
}

/// The words of a cue without tags, by the voices that it names.
fn voices(text: &str) -> Vec<(Option<String>, String)> {
    let mut parts = vec![(None, String::new())];
    let mut rest = text;
    while let Some(at) = rest.find(['<', '{']) {
        let close = if rest[at..].starts_with('<') {
            '>'
        } else {
            '}'
        };
        let Some(end) = rest[at..].find(close).filter(|_| is_tag(&rest[at..])) else {
            add(&mut parts, &rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        add(&mut parts, &rest[..at]);
        let tag = &rest[at + 1..at + end];
        if let Some(voice) = tag
            .strip_prefix('v')
            .filter(|it| it.starts_with([' ', '.', '\t']))
        {
            let name = voice.split_once([' ', '\t']).map_or("", |(_, name)| name);
            parts.push((Some(unescaped(name)), String::new()));
        } else if tag == "/v" {
            parts.push((None, String::new()));
        }
        rest = &rest[at + end + 1..];
    }
    add(&mut parts, rest);
    let has_voice = parts
        .iter()
        .any(|(who, text)| who.is_some() && !text.trim().is_empty());
    if has_voice {
        parts.retain(|(_, text)| !text.trim().is_empty());
    } else {
        parts = vec![(None, parts.into_iter().map(|(_, text)| text).collect())];
    }
    parts
}

fn add(parts: &mut [(Option<String>, String)], text: &str) {
    if let Some((_, said)) = parts.last_mut() {
        said.push_str(&unescaped(text));
    }
}

/// Whether a text begins with a tag: `<i>`, `</c>`, `<00:01.000>` or `{\an8}`, not `<3`.
fn is_tag(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    match (text.chars().next(), chars.next()) {
        (Some('{'), Some('\\')) => true,
        (Some('<'), Some(c)) if c.is_ascii_digit() => text
            .find('>')
            .is_some_and(|end| time(&text[1..end]).is_some()),
        (Some('<'), Some(c)) => c == '/' || c.is_ascii_alphabetic(),
        _ => false,
    }
}

pub(super) fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let all = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
        ("&lrm;", ""),
        ("&rlm;", ""),
        ("&quot;", "\""),
        ("&#39;", "'"),
    ];
    let text = all
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    // the last, so that an escaped entity stays one
    text.replace("&amp;", "&")
}
