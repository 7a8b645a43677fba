//! What was said when, and how much of it is held.

use crate::time::rfc3339;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use weir_api::{Pause, Timeline, TimelinePart, TimelineStream};
use weir_core::memory::Kind;
use weir_core::session::Session;
use weir_core::transcript::{ScanStep, Transcript, TranscriptUtterance};

/// Most streams on a time line, and most pauses.
const STREAMS_MAX: usize = 1_000;
/// A longer pause counts as one of this length.
const PAUSE_MS: u64 = 5 * 60_000;

/// A session in `parts` parts of equal time, with its pauses shortened. Cost: one pass over the
/// transcript, and a sort of its times.
#[must_use]
pub fn timeline(session: &Session, transcript: &dyn Transcript, parts: usize) -> Timeline {
    let (to_ms, parts) = (session.stats().stream_ms.max(1), parts.max(1));
    let said = RefCell::new(Vec::new());
    let mut streams = Streams::default();
    let mut count = |it: TranscriptUtterance| {
        said.borrow_mut().push(it.session_ms);
        streams.add(&it.found.stream, it.session_ms, it.said_at_unix_ms);
    };
    transcript.newest_first(&mut |_| ScanStep::Read, &mut count);
    let said = said.into_inner();
    for unit in session.tree().of_kind(Kind::Unit) {
        if let Some(item) = unit.evidence.first() {
            streams.add(&item.stream, unit.said_ms, item.said_at_unix_ms);
        }
    }
    let held = session.tree().of_kind(Kind::Unit).map(|it| it.said_ms);
    let time = Shortened::of(said.iter().copied().chain(held), to_ms);
    let shown_ms = time.shown(to_ms).max(1);
    let of = |ms: u64| {
        let part = u128::from(time.shown(ms)) * parts as u128 / u128::from(shown_ms);
        usize::try_from(part).unwrap_or(usize::MAX).min(parts - 1)
    };
    let begins = |part: usize| {
        let at = u128::from(shown_ms) * part as u128 / parts as u128;
        time.real(u64::try_from(at).unwrap_or(u64::MAX))
    };
    let mut counted: Vec<TimelinePart> = (0..parts)
        .map(|part| TimelinePart {
            from_ms: begins(part),
            ..TimelinePart::default()
        })
        .collect();
    said.iter().for_each(|&ms| counted[of(ms)].said += 1);
    for unit in session.tree().of_kind(Kind::Unit) {
        let part = &mut counted[of(unit.said_ms)];
        part.whole += u32::from(!unit.is_key());
        part.key += u32::from(unit.is_key());
        part.pinned += u32::from(unit.pinned);
    }
    Timeline {
        to_ms,
        streams: streams.listed(),
        parts: counted,
        pauses: time.listed(),
    }
}

/// Time in which long pauses are shortened to [`PAUSE_MS`].
struct Shortened {
    /// The long pauses in order, each with the time that all up to it leave out.
    pauses: Vec<(Pause, u64)>,
}

impl Shortened {
    /// Of the times at which something was said, up to the end of the session.
    fn of(times: impl Iterator<Item = u64>, to_ms: u64) -> Self {
        let mut times: Vec<u64> = times.chain([0, to_ms]).map(|it| it.min(to_ms)).collect();
        times.sort_unstable();
        let mut left_out = 0;
        let pairs = times.windows(2).map(|it| (it[0], it[1]));
        let long = pairs.filter(|(from, to)| to - from > PAUSE_MS);
        let pauses = long
            .map(|(from_ms, to_ms)| {
                left_out += to_ms - from_ms - PAUSE_MS;
                (Pause { from_ms, to_ms }, left_out)
            })
            .collect();
        Self { pauses }
    }

    /// Where a time is shown.
    fn shown(&self, ms: u64) -> u64 {
        let ended = self.pauses.partition_point(|(it, _)| it.to_ms <= ms);
        let left_out = ended.checked_sub(1).map_or(0, |at| self.pauses[at].1);
        match self.pauses.get(ended) {
            Some((pause, _)) if pause.from_ms + PAUSE_MS < ms => {
                pause.from_ms + PAUSE_MS - left_out
            }
            _ => ms - left_out,
        }
    }

    /// The time that is shown at a place.
    fn real(&self, shown: u64) -> u64 {
        let ended = self
            .pauses
            .partition_point(|(it, left_out)| it.to_ms - left_out <= shown);
        shown + ended.checked_sub(1).map_or(0, |at| self.pauses[at].1)
    }

    /// The longest, in their order.
    fn listed(self) -> Vec<Pause> {
        let mut pauses: Vec<Pause> = self.pauses.into_iter().map(|(it, _)| it).collect();
        pauses.sort_by_key(|it| Reverse(it.to_ms - it.from_ms));
        pauses.truncate(STREAMS_MAX);
        pauses.sort_by_key(|it| it.from_ms);
        pauses
    }
}

/// Where streams begin.
#[derive(Default)]
struct Streams(BTreeMap<String, (u64, Option<i64>)>);

impl Streams {
    fn add(&mut self, name: &str, ms: u64, wall: Option<i64>) {
        let is_full = self.0.len() >= STREAMS_MAX;
        match self.0.get_mut(name) {
            Some(known) if ms < known.0 => *known = (ms, wall),
            None if !is_full => {
                self.0.insert(name.to_owned(), (ms, wall));
            }
            Some(_) | None => {}
        }
    }

    fn listed(self) -> Vec<TimelineStream> {
        let streams = self.0.into_iter();
        let mut streams: Vec<_> = streams
            .map(|(name, (from_ms, wall))| TimelineStream {
                name,
                from_ms,
                said_at: wall.and_then(rfc3339),
            })
            .collect();
        streams.sort_by_key(|it| it.from_ms);
        streams
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YEAR_MS: u64 = 365 * 86_400_000;

    #[test]
    fn a_year_of_nothing_takes_five_minutes() {
        let talk = (0..60).map(|it| it * 10_000);
        let late = talk.clone().map(|it| YEAR_MS + it);
        let to_ms = YEAR_MS + 600_000;
        let time = Shortened::of(talk.chain(late), to_ms);
        assert_eq!(time.shown(590_000), 590_000);
        let middle = time.shown(YEAR_MS / 2);
        assert_eq!(middle, 590_000 + PAUSE_MS);
        assert_eq!(time.shown(YEAR_MS), middle, "the end of the pause");
        assert_eq!(time.shown(to_ms), middle + 600_000);
        for ms in [0, 5_000, 590_000, YEAR_MS, YEAR_MS + 70_000, to_ms] {
            assert_eq!(time.real(time.shown(ms)), ms);
        }
        let pause = Pause {
            from_ms: 590_000,
            to_ms: YEAR_MS,
        };
        assert_eq!(time.listed(), [pause]);
    }

    #[test]
    fn talk_without_long_pauses_stays_as_it_is() {
        let time = Shortened::of([0, 200_000, 400_000].into_iter(), 500_000);
        assert_eq!(
            (time.shown(321_000), time.real(321_000)),
            (321_000, 321_000)
        );
        assert!(time.listed().is_empty());
    }
}
