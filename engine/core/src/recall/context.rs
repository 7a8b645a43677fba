//! Fills a context with the best statements that fit, in the order they were said.
//!
//! Sections as in ProStream appendix B.2: short-term, pending, long-term. A line is one utterance:
//! the time, the speaker, and its statements in order, with an ellipsis for omitted parts. If the
//! best candidates are all of one day, a heading names the day, and lines give the time of day.
//! Otherwise every line names its day and no time: small models read the day from the line alone,
//! and answer with the time of day when a line has one.

use super::candidate::{Candidate, Source};
use super::carried::carried;
use super::same_claim::Repeats;
use crate::analysis::Term;
use crate::answer::ShownStatement;
use crate::sense::Section;
use crate::session::Session;
use crate::talk::gap;
use crate::text::{in_words, local_time, one_line};
use jiff::civil::Date;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use weir_models::CountTokens;

const SHORT_TERM: &str = "## Short-term Memory:";
const PENDING: &str = "## Pending Memory Buffer:";
const LONG_TERM: &str = "## Long-term Memory:";

/// The context counts as full after this many statements that did not fit. Later statements rank
/// lower, and filling up with short ones adds little.
const MISSES_MAX: usize = 16;

/// Number of top candidates that decide how lines are dated.
const DATED_BY: usize = 128;

/// How lines are dated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stamp {
    /// `2 May 2022`.
    Day,
    /// `11:55`, under a heading with the day.
    Clock,
}

impl Stamp {
    fn for_all<'a>(ranked: impl Iterator<Item = &'a Candidate<'a>>) -> Self {
        let mut days = ranked.take(DATED_BY).filter_map(Candidate::said_on);
        let first = days.next();
        match days.all(|day| Some(day) == first) {
            true => Self::Clock,
            false => Self::Day,
        }
    }

    /// The words before the speaker's name.
    fn of(self, candidate: &Candidate<'_>) -> String {
        match candidate.said_on().filter(|_| self == Self::Day) {
            Some(day) => in_words(day),
            None => clock_time(candidate),
        }
    }

    /// The day for a heading, when lines do not name it.
    fn heading(self, candidate: &Candidate<'_>) -> Option<Date> {
        candidate.said_on().filter(|_| self == Self::Clock)
    }

    /// The section heading and the day heading under it; each section repeats the day.
    fn headings(
        self,
        candidate: &Candidate<'_>,
    ) -> impl Iterator<Item = (&'static str, Option<Date>)> + use<> {
        let section = section(candidate);
        let day = self.heading(candidate).map(|day| (section, Some(day)));
        [Some((section, None)), day].into_iter().flatten()
    }
}

/// A context and the utterances it carries.
pub(super) struct Context {
    pub(super) text: String,
    pub(super) tokens: usize,
    pub(super) utterances: Vec<(String, String)>,
    pub(super) statements: Vec<ShownStatement>,
}

/// Key of a line: section, ordinal, speaker and day shared by its statements.
type LineKey<'a> = (&'static str, Option<u64>, Option<&'a str>, Option<Date>);

/// A line being filled.
struct Line<'a> {
    /// The time and the speaker.
    head: String,
    statements: Vec<Shown<'a>>,
    tokens: usize,
}

/// A statement of a line, in the words shown.
#[derive(Clone)]
struct Shown<'a> {
    candidate: &'a Candidate<'a>,
    /// Its place among the candidates, 0 for the best.
    rank: usize,
    text: Cow<'a, str>,
    tokens: usize,
    /// How many statements said the same, with this one.
    times: u32,
}

/// A context being filled.
struct Filling<'a> {
    counter: &'a dyn CountTokens,
    stamp: Stamp,
    places: HashMap<LineKey<'a>, usize>,
    lines: Vec<Line<'a>>,
    headings: BTreeSet<(&'static str, Option<Date>)>,
    said: HashSet<Wording<'a>>,
    repeats: Repeats<'a>,
    /// The line of each statement taken, by its rank.
    taken: HashMap<usize, usize>,
    tokens: usize,
}

/// Adds statements in order of rank while they fit into `budget` tokens. A statement kept as key
/// words is shown in the transcript's words. It is left out when `transcript` is false or the
/// transcript does not have it. One that `repeats` another is counted there: "(said 3 times)".
pub(super) fn fill<'a>(
    session: &'a Session,
    ranked: &'a [Candidate<'a>],
    budget: usize,
    transcript: bool,
    repeats: Repeats<'a>,
) -> Context {
    let mut filling = Filling {
        counter: session.counter(),
        stamp: Stamp::for_all(ranked.iter().filter(|it| transcript || !it.is_key())),
        places: HashMap::new(),
        lines: Vec::new(),
        headings: BTreeSet::new(),
        said: HashSet::new(),
        repeats,
        taken: HashMap::new(),
        tokens: 0,
    };
    let mut misses = 0;
    let shown = ranked.iter().enumerate();
    for (rank, candidate) in shown.filter(|(_, it)| transcript || !it.is_key()) {
        if misses == MISSES_MAX {
            break;
        }
        misses += usize::from(!filling.take(candidate, rank, budget));
    }
    filling.done()
}

