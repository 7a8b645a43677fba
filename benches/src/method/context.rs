//! Fills a context: the best-ranked turns that fit, in spoken order.
//!
//! A turn costs the tokens of its line: time, speaker and words. A turn that does not fit is
//! skipped, and the next is tried.

use super::Recalled;
use super::flat::Flat;
use super::note::Note;
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use std::collections::BTreeMap;
use std::sync::Arc;

/// With this many free tokens or fewer, filling stops: a day, a name and a word need more.
const LINE_TOKENS_MIN: usize = 4;

/// Turns that may be too long before filling stops.
const MISFITS_MAX: usize = 256;

/// A context being filled: notes in insertion order, then turns in spoken order.
pub(crate) struct Filling<'a> {
    flat: &'a Flat,
    stamp: Stamp,
    left: usize,
    misfits: usize,
    notes: Vec<&'a Note>,
    turns: BTreeMap<usize, String>,
}

impl<'a> Filling<'a> {
    pub(crate) fn new(flat: &'a Flat, tokens: usize) -> Self {
        Self {
            flat,
            stamp: Stamp::for_all(flat),
            left: tokens,
            misfits: 0,
            notes: Vec::new(),
            turns: BTreeMap::new(),
        }
    }

    /// Whether further attempts are pointless.
    pub(crate) fn is_full(&self) -> bool {
        self.left <= LINE_TOKENS_MIN || self.misfits >= MISFITS_MAX
    }

    /// Takes so many tokens, if they are free.
    fn takes(&mut self, tokens: usize) -> bool {
        let left = self.left.checked_sub(tokens);
        self.misfits += usize::from(left.is_none());
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }

    /// Adds a note if it fits and is not empty.
    pub(crate) fn note(&mut self, note: &'a Note) {
        if !note.text.is_empty() && self.takes(note.tokens) {
            self.notes.push(note);
        }
    }

    /// Adds a turn if it exists, is not in the context yet, and fits.
    pub(crate) fn turn(&mut self, number: usize) {
        let new = !self.turns.contains_key(&number);
        if let Some(turn) = self.flat.turn(number).filter(|_| new) {
            let stamp = self.stamp.of(turn.at_unix_ms, turn.start_ms);
            if self.takes(turn.tokens + self.flat.kit.counter.count(&stamp)) {
                self.turns.insert(number, format!("{stamp} {}", turn.said));
            }
        }
    }

    /// Adds turns in rank order until the context is full.
    pub(crate) fn turns(&mut self, ranked: impl IntoIterator<Item = usize>) {
        for number in ranked {
            if self.is_full() {
                break;
            }
            self.turn(number);
        }
    }

    /// The context, and the ids of its turns.
    pub(crate) fn recalled(self) -> Recalled {
        let notes = self.notes.iter().map(|note| note.text.as_str());
        let lines = self.turns.values().map(String::as_str);
        let context: Vec<&str> = notes.chain(lines).collect();
        let noted = self
            .notes
            .iter()
            .flat_map(|note| note.carries.iter().cloned());
        let turns = self.flat.numbered(self.turns.keys().copied());
        let turns = turns.map(|(number, turn)| (number, Arc::clone(&turn.id)));
        let carried: BTreeMap<usize, Arc<str>> = noted.chain(turns).collect();
        Recalled {
            context: context.join("\n"),
            turns: carried.values().map(|id| id.to_string()).collect(),
            answer: None,
        }
    }
}

/// A context of ranked turns.
pub(crate) fn fill(
    flat: &Flat,
    ranked: impl IntoIterator<Item = usize>,
    tokens: usize,
) -> Recalled {
    let mut filling = Filling::new(flat, tokens);
    filling.turns(ranked);
    filling.recalled()
}

/// Time format of lines: the same as in Weir's contexts, so that no method gains by its dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stamp {
    /// `8 May 2023`, if the dialogue spans several days.
    Day,
    /// `8 May 2023, 13:56`.
    Minute,
}

impl Stamp {
    /// For a dialogue whose first and last turns have these times.
    pub(crate) fn between(first_unix_ms: Option<i64>, last_unix_ms: Option<i64>) -> Self {
        let is_day = date(first_unix_ms) == date(last_unix_ms);
        if is_day { Self::Minute } else { Self::Day }
    }

    fn for_all(flat: &Flat) -> Self {
        let mut said = flat.turns().map(|(_, turn)| turn.at_unix_ms);
        let first = said.next().flatten();
        Self::between(first, said.next_back().flatten().or(first))
    }

    /// A turn's line: its time in UTC, then `said`, which is `speaker: text`.
    pub(crate) fn line(self, at_unix_ms: Option<i64>, start_ms: u64, said: &str) -> String {
        format!("{} {said}", self.of(at_unix_ms, start_ms))
    }

    /// Without a wall time: `[12:34]` in minutes and seconds of the stream.
    fn of(self, at_unix_ms: Option<i64>, start_ms: u64) -> String {
        let format = match self {
            Self::Day => "%-d %B %Y",
            Self::Minute => "%-d %B %Y, %H:%M",
        };
        match wall_time(at_unix_ms) {
            Some(wall) => wall.strftime(format).to_string(),
            None => {
                let seconds = start_ms / 1000;
                format!("[{:02}:{:02}]", seconds / 60, seconds % 60)
            }
        }
    }
}

fn wall_time(at_unix_ms: Option<i64>) -> Option<Timestamp> {
    Timestamp::from_millisecond(at_unix_ms?).ok()
}

fn date(at_unix_ms: Option<i64>) -> Option<Date> {
    Some(wall_time(at_unix_ms)?.to_zoned(TimeZone::UTC).date())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{START_UNIX_MS, store, turn};
    use super::*;

    #[test]
    fn turns_cost_their_lines_and_stand_in_order() {
        // "8 may 202 ##3 , 13 : 56 ana : tea ?" has 12 tokens
        let said = [
            turn(0, "Ana", "Tea?"),
            turn(1, "Bob", "Tea?"),
            turn(2, "", "One two tea?"),
        ];
        let flat = store(&said, Some(START_UNIX_MS));
        let found = fill(&flat, [1, 0], 24);
        let expected = "8 May 2023, 13:56 Ana: Tea?\n8 May 2023, 13:57 Bob: Tea?";
        assert_eq!(found.context, expected);
        assert_eq!(found.turns, ["u0", "u1"]);
        // a turn that does not fit is skipped, and the next is tried; no turn is added twice
        assert_eq!(fill(&flat, [1, 1, 2, 0, 7], 23).turns, ["u1"]);
        assert_eq!(fill(&flat, [2, 1, 0], 12).turns, ["u2"]);
        assert_eq!(fill(&flat, [2, 1, 0], 11).turns, Vec::<String>::new());
        let untimed = fill(&store(&said, None), [2], 99);
        assert_eq!(untimed.context, "[02:00] One two tea?");
    }

    #[test]
    fn talk_of_several_days_has_the_day_alone_on_its_lines() {
        let said = [turn(0, "Ana", "Tea?"), turn(24 * 60, "Bob", "Tea?")];
        let flat = store(&said, Some(START_UNIX_MS));
        let expected = "8 May 2023 Ana: Tea?\n9 May 2023 Bob: Tea?";
        assert_eq!(fill(&flat, 0..2, usize::MAX).context, expected);
        // "9 may 202 ##3 bob : tea ?" has 8 tokens
        assert_eq!(fill(&flat, [1, 0], 16).context, expected);
        assert_eq!(fill(&flat, [1, 0], 15).turns, ["u1440"]);
    }
}
