//! The events of a run as clients read them.

use weir_api::{Event, Word};
use weir_core::stream::Utterance;
use weir_engine::pipeline::{LiveText, LiveWord, Unheard};

/// The events of live text.
pub(crate) fn live(live: &LiveText) -> Vec<Event> {
    let fresh = &live.committed[live.committed.len() - live.fresh..];
    let committed = (!fresh.is_empty()).then(|| Event::Committed {
        stream: live.stream.clone(),
        speaker: live.speaker.clone(),
        words: fresh.iter().map(word).collect(),
    });
    let partial = Event::Partial {
        stream: live.stream.clone(),
        speaker: live.speaker.clone(),
        start_ms: live.span.start_ms,
        end_ms: live.span.end_ms,
        committed: text(&live.committed),
        tentative: text(&live.tentative),
    };
    committed.into_iter().chain([partial]).collect()
}

fn word(word: &LiveWord) -> Word {
    Word {
        text: word.text.clone(),
        start_ms: word.span.start_ms,
        end_ms: word.span.end_ms,
    }
}

/// The event of an utterance.
pub(crate) fn utterance(heard: &Utterance) -> Event {
    Event::Utterance {
        id: heard.id.clone(),
        stream: heard.stream.clone(),
        speaker: heard.speaker.clone(),
        start_ms: heard.span.start_ms,
        end_ms: heard.span.end_ms,
        confidence: heard.confidence,
        text: heard.text.clone(),
    }
}

/// The event of sound without words.
pub(crate) fn unheard(unheard: &Unheard) -> Event {
    Event::Unheard {
        stream: unheard.stream.clone(),
        start_ms: unheard.span.start_ms,
        end_ms: unheard.span.end_ms,
        why: unheard.why.reason().to_owned(),
    }
}

/// Words with spaces between them.
pub(crate) fn text(words: &[LiveWord]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    words.join(" ")
}
