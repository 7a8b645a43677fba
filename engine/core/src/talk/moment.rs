//! When something was said, and how long a pause ends an occasion.

/// A silence this long ends an occasion among people who speak without pauses.
const PAUSE_MIN_MS: u64 = 3_600_000;
/// A night: a silence this long ends any occasion.
const PAUSE_MAX_MS: u64 = 8 * PAUSE_MIN_MS;
/// In slow talk, messages hours apart, a silence ends the occasion when it is this many times as
/// long as the mean time between two statements.
const PAUSES: u64 = 8;

/// When something was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    /// In session time, which stands still while nothing is recorded.
    pub(crate) session_ms: u64,
    /// In wall time, if it is known.
    pub(crate) unix_ms: Option<i64>,
}

impl Moment {
    /// Time from `earlier` to this moment: by wall time if both have it; 0 if it is before.
    pub(crate) fn since(self, earlier: Self) -> u64 {
        match (self.unix_ms, earlier.unix_ms) {
            (Some(now), Some(then)) => u64::try_from(now.saturating_sub(then)).unwrap_or(0),
            _ => self.session_ms.saturating_sub(earlier.session_ms),
        }
    }
}

/// The silence that ends an occasion of which this is known, in milliseconds: an hour, in slow talk
/// longer, at most a night.
pub(crate) fn longest_pause_ms(said: impl Iterator<Item = Moment>) -> u64 {
    let mut count = 0;
    let mut ends: Option<(Moment, Moment)> = None;
    for moment in said {
        let (first, last) = ends.unwrap_or((moment, moment));
        let first = if first.since(moment) > 0 {
            moment
        } else {
            first
        };
        let last = if moment.since(last) > 0 { moment } else { last };
        (ends, count) = (Some((first, last)), count + 1);
    }
    let long_ms = ends.map_or(0, |(first, last)| last.since(first));
    let mean_ms = long_ms / u64::max(count, 2).saturating_sub(1);
    mean_ms
        .saturating_mul(PAUSES)
        .clamp(PAUSE_MIN_MS, PAUSE_MAX_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Moment {
        Moment {
            session_ms: 0,
            unix_ms: Some(minutes * 60_000),
        }
    }

    #[test]
    fn slow_talk_bears_longer_pauses() {
        let quick = longest_pause_ms([at(0), at(1), at(2)].into_iter());
        assert_eq!(quick, 3_600_000, "an hour");
        let slow = longest_pause_ms([at(40), at(20), at(0)].into_iter());
        assert_eq!(slow, 8 * 20 * 60_000, "eight times twenty minutes");
        let letters = longest_pause_ms([at(0), at(3_000)].into_iter());
        assert_eq!(letters, 8 * 3_600_000, "a night");
        assert_eq!(longest_pause_ms(std::iter::empty()), 3_600_000);
    }

    #[test]
    fn without_wall_time_session_time_counts() {
        let (early, late) = (
            Moment {
                session_ms: 5,
                unix_ms: None,
            },
            Moment {
                session_ms: 9,
                unix_ms: Some(1),
            },
        );
        assert_eq!((late.since(early), early.since(late)), (4, 0));
    }
}
