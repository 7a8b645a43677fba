//! The clock of a session: its streams, each with a time of its own, on one session time.
//!
//! Session time never runs backwards. A stream that begins or resumes while another is open is
//! placed by wall time if both have it, but not before the first of them began; else it begins
//! after what was heard last. A stream that resumes is never placed earlier than it was.

use super::input::InputError;
use crate::limits;
use crate::stream::{StreamStart, Utterance};
use serde::{Deserialize, Serialize};

/// A stream of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OpenStream {
    /// Its name.
    pub name: String,
    /// IANA name of its time zone, if it has one.
    pub zone: Option<String>,
    /// Session time of its time 0.
    pub base_ms: u64,
    /// Stream time: its largest end heard so far.
    pub heard_ms: u64,
    /// Labels of speakers that the session had given when it began: its voices are numbered from
    /// there.
    pub labels: u32,
    /// Stream time and the Unix time that belongs to it, from the start or the last break.
    anchor: Option<(u64, i64)>,
    ended: bool,
}

impl OpenStream {
    /// Wall time of a stream time.
    fn wall(&self, stream_ms: u64) -> Option<i64> {
        let (anchor_ms, unix_ms) = self.anchor?;
        let since = i64::try_from(stream_ms).ok()? - i64::try_from(anchor_ms).ok()?;
        unix_ms.checked_add(since)
    }

    /// Wall time of the largest end heard, in Unix milliseconds, if the stream has wall time.
    #[must_use]
    pub fn heard_unix_ms(&self) -> Option<i64> {
        self.wall(self.heard_ms)
    }

    /// Session time of a wall time; `None` if the stream has no wall time, or one that is too far
    /// away to be right.
    #[must_use]
    pub fn session_ms(&self, unix_ms: i64) -> Option<u64> {
        let (anchor_ms, anchor_unix_ms) = self.anchor?;
        let since = unix_ms.checked_sub(anchor_unix_ms)?;
        let is_near = since.unsigned_abs() <= limits::STREAM_MS_MAX;
        is_near.then(|| (self.base_ms + anchor_ms).saturating_add_signed(since))
    }
}

/// All streams of a session, and how far its time is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct SessionClock {
    /// In the order in which they began. One that ended stays until the next begins: questions
    /// still need its wall time.
    streams: Vec<OpenStream>,
    /// The place of the one that began or was heard last.
    latest: usize,
    /// Largest end heard, in session time.
    pub(super) now_ms: u64,
    /// Whether the wall time of anything heard was known.
    pub(super) is_dated: bool,
}

/// The clock of images before format 10 and of exports before version 6, which held one stream.
#[derive(Deserialize)]
pub(super) struct OneStream {
    stream: Option<StreamStart>,
    base_ms: u64,
    now_ms: u64,
    anchor: Option<(u64, i64)>,
}

impl OneStream {
    /// The same clock; `labels` were given when the stream began.
    pub(super) fn clock(self, labels: u32) -> SessionClock {
        let stream = self.stream.map(|start| OpenStream {
            name: start.name,
            base_ms: self.base_ms,
            heard_ms: self.now_ms.saturating_sub(self.base_ms),
            labels,
            anchor: self.anchor,
            ..OpenStream::default()
        });
        SessionClock {
            streams: stream.into_iter().collect(),
            now_ms: self.now_ms,
            ..SessionClock::default()
        }
    }
}

impl SessionClock {
    /// The open streams with their places.
    pub(super) fn open(&self) -> impl DoubleEndedIterator<Item = (usize, &OpenStream)> {
        let streams = self.streams.iter().enumerate();
        streams.filter(|(_, stream)| !stream.ended)
    }

    /// The names of the open streams, in quotation marks.
    fn names(&self) -> String {
        let names: Vec<String> = self
            .open()
            .map(|(_, it)| format!("`{}`", it.name))
            .collect();
        names.join(", ")
    }

    /// The place of an open stream; without a name, of the only one.
    fn find(&self, stream: Option<&str>, what: impl Fn() -> String) -> Result<usize, InputError> {
        let mut open = self.open();
        let found = match stream {
            Some(name) => open.find(|(_, it)| it.name == name).map(|(at, _)| at),
            None => open
                .next()
                .map(|(at, _)| at)
                .filter(|_| open.next().is_none()),
        };
        found.ok_or_else(|| match self.open().next() {
            None => InputError::NoStream { what: what() },
            Some(_) => InputError::OtherStream {
                what: what(),
                found: stream.map(str::to_owned),
                open: self.names(),
            },
        })
    }

    /// Session time of a wall time by the first open stream that knows it, without the one at a
    /// place.
    fn placed(&self, unix_ms: i64, without: Option<usize>) -> Option<u64> {
        let others = || self.open().filter(move |(at, _)| Some(*at) != without);
        let first_ms = others().map(|(_, it)| it.base_ms).min()?;
        let (_, known) = others().find(|(_, it)| it.anchor.is_some())?;
        Some(known.session_ms(unix_ms)?.max(first_ms))
    }

    /// Refuses a stream that cannot begin.
    pub(super) fn check_begin(&self, start: &StreamStart) -> Result<(), InputError> {
        if !start.beside {
            return Ok(());
        }
        if self.open().any(|(_, it)| it.name == start.name) {
            let stream = start.name.clone();
            return Err(InputError::StreamOpen { stream });
        }
        let max = limits::STREAMS_OPEN_MAX;
        match self.open().count() < max {
            true => Ok(()),
            false => Err(InputError::StreamsFull {
                stream: start.name.clone(),
                max,
                open: self.names(),
            }),
        }
    }

