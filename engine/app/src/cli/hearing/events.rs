//! What `--json` prints while a run goes on: one JSON object a line, with the field `event`.

use serde::Serialize;
use weir_core::answer::AnswerCheck;
use weir_core::stream::Utterance;
use weir_engine::pipeline::{Answered, LiveText, LiveWord, SpokenTurn, Unheard};
use weir_engine::results::ProbeResult;

/// One line of output. Times are milliseconds of stream time.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum RunEvent<'a> {
    /// What is being said: replaces the last `partial` of the same stream and speaker.
    Partial {
        stream: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        speaker: Option<&'a str>,
        start_ms: u64,
        end_ms: u64,
        /// Words that will not change before the utterance ends.
        committed: String,
        /// Words that may change.
        tentative: String,
    },
    /// Words that were committed just now.
    Committed {
        stream: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        speaker: Option<&'a str>,
        words: &'a [LiveWord],
    },
    /// An utterance that memory holds now; replaces the partial text of its time.
    Utterance {
        id: &'a str,
        stream: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        speaker: Option<&'a str>,
        start_ms: u64,
        end_ms: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<f32>,
        text: &'a str,
    },
    /// Who spoke when; never changes afterwards. A turn that goes on comes in pieces.
    Turn(&'a SpokenTurn),
    /// Sound in which no words were trusted; any partial text of its time is void.
    Unheard(&'a Unheard),
    /// The language that a stream is heard in from here on; `null` if the model knows English alone
    /// and the stream does not sound like it.
    Language {
        stream: &'a str,
        language: Option<&'a str>,
    },
    /// Sound that was lost.
    Gap {
        stream: &'a str,
        at_ms: u64,
        lost_ms: u64,
    },
    /// An answer, as in a results file, with its question, and its check if it was checked.
    Answer {
        question: &'a str,
        #[serde(flatten)]
        result: Box<ProbeResult>,
        #[serde(skip_serializing_if = "Option::is_none")]
        check: Option<&'a AnswerCheck>,
    },
}

impl<'a> RunEvent<'a> {
    /// The events of live text.
    pub(crate) fn live(live: &'a LiveText) -> Vec<Self> {
        let fresh = &live.committed[live.committed.len() - live.fresh..];
        let mut events = Vec::new();
        if !fresh.is_empty() {
            events.push(Self::Committed {
                stream: &live.stream,
                speaker: live.speaker.as_deref(),
                words: fresh,
            });
        }
        events.push(Self::Partial {
            stream: &live.stream,
            speaker: live.speaker.as_deref(),
            start_ms: live.span.start_ms,
            end_ms: live.span.end_ms,
            committed: text(&live.committed),
            tentative: text(&live.tentative),
        });
        events
    }

    /// The event of an utterance.
    pub(crate) fn utterance(heard: &'a Utterance) -> Self {
        Self::Utterance {
            id: &heard.id,
            stream: &heard.stream,
            speaker: heard.speaker.as_deref(),
            start_ms: heard.span.start_ms,
            end_ms: heard.span.end_ms,
            confidence: heard.confidence,
            text: &heard.text,
        }
    }

    /// The event of an answer; `stream` is named when several are replayed.
    pub(crate) fn answer(
        answered: &'a Answered,
        check: Option<&'a AnswerCheck>,
        stream: Option<&str>,
    ) -> Self {
        Self::Answer {
            question: &answered.asking.text,
            result: Box::new(answered.result(stream)),
            check,
        }
    }

    /// The event as a line of JSON.
    pub(crate) fn line(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

/// Words with spaces between them.
pub(crate) fn text(words: &[LiveWord]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    words.join(" ")
}
