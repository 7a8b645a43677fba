//! What was said, as the picture keeps it: the latest lines, and what is being said.

use super::text::clean;
use crate::cli::terminal::clock;
use std::collections::VecDeque;
use weir_api::Event;

/// Lines of the transcript that are kept; the oldest go.
pub(crate) const LINES_MAX: usize = 2_000;
/// Texts that are being said at a time: as many as a session has streams.
const PARTIALS_MAX: usize = 16;
/// Speakers that are told apart by colour; later ones share their colours.
const PEOPLE_MAX: usize = 64;
/// Lines in which an utterance that comes again is looked for.
const AGAIN: usize = 300;

/// What a line of the transcript is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Words.
    Said,
    /// Sound in which no words were trusted.
    Ignored,
    /// Sound that was lost.
    Lost,
}

/// One line of the transcript. Its texts are clean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) kind: Kind,
    /// Stream and id; the same utterance is shown once.
    of: (String, String),
    pub(crate) time: String,
    pub(crate) speaker: Option<String>,
    pub(crate) text: String,
}

/// Words of speech that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Partial {
    stream: String,
    channel: Option<u16>,
    start_ms: u64,
    end_ms: u64,
    pub(crate) speaker: Option<String>,
    pub(crate) committed: String,
    pub(crate) tentative: String,
}

impl Partial {
    /// Whether it is of the same sound as another one.
    fn is_of(&self, other: &Self) -> bool {
        (&self.stream, self.channel) == (&other.stream, other.channel)
            && self.start_ms < other.end_ms
            && other.start_ms < self.end_ms
    }
}

/// Sound that gave no words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Lost {
    /// Milliseconds that were lost.
    pub(crate) lost_ms: u64,
    /// Milliseconds that were heard and not believed.
    pub(crate) ignored_ms: u64,
    /// Events that this picture missed.
    pub(crate) missed: u64,
}

/// The transcript.
#[derive(Debug, Default)]
pub(crate) struct Talk {
    lines: VecDeque<Line>,
    /// Number of the first line that is kept.
    first: u64,
    pub(crate) partials: Vec<Partial>,
    /// Speakers in the order in which they were heard first.
    people: Vec<String>,
    /// How far each stream is recognised.
    recognised: VecDeque<(String, u64)>,
    /// The last line to show, if not the newest.
    until: Option<u64>,
    pub(crate) lost: Lost,
}

impl Talk {
    /// Takes an event; false for one that is not about talk.
    pub(crate) fn happened(&mut self, event: &Event) -> bool {
        match event {
            Event::Partial { .. } => self.partial(event),
            Event::Utterance {
                id,
                stream,
                speaker,
                start_ms,
                end_ms,
                text,
                ..
            } => {
                self.settle(stream, *end_ms);
                let speaker = speaker.as_deref();
                self.push(Kind::Said, (stream, id), *start_ms, speaker, text);
            }
            Event::Unheard {
                stream,
                start_ms,
                end_ms,
                why,
            } => {
                self.settle(stream, *end_ms);
                let ms = end_ms.saturating_sub(*start_ms);
                self.lost.ignored_ms = self.lost.ignored_ms.saturating_add(ms);
                let text = format!("{} ignored: {why}", seconds(ms));
                let id = format!("{start_ms}");
                self.push(Kind::Ignored, (stream, &id), *start_ms, None, &text);
            }
            Event::Gap {
                stream,
                at_ms,
                lost_ms,
            } => {
                self.lost.lost_ms = self.lost.lost_ms.saturating_add(*lost_ms);
                let text = format!("{} of sound were lost", seconds(*lost_ms));
                let id = format!("{at_ms}");
                self.push(Kind::Lost, (stream, &id), *at_ms, None, &text);
            }
            _ => return false,
        }
        true
    }

    fn partial(&mut self, event: &Event) {
        let Event::Partial {
            stream,
            speaker,
            channel,
            start_ms,
            end_ms,
            committed,
            tentative,
        } = event
        else {
            return;
        };
        let known = self.recognised.iter().find(|(known, _)| known == stream);
        if known.is_some_and(|(_, until_ms)| start_ms < until_ms) {
            return;
        }
        let speaker = speaker.as_deref().map(clean);
        let partial = Partial {
            stream: stream.clone(),
            channel: *channel,
            start_ms: *start_ms,
            end_ms: *end_ms,
            committed: clean(committed),
            tentative: clean(tentative),
            speaker,
        };
        self.partials.retain(|it| !it.is_of(&partial));
        if self.partials.len() < PARTIALS_MAX {
            self.partials.push(partial);
        }
    }

    /// Removes the text of speech that was recognised or refused.
    fn settle(&mut self, stream: &str, end_ms: u64) {
        let known = self
            .recognised
            .iter()
            .position(|(known, _)| known == stream);
        let before = known.and_then(|at| self.recognised.remove(at));
        let until_ms = before.map_or(0, |(_, ms)| ms).max(end_ms);
        self.recognised.push_back((stream.to_owned(), until_ms));
        if self.recognised.len() > PARTIALS_MAX {
            self.recognised.pop_front();
        }
        self.partials
            .retain(|it| it.stream != stream || it.start_ms >= until_ms);
    }

    fn push(
        &mut self,
        kind: Kind,
        (stream, id): (&str, &str),
        at_ms: u64,
        speaker: Option<&str>,
        text: &str,
    ) {
        let of = (stream.to_owned(), id.to_owned());
        let is_known = |it: &Line| it.kind == kind && it.of == of;
        if self.lines.iter().rev().take(AGAIN).any(is_known) {
            return;
        }
        let time = clock(at_ms);
        let speaker = speaker.map(clean);
        if let Some(speaker) = &speaker {
            self.colour(speaker);
        }
        self.lines.push_back(Line {
            kind,
            of,
            time: time.split('.').next().unwrap_or_default().to_owned(),
            speaker,
            text: clean(text),
        });
        if self.lines.len() > LINES_MAX {
            self.lines.pop_front();
            self.first += 1;
        }
    }

