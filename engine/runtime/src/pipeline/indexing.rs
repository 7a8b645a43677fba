//! Keeps an index of a large memory up to date for the questions, beside them.
//!
//! A question takes the index that is there and never waits for one. Where it finds that one is due
//! and none is being built, it starts a thread that builds it from the state it has itself.

use super::worker::{OnEnd, Worker};
use crate::index::VectorIndex;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_core::session::Session;

/// What the thread that builds hands over.
type Built = Arc<Mutex<Option<VectorIndex>>>;

/// The index that questions use, and the one that is being built.
#[derive(Default)]
pub(super) struct Indexing {
    current: Option<VectorIndex>,
    built: Built,
    building: Option<(Worker<()>, Arc<AtomicBool>)>,
    stop: Arc<AtomicBool>,
}

impl Indexing {
    /// The index to ask a state by; none while the memory is small or the first is being built.
    pub(super) fn index(&mut self, session: &Arc<Session>) -> Option<&VectorIndex> {
        if let Some((_, done)) = &self.building
            && done.load(Ordering::Acquire)
        {
            self.building = None;
            self.current = self.built.lock().take().or(self.current.take());
        }
        if self.building.is_none() && VectorIndex::is_due(self.current.as_ref(), session.tree()) {
            self.build(Arc::clone(session));
        }
        self.current.as_ref()
    }

    fn build(&mut self, session: Arc<Session>) {
        let done = Arc::new(AtomicBool::new(false));
        let (built, ended) = (Arc::clone(&self.built), Arc::clone(&done));
        let stop = Arc::clone(&self.stop);
        let worker = Worker::spawn("index", move || {
            let _ended = OnEnd(|| ended.store(true, Ordering::Release));
            let index = VectorIndex::build(session.tree(), &|| stop.load(Ordering::Relaxed));
            *built.lock() = index;
            Ok(())
        });
        match worker {
            Ok(worker) => self.building = Some((worker, done)),
            // everything is scored then, which is slower and no worse
            Err(error) => log::warn!("no index is built: {error}"),
        }
    }
}

impl Drop for Indexing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
