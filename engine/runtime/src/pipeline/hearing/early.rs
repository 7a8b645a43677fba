//! Recognises a window before its pause has ended it: a thread beside the feed.
//!
//! The last sample of a window is known before the pause is long enough to end it. A second
//! instance of the model recognises it meanwhile, with the same settings, so its words are those
//! that the feed would get, and the feed only fetches them. Invariant: the feed waits only for a
//! run on the very window that it needs next.

use crate::pipeline::driving::worker::OnEnd;
use crate::pipeline::error::PipelineError;
use crate::pipeline::service::ask::micros;
use crate::pipeline::service::messages::StageEnd;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;
use weir_asr::{LanguageGuess, Recogniser, Segment, Transcribe, TranscribeError, Transcript};

/// A model whose runs can be ended early.
pub struct Cancellable {
    /// The model.
    pub model: Box<dyn Transcribe>,
    /// Ends a run while it is set.
    pub cancel: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    waiting: Option<Segment>,
    running: Option<Segment>,
    done: Option<(Segment, Transcript)>,
    closed: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Ends the run that goes on; each new run clears it.
    cancel: Arc<AtomicBool>,
    /// Set by an interrupt: each run ends at once, also a new one.
    interrupted: Arc<AtomicBool>,
    worked_us: AtomicU64,
}

/// Runs a model, and adds the time that it takes.
fn timed<T>(worked_us: &AtomicU64, run: impl FnOnce() -> T) -> T {
    let since = Instant::now();
    let done = run();
    worked_us.fetch_add(micros(since.elapsed()), Ordering::Relaxed);
    done
}

/// Where segments wait for the thread, and their words for the feed; clones share it.
#[derive(Clone)]
pub(crate) struct EarlyDesk(Arc<Shared>);

impl EarlyDesk {
    fn new(cancel: Arc<AtomicBool>) -> Self {
        Self(Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            cancel,
            interrupted: Arc::default(),
            worked_us: AtomicU64::new(0),
        }))
    }

    /// Asks for a segment; replaces the one that waits.
    fn put(&self, segment: Segment) {
        let mut state = self.0.state.lock();
        if state.running.is_some() {
            self.0.cancel.store(true, Ordering::Relaxed);
        }
        state.waiting = Some(segment);
        self.0.changed.notify_all();
    }

    /// Withdraws a segment in which somebody went on speaking.
    fn withdraw(&self, goes_on: impl Fn(&Segment) -> bool) {
        let mut state = self.0.state.lock();
        state.waiting = state.waiting.take().filter(|segment| !goes_on(segment));
        if state.running.as_ref().is_some_and(goes_on) {
            self.0.cancel.store(true, Ordering::Relaxed);
        }
    }

    /// The words of a segment that was recognised early, or is being recognised.
    fn fetch(&self, segment: &Segment) -> Option<Transcript> {
        let mut state = self.0.state.lock();
        // the caller is as fast as the thread
        state.waiting = None;
        while let Some(running) = &state.running {
            if !is_same(running, segment) {
                self.0.cancel.store(true, Ordering::Relaxed);
                return None;
            }
            self.0.changed.wait(&mut state);
        }
        let done = state
            .done
            .take()
            .filter(|(known, _)| is_same(known, segment));
        done.map(|(_, transcript)| transcript)
    }

    /// Waits for a segment; `None` when the feed has ended.
    fn next(&self) -> Option<Segment> {
        let mut state = self.0.state.lock();
        while !state.closed {
            if let Some(segment) = state.waiting.take() {
                state.running = Some(segment.clone());
                self.0.cancel.store(false, Ordering::SeqCst);
                if self.0.interrupted.load(Ordering::SeqCst) {
                    self.0.cancel.store(true, Ordering::SeqCst);
                }
                return Some(segment);
            }
            self.0.changed.wait(&mut state);
        }
        None
    }

    /// Keeps the words of a segment; `None` for a run that was cancelled or failed.
    fn done(&self, segment: Segment, transcript: Option<Transcript>) {
        let mut state = self.0.state.lock();
        state.running = None;
        state.done = transcript.map(|transcript| (segment, transcript));
        self.0.changed.notify_all();
    }

    /// Ends the waits of the feed: nobody recognises any more.
    fn leave(&self) {
        self.0.state.lock().running = None;
        self.0.changed.notify_all();
    }

    fn close(&self) {
        self.0.state.lock().closed = true;
        self.0.cancel.store(true, Ordering::Relaxed);
        self.0.changed.notify_all();
    }
}

