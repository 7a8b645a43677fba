//! What happens in a run, as clients read it.

use crate::pipeline::event::{Event, LiveText, LiveWord};
use crate::pipeline::feed::Notice;
use weir_api::{Event as Wire, Word};
use weir_asr::LanguageNews;
use weir_core::stream::Utterance;

impl Event {
    /// The events of [`weir_api`] that it makes; none for what the program alone shows.
    #[must_use]
    pub fn wire(&self) -> Vec<Wire> {
        match self {
            Self::Heard(said) => vec![heard(said)],
            Self::Live(live) => live.wire(),
            Self::Answered(it) => {
                let stream = it.asking.stream.as_deref();
                vec![Wire::Answer(Box::new(it.wire(stream)))]
            }
            Self::Memory(changes) => vec![Wire::Memory(*changes)],
            Self::Belief(belief) => vec![Wire::Belief(belief.clone())],
            Self::Speaker { speaker, name } => vec![Wire::Speaker {
                speaker: speaker.clone(),
                name: name.clone(),
            }],
            Self::Changed(changed) => vec![Wire::Changed(changed.clone())],
            Self::Notice(notice) => notice.wire().into_iter().collect(),
            Self::Unanswered { .. } | Self::Progress(_) | Self::StageEnded(_) => Vec::new(),
        }
    }
}

fn heard(said: &Utterance) -> Wire {
    Wire::Utterance {
        id: said.id.clone(),
        stream: said.stream.clone(),
        speaker: said.speaker.clone(),
        start_ms: said.span.start_ms,
        end_ms: said.span.end_ms,
        confidence: said.confidence,
        text: said.text.clone(),
    }
}

impl Notice {
    /// Its event of [`weir_api`]; `None` for a message to people.
    #[must_use]
    pub fn wire(&self) -> Option<Wire> {
        Some(match self {
            Self::Warning(_) | Self::Failed(_) | Self::Note(_) => return None,
            Self::Turn(turn) => Wire::Turn(turn.clone()),
            Self::Voice {
                stream,
                speaks,
                at_ms,
            } => Wire::Voice {
                stream: stream.clone(),
                speaks: *speaks,
                at_ms: *at_ms,
            },
            Self::Language { stream, news } => Wire::Language {
                stream: stream.clone(),
                language: match news {
                    LanguageNews::Hears(code) => Some((*code).to_owned()),
                    LanguageNews::Doubted => None,
                },
            },
            Self::Unheard(unheard) => Wire::Unheard {
                stream: unheard.stream.clone(),
                start_ms: unheard.span.start_ms,
                end_ms: unheard.span.end_ms,
                why: unheard.why.reason().to_owned(),
            },
            Self::Gap {
                stream,
                at_ms,
                lost_ms,
            } => Wire::Gap {
                stream: stream.clone(),
                at_ms: *at_ms,
                lost_ms: *lost_ms,
            },
        })
    }
}

impl LiveText {
    /// Its events: the words committed just now, if there are any, and the whole text.
    #[must_use]
    pub fn wire(&self) -> Vec<Wire> {
        let fresh = &self.committed[self.committed.len() - self.fresh..];
        let committed = (!fresh.is_empty()).then(|| Wire::Committed {
            stream: self.stream.clone(),
            speaker: self.speaker.clone(),
            words: fresh.iter().map(word).collect(),
        });
        let partial = Wire::Partial {
            stream: self.stream.clone(),
            speaker: self.speaker.clone(),
            channel: self.channel,
            start_ms: self.span.start_ms,
            end_ms: self.span.end_ms,
            committed: self.committed_text(),
            tentative: self.tentative_text(),
        };
        committed.into_iter().chain([partial]).collect()
    }

    /// The words that will not change, with spaces between them.
    #[must_use]
    pub fn committed_text(&self) -> String {
        text(&self.committed)
    }

    /// The words that may change, likewise.
    #[must_use]
    pub fn tentative_text(&self) -> String {
        text(&self.tentative)
    }
}

fn word(word: &LiveWord) -> Word {
    Word {
        text: word.text.clone(),
        start_ms: word.span.start_ms,
        end_ms: word.span.end_ms,
    }
}

fn text(words: &[LiveWord]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    words.join(" ")
}
