//! Fills a context: the best statements that fit, in the order they were said.
//!
//! Sections as in ProStream appendix B.2: short-term, pending, long-term. A line is an utterance:
//! when, the speaker, and its statements in their order, with an ellipsis where something between
//! them is left out. If the best candidates are all of one day, it is named once, above lines with
//! the time of day. Otherwise every line names its day and no time: small models take the day from
//! the line alone, and answer with the time of day where a line gives that.

use super::candidate::{Candidate, Source};
use super::carried::carried;
use crate::distil::{date_of, in_words};
use crate::memory::{NodeId, gap};
use crate::sense::Section;
use crate::session::Session;
use crate::text::Term;
use jiff::civil::Date;
use std::collections::{BTreeSet, HashMap, HashSet};
use weir_models::CountTokens;

const SHORT_TERM: &str = "## Short-term Memory:";
const PENDING: &str = "## Pending Memory Buffer:";
const LONG_TERM: &str = "## Long-term Memory:";

/// Statements that did not fit after which a context counts as full: the next ones are worth less,
/// and a short one among them is worth least.
const MISSES_MAX: usize = 16;

/// Candidates, the best first, by which it is decided how lines say when.
const DATED_BY: usize = 128;

/// How a line says when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stamp {
    /// `2 May 2022`.
    Day,
    /// `11:55`, under a heading with the day.
    Clock,
}

impl Stamp {
    fn for_all<'a>(ranked: impl Iterator<Item = &'a Candidate<'a>>) -> Self {
        let mut days = ranked.take(DATED_BY).filter_map(day);
        let first = days.next();
        match days.all(|day| Some(day) == first) {
            true => Self::Clock,
            false => Self::Day,
        }
    }

    /// The words before the speaker's.
    fn of(self, candidate: &Candidate<'_>) -> String {
        match day(candidate).filter(|_| self == Self::Day) {
            Some(day) => in_words(day),
            None => clock_time(candidate),
        }
    }

    /// The day as a heading has it, where lines do not say it.
    fn heading(self, candidate: &Candidate<'_>) -> Option<Date> {
        day(candidate).filter(|_| self == Self::Clock)
    }

    /// The section, and the day under it; a day is repeated in each section.
    fn headings(
        self,
        candidate: &Candidate<'_>,
    ) -> impl Iterator<Item = (&'static str, Option<Date>)> + use<> {
        let section = section(candidate);
        let day = self.heading(candidate).map(|day| (section, Some(day)));
        [Some((section, None)), day].into_iter().flatten()
    }
}

/// A context and what it carries.
pub(super) struct Context {
    pub(super) text: String,
    pub(super) tokens: usize,
    pub(super) utterances: Vec<(String, String)>,
    pub(super) nodes: Vec<NodeId>,
}

/// What the statements of one line have in common: they are of one utterance.
type LineKey<'a> = (&'static str, Option<u64>, Option<&'a str>);

/// A line being filled.
struct Line<'a> {
    statements: Vec<&'a Candidate<'a>>,
    text: String,
    tokens: usize,
}

/// A context being filled.
struct Filling<'a> {
    counter: &'a dyn CountTokens,
    stamp: Stamp,
    places: HashMap<LineKey<'a>, usize>,
    lines: Vec<Line<'a>>,
    headings: BTreeSet<(&'static str, Option<Date>)>,
    said: HashSet<Wording<'a>>,
    tokens: usize,
}

/// Takes statements in order of rank while they fit into `budget` tokens. What memory holds as key
/// words is shown in the words of the transcript, or left out where `transcript` says so or they
/// are not to be had.
pub(super) fn fill<'a>(
    session: &'a Session,
    ranked: &'a [Candidate<'a>],
    budget: usize,
    transcript: bool,
) -> Context {
    let mut filling = Filling {
        counter: session.counter(),
        stamp: Stamp::for_all(ranked.iter().filter(|it| transcript || !it.is_key())),
        places: HashMap::new(),
        lines: Vec::new(),
        headings: BTreeSet::new(),
        said: HashSet::new(),
        tokens: 0,
    };
    let mut misses = 0;
    for candidate in ranked.iter().filter(|it| transcript || !it.is_key()) {
        if misses == MISSES_MAX {
            break;
        }
        misses += usize::from(!filling.take(candidate, budget));
    }
    filling.done()
}

