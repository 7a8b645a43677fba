//! The streams of a session, and its time.

use super::clock::OpenStream;
use super::{InputError, Outcome, Session};
use crate::memory::Kind;
use crate::stream::StreamStart;

impl Session {
    /// A stream begins.
    pub(super) fn begin(&mut self, start: &StreamStart) -> Result<Outcome, InputError> {
        self.clock.check_begin(start)?;
        self.clock.begin(start, self.names.begin_stream());
        Ok(Outcome::cut(self.cut()))
    }

    /// A stream, or the only one, resumes after a break.
    pub(super) fn resume(
        &mut self,
        stream: Option<&str>,
        unix_ms: Option<i64>,
    ) -> Result<Outcome, InputError> {
        self.clock.resume(stream, unix_ms)?;
        Ok(Outcome::cut(self.cut()))
    }

    /// A stream ends.
    pub(super) fn end(&mut self, stream: &str) -> Result<Outcome, InputError> {
        self.clock.end(stream)?;
        Ok(Outcome::cut(self.cut()))
    }

    /// Start of an utterance in session time. If several begin at once, each further one is a
    /// millisecond later: the time identifies an utterance and orders it.
    pub(super) fn said_ms(&self, begun_ms: u64) -> u64 {
        let is_shared = self.clock.is_shared();
        let units = || self.tree.of_kind(Kind::Unit);
        let taken = |at: &u64| {
            self.buffer.raw().any(|heard| heard.session_ms == *at)
                || is_shared && units().any(|unit| unit.said_ms == *at)
        };
        (begun_ms..).find(|at| !taken(at)).unwrap_or(begun_ms)
    }

    /// Session time: the largest end heard so far.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.clock.now_ms
    }

    /// Wall time at the largest end heard of the latest stream that knows it; `None` if unknown.
    #[must_use]
    pub fn now_unix_ms(&self) -> Option<i64> {
        self.clock.unix_ms()
    }

    /// The IANA name of the time zone of the latest stream that has one.
    #[must_use]
    pub fn zone(&self) -> Option<&str> {
        self.clock.zone()
    }

    /// Whether the wall time of anything heard was known.
    #[must_use]
    pub fn is_dated(&self) -> bool {
        self.clock.is_dated
    }

    /// Finds out whether the wall time of anything held is known: older images do not say it.
    pub(super) fn find_dates(&mut self) {
        let mut raw = self.buffer.raw();
        let mut units = self.tree.of_kind(Kind::Unit);
        self.clock.is_dated |= raw.any(|heard| heard.said_at_unix_ms.is_some())
            || units.any(|it| it.evidence.iter().any(|it| it.said_at_unix_ms.is_some()));
    }

    /// The open streams, in the order in which they began.
    pub fn streams(&self) -> impl Iterator<Item = &OpenStream> {
        self.clock.open().map(|(_, stream)| stream)
    }

    /// The open stream of a name.
    #[must_use]
    pub fn open_stream(&self, name: &str) -> Option<&OpenStream> {
        self.streams().find(|it| it.name == name)
    }

    /// The open stream that began or was heard last.
    #[must_use]
    pub fn stream(&self) -> Option<&OpenStream> {
        self.clock.current()
    }

    /// Stream time of that stream: its largest end heard so far.
    #[must_use]
    pub fn stream_ms(&self) -> u64 {
        self.stream().map_or(0, |it| it.heard_ms)
    }
}
