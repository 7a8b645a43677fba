//! A recogniser that a test holds back.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use weir_asr::{
    Channels, ScriptedTranscriber, Segment, Transcribe, TranscribeError, Transcript, open_file,
};
use weir_engine::pipeline::{Cancellable, Recognition};

/// A scripted model that recognises so many windows more, and then waits until it is cancelled.
struct Gated {
    model: ScriptedTranscriber,
    free: Arc<AtomicU64>,
    cancel: Arc<AtomicBool>,
}

impl Transcribe for Gated {
    fn transcribe(&mut self, segment: &Segment) -> Result<Transcript, TranscribeError> {
        while self.free.load(Ordering::SeqCst) == 0 {
            if self.cancel.load(Ordering::SeqCst) {
                let model = self.name().to_owned();
                return Err(TranscribeError::Cancelled { model });
            }
            thread::sleep(Duration::from_millis(1));
        }
        self.free.fetch_sub(1, Ordering::SeqCst);
        self.model.transcribe(segment)
    }

    fn name(&self) -> &str {
        "gated"
    }
}

/// A [`Gated`] model and the flag that cancels it; `free` counts the windows that it may recognise.
pub(crate) fn gated(free: &Arc<AtomicU64>) -> Cancellable {
    let cancel: Arc<AtomicBool> = Arc::default();
    let model = Box::new(Gated {
        model: ScriptedTranscriber::new(4_000),
        free: Arc::clone(free),
        cancel: Arc::clone(&cancel),
    });
    Cancellable { model, cancel }
}

/// A recogniser with a [`Gated`] model, which an interrupt cancels.
pub(crate) fn recognition(free: &Arc<AtomicU64>) -> Recognition {
    let open = Arc::new(|path: &Path| open_file(path));
    let Cancellable { model, cancel } = gated(free);
    let hearing = Recognition::new(model, Channels::Mix, open);
    hearing.expect("legal").cancelled_by(cancel)
}
