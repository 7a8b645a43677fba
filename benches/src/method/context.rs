//! Fills a context: the best-ranked turns that fit, in spoken order.
//!
//! A turn costs the tokens of its line: time, speaker and words. A turn that does not fit is
//! skipped, and the next is tried.

use super::Recalled;
use super::flat::{Flat, Stored};
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use std::collections::BTreeMap;

/// With this many free tokens or fewer, filling stops: a day, a name and a word need more.
const LINE_TOKENS_MIN: usize = 4;

/// Turns that may be too long before filling stops.
const MISFITS_MAX: usize = 256;

/// A context of ranked turns. Numbers of turns that do not exist are skipped.
pub(crate) fn fill(
    flat: &Flat,
    ranked: impl IntoIterator<Item = usize>,
    tokens: usize,
) -> Recalled {
    let stamp = Stamp::for_all(flat);
    let (mut left, mut misfits) = (tokens, 0);
    let mut lines: BTreeMap<usize, (&str, String)> = BTreeMap::new();
    for number in ranked {
        if left <= LINE_TOKENS_MIN || misfits >= MISFITS_MAX {
            break;
        }
        let Some(turn) = flat.turn(number).filter(|_| !lines.contains_key(&number)) else {
            continue;
        };
        let stamp = stamp.of(turn.at_unix_ms, turn.start_ms);
        let cost = turn.tokens + flat.kit().counter.count(&stamp);
        match left.checked_sub(cost) {
            Some(rest) => {
                left = rest;
                lines.insert(number, (&turn.id, format!("{stamp} {}", turn.said)));
            }
            None => misfits += 1,
        }
    }
    let (turns, lines): (Vec<&str>, Vec<String>) = lines.into_values().unzip();
    Recalled {
        context: lines.join("\n"),
        turns: turns.into_iter().map(str::to_owned).collect(),
        answer: None,
    }
}

/// A context of every turn, without a limit.
pub(crate) fn whole(flat: &Flat) -> Recalled {
    let stamp = Stamp::for_all(flat);
    let line = |turn: &Stored| stamp.line(turn.at_unix_ms, turn.start_ms, &turn.said);
    let lines: Vec<String> = flat.turns().map(|(_, turn)| line(turn)).collect();
    Recalled {
        context: lines.join("\n"),
        turns: flat.turns().map(|(_, turn)| turn.id.clone()).collect(),
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
            let heard = HeardTurn {
                turn,
                said: &turn.said(),
                at_unix_ms: start_unix_ms.map(|ms| ms + turn.span.start_ms as i64),
            };
            flat.push(heard, Vec::new());
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
