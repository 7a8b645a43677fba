//! Keeps an index of a large memory up to date for questions, in the background.
//!
//! A question uses the current index and never waits for a new one. If an index is due and none is
//! being built, the question starts a thread that builds one from its own snapshot.

use crate::index::Index;
use crate::pipeline::driving::worker::Worker;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_core::session::Session;

/// The current index, and the one being built.
pub(crate) struct Indexing<I> {
    current: Option<Arc<I>>,
    building: Option<Worker<Option<I>>>,
    stop: Arc<AtomicBool>,
}

impl<I> Default for Indexing<I> {
    fn default() -> Self {
        Self {
            current: None,
            building: None,
            stop: Arc::default(),
        }
    }
}

impl<I: Index> Indexing<I> {
    /// The index for a snapshot; `None` while the memory is small or the first index is being
    /// built.
    pub(crate) fn index(&mut self, session: &Arc<Session>) -> Option<Arc<I>> {
        if let Some(done) = self.building.take_if(|it| it.is_finished()) {
            match done.join() {
                Ok(Some(built)) => self.current = Some(Arc::new(built)),
                Ok(None) => {}
                Err(error) => log::warn!("no index was built: {error}"),
            }
        }
        if self.building.is_none() && I::is_due(self.current.as_deref(), session) {
            self.build(Arc::clone(session));
        }
        self.current.clone()
    }

    fn build(&mut self, session: Arc<Session>) {
        let stop = Arc::clone(&self.stop);
        let worker = Worker::spawn("index", move || {
            Ok(I::build(&session, &|| stop.load(Ordering::Relaxed)))
        });
        match worker {
            Ok(worker) => self.building = Some(worker),
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