impl<'a> Filling<'a> {
    /// Adds a statement if it fits; returns false when it does not.
    fn take(&mut self, candidate: &'a Candidate<'a>, rank: usize, budget: usize) -> bool {
        // skip the same words of the same person on the same day: a repeat costs tokens and adds
        // nothing
        let wording = wording(candidate);
        if self.said.contains(&wording) {
            return true;
        }
        // a line break would begin a line that nobody said
        let Some(text) = candidate.display_text().map(on_its_line) else {
            return true;
        };
        let same = self.repeats.tell(candidate, rank);
        if let Some(line) = same.and_then(|rank| self.taken.get(&rank)) {
            let left = budget - self.tokens;
            let more = candidate.source.times();
            let line = &mut self.lines[*line];
            self.tokens += line.count_again((same, more), self.counter, left);
            return true;
        }
        let times = candidate.source.times();
        let more = Shown {
            candidate,
            rank,
            tokens: self.counter.count(&text) + self.counter.count(&repeated(times)),
            text,
            times,
        };
        let place = self.places.get(&line_key(candidate)).copied();
        let new = place.is_none().then(|| Line::of(candidate, self));
        let line = place.map(|at| &self.lines[at]).or(new.as_ref());
        let with = line.map_or(0, |line| line.tokens_with(&more, self.counter));
        let headings = self.stamp.headings(candidate);
        let fresh: Vec<(&str, Option<Date>)> = headings
            .filter(|heading| !self.headings.contains(heading))
            .collect();
        let heading = |(section, day): &(&str, Option<Date>)| match day {
            Some(day) => self.counter.count(&named(*day)),
            None => self.counter.count(section),
        };
        let old = place.map_or(0, |at| self.lines[at].tokens);
        let after = self.tokens - old + with + fresh.iter().map(heading).sum::<usize>();
        if after > budget {
            return false;
        }
        self.tokens = after;
        self.headings.extend(fresh);
        self.said.insert(wording);
        let at = place.unwrap_or(self.lines.len());
        self.places.insert(line_key(candidate), at);
        self.lines.extend(new);
        self.lines[at].add(more, with);
        self.taken.insert(rank, at);
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
        let mut shown: Vec<&Shown<'_>> = lines.flat_map(|line| &line.statements).collect();
        let utterances = carried(shown.iter().map(|it| it.candidate));
        shown.sort_by_key(|it| it.rank);
        Context {
            tokens: self.tokens,
            utterances,
            statements: shown.into_iter().map(Shown::statement).collect(),
            text,
        }
    }
}

impl<'a> Line<'a> {
    /// A line without statements.
    fn of(candidate: &Candidate<'_>, filling: &Filling<'_>) -> Self {
        let when = filling.stamp.of(candidate);
        let head = match candidate.speaker() {
            Some(speaker) => format!("{when} {}:", one_line(speaker)),
            None => when,
        };
        Self {
            tokens: filling.counter.count(&head),
            head,
            statements: Vec::new(),
        }
    }

    /// Tokens of the line with one more statement.
    fn tokens_with(&self, more: &Shown<'a>, counter: &dyn CountTokens) -> usize {
        let at = self.place(more);
        let before = at.checked_sub(1).map(|at| &self.statements[at]);
        let after = self.statements.get(at);
        let between = |a: Option<&Shown<'_>>, b: Option<&Shown<'_>>| match a.zip(b) {
            Some((a, b)) => counter.count(a.gap_to(b)),
            None => 0,
        };
        let gaps = between(before, Some(more)) + between(Some(more), after);
        self.tokens + more.tokens + gaps - between(before, after)
    }

    fn add(&mut self, more: Shown<'a>, tokens: usize) {
        self.statements.insert(self.place(&more), more);
        self.tokens = tokens;
    }

    /// Position of a statement in the line. A statement rewritten by a model has no position of its
    /// own and takes that of its evidence.
    fn place(&self, more: &Shown<'_>) -> usize {
        let order = |it: &Shown<'_>| (it.candidate.part(), it.candidate.node());
        self.statements
            .partition_point(|it| order(it) <= order(more))
    }

