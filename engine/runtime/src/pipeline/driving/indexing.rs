//! Keeps an index of a large memory up to date for questions, in the background.
//!
//! A question uses the current index and never waits for a new one. If an index is due and none is
//! being built, the question starts a thread that builds one from its own snapshot.

use crate::index::Index;
use crate::pipeline::driving::worker::{OnEnd, Worker};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_core::session::Session;

/// Result of the thread that builds an index.
type Built<I> = Arc<Mutex<Option<I>>>;

/// The current index, and the one being built.
pub(crate) struct Indexing<I> {
    current: Option<Arc<I>>,
    built: Built<I>,
    building: Option<(Worker<()>, Arc<AtomicBool>)>,
    stop: Arc<AtomicBool>,
}

impl<I> Default for Indexing<I> {
    fn default() -> Self {
        Self {
            current: None,
            built: Built::default(),
            building: None,
            stop: Arc::default(),
        }
    }
}

impl<I: Index> Indexing<I> {
    /// The index for a snapshot; `None` while the memory is small or the first index is being
    /// built.
    pub(crate) fn index(&mut self, session: &Arc<Session>) -> Option<Arc<I>> {
        if let Some((_, done)) = &self.building
            && done.load(Ordering::Acquire)
        {
            self.building = None;
            let built = self.built.lock().take().map(Arc::new);
            self.current = built.or(self.current.take());
        }
        if self.building.is_none() && I::is_due(self.current.as_deref(), session) {
            self.build(Arc::clone(session));
        }
        self.current.clone()
    }

    fn build(&mut self, session: Arc<Session>) {
        let done = Arc::new(AtomicBool::new(false));
        let (built, ended) = (Arc::clone(&self.built), Arc::clone(&done));
        let stop = Arc::clone(&self.stop);
        let worker = Worker::spawn("index", move || {
            let _ended = OnEnd(|| ended.store(true, Ordering::Release));
            let index = I::build(&session, &|| stop.load(Ordering::Relaxed));
            *built.lock() = index;
            Ok(())
        });
        match worker {
            Ok(worker) => self.building = Some((worker, done)),
            // without an index, questions score everything: slower, but no less exact
            Err(error) => log::warn!("no index was built: {error}"),
        }
    }
}

impl<I> Drop for Indexing<I> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
