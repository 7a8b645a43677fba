//! Where a voice of live sound begins and ends, told before its words are known.

use crate::pipeline::feed::Notice;
use weir_asr::{Recogniser, SampleSpan};

/// The voice that was told last.
#[derive(Debug, Default)]
pub(crate) struct LiveVoice {
    /// Its start and, so far, its end, in samples; `None` while nobody speaks.
    open: Option<(u64, u64)>,
}

impl LiveVoice {
    /// Tells what changed in a source, whose sound begins at `from_ms` of the stream; returns
    /// whether that was anything.
    pub(crate) fn tell(
        &mut self,
        source: &Recogniser,
        stream: &str,
        from_ms: u64,
        notices: &mut Vec<Notice>,
    ) -> bool {
        let open = source.listener().open_speech().next();
        let open = open.map(|it| (it.span.start, it.voice_end));
        let before = std::mem::replace(&mut self.open, open);
        if open.map(|it| it.0) == before.map(|it| it.0) {
            return false;
        }
        let ended = before.map(|(_, end)| (false, end));
        let begun = open.map(|(start, _)| (true, start));
        let told = [ended, begun].into_iter().flatten();
        notices.extend(told.map(|(speaks, at)| Notice::Voice {
            stream: stream.to_owned(),
            speaks,
            at_ms: from_ms + SampleSpan::new(0, at).len_ms(),
        }));
        true
    }
}
