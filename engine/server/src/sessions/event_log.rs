//! The last events of a session, numbered, so that a client that comes back misses nothing within
//! a bound, or is told that it did.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// Events that are kept.
const EVENTS_MAX: usize = 4_096;
/// Bytes of events that are kept; the newest is kept in any case.
const BYTES_MAX: usize = 4 << 20;

/// An event as clients get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Logged {
    /// Its number, from 1.
    pub(crate) number: u64,
    /// What kind of event it is.
    pub(crate) kind: String,
    /// The event as JSON.
    pub(crate) json: String,
}

/// The events after one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// These come next; there may be none yet.
    Events(Vec<Arc<Logged>>),
    /// Some are gone; `None` if their number is not known. The next one kept has this number.
    Missed { events: Option<u64>, next: u64 },
    /// The session was closed, and there are no more.
    Ended,
}

#[derive(Default)]
struct Kept {
    events: VecDeque<Arc<Logged>>,
    bytes: usize,
    /// Number of the last event.
    last: u64,
    ended: bool,
}

/// The events of one opening of a session.
pub(crate) struct EventLog {
    /// Tells the events of this opening from those of others.
    opening: u64,
    kept: Mutex<Kept>,
    news: watch::Sender<u64>,
}

impl EventLog {
    pub(crate) fn new() -> Arc<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Arc::new(Self {
            opening: now.map_or(0, |now| now.as_micros() as u64),
            kept: Mutex::default(),
            news: watch::Sender::new(0),
        })
    }

    /// Adds an event; the oldest go when there are too many.
    pub(crate) fn push(&self, kind: String, json: String) {
        let mut kept = self.kept.lock();
        kept.last += 1;
        kept.bytes += kind.len() + json.len();
        let number = kept.last;
        kept.events
            .push_back(Arc::new(Logged { number, kind, json }));
        while kept.events.len() > EVENTS_MAX || kept.bytes > BYTES_MAX && kept.events.len() > 1 {
            if let Some(oldest) = kept.events.pop_front() {
                kept.bytes -= oldest.kind.len() + oldest.json.len();
            }
        }
        drop(kept);
        self.news.send_replace(number);
    }

    /// No more events come.
    pub(crate) fn end(&self) {
        self.kept.lock().ended = true;
        self.news.send_modify(|_| ());
    }

    /// Whether no more events come.
    pub(crate) fn is_ended(&self) -> bool {
        self.kept.lock().ended
    }

    /// Number of the last event.
    pub(crate) fn last(&self) -> u64 {
        self.kept.lock().last
    }

    /// Told when there are events.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// The events after number `after`, at most `most`.
    pub(crate) fn since(&self, after: u64, most: usize) -> Since {
        let kept = self.kept.lock();
        let first = kept.events.front().map_or(kept.last + 1, |it| it.number);
        if after > kept.last || after + 1 < first {
            let events = (after <= kept.last).then(|| first - after - 1);
            return Since::Missed {
                events,
                next: first,
            };
        }
        let skip = (after + 1 - first) as usize;
        let events: Vec<_> = kept.events.iter().skip(skip).take(most).cloned().collect();
        match events.is_empty() && kept.ended {
            true => Since::Ended,
            false => Since::Events(events),
        }
    }

    /// The id of an event for clients.
    pub(crate) fn id(&self, number: u64) -> String {
        format!("{:x}-{number}", self.opening)
    }

    /// The number in an id that a client got last; [`u64::MAX`] if it is of another opening, so
    /// that it is told that it missed some.
    pub(crate) fn number(&self, id: &str) -> u64 {
        let of_this = id.split_once('-').filter(|(opening, _)| {
            u64::from_str_radix(opening, 16).is_ok_and(|it| it == self.opening)
        });
        let number = of_this.and_then(|(_, number)| number.parse().ok());
        number.unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, EVENTS_MAX, EventLog, Since};

    fn numbers(since: Since) -> Vec<u64> {
        match since {
            Since::Events(events) => events.iter().map(|it| it.number).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_client_that_comes_back_gets_what_it_missed_or_is_told() {
        let log = EventLog::new();
        assert_eq!(numbers(log.since(0, 9)), [0_u64; 0]);
        for _ in 0..EVENTS_MAX + 10 {
            log.push("utterance".into(), "{}".into());
        }
        let last = EVENTS_MAX as u64 + 10;
        assert_eq!(numbers(log.since(last - 2, 9)), [last - 1, last]);
        assert_eq!(numbers(log.since(10, 2)), [11, 12]);
        let missed = Since::Missed {
            events: Some(5),
            next: 11,
        };
        assert_eq!(log.since(5, 9), missed);
        assert_eq!(log.number(&log.id(7)), 7);
        let of_another = log.number("0-7");
        let missed = Since::Missed {
            events: None,
            next: 11,
        };
        assert_eq!(log.since(of_another, 9), missed);
        log.end();
        assert_eq!(log.since(last, 9), Since::Ended);
        assert_eq!(numbers(log.since(last - 1, 9)), [last]);
    }

    #[test]
    fn bytes_are_bounded_and_the_newest_event_is_kept() {
        let log = EventLog::new();
        for _ in 0..3 {
            log.push("answer".into(), "x".repeat(BYTES_MAX));
        }
        assert_eq!(numbers(log.since(2, 9)), [3]);
    }
}
