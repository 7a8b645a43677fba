//! How far a live source is recognised, kept beside its recording.

use super::{LiveFeed, Sound};
use crate::pipeline::feed::Notice;
use crate::store::HeardMark;
use std::time::Instant;
use weir_asr::SampleSpan;

impl LiveFeed {
    /// Marks how far audio was recognised; utterances waiting here count as fed.
    pub(super) fn mark(&mut self, notices: &mut Vec<Notice>) {
        self.set_mark(self.heard_mark(), notices);
    }

    /// How far audio is recognised now; `None` if that is not kept.
    pub(super) fn heard_mark(&self) -> Option<HeardMark> {
        let now = &self.now;
        self.marks.as_ref()?;
        if matches!(now.sound, Sound::Live(_)) && self.recording.is_none() {
            return None;
        }
        let settled = now.samples() - now.open();
        let heard = &now.speech.heard;
        let ends = heard.iter().map(|heard| now.span(heard.said.span).end_ms);
        Some(HeardMark {
            stream: now.start.name.clone(),
            started_at_unix_ms: now.start.started_at_unix_ms,
            heard_ms: now.from_ms + SampleSpan::new(0, settled).len_ms(),
            said_ms: ends.fold(now.said_ms, u64::max),
            spoken: now.spoken + heard.len() as u64,
        })
    }

    pub(super) fn set_mark(&mut self, mark: Option<HeardMark>, notices: &mut Vec<Notice>) {
        let Some(marks) = &self.marks else {
            return;
        };
        self.marked = Instant::now();
        let Some(set) = mark.map(|mark| marks.lock().set(mark)) else {
            return;
        };
        match set {
            Ok(None) => {}
            Ok(Some(gone)) => notices.push(Notice::Warning(format!(
                "{}: its unrecognised recording will not be processed: too many streams were \
                 interrupted",
                gone.stream
            ))),
            Err(error) => {
                // what is not recognised now will not be: nothing may cancel it
                (self.marks, self.cancelling) = (None, None);
                notices.push(Notice::Warning(format!(
                    "{error}; if this process is killed, its unrecognised audio is not processed"
                )));
            }
        }
    }
}