    /// The number of a speaker's colour: who was heard once keeps it.
    pub(crate) fn colour(&mut self, speaker: &str) -> usize {
        self.colour_of(speaker).unwrap_or_else(|| {
            if self.people.len() < PEOPLE_MAX {
                self.people.push(speaker.to_owned());
            }
            self.people.len() - 1
        })
    }

    /// The same for a speaker who was heard before.
    pub(crate) fn colour_of(&self, speaker: &str) -> Option<usize> {
        self.people.iter().position(|it| it == speaker)
    }

    /// Number of the newest line, plus one.
    fn end(&self) -> u64 {
        self.first + self.lines.len() as u64
    }

    /// Scrolls by so many lines; up is negative. Returns whether anything moved.
    pub(crate) fn scroll(&mut self, by: i64) {
        let from = self.until.unwrap_or(self.end());
        let until = from.saturating_add_signed(by).max(self.first + 1);
        self.until = (until < self.end()).then_some(until);
    }

    /// Shows the newest line again. False if it was shown already.
    pub(crate) fn follow(&mut self) -> bool {
        self.until.take().is_some()
    }

    /// The lines to show, the last first, and how many newer ones are hidden.
    pub(crate) fn shown(&self) -> (impl Iterator<Item = &Line>, u64) {
        let until = self.until.unwrap_or(self.end()).max(self.first + 1);
        let hidden = self.end().saturating_sub(until);
        let shown = self.lines.iter().rev().skip(hidden as usize);
        (shown, hidden)
    }

    /// Number of lines kept.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }
}

/// `1.4 s`, `83 s`.
pub(crate) fn seconds(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{} s", ms / 1_000, ms / 100 % 10),
        _ => format!("{} s", ms / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(id: usize, speaker: &str) -> Event {
        Event::Utterance {
            id: format!("u{id}"),
            stream: "desk".into(),
            speaker: Some(speaker.into()),
            start_ms: 1_000 * id as u64,
            end_ms: 1_000 * id as u64 + 900,
            confidence: None,
            text: format!("line {id}"),
        }
    }

    fn partial(start_ms: u64, tentative: &str) -> Event {
        Event::Partial {
            stream: "desk".into(),
            speaker: None,
            channel: None,
            start_ms,
            end_ms: start_ms + 500,
            committed: String::new(),
            tentative: tentative.into(),
        }
    }

    #[test]
    fn the_latest_lines_are_kept_and_the_view_stays_where_it_was_scrolled_to() {
        let mut talk = Talk::default();
        for id in 0..LINES_MAX + 5 {
            talk.happened(&said(id, "Ana"));
        }
        talk.happened(&said(LINES_MAX + 4, "Ana"));
        assert_eq!(talk.len(), LINES_MAX, "what comes again is no line");
        talk.scroll(-3);
        let newest = |talk: &Talk| talk.shown().0.next().map(|it| it.text.clone());
        assert_eq!(newest(&talk).as_deref(), Some("line 2001"));
        talk.happened(&said(LINES_MAX + 5, "Ana"));
        assert_eq!(newest(&talk).as_deref(), Some("line 2001"));
        assert_eq!(talk.shown().1, 4);
        talk.scroll(i64::MIN);
        assert_eq!(newest(&talk).as_deref(), Some("line 6"));
        assert!(talk.follow());
        assert_eq!(newest(&talk).as_deref(), Some("line 2005"));
    }

    #[test]
    fn text_of_speech_that_was_recognised_is_not_shown_again() {
        let mut talk = Talk::default();
        talk.happened(&partial(1_000, "we meet"));
        assert_eq!(talk.partials.len(), 1);
        talk.happened(&said(1, "Ana"));
        talk.happened(&partial(1_000, "we meet"));
        assert_eq!(talk.partials.len(), 0);
        talk.happened(&partial(2_000, "at eight"));
        assert_eq!(talk.partials[0].tentative, "at eight");
    }

    #[test]
    fn what_is_being_said_is_shown_once_also_when_its_speaker_becomes_known() {
        let by = |speaker: Option<&str>, channel, start_ms| Event::Partial {
            stream: "desk".into(),
            speaker: speaker.map(str::to_owned),
            channel,
            start_ms,
            end_ms: start_ms + 500,
            committed: "we meet".into(),
            tentative: String::new(),
        };
        let mut talk = Talk::default();
        talk.happened(&by(None, None, 1_000));
        talk.happened(&by(Some("Ana"), None, 1_200));
        assert_eq!(talk.partials.len(), 1);
        assert_eq!(talk.partials[0].speaker.as_deref(), Some("Ana"));
        talk.happened(&by(Some("Ben"), None, 1_700));
        assert_eq!(talk.partials.len(), 2, "another stretch of sound");
        let mut talk = Talk::default();
        talk.happened(&by(Some("channel 1"), Some(1), 1_000));
        talk.happened(&by(Some("channel 2"), Some(2), 1_000));
        assert_eq!(talk.partials.len(), 2, "two people at once");
    }

    #[test]
    fn a_speaker_keeps_a_colour() {
        let mut talk = Talk::default();
        for id in 0..2 * PEOPLE_MAX {
            talk.happened(&said(id, &format!("Speaker {id}")));
        }
        assert_eq!(talk.colour("Speaker 3"), 3);
        assert_eq!(talk.people.len(), PEOPLE_MAX);
    }
}
