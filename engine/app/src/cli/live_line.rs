//! The line that shows what is being said while it is said.
//!
//! Invariant: text of speech that was recognised is never shown again.

use super::events::text;
use super::terminal::{Terminal, plain};
use weir_core::stream::Span;
use weir_engine::pipeline::LiveText;

/// The live text on a terminal.
#[derive(Default)]
pub(super) struct LiveLine {
    /// Start of the speech that is shown.
    shown_ms: Option<u64>,
    /// The stream recognised last, and how far.
    recognised: Option<(String, u64)>,
}

impl LiveLine {
    /// Shows live text, unless its speech was recognised meanwhile.
    pub(super) fn show(&mut self, live: &LiveText, terminal: &mut Terminal) {
        let start_ms = live.span.start_ms;
        let known = self.recognised.as_ref();
        if known.is_some_and(|(stream, ms)| *stream == live.stream && start_ms < *ms) {
            return;
        }
        self.shown_ms = Some(start_ms);
        let speaker = live.speaker.as_ref();
        let speaker = speaker.map_or_else(String::new, |speaker| format!("{speaker}: "));
        let committed = format!("{speaker}{}", text(&live.committed));
        terminal.live(plain(&committed).trim_end(), &plain(&text(&live.tentative)));
    }

    /// Removes the text of speech that was recognised or refused.
    pub(super) fn settle(&mut self, stream: &str, span: Span, terminal: &mut Terminal) {
        let known = self.recognised.take().filter(|(known, _)| known == stream);
        let until = known.map_or(0, |(_, ms)| ms).max(span.end_ms);
        self.recognised = Some((stream.to_owned(), until));
        if self.shown_ms.is_some_and(|start| start < until) {
            self.shown_ms = None;
            terminal.live("", "");
        }
    }
}