    /// A checked stream begins.
    pub(super) fn begin(&mut self, start: &StreamStart, labels: u32) {
        self.streams.retain(|it| start.beside && !it.ended);
        let unix_ms = start.started_at_unix_ms;
        let placed = unix_ms.and_then(|unix_ms| self.placed(unix_ms, None));
        self.latest = self.streams.len();
        self.streams.push(OpenStream {
            name: start.name.clone(),
            zone: start.zone.clone(),
            base_ms: placed.unwrap_or(self.now_ms),
            labels,
            anchor: unix_ms.map(|unix_ms| (0, unix_ms)),
            ..OpenStream::default()
        });
        self.pass(self.latest);
    }

    /// A stream, or the only one, resumes after a break.
    pub(super) fn resume(
        &mut self,
        stream: Option<&str>,
        unix_ms: Option<i64>,
    ) -> Result<(), InputError> {
        let at = self.find(stream, || "a break".to_owned())?;
        let placed = unix_ms.and_then(|unix_ms| self.placed(unix_ms, Some(at)));
        let stream = &mut self.streams[at];
        stream.anchor = unix_ms.map(|unix_ms| (stream.heard_ms, unix_ms));
        let base_ms = placed.map_or(0, |placed| placed.saturating_sub(stream.heard_ms));
        stream.base_ms = stream.base_ms.max(base_ms);
        self.pass(at);
        Ok(())
    }

    /// Session time passes until what was heard of a stream.
    fn pass(&mut self, at: usize) {
        let stream = &self.streams[at];
        self.now_ms = self.now_ms.max(stream.base_ms + stream.heard_ms);
        self.latest = at;
    }

    /// The open stream of this name ends.
    pub(super) fn end(&mut self, name: &str) -> Result<(), InputError> {
        let at = self.find(Some(name), || "an end".to_owned())?;
        self.streams[at].ended = true;
        Ok(())
    }

    /// Where an utterance belongs.
    ///
    /// # Errors
    /// [`InputError`] if its stream is not open, or its span is none.
    pub(super) fn place(&self, utterance: &Utterance) -> Result<Place, InputError> {
        let (id, span) = (&utterance.id, utterance.span);
        let at = self.find(Some(&utterance.stream), || format!("utterance `{id}`"))?;
        if span.start_ms > span.end_ms || span.end_ms > limits::STREAM_MS_MAX {
            let id = id.clone();
            return Err(InputError::WrongSpan { id, span });
        }
        let stream = &self.streams[at];
        Ok(Place {
            stream: at,
            begun_ms: stream.base_ms + span.start_ms,
            said_at_unix_ms: stream.wall(span.start_ms),
        })
    }

    /// A checked utterance of a stream was heard until `end_ms`.
    pub(super) fn hear(&mut self, place: &Place, end_ms: u64) {
        let stream = &mut self.streams[place.stream];
        stream.heard_ms = stream.heard_ms.max(end_ms);
        self.is_dated |= place.said_at_unix_ms.is_some();
        self.pass(place.stream);
    }

    /// All streams, the one that began or was heard last first.
    fn latest(&self) -> impl Iterator<Item = &OpenStream> {
        let latest = self.streams.get(self.latest);
        latest.into_iter().chain(self.streams.iter().rev())
    }

    /// The open stream that began or was heard last.
    pub(super) fn current(&self) -> Option<&OpenStream> {
        self.latest().find(|it| !it.ended)
    }

    /// Wall time at the largest end heard of the latest stream that knows it.
    pub(super) fn unix_ms(&self) -> Option<i64> {
        self.latest().find_map(|it| it.wall(it.heard_ms))
    }

    /// The time zone of the latest stream that has one.
    pub(super) fn zone(&self) -> Option<&str> {
        self.latest().find_map(|it| it.zone.as_deref())
    }

    /// Whether two streams are open, so that an utterance may be said before one that is mounted.
    pub(super) fn is_shared(&self) -> bool {
        self.open().nth(1).is_some()
    }

    /// Checks a stored clock.
    ///
    /// # Errors
    /// The first inconsistency, as text.
    pub(super) fn check(&self) -> Result<(), String> {
        let most = 2 * limits::STREAMS_OPEN_MAX;
        if self.streams.len() > most || self.latest > self.streams.len() {
            return Err(format!("{} streams", self.streams.len()));
        }
        // as long as a session may last, with room for another stream
        if self.now_ms > u64::MAX / 2 {
            return Err(format!("a session of {} ms", self.now_ms));
        }
        let ends = |it: &OpenStream| it.base_ms.checked_add(it.heard_ms);
        let late = |it: &&OpenStream| {
            ends(it).is_none_or(|end| end > self.now_ms)
                || it.anchor.is_some_and(|(ms, _)| ms > it.heard_ms)
        };
        match self.streams.iter().find(late) {
            Some(stream) => Err(format!("stream `{}` ends after the session", stream.name)),
            None => Ok(()),
        }
    }
}

/// Where an utterance belongs.
pub(super) struct Place {
    /// The place of its stream.
    stream: usize,
    /// Session time of its start.
    pub(super) begun_ms: u64,
    /// Wall time of its start.
    pub(super) said_at_unix_ms: Option<i64>,
}
