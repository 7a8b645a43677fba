//! Text while people speak: models that hang or fail beside the feed change no utterance.

use crate::plain_memory::{finished, parts};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use weir_asr::{
    Channels, ScriptedTranscriber, Segment, Transcribe, TranscribeError, Transcript, open_file,
};
use weir_core::stream::{StreamStart, Utterance};
use weir_engine::pipeline::{
    Cancellable, CaptureLimits, Event, LiveFeed, LiveModels, LiveText, Notice, OverflowQueue,
    Pipeline, PipelineParts, Recognition, Stop,
};

/// Runs until it is cancelled.
struct Hanging(Arc<AtomicBool>);

impl Transcribe for Hanging {
    fn transcribe(&mut self, _segment: &Segment) -> Result<Transcript, TranscribeError> {
        while !self.0.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(TranscribeError::Cancelled {
            model: "hanging".to_owned(),
        })
    }

    fn name(&self) -> &str {
        "hanging"
    }
}

fn scripted() -> Box<dyn Transcribe> {
    Box::new(ScriptedTranscriber::new(4_000))
}

fn cancellable(model: impl FnOnce(Arc<AtomicBool>) -> Box<dyn Transcribe>) -> Cancellable {
    let cancel = Arc::<AtomicBool>::default();
    Cancellable {
        model: model(Arc::clone(&cancel)),
        cancel,
    }
}

#[derive(Default)]
struct Shown {
    heard: Vec<Utterance>,
    live: Vec<LiveText>,
    warnings: Vec<String>,
}

impl Shown {
    fn take(&mut self, event: Event) {
        match event {
            Event::Heard(heard) => self.heard.push(*heard),
            Event::Live(live) => self.live.push(*live),
            Event::Notice(Notice::Warning(text)) => self.warnings.push(text),
            _ => {}
        }
    }
}

/// Ten seconds of the spoken fixture in pieces of 20 ms, ten times as fast as they were said.
fn played(into: &OverflowQueue) {
    let file = weir_fixtures::spoken_dir().join("kitchen-table-1.wav");
    let mut source = open_file(&file).expect("the fixture");
    assert_eq!(source.spec().rate_hz, 16_000);
    let (mut sound, mut chunk) = (Vec::new(), Vec::new());
    while sound.len() < 160_000 && source.read(&mut chunk).expect("it reads") > 0 {
        sound.extend_from_slice(&chunk);
    }
    for piece in sound[..160_000].chunks(320) {
        into.push(piece);
        std::thread::sleep(Duration::from_millis(2));
    }
    into.close();
}

fn listened(models: Option<LiveModels>) -> Shown {
    let open = Arc::new(|path: &std::path::Path| open_file(path));
    let hearing = Recognition::new(scripted(), Channels::Mix, open).expect("legal");
    let hearing = match models {
        Some(models) => hearing.with_live_models(models).expect("legal"),
        None => hearing,
    };
    let queue = OverflowQueue::new(&std::env::temp_dir(), CaptureLimits::default());
    let start = StreamStart::new("live", None);
    let mut feed = LiveFeed::new(hearing, queue.clone(), 1, start, None).expect("legal");
    let parts = PipelineParts {
        live: feed.live_stages(),
        ..parts()
    };
    let playing = std::thread::spawn(move || played(&queue));
    let pipeline = Pipeline::start(parts, Box::new(feed), Stop::default()).expect("it starts");
    let mut shown = Shown::default();
    finished(pipeline, &mut |event| shown.take(event)).expect("it ends");
    playing.join().expect("it played");
    shown
}

#[test]
fn previews_show_words_and_change_no_utterance() {
    let alone = listened(None).heard;
    assert!(alone.len() > 1, "{alone:?}");
    let shown = listened(Some(LiveModels {
        preview: cancellable(|_| scripted()),
        early: cancellable(|_| scripted()),
    }));
    assert_eq!(shown.heard, alone);
    assert!(!shown.live.is_empty());
    assert_eq!(shown.warnings, [""; 0]);
    // what was committed of a stretch of speech stays, and is longer from one to the next
    for pair in shown.live.windows(2) {
        if pair[0].span.start_ms == pair[1].span.start_ms {
            let before = &pair[0].committed;
            assert_eq!(pair[1].committed[..before.len()], before[..]);
        }
    }
}

#[test]
fn models_that_hang_hold_nothing_back() {
    let shown = listened(Some(LiveModels {
        preview: cancellable(|cancel| Box::new(Hanging(cancel))),
        early: cancellable(|_| scripted()),
    }));
    assert_eq!(shown.heard, listened(None).heard);
    assert_eq!(shown.live, []);
}

#[test]
fn a_preview_that_fails_is_told_of_once() {
    let failing = ScriptedTranscriber::new(4_000).failing_on(1);
    let shown = listened(Some(LiveModels {
        preview: cancellable(|_| Box::new(failing)),
        early: cancellable(|_| Box::new(ScriptedTranscriber::new(4_000).failing_on(1))),
    }));
    assert_eq!(shown.heard, listened(None).heard);
    assert_eq!(shown.warnings.len(), 1, "{:?}", shown.warnings);
    assert!(
        shown.warnings[0].contains("only when somebody pauses"),
        "{:?}",
        shown.warnings
    );
}