/// Whether a model would say the same.
fn is_same(a: &Segment, b: &Segment) -> bool {
    a.span == b.span && a.channel == b.channel && a.language == b.language && a.samples == b.samples
}

/// The feed's end.
pub(crate) struct Early {
    desk: EarlyDesk,
    /// Until a pipeline takes it.
    stage: Option<EarlyStage>,
    /// The last window: channel, start and length.
    last: (u16, u64, u64),
}

impl Early {
    /// Recognises early with another instance of the feed's model, of the same settings.
    pub(crate) fn new(other: Cancellable) -> Self {
        let desk = EarlyDesk::new(other.cancel);
        Self {
            stage: Some(EarlyStage {
                desk: desk.clone(),
                model: other.model,
            }),
            desk,
            last: (0, 0, 0),
        }
    }

    /// The flags that end the run for which the feed may wait, and later ones; to be set in this
    /// order.
    pub(crate) fn cancels(&self) -> [Arc<AtomicBool>; 2] {
        [&self.desk.0.interrupted, &self.desk.0.cancel].map(Arc::clone)
    }

    pub(crate) fn desk(&self) -> EarlyDesk {
        self.desk.clone()
    }

    /// The stage that recognises; `None` the second time.
    pub(crate) fn stage(&mut self) -> Option<EarlyStage> {
        self.stage.take()
    }

    /// Asks for the next window of a source while nobody speaks, once, and withdraws it when
    /// somebody goes on. Where segments keep less silence than ends them, one is known whole before
    /// its end.
    pub(crate) fn offer(&mut self, source: &Recogniser) {
        if self.stage.is_some() {
            return; // nobody recognises
        }
        let mut open = source.listener().open_speech();
        let forming = match (open.next(), open.next()) {
            (None, _) => source.forming(),
            (Some(open), None) if source.waiting().next().is_none() => {
                open.closing().map(|closing| Segment {
                    language: source.language(),
                    ..closing
                })
            }
            _ => None,
        };
        let known = |segment: &Segment| forming.as_ref().is_some_and(|it| is_same(it, segment));
        self.desk.withdraw(|segment| !known(segment));
        let Some(segment) = forming else {
            return;
        };
        let start = source.forming_start().unwrap_or(segment.span.start);
        let window = (segment.channel, start, segment.span.len());
        if window != self.last {
            self.last = window;
            self.desk.put(segment);
        }
    }
}

impl Drop for Early {
    fn drop(&mut self) {
        self.desk.close();
    }
}

/// The thread's end. It ends with its feed.
pub(crate) struct EarlyStage {
    desk: EarlyDesk,
    model: Box<dyn Transcribe>,
}

impl EarlyStage {
    pub(crate) fn run(mut self) -> Result<StageEnd, PipelineError> {
        let desk = self.desk.clone();
        let _left = OnEnd(|| desk.leave());
        while let Some(segment) = self.desk.next() {
            // after an error the feed recognises it itself, and reports
            let transcript = timed(&self.desk.0.worked_us, || self.model.transcribe(&segment));
            let transcript = transcript.ok();
            self.desk.done(segment, transcript);
        }
        Ok(StageEnd::Nothing)
    }
}

/// A model whose segments may have been recognised early.
pub(crate) struct EarlyTranscriber {
    pub(crate) model: Box<dyn Transcribe>,
    pub(crate) desk: Option<EarlyDesk>,
    worked_us: AtomicU64,
}

impl EarlyTranscriber {
    pub(crate) fn new(model: Box<dyn Transcribe>) -> Self {
        Self {
            model,
            desk: None,
            worked_us: AtomicU64::new(0),
        }
    }

    /// How long both instances of the model have worked, in milliseconds.
    pub(crate) fn worked_ms(&self) -> u64 {
        let early = self.desk.as_ref().map(|desk| &desk.0.worked_us);
        let all = early.into_iter().chain([&self.worked_us]);
        all.map(|us| us.load(Ordering::Relaxed)).sum::<u64>() / 1_000
    }
}

