//! The evidence of what a distiller makes of an utterance.

use crate::talk::{BufferedUtterance, Evidence, Part};
use crate::text::content_hashes;

impl Evidence {
    /// The evidence for a node whose text is `words`, a slice of the utterance's text.
    #[must_use]
    pub fn of(heard: &BufferedUtterance, words: &str) -> Self {
        let utterance = &heard.utterance;
        let whole = content_hashes(&utterance.text);
        let mut item = Self {
            stream: utterance.stream.clone(),
            utterance: utterance.id.clone(),
            turn: heard.turn,
            speaker: utterance.speaker.clone(),
            span: utterance.span,
            said_at_unix_ms: heard.said_at_unix_ms,
            audio: utterance.audio.clone(),
            confidence: utterance.confidence,
            part: Part::of(words, &utterance.text),
            verbatim: true,
            content_words: whole.len().min(usize::from(u16::MAX)) as u16,
            share: 0.0,
        };
        let said = content_hashes(words);
        let common = said.iter().filter(|word| whole.binary_search(word).is_ok());
        item.share = item.share_of(common.count());
        item
    }
}
