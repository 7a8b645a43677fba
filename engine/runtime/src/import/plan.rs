//! What a session will hear of a file, and what is shown of it before.

use super::draft::{self, At, Conversation, Draft, Message, digest};
use super::format::Format;
use crate::time::{LETTER_MS, rfc3339};
use std::collections::{BTreeMap, HashMap, HashSet};
use weir_api::{
    Import, ImportLine, ImportPerson, ImportStream, LeftOut, LeftOutReason, Said, Span,
};
use weir_core::limits::STREAM_MS_MAX;
use weir_core::session::Session;
use weir_core::stream::label_number;
use weir_core::transcript::Transcript;

/// Begins the ids of imported utterances.
const ID: &str = "im-";
/// Streams and people that a preview names.
const NAMED_MAX: usize = 100;
/// Messages that a preview shows.
const LINES: usize = 3;

/// All conversations of a file.
#[derive(Debug)]
pub struct Found {
    file: String,
    format: Format,
    draft: Draft,
}

/// A conversation as a session hears it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedStream {
    /// Its name.
    pub name: String,
    /// Wall time of its beginning in Unix milliseconds, if known.
    pub started_at_unix_ms: Option<i64>,
    /// What is said, with ids and times.
    pub said: Vec<Said>,
}

/// What a session will hear of a file.
#[derive(Debug)]
pub struct Plan {
    /// The conversations, in order of time.
    pub streams: Vec<ImportedStream>,
    /// What is shown of it before.
    pub preview: Import,
}

/// The ids of what a session has from earlier imports, as far as its memory or transcript holds it.
/// Cost: one pass over the transcript.
#[must_use]
pub fn known_ids(session: &Session, transcript: &dyn Transcript) -> HashSet<String> {
    let kept = transcript.find(&|_, id, _| id.starts_with(ID)).into_iter();
    let held = session.held().into_iter().map(|(_, id)| id);
    let held = held.filter(|id| id.starts_with(ID));
    kept.map(|it| it.utterance).chain(held).collect()
}

impl Found {
    pub(super) fn of(file: &str, format: Format, draft: Draft) -> Self {
        Self {
            file: file.to_owned(),
            format,
            draft,
        }
    }

    /// What a session that knows these ids will hear; speakers get the names in `names`.
    #[must_use]
    pub fn plan(&self, names: &BTreeMap<String, String>, known: &HashSet<String>) -> Plan {
        let mut left_out = self.draft.left_out.clone();
        let (mut streams, mut taken) = (Vec::new(), HashSet::new());
        for conversation in &self.draft.conversations {
            let mut stream = stream_of(conversation, names);
            let all = stream.said.len();
            let is_known = |said: &Said| said.id.as_ref().is_some_and(|id| known.contains(id));
            stream.said.retain(|said| !is_known(said));
            if stream.said.len() < all {
                let again = (all - stream.said.len()) as u64;
                *left_out.entry(LeftOutReason::Known).or_default() += again;
            }
            if stream.said.is_empty() {
                continue;
            }
            let (plain, mut number) = (stream.name.clone(), 2);
            while !taken.insert(stream.name.clone()) {
                stream.name = format!("{plain} ({number})");
                number += 1;
            }
            streams.push(stream);
        }
        let preview = preview(&self.file, self.format, &streams, &left_out);
        Plan { streams, preview }
    }
}

