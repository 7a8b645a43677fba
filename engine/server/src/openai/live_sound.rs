//! Live sound of one connection, and the events of its stream.

use crate::rest::{Hearing, of_stream};
use crate::sessions::{OpenSession, Temporary};
use crossbeam_channel::Sender;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use weir_api::Event;
use weir_engine::pipeline::Subscription;

/// How often it is looked whether the sound has ended.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Live sound that is heard.
pub(super) struct LiveSound {
    /// Bytes that were sent.
    pub(super) sent: u64,
    /// Where samples go.
    pub(super) pieces: Sender<Vec<u8>>,
    pub(super) events: mpsc::Receiver<Event>,
    pub(super) hearing: Hearing,
    /// Set when all of it was heard.
    pub(super) ended: Arc<AtomicBool>,
    /// The session that hears it, if the client named none.
    pub(super) temporary: Option<Temporary>,
}

/// Passes the events of one stream on.
pub(super) struct Following {
    pub(super) stream: String,
    pub(super) session: Arc<OpenSession>,
    pub(super) ended: Arc<AtomicBool>,
}

impl Following {
    /// Passes them on until the sound, or its session, has ended. Blocks.
    pub(super) fn follow(self, news: &Subscription, told: &mpsc::Sender<Event>) {
        while !told.is_closed() {
            // what was told before the end is here already
            let ended = self.ended.load(Ordering::Acquire) || self.session.is_ending();
            match news.next_within(LOOK_EVERY) {
                None if ended => return,
                None => {}
                Some(event) => {
                    for event in of_stream(&event, &self.stream) {
                        if told.blocking_send(event).is_err() {
                            return;
                        }
                    }
                }
            }
        }
    }
}
