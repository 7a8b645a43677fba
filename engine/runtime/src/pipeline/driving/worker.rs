//! A named thread that is always joined, and whose panic becomes an error.
//!
//! Nothing else in the engine starts a thread; models, endpoints and microphones manage theirs in
//! their own crates. A worker owns its data. It reports its end through [`OnEnd`], which also runs
//! on a panic. Invariant: no worker outlives its owner.

use crate::pipeline::error::PipelineError;
use std::thread::JoinHandle;

/// A running worker.
#[derive(Debug)]
pub struct Worker<T> {
    stage: &'static str,
    handle: Option<JoinHandle<Result<T, PipelineError>>>,
}

impl<T: Send + 'static> Worker<T> {
    /// Starts a thread named `weir-{stage}`.
    ///
    /// # Errors
    /// [`PipelineError::Spawn`] when the system cannot start a thread.
    pub fn spawn<F>(stage: &'static str, work: F) -> Result<Self, PipelineError>
    where
        F: FnOnce() -> Result<T, PipelineError> + Send + 'static,
    {
        let handle = std::thread::Builder::new()
            .name(format!("weir-{stage}"))
            .spawn(work)
            .map_err(|source| PipelineError::Spawn { stage, source })?;
        Ok(Self {
            stage,
            handle: Some(handle),
        })
    }

    /// Whether it has ended, so that [`Self::join`] does not wait.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.handle.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits for the end and returns the result.
    ///
    /// # Errors
    /// The worker's error, or [`PipelineError::Panicked`].
    pub fn join(mut self) -> Result<T, PipelineError> {
        match self.handle.take() {
            Some(handle) => finish(self.stage, handle),
            None => Err(PipelineError::Gone { stage: self.stage }),
        }
    }
}

fn finish<T>(
    stage: &'static str,
    handle: JoinHandle<Result<T, PipelineError>>,
) -> Result<T, PipelineError> {
    handle.join().unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned());
        Err(PipelineError::Panicked { stage, message })
    })
}

impl<T> Drop for Worker<T> {
    /// Joins; the owner must have told the worker to stop before.
    fn drop(&mut self) {
        if self
            .handle
            .take()
            .is_some_and(|handle| handle.join().is_err())
        {
            log::error!("stage {} panicked while it was stopped", self.stage);
        }
    }
}

/// Runs a closure when it goes out of scope, on return and on panic.
pub(crate) struct OnEnd<F: FnMut()>(pub(crate) F);

impl<F: FnMut()> Drop for OnEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn a_panic_becomes_an_error_that_names_the_stage() {
        let worker: Worker<()> =
            Worker::spawn("fragile", || panic!("out of cheese")).expect("threads can start");
        let text = worker.join().expect_err("it panicked").to_string();
        assert!(
            text.contains("fragile") && text.contains("out of cheese"),
            "{text}"
        );
    }

    #[test]
    fn dropping_a_worker_waits_for_it() {
        let done = Arc::new(AtomicBool::new(false));
        let (go, wait) = crossbeam_channel::bounded::<()>(0);
        let seen = Arc::clone(&done);
        let worker = Worker::spawn("slow", move || {
            let _ = wait.recv();
            seen.store(true, Ordering::SeqCst);
            Ok(())
        });
        drop(go);
        drop(worker);
        assert!(done.load(Ordering::SeqCst));
    }

    #[test]
    fn the_end_is_told_even_when_unwinding() {
        let told = Arc::new(AtomicBool::new(false));
        let inner = Arc::clone(&told);
        let worker: Worker<()> = Worker::spawn("fragile", move || {
            let _end = OnEnd(|| inner.store(true, Ordering::SeqCst));
            panic!("gone")
        })
        .expect("threads can start");
        assert!(worker.join().is_err());
        assert!(told.load(Ordering::SeqCst));
    }
}
