//! Fills a context: the best statements that fit, in the order they were said.
//!
//! Sections as in ProStream appendix B.2: short-term, pending, long-term. A line shows the time,
//! the speaker and the words; a day is named once, above its first line.

use super::carried::carried;
use super::rank::{Candidate, Source};
use crate::distil::{date_of, in_words};
use crate::memory::NodeId;
use crate::sense::Section;
use crate::session::Session;
use crate::text::Term;
use jiff::civil::Date;
use std::collections::{BTreeSet, HashSet};

const SHORT_TERM: &str = "## Short-term Memory:";
const PENDING: &str = "## Pending Memory Buffer:";
const LONG_TERM: &str = "## Long-term Memory:";

/// Statements that did not fit after which a context counts as full: the next ones are worth less,
/// and a short one among them is worth least.
const MISSES_MAX: usize = 16;

/// A context and what it carries.
pub(super) struct Context {
    pub(super) text: String,
    pub(super) tokens: usize,
    pub(super) utterances: Vec<(String, String)>,
    pub(super) nodes: Vec<NodeId>,
}

/// Takes statements in order of rank while they fit into `budget` tokens.
pub(super) fn fill(session: &Session, ranked: &[Candidate<'_>], budget: usize) -> Context {
    let count = |text: &str| session.counter().count(text);
    let mut chosen: Vec<&Candidate<'_>> = Vec::new();
    let mut headings: BTreeSet<(&str, Option<Date>)> = BTreeSet::new();
    let mut said: HashSet<Wording<'_>> = HashSet::new();
    let (mut spent, mut misses) = (0, 0);
    for candidate in ranked {
        if misses == MISSES_MAX {
            break;
        }
        // the same words of a person on a day once: what repeats them takes room and adds nothing
        let wording = wording(candidate);
        if said.contains(&wording) {
            continue;
        }
        let fresh: Vec<(&str, Option<Date>)> = headings_of(candidate)
            .into_iter()
            .flatten()
            .filter(|heading| !headings.contains(heading))
            .collect();
        let begun = chosen.iter().any(|other| same_line(other, candidate));
        // tokens of a line are those of its words: none spans a blank
        let own = match candidate.speaker() {
            Some(speaker) if begun => candidate.tokens() - count(&format!("{speaker}:")),
            _ if begun => candidate.tokens(),
            _ => count(&clock_time(candidate)) + candidate.tokens(),
        };
        let heading = |(section, day): &(&str, Option<Date>)| match day {
            Some(day) => count(&named(*day)),
            None => count(section),
        };
        let cost = own + fresh.iter().map(heading).sum::<usize>();
        if spent + cost <= budget {
            spent += cost;
            headings.extend(fresh);
            said.insert(wording);
            chosen.push(candidate);
        } else {
            misses += 1;
        }
    }
    let text = written(&mut chosen);
    debug_assert_eq!(count(&text), spent, "a context costs what its lines cost");
    Context {
        tokens: spent,
        utterances: carried(&chosen, &text),
        nodes: chosen
            .iter()
            .filter_map(|candidate| candidate.node())
            .collect(),
        text,
    }
}

/// Whether two statements stand in one line: the words of one utterance do.
fn same_line(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    a.said_with(b) && a.said_at_unix_ms() == b.said_at_unix_ms() && section(a) == section(b)
}

fn section(candidate: &Candidate<'_>) -> &'static str {
    match candidate.source {
        Source::Raw(_, Section::ShortTerm) => SHORT_TERM,
        Source::Raw(_, Section::Pending) => PENDING,
        Source::Unit(_) => LONG_TERM,
    }
}

/// The section, and the day under it; a day is repeated in each section.
fn headings_of(candidate: &Candidate<'_>) -> [Option<(&'static str, Option<Date>)>; 2] {
    let section = section(candidate);
    [
        Some((section, None)),
        day(candidate).map(|day| (section, Some(day))),
    ]
}

fn day(candidate: &Candidate<'_>) -> Option<Date> {
    candidate.said_at_unix_ms().and_then(date_of)
}

/// A day as its heading names it.
fn named(day: Date) -> String {
    format!("[{}]", in_words(day))
}

/// Who said which words on which day.
type Wording<'a> = (Option<&'a str>, Option<Date>, Vec<Term>);

fn wording<'a>(candidate: &'a Candidate<'_>) -> Wording<'a> {
    let mut terms = candidate.words.to_vec();
    terms.sort_unstable();
    (candidate.speaker(), day(candidate), terms)
}

fn line(candidate: &Candidate<'_>) -> String {
    let time = clock_time(candidate);
    match candidate.speaker() {
        Some(speaker) => format!("{time} {speaker}: {}", candidate.shown()),
        None => format!("{time} {}", candidate.shown()),
    }
}

/// `HH:MM` of the day where it is known, else `minutes:seconds` of the session.
fn clock_time(candidate: &Candidate<'_>) -> String {
    match candidate.said_at_unix_ms() {
        Some(unix_ms) => {
            let minutes = unix_ms.div_euclid(60_000).rem_euclid(24 * 60);
            format!("{:02}:{:02}", minutes / 60, minutes % 60)
        }
        None => {
            let seconds = candidate.said_ms() / 1_000;
            format!("{}:{:02}", seconds / 60, seconds % 60)
        }
    }
}

fn written(chosen: &mut [&Candidate<'_>]) -> String {
    let order = |candidate: &Candidate<'_>| match section(candidate) {
        SHORT_TERM => 0,
        PENDING => 1,
        _ => 2,
    };
    // Days first, then speakers: whatever shares a heading or a line stands together, as it was
    // counted, although a session may hear of a day twice and two people may begin at once.
    chosen.sort_by_cached_key(|candidate| {
        let at = candidate.said_at_unix_ms();
        let speaker = candidate.speaker().map(str::to_owned);
        (
            order(candidate),
            at.and_then(date_of),
            candidate.said_ms(),
            at,
            speaker,
        )
    });
    let mut text = String::new();
    let (mut last_section, mut last_day) = ("", None);
    let mut last: Option<&Candidate<'_>> = None;
    for candidate in chosen.iter() {
        if last.is_some_and(|last| same_line(last, candidate)) {
            text.pop();
            text.push(' ');
            text.push_str(&candidate.shown());
            text.push('\n');
            continue;
        }
        last = Some(candidate);
        if section(candidate) != last_section {
            last_section = section(candidate);
            last_day = None;
            text.push_str(last_section);
            text.push('\n');
        }
        let day = day(candidate);
        if day != last_day {
            if let Some(day) = day {
                text.push_str(&named(day));
                text.push('\n');
            }
            last_day = day;
        }
        text.push_str(&line(candidate));
        text.push('\n');
    }
    text
}
