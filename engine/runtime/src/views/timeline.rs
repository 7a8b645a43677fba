//! What was said when, and how much of it is held.

use crate::time::rfc3339;
use std::cell::RefCell;
use std::collections::BTreeMap;
use weir_api::{Timeline, TimelinePart, TimelineStream};
use weir_core::memory::Kind;
use weir_core::session::Session;
use weir_core::transcript::{ScanStep, Transcript, TranscriptUtterance};

/// Most streams on a time line.
const STREAMS_MAX: usize = 1_000;

/// A session in `parts` parts of equal time. Cost: one pass over the transcript.
#[must_use]
pub fn timeline(session: &Session, transcript: &dyn Transcript, parts: usize) -> Timeline {
    let (to_ms, parts) = (session.stats().stream_ms.max(1), parts.max(1));
    let of = |ms: u64| {
        let part = u128::from(ms) * parts as u128 / u128::from(to_ms);
        usize::try_from(part).unwrap_or(usize::MAX).min(parts - 1)
    };
    let counted = RefCell::new(vec![TimelinePart::default(); parts]);
    let mut streams = Streams::default();
    let mut count = |said: TranscriptUtterance| {
        counted.borrow_mut()[of(said.session_ms)].said += 1;
        streams.add(&said.found.stream, said.session_ms, said.said_at_unix_ms);
    };
    transcript.newest_first(&mut |_| ScanStep::Read, &mut count);
    let mut parts = counted.into_inner();
    for unit in session.tree().of_kind(Kind::Unit) {
        let part = &mut parts[of(unit.said_ms)];
        part.whole += u32::from(!unit.is_key());
        part.key += u32::from(unit.is_key());
        part.pinned += u32::from(unit.pinned);
        if let Some(item) = unit.evidence.first() {
            streams.add(&item.stream, unit.said_ms, item.said_at_unix_ms);
        }
    }
    Timeline {
        to_ms,
        streams: streams.listed(),
        parts,
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