impl Transcribe for EarlyTranscriber {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        let early = self.desk.as_ref().and_then(|desk| desk.fetch(segment));
        let worked_us = &self.worked_us;
        early.map_or_else(|| timed(worked_us, || self.model.transcribe(segment)), Ok)
    }

    fn find_language(
        &mut self,
        segments: &[Segment],
    ) -> Result<Option<LanguageGuess>, TranscribeError> {
        self.model.find_language(segments)
    }

    fn assumes_language(&self) -> bool {
        self.model.assumes_language()
    }

    fn name(&self) -> &str {
        self.model.name()
    }

    fn max_segment_ms(&self) -> u32 {
        self.model.max_segment_ms()
    }

    fn max_window_ms(&self) -> Option<u32> {
        self.model.max_window_ms()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_asr::{SampleSpan, ScriptedTranscriber};

    fn segment(start_ms: u64, end_ms: u64) -> Segment {
        let span = SampleSpan::from_ms(start_ms, end_ms);
        Segment {
            span,
            channel: 0,
            samples: vec![0.1; span.len() as usize],
            voice: 1.0,
            tail: 0,
            language: None,
        }
    }

    /// The feed's model: a word every 100 ms.
    fn transcriber(desk: &EarlyDesk) -> EarlyTranscriber {
        EarlyTranscriber {
            desk: Some(desk.clone()),
            ..EarlyTranscriber::new(Box::new(ScriptedTranscriber::new(1_600)))
        }
    }

    fn words(feed: &mut EarlyTranscriber, segment: &Segment) -> usize {
        feed.transcribe(segment).expect("it runs").words.len()
    }

    #[test]
    fn a_segment_that_is_being_recognised_is_waited_for() {
        let desk = EarlyDesk::new(Arc::default());
        desk.put(segment(0, 1_000));
        let early = desk.next().expect("a segment waits");
        let mut feed = transcriber(&desk);
        let waiting = std::thread::spawn(move || words(&mut feed, &segment(0, 1_000)));
        desk.done(early, Some(Transcript::default()));
        assert_eq!(waiting.join().expect("it ends"), 0, "the early words");
        assert_eq!(
            words(&mut transcriber(&desk), &segment(0, 1_000)),
            10,
            "they are taken once"
        );
    }

    #[test]
    fn another_segment_cancels_the_run_and_is_recognised_by_the_feed() {
        let cancel = Arc::<AtomicBool>::default();
        let desk = EarlyDesk::new(Arc::clone(&cancel));
        let mut feed = transcriber(&desk);
        desk.put(segment(0, 1_000));
        let early = desk.next().expect("a segment waits");
        assert_eq!(words(&mut feed, &segment(0, 1_200)), 12);
        assert!(cancel.load(Ordering::Relaxed));
        desk.done(early, None);
        assert_eq!(
            words(&mut feed, &segment(0, 1_000)),
            10,
            "a cancelled run leaves nothing"
        );
    }

    /// Tells that it runs, then panics.
    struct Panicking(crossbeam_channel::Sender<()>);

    impl Transcribe for Panicking {
        fn transcribe(&mut self, _: &Segment) -> Result<Transcript, TranscribeError> {
            self.0.send(()).expect("the test waits");
            panic!("this segment is too much");
        }

        fn name(&self) -> &str {
            "panicking"
        }
    }

    #[test]
    fn a_run_that_panics_does_not_hold_the_feed_back() {
        let (running, runs) = crossbeam_channel::bounded(0);
        let mut early = Early::new(Cancellable {
            model: Box::new(Panicking(running)),
            cancel: Arc::default(),
        });
        let (desk, stage) = (early.desk(), early.stage().expect("the first time"));
        desk.put(segment(0, 1_000));
        let panicked = std::thread::spawn(move || stage.run().is_ok());
        runs.recv().expect("it runs");
        assert_eq!(words(&mut transcriber(&desk), &segment(0, 1_000)), 10);
        assert!(panicked.join().is_err());
    }

    #[test]
    fn a_segment_in_which_somebody_went_on_is_withdrawn() {
        let cancel = Arc::<AtomicBool>::default();
        let desk = EarlyDesk::new(Arc::clone(&cancel));
        desk.put(segment(0, 1_000));
        desk.withdraw(|_| false);
        assert!(desk.next().is_some());
        desk.withdraw(|_| true);
        assert!(cancel.load(Ordering::Relaxed));
        desk.put(segment(0, 2_000));
        desk.withdraw(|segment| segment.span.end_ms() == 2_000);
        desk.close();
        assert!(desk.next().is_none());
    }
}
