//! Subscribers to the events of a session. They never delay it: what a slow one misses is counted.

use crate::pipeline::event::Event;
use crossbeam_channel::{Receiver, Sender, TrySendError};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Events waiting for one subscriber.
pub const SUBSCRIBER_EVENTS_MAX: usize = 1_024;

struct Subscriber {
    events: Sender<Event>,
    missed: Arc<AtomicU64>,
}

/// All who listen to a session.
#[derive(Clone, Default)]
pub(crate) struct Subscribers(Arc<Mutex<Vec<Subscriber>>>);

/// The events of a session from now on.
pub struct Subscription {
    events: Receiver<Event>,
    missed: Arc<AtomicU64>,
}

impl Subscribers {
    pub(super) fn add(&self) -> Subscription {
        let (sender, events) = crossbeam_channel::bounded(SUBSCRIBER_EVENTS_MAX);
        let missed = Arc::<AtomicU64>::default();
        self.0.lock().push(Subscriber {
            events: sender,
            missed: Arc::clone(&missed),
        });
        Subscription { events, missed }
    }

    /// Passes an event on; drops those who no longer listen.
    pub(crate) fn tell(&self, event: &Event) {
        let mut all = self.0.lock();
        all.retain(|it| match it.events.try_send(event.clone()) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                it.missed.fetch_add(1, Ordering::Relaxed);
                true
            }
            Err(TrySendError::Disconnected(_)) => false,
        });
    }

    /// Ends all subscriptions.
    pub(super) fn end(&self) {
        self.0.lock().clear();
    }
}

/// Tells events to the owner of a run, if there is one, and to subscribers.
#[derive(Clone)]
pub(crate) struct Announcer {
    pub(crate) run: Option<Sender<Event>>,
    pub(crate) subscribers: Subscribers,
}

impl Announcer {
    /// Tells an event. The run's owner must read its events: a stage waits for it. Progress and
    /// live text are dropped when it lags, and one that has gone is no reason to stop.
    pub(crate) fn tell(&self, event: Event) {
        self.subscribers.tell(&event);
        let Some(run) = &self.run else { return };
        match event {
            Event::Progress(_) | Event::Live(_) => drop(run.try_send(event)),
            event => drop(run.send(event)),
        }
    }
}

impl Subscription {
    /// The next event; `None` when the session was closed, or the time is over.
    #[must_use]
    pub fn next_within(&self, limit: Duration) -> Option<Event> {
        self.events.recv_timeout(limit).ok()
    }

    /// The events until the session is closed.
    #[must_use]
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// How many events were dropped because [`SUBSCRIBER_EVENTS_MAX`] waited.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }
}