impl<'a> Filling<'a> {
    /// Takes a statement if it fits; false when it does not.
    fn take(&mut self, candidate: &'a Candidate<'a>, budget: usize) -> bool {
        // the same words of a person on a day once: what repeats them takes room and adds nothing
        let wording = wording(candidate);
        if self.said.contains(&wording) {
            return true;
        }
        let place = self.places.get(&line_key(candidate)).copied();
        let before = place.map_or(&[][..], |at| &self.lines[at].statements);
        let Some(line) = Line::with(before, candidate, self) else {
            return true;
        };
        let headings = self.stamp.headings(candidate);
        let fresh: Vec<(&str, Option<Date>)> = headings
            .filter(|heading| !self.headings.contains(heading))
            .collect();
        let heading = |(section, day): &(&str, Option<Date>)| match day {
            Some(day) => self.counter.count(&named(*day)),
            None => self.counter.count(section),
        };
        let old = place.map_or(0, |at| self.lines[at].tokens);
        let after = self.tokens - old + line.tokens + fresh.iter().map(heading).sum::<usize>();
        if after > budget {
            return false;
        }
        self.tokens = after;
        self.headings.extend(fresh);
        self.said.insert(wording);
        match place {
            Some(at) => self.lines[at] = line,
            None => {
                self.places.insert(line_key(candidate), self.lines.len());
                self.lines.push(line);
            }
        }
        true
    }

    fn done(mut self) -> Context {
        let text = written(&mut self.lines, self.stamp);
        debug_assert_eq!(
            self.counter.count(&text),
            self.tokens,
            "a context costs what its lines cost"
        );
        let lines = self.lines.iter();
        let chosen: Vec<&Candidate<'_>> =
            lines.flat_map(|line| &line.statements).copied().collect();
        Context {
            tokens: self.tokens,
            utterances: carried(chosen.iter().copied()),
            nodes: chosen.iter().filter_map(|it| it.node()).collect(),
            text,
        }
    }
}

impl<'a> Line<'a> {
    /// The line of an utterance with one statement more; `None` where the statement cannot be
    /// shown. Cost: linear in the line.
    fn with(
        before: &[&'a Candidate<'a>],
        more: &'a Candidate<'a>,
        filling: &Filling<'_>,
    ) -> Option<Self> {
        more.said()?;
        let mut statements = before.to_vec();
        statements.push(more);
        // what was told again by a model has no place of its own: it stands where its proof does
        statements.sort_by_key(|statement| (statement.part(), statement.node()));
        let when = filling.stamp.of(more);
        let mut text = match more.speaker() {
            Some(speaker) => format!("{when} {speaker}:"),
            None => when,
        };
        let mut last: Option<&Candidate<'_>> = None;
        for statement in &statements {
            let between = match last.map(|last| last.part().zip(statement.part())) {
                None => " ",
                Some(Some((last, part))) => gap(last.end, part.start),
                Some(None) => " … ",
            };
            text.push_str(between);
            text.push_str(&statement.shown()?);
            last = Some(statement);
        }
        text.push('\n');
        Some(Self {
            tokens: filling.counter.count(&text),
            statements,
            text,
        })
    }

    fn first(&self) -> &'a Candidate<'a> {
        self.statements[0]
    }
}

fn line_key<'a>(candidate: &'a Candidate<'a>) -> LineKey<'a> {
    (
        section(candidate),
        candidate.source.turn(),
        candidate.speaker(),
    )
}

fn section(candidate: &Candidate<'_>) -> &'static str {
    match candidate.source {
        Source::Raw(_, Section::ShortTerm) => SHORT_TERM,
        Source::Raw(_, Section::Pending) => PENDING,
        Source::Unit(_) => LONG_TERM,
    }
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

fn written(lines: &mut [Line<'_>], stamp: Stamp) -> String {
    let order = |candidate: &Candidate<'_>| match section(candidate) {
        SHORT_TERM => 0,
        PENDING => 1,
        _ => 2,
    };
    // Days first, then speakers: whatever shares a heading stands together, as it was counted,
    // although a session may hear of a day twice and two people may begin at once.
    lines.sort_by_cached_key(|line| {
        let first = line.first();
        let at = first.said_at_unix_ms();
        let speaker = first.speaker().map(str::to_owned);
        (
            order(first),
            at.and_then(date_of),
            first.said_ms(),
            at,
            first.source.turn(),
            speaker,
        )
    });
    let mut text = String::new();
    let (mut last_section, mut last_day) = ("", None);
    for line in lines.iter() {
        let first = line.first();
        if section(first) != last_section {
            last_section = section(first);
            last_day = None;
            text.push_str(last_section);
            text.push('\n');
        }
        let day = stamp.heading(first);
        if day != last_day {
            if let Some(day) = day {
                text.push_str(&named(day));
                text.push('\n');
            }
            last_day = day;
        }
        text.push_str(&line.text);
    }
    text
}
