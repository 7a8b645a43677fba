//! Sessions, pipelines and talk without models, for the tests of feeds, threads and files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::session::{EncoderStamp, Input, Session};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_engine::pipeline::{
    AskRequest, DistilWhen, ErrorClass, Event, FeedItem, Finished, Pipeline, PipelineError,
    PipelineParts, ServiceError, SessionLog, SessionLogError, SessionService, SessionWriter,
};
use weir_models::testing::PlainReader;
use weir_models::{WordHashEncoder, WordPieceCounter};

/// An empty session with vectors of words.
pub(crate) fn session() -> Session {
    let encoder = WordHashEncoder::new();
    let config = SessionConfig {
        profile: EncoderProfile::word_hash(),
        ..SessionConfig::default()
    };
    let counter = Arc::new(WordPieceCounter::shared());
    Session::new(config, EncoderStamp::of(&encoder), counter).expect("in range")
}

/// A pipeline around it that distils and quotes without models.
pub(crate) fn parts() -> PipelineParts {
    PipelineParts::plain(
        SessionWriter::in_memory(session()),
        PlainReader::with_words(),
        Arc::new(WordPieceCounter::shared()),
    )
}

/// A service of these parts whose blocks are distilled at once.
pub(crate) fn service(parts: PipelineParts) -> SessionService {
    SessionService::start(parts, DistilWhen::AtOnce).expect("threads are to be had")
}

/// Tells the events of a run until one of its stages ends, then those to its end.
pub(crate) fn finished(
    pipeline: Pipeline,
    tell: &mut dyn FnMut(Event),
) -> Result<Finished, PipelineError> {
    let events = pipeline.events();
    let goes_on = |event: &Event| !matches!(event, Event::StageEnded(_));
    events.iter().take_while(goes_on).for_each(&mut *tell);
    drop(events);
    pipeline.finish(tell)
}

/// The class of the error.
#[track_caller]
pub(crate) fn class(done: Result<impl Sized, ServiceError>) -> ErrorClass {
    done.err().expect("it is refused").class()
}

/// A log whose disk is full after this many utterances, and how many it took.
pub(crate) struct FullDisk(pub(crate) usize, pub(crate) Arc<AtomicUsize>);

impl SessionLog for FullDisk {
    fn append(&mut self, inputs: &[Input]) -> Result<(), SessionLogError> {
        let heard = |input: &&Input| matches!(input, Input::Heard { .. });
        let more = inputs.iter().filter(heard).count();
        if self.1.load(Ordering::SeqCst) + more > self.0 {
            return Err(SessionLogError("the disk is full".into()));
        }
        self.1.fetch_add(more, Ordering::SeqCst);
        Ok(())
    }

    fn due(&self, waiting: usize, _oldest_age: Duration) -> bool {
        waiting >= 8
    }
}

/// Number `n` of a stream, said after three seconds each, by Alice and Bob in turn.
pub(crate) fn utterance(n: usize, text: String) -> Utterance {
    let start_ms = n as u64 * 3_000;
    Utterance {
        id: format!("u{n}"),
        stream: "talk".into(),
        speaker: Some(if n.is_multiple_of(2) { "Alice" } else { "Bob" }.into()),
        span: Span::new(start_ms, start_ms + 2_000),
        audio: None,
        confidence: None,
        text,
    }
}

/// A stream of utterances with these numbers and words.
pub(crate) fn talk(said: impl Iterator<Item = (usize, String)>) -> Vec<FeedItem> {
    let mut items = vec![begin()];
    items.extend(said.map(|(n, text)| FeedItem::Heard(Box::new(utterance(n, text)))));
    let stream = "talk".to_owned();
    items.push(FeedItem::End {
        stream,
        whole: None,
    });
    items
}

pub(crate) fn begin() -> FeedItem {
    FeedItem::Begin(StreamStart::new("talk", None))
}

/// A question in that stream.
pub(crate) fn asked(id: &str, text: &str) -> AskRequest {
    AskRequest {
        at: weir_core::answer::QuestionTime::default(),
        id: id.into(),
        stream: Some("talk".into()),
        text: text.into(),
        asked_by: None,
    }
}

/// All files below a folder that contain one of the words, in lower case.
pub(crate) fn files_with(folder: &Path, words: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("it lists").path();
        if path.is_dir() {
            found.extend(files_with(&path, words));
            continue;
        }
        // a socket has no bytes
        if !path.is_file() {
            continue;
        }
        let bytes = std::fs::read(&path).expect("the file exists");
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        if words.iter().any(|word| text.contains(word)) {
            found.push(path);
        }
    }
    found
}