/// A conversation as a stream: times from its beginning, ids of what is said.
fn stream_of(conversation: &Conversation, names: &BTreeMap<String, String>) -> ImportedStream {
    let Conversation {
        title,
        key,
        messages,
    } = conversation;
    let wall = |it: &Message| match it.at {
        At::Wall(at) => Some(at),
        _ => None,
    };
    let start = messages.iter().find_map(wall);
    let mut same = HashMap::<String, u64>::new();
    let mut end_ms = 0;
    let said = messages.iter().map(|message| {
        let span = match (message.at, start) {
            (At::Recording(span), _) => Span {
                start_ms: span.start_ms,
                end_ms: span.end_ms,
            },
            (At::Wall(at), Some(start)) => at_ms(at.saturating_sub(start), &message.text),
            _ => at_ms(i64::try_from(end_ms).unwrap_or(0), &message.text),
        };
        end_ms = span.end_ms;
        let time = match (message.at, wall(message)) {
            (_, Some(at)) => at.to_string(),
            (At::Recording(span), _) => span.start_ms.to_string(),
            _ => String::new(),
        };
        let who = message.speaker.as_deref().unwrap_or_default();
        let id = digest(&[key, &time, who, &message.text]);
        // said again at the same time
        let number = same.entry(id.clone()).or_default();
        *number += 1;
        let id = match *number {
            1 => format!("{ID}{id}"),
            number => format!("{ID}{id}-{number}"),
        };
        Said {
            text: message.text.clone(),
            speaker: speaker(message, title, names),
            id: Some(id),
            stream: None,
            span: Some(span),
        }
    });
    ImportedStream {
        said: said.collect(),
        name: title.clone(),
        started_at_unix_ms: start,
    }
}

/// A span of a written message, as long as it would be spoken.
fn at_ms(start_ms: i64, text: &str) -> Span {
    let start_ms = u64::try_from(start_ms).unwrap_or(0).min(STREAM_MS_MAX);
    let end_ms = start_ms.saturating_add(text.len() as u64 * LETTER_MS);
    Span {
        start_ms,
        end_ms: end_ms.min(STREAM_MS_MAX),
    }
}

/// Who is said to speak. "Speaker 1" of a file is not the voice that the session calls so.
fn speaker(message: &Message, title: &str, names: &BTreeMap<String, String>) -> Option<String> {
    let name = message.speaker.as_ref()?;
    let name = match names.get(name) {
        Some(name) => draft::speaker(name),
        None if label_number(name).is_some() => draft::speaker(&format!("{name} ({title})")),
        None => name.clone(),
    };
    Some(name).filter(|it| !it.is_empty())
}

fn preview(
    file: &str,
    format: Format,
    streams: &[ImportedStream],
    left_out: &BTreeMap<LeftOutReason, u64>,
) -> Import {
    let new = streams.iter().map(|it| it.said.len() as u64).sum::<u64>();
    let all = || {
        let each = streams.iter().map(|it| (it.started_at_unix_ms, &it.said));
        each.flat_map(|(start, said)| said.iter().map(move |it| (at(start, it), it)))
    };
    let times = || all().filter_map(|(at, _)| at);
    let left = left_out.iter();
    let left = left.map(|(&reason, &count)| LeftOut { reason, count });
    let line = |(at, said): (Option<i64>, &Said)| ImportLine {
        speaker: said.speaker.clone(),
        text: said.text.clone(),
        said_at: at.and_then(rfc3339),
    };
    Import {
        file: file.to_owned(),
        format: format.to_string(),
        messages: new + left_out.values().sum::<u64>(),
        new,
        left_out: left.collect(),
        conversations: streams.len() as u64,
        streams: streams.iter().take(NAMED_MAX).map(listed).collect(),
        people: people(all().map(|(_, said)| said)),
        first_at: times().min().and_then(rfc3339),
        last_at: times().max().and_then(rfc3339),
        lines: all().take(LINES).map(line).collect(),
        imported: None,
    }
}

/// Wall time of what is said in a stream that began then.
fn at(start: Option<i64>, said: &Said) -> Option<i64> {
    let ms = said.span.and_then(|it| i64::try_from(it.start_ms).ok())?;
    start?.checked_add(ms)
}

/// Who speaks, and how often.
fn people<'a>(said: impl Iterator<Item = &'a Said>) -> Vec<ImportPerson> {
    let mut people = HashMap::<Option<&str>, u64>::new();
    said.for_each(|it| *people.entry(it.speaker.as_deref()).or_default() += 1);
    let mut people: Vec<_> = people.into_iter().collect();
    people.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    let named = people.into_iter().take(NAMED_MAX);
    let person = |(name, messages): (Option<&str>, u64)| ImportPerson {
        name: name.map(str::to_owned),
        messages,
    };
    named.map(person).collect()
}

fn listed(stream: &ImportedStream) -> ImportStream {
    ImportStream {
        name: stream.name.clone(),
        started_at: stream.started_at_unix_ms.and_then(rfc3339),
        messages: stream.said.len() as u64,
    }
}
