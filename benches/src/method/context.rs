//! Fills a context: the best-ranked turns that fit, in spoken order.
//!
//! A turn costs the tokens of its line: time, speaker and words. A turn that does not fit is
//! skipped, and the next is tried.

use super::Recalled;
use super::flat::{Flat, Stored};
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

    /// Tokens that are still free.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Whether further attempts are pointless.
    pub(crate) fn is_full(&self) -> bool {
        self.left <= LINE_TOKENS_MIN || self.misfits >= MISFITS_MAX
    }

    /// Adds a note if it fits and is not empty.
    pub(crate) fn note(&mut self, note: &'a Note) -> bool {
        if note.text.is_empty() || self.notes.iter().any(|other| std::ptr::eq(*other, note)) {
            return false;
        }
        let fits = note.tokens <= self.left;
        match fits {
            true => {
                self.left -= note.tokens;
                self.notes.push(note);
            }
            false => self.misfits += 1,
        }
        fits
    }

    /// Adds a turn if it exists, is not in the context yet, and fits.
    pub(crate) fn turn(&mut self, number: usize) -> bool {
        let Some(turn) = self.flat.turn(number) else {
            return false;
        };
        if self.turns.contains_key(&number) {
            return false;
        }
        let stamp = self.stamp.of(turn.at_unix_ms, turn.start_ms);
        let cost = turn.tokens + self.flat.kit().counter.count(&stamp);
        let fits = cost <= self.left;
        match fits {
            true => {
                self.left -= cost;
                self.turns.insert(number, format!("{stamp} {}", turn.said));
            }
            false => self.misfits += 1,
        }
        fits
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
        let mut carried: BTreeMap<usize, Arc<str>> = BTreeMap::new();
        for note in &self.notes {
            carried.extend(note.carries.iter().cloned());
        }
        for number in self.turns.keys() {
            let turn = self.flat.turn(*number);
            carried.extend(turn.map(|turn| (*number, Arc::clone(&turn.id))));
        }
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

/// A context of every turn, without a limit.
pub(crate) fn whole(flat: &Flat) -> Recalled {
    let stamp = Stamp::for_all(flat);
    let line = |turn: &Stored| stamp.line(turn.at_unix_ms, turn.start_ms, &turn.said);
    let lines: Vec<String> = flat.turns().map(|(_, turn)| line(turn)).collect();
    Recalled {
        context: lines.join("\n"),
        turns: flat.turns().map(|(_, turn)| turn.id.to_string()).collect(),
        answer: None,
    }
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
        match date(first_unix_ms) == date(last_unix_ms) {
            true => Self::Minute,
            false => Self::Day,
        }
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
    use super::super::HeardTurn;
    use super::super::testing::{kit, turn};
    use super::*;
    use crate::stream::Turn;

    fn store(turns: &[Turn], start_unix_ms: Option<i64>) -> Flat {
        let mut flat = Flat::new(kit(None));
        for turn in turns {
            flat.push(HeardTurn {
                turn,
                said: &turn.said(),
                at_unix_ms: start_unix_ms.map(|ms| ms + turn.span.start_ms as i64),
            });
        }
        flat
    }

    #[test]
    fn turns_cost_their_lines_and_stand_in_order() {
        // "8 may 202 ##3 , 13 : 56 ana : tea ?" has 12 tokens
        let said = [
            turn(0, "Ana", "Tea?"),
            turn(1, "Bob", "Tea?"),
            turn(2, "", "One two tea?"),
        ];
        let flat = store(&said, Some(1_683_554_160_000));
        let found = fill(&flat, [1, 0], 24);
        let expected = "8 May 2023, 13:56 Ana: Tea?\n8 May 2023, 13:57 Bob: Tea?";
        assert_eq!(found.context, expected);
        assert_eq!(found.turns, ["u0", "u1"]);
        // a turn that does not fit is skipped, and the next is tried; no turn is added twice
        assert_eq!(fill(&flat, [1, 1, 2, 0, 7], 23).turns, ["u1"]);
        assert_eq!(fill(&flat, [2, 1, 0], 12).turns, ["u2"]);
        assert_eq!(fill(&flat, [2, 1, 0], 11).turns, Vec::<String>::new());
        assert_eq!(
            fill(&store(&said, None), [2], 99).context,
            "[02:00] One two tea?"
        );
    }

    #[test]
    fn talk_of_several_days_has_the_day_alone_on_its_lines() {
        let said = [turn(0, "Ana", "Tea?"), turn(24 * 60, "Bob", "Tea?")];
        let flat = store(&said, Some(1_683_554_160_000));
        let expected = "8 May 2023 Ana: Tea?\n9 May 2023 Bob: Tea?";
        assert_eq!(whole(&flat).context, expected);
        // "9 may 202 ##3 bob : tea ?" has 8 tokens
        assert_eq!(fill(&flat, [1, 0], 16).context, expected);
        assert_eq!(fill(&flat, [1, 0], 15).turns, ["u1440"]);
    }
}
