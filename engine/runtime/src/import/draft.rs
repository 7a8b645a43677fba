//! What the readers of all formats fill: conversations, and counts of what is left out.

use super::error::ImportProblem;
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use weir_api::LeftOutReason;
use weir_core::limits::{IMPORT_MESSAGES_MAX, STREAM_LABEL_BYTES_MAX, UTTERANCE_BYTES_MAX};
use weir_core::stream::{Span, says_anything};
use weir_core::text::{is_blank, is_hidden, one_line, sentence_goes_on};

/// The years 1970 to 2199: a message of another time was dated by a clock that was wrong.
const YEARS_MS: Range<i64> = 0..7_258_118_400_000;

/// What a conversation is called whose title shows nothing.
const UNTITLED: &str = "conversation";
/// Pieces of a sentence are no further apart, and together no longer.
const PIECES_APART_MS: u64 = 1_000;
const PIECES_MS_MAX: u64 = 20_000;

/// When a message was written or said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// Wall time in Unix milliseconds.
    Wall(i64),
    /// A part of a recording.
    Recording(Span),
    /// Not known: after the one before it.
    Unknown,
}

impl At {
    /// Wall time in seconds, as many programs write it.
    pub(super) fn seconds(at: Option<f64>) -> Self {
        let is_time = |at: &f64| at.is_finite() && at.abs() < 1e11;
        at.filter(is_time)
            .map_or(Self::Unknown, |at| Self::Wall((at * 1_000.0) as i64))
    }

    fn order(self) -> Option<i64> {
        match self {
            Self::Wall(at) => Some(at),
            Self::Recording(span) => i64::try_from(span.start_ms).ok(),
            Self::Unknown => None,
        }
    }
}

/// What somebody said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) speaker: Option<String>,
    pub(super) text: String,
    pub(super) at: At,
}

impl Message {
    /// Whether both are pieces of one sentence in a recording.
    fn goes_on_in(&self, next: &Self) -> bool {
        let (At::Recording(span), At::Recording(after)) = (self.at, next.at) else {
            return false;
        };
        self.speaker == next.speaker
            && after.start_ms <= span.end_ms + PIECES_APART_MS
            && after.end_ms <= span.start_ms + PIECES_MS_MAX
            // another speaker of a film
            && !next.text.starts_with(['-', '–', '—'])
            && sentence_goes_on(&self.text, &next.text)
    }

    fn take_in(&mut self, next: &Self) {
        self.text = format!("{} {}", self.text, next.text);
        if let (At::Recording(span), At::Recording(after)) = (&mut self.at, next.at) {
            span.end_ms = span.end_ms.max(after.end_ms);
        }
    }
}

/// Messages that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conversation {
    pub(super) title: String,
    /// Tells it from other conversations in which the same is said at the same time.
    pub(super) key: String,
    pub(super) messages: Vec<Message>,
}

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) conversations: Vec<Conversation>,
    pub(super) left_out: BTreeMap<LeftOutReason, u64>,
    said: usize,
}

impl Draft {
    /// A conversation begins.
    pub(super) fn begin(&mut self, title: &str, key: impl Into<String>) {
        let title = Some(label(title)).filter(|it| !it.is_empty());
        self.conversations.push(Conversation {
            title: title.unwrap_or_else(|| UNTITLED.to_owned()),
            key: key.into(),
            messages: Vec::new(),
        });
    }

    /// A message of the conversation that began last. One that says nothing, or too much, is
    /// counted as left out.
    pub(super) fn say(
        &mut self,
        speaker: Option<&str>,
        text: &str,
        at: At,
    ) -> Result<(), ImportProblem> {
        let text = clean(text);
        let at = match at {
            At::Wall(at) if !YEARS_MS.contains(&at) => At::Unknown,
            at => at,
        };
        if !says_anything(&text) {
            self.leave(LeftOutReason::Empty);
        } else if text.len() > UTTERANCE_BYTES_MAX {
            self.leave(LeftOutReason::TooLong);
        } else if let Some(conversation) = self.conversations.last_mut() {
            self.said += 1;
            if self.said > IMPORT_MESSAGES_MAX {
                return Err(ImportProblem::TooManyMessages);
            }
            conversation.messages.push(Message {
                speaker: speaker.map(self::speaker).filter(|it| !it.is_empty()),
                text,
                at,
            });
        }
        Ok(())
    }

    /// A message is left out.
    pub(super) fn leave(&mut self, reason: LeftOutReason) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    /// All that was read, each conversation in the order of its times. Captions show a sentence in
    /// pieces, which are put together.
    pub(super) fn finish(mut self) -> Self {
        for conversation in &mut self.conversations {
            let mut now = i64::MIN;
            let messages = std::mem::take(&mut conversation.messages).into_iter();
            let mut placed: Vec<(i64, Message)> = messages
                .map(|it| {
                    now = it.at.order().unwrap_or(now);
                    (now, it)
                })
                .collect();
            placed.sort_by_key(|(at, _)| *at);
            for (_, next) in placed {
                match conversation.messages.last_mut() {
                    Some(last) if last.goes_on_in(&next) => last.take_in(&next),
                    _ => conversation.messages.push(next),
                }
            }
        }
        self.conversations.retain(|it| !it.messages.is_empty());
        let start = |it: &Conversation| it.messages.iter().find_map(|it| it.at.order());
        self.conversations.sort_by_key(start);
        self
    }
}

/// A text on one line, without marks that nobody sees.
pub(super) fn clean(text: &str) -> String {
    let is_mark = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{feff}');
    let text: Cow<'_, str> = match text.contains(is_mark) {
        true => Cow::Owned(text.replace(is_mark, "")),
        false => Cow::Borrowed(text),
    };
    one_line(&text).trim().to_owned()
}

/// A name as that of a stream or a speaker may be: on one line, of what is seen, with no more
/// bytes than fit. Empty if nothing is left.
pub(super) fn label(name: &str) -> String {
    let mut name = clean(name);
    name.retain(|c| !is_hidden(c));
    // room for the number of one of several streams of the same name
    let end = name.floor_char_boundary(STREAM_LABEL_BYTES_MAX - 16);
    name.truncate(end);
    match name.chars().all(is_blank) {
        true => String::new(),
        false => name,
    }
}

/// The same for a speaker: a colon at its end, or before a blank, ends a name.
pub(super) fn speaker(name: &str) -> String {
    let mut name = label(name);
    while name.contains(": ") {
        let parts = name.split(": ").map(str::trim);
        let parts: Vec<&str> = parts.filter(|it| !it.is_empty()).collect();
        name = parts.join(" ");
    }
    name.trim_end_matches(':').trim_end().to_owned()
}

/// A short digest of texts.
pub(super) fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    let bytes = hash.finalize();
    bytes[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