    /// Counts what was said so many times more as a repeat of the statement of this rank. Returns
    /// the tokens that this costs; where more than `left`, nothing is counted.
    fn count_again(
        &mut self,
        (rank, more): (Option<usize>, u32),
        counter: &dyn CountTokens,
        left: usize,
    ) -> usize {
        let Some(shown) = self.statements.iter_mut().find(|it| Some(it.rank) == rank) else {
            return 0;
        };
        let cost = |times: u32| counter.count(&repeated(times));
        let times = shown.times.saturating_add(more);
        let (before, after) = (cost(shown.times), cost(times));
        if after > before + left {
            return 0;
        }
        shown.times = times;
        shown.tokens = shown.tokens - before + after;
        self.tokens = self.tokens - before + after;
        after - before
    }

    fn write(&self, text: &mut String) {
        text.push_str(&self.head);
        let mut last: Option<&Shown<'_>> = None;
        for statement in &self.statements {
            text.push_str(last.map_or(" ", |last| last.gap_to(statement)));
            text.push_str(&statement.text);
            text.push_str(&repeated(statement.times));
            last = Some(statement);
        }
        text.push('\n');
    }

    fn first(&self) -> &'a Candidate<'a> {
        self.statements[0].candidate
    }
}

impl Shown<'_> {
    fn statement(&self) -> ShownStatement {
        let candidate = self.candidate;
        ShownStatement {
            node: candidate.node(),
            utterance: candidate.source.utterance().map(str::to_owned),
            speaker: candidate.speaker().map(str::to_owned),
            text: self.text.clone().into_owned(),
            day: candidate.said_on(),
            said_ms: candidate.said_ms(),
            times: self.times,
        }
    }

    /// Separator between a statement and the next of its line. Adjacent parts keep a blank, so that
    /// their token counts add up.
    fn gap_to(&self, next: &Shown<'_>) -> &'static str {
        match self.candidate.part().zip(next.candidate.part()) {
            Some((part, next)) => match gap(part.end, next.start) {
                "" => " ",
                gap => gap,
            },
            None => " … ",
        }
    }
}

/// What stands behind a statement that was said so many times.
fn repeated(times: u32) -> String {
    match times {
        0 | 1 => String::new(),
        more => format!(" (said {more} times)"),
    }
}

fn on_its_line(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => one_line(text),
        Cow::Owned(text) => Cow::Owned(one_line(&text).into_owned()),
    }
}

fn line_key<'a>(candidate: &'a Candidate<'a>) -> LineKey<'a> {
    (
        section(candidate),
        candidate.source.turn(),
        candidate.speaker(),
        candidate.said_on(),
    )
}

fn section(candidate: &Candidate<'_>) -> &'static str {
    match candidate.source {
        Source::Raw(_, Section::ShortTerm) => SHORT_TERM,
        Source::Raw(_, Section::Pending) => PENDING,
        Source::Unit(_) => LONG_TERM,
    }
}

/// A day as its heading names it.
fn named(day: Date) -> String {
    format!("[{}]", in_words(day))
}

/// Key of a repeated wording: speaker, day, words.
type Wording<'a> = (Option<&'a str>, Option<Date>, Vec<Term>);

fn wording<'a>(candidate: &'a Candidate<'_>) -> Wording<'a> {
    let mut terms = candidate.words.to_vec();
    terms.sort_unstable();
    (candidate.speaker(), candidate.said_on(), terms)
}

/// `HH:MM` of the day when known, else `minutes:seconds` of the session.
fn clock_time(candidate: &Candidate<'_>) -> String {
    let at = candidate.said_at_unix_ms();
    match at.and_then(|at| local_time(at, &candidate.zone)) {
        Some(time) => format!("{:02}:{:02}", time.hour(), time.minute()),
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
    // Days first, then speakers: lines under one heading stay together, as they were counted, even
    // when a session returns to a day or two people begin at once.
    lines.sort_by_cached_key(|line| {
        let first = line.first();
        let at = first.said_at_unix_ms();
        let speaker = first.speaker().map(str::to_owned);
        (
            order(first),
            first.said_on(),
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
        line.write(&mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::testing::{question, told};

    /// Regression: the question that a statement answers counted as saying it.
    #[test]
    fn a_question_does_not_say_what_answers_it() {
        let memory = told(&[
            ("Bob", "Did you hear any stories there?"),
            ("Ana", "Yes, sad stories!"),
        ]);
        let asked = question("What stories did Ana hear?");
        let context = memory.session().search(&asked).assemble(400).context;
        let answer = context.statements.iter().find(|it| it.text.contains("sad"));
        assert_eq!(answer.expect("it is shown").times, 1, "{}", context.text);
        assert!(!context.text.contains("times)"), "{}", context.text);
    }
}
