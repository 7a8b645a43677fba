//! Writes the readers' view of a session on a thread of its own, so that nobody who hears or
//! changes waits for a whole image.
//!
//! Only the newest state is written: one that comes while another is being written replaces the one
//! that waits. Invariant: after [`Publisher::idle`] no write is going on and none waits.

use crate::pipeline::driving::worker::Worker;
use crate::pipeline::error::PipelineError;
use crate::store::{StoreError, ViewWriter};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use weir_core::session::Session;

#[derive(Default)]
struct State {
    /// The state to write next, and the number of its last input.
    next: Option<(u64, Session)>,
    is_writing: bool,
    is_ending: bool,
    failed: Option<StoreError>,
}

type Shared = Arc<(Mutex<State>, Condvar)>;

/// Writes views until it is dropped.
pub(crate) struct Publisher {
    shared: Shared,
    /// Dropping it joins it.
    worker: Option<Worker<()>>,
}

impl Publisher {
    pub(crate) fn start(view: ViewWriter) -> Result<Self, PipelineError> {
        let shared = Shared::default();
        let mailbox = Arc::clone(&shared);
        let worker = Worker::spawn("publish", move || {
            write_all(&mailbox, &view);
            Ok(())
        })?;
        Ok(Self {
            shared,
            worker: Some(worker),
        })
    }

    /// Has a state written, of which `seq` is the last input.
    ///
    /// # Errors
    /// The last write failed; this one is tried anyway.
    pub(crate) fn put(&self, seq: u64, session: Session) -> Result<(), StoreError> {
        let (state, changed) = &*self.shared;
        let mut state = state.lock();
        state.next = Some((seq, session));
        changed.notify_all();
        state.failed.take().map_or(Ok(()), Err)
    }

    /// Drops the waiting image, and waits until the one being written is done.
    pub(crate) fn idle(&self) {
        let (state, changed) = &*self.shared;
        let mut state = state.lock();
        state.next = None;
        while state.is_writing {
            changed.wait(&mut state);
        }
    }
}

fn write_all(shared: &Shared, view: &ViewWriter) {
    let (state, changed) = &**shared;
    let mut state = state.lock();
    loop {
        if let Some((seq, session)) = state.next.take() {
            state.is_writing = true;
            let done = parking_lot::MutexGuard::unlocked(&mut state, || {
                view.write(seq, &session.to_image())
            });
            state.is_writing = false;
            state.failed = done.err();
            changed.notify_all();
        } else if state.is_ending {
            return;
        } else {
            changed.wait(&mut state);
        }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        let (state, changed) = &*self.shared;
        state.lock().is_ending = true;
        changed.notify_all();
        self.worker = None;
    }
}
