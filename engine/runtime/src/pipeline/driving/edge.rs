//! Bounded edges between stages; the type of an edge defines what happens when it is full.
//!
//! | type | when full | used |
//! |---|---|---|
//! | [`Inner`] | the sender blocks | between stages |
//! | [`QuestionQueue`] | refuses with [`Busy`] | questions |
//! | `OverflowQueue` | writes to disk, then counts a gap | from a microphone |
//!
//! Nothing here drops anything silently: a message is delivered, refused, or counted.

use crossbeam_channel::{Receiver, Sender, TrySendError};

/// The other end is gone, so the stage ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the next stage has ended")]
pub struct Closed;

/// The queue of questions is full; ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Busy {
    /// The maximum number of questions is waiting.
    #[error("{waiting} questions are waiting already; ask again in a moment")]
    Full {
        /// Number of waiting questions.
        waiting: usize,
    },
    /// The stage that answers questions has ended.
    #[error("questions are no longer answered: the session is closing")]
    Closing,
}

/// The sending end of an edge that blocks when it is full.
#[derive(Debug)]
pub struct Inner<T>(Sender<T>);

impl<T> Clone for Inner<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Inner<T> {
    /// An edge that holds `capacity` messages.
    #[must_use]
    pub fn bounded(capacity: usize) -> (Self, Receiver<T>) {
        let (sender, receiver) = crossbeam_channel::bounded(capacity);
        (Self(sender), receiver)
    }

    /// Sends a message; blocks while the edge is full.
    ///
    /// # Errors
    /// [`Closed`] when the receiver is gone.
    pub fn send(&self, message: T) -> Result<(), Closed> {
        self.0.send(message).map_err(|_| Closed)
    }
}

/// The sending end of an edge that refuses messages when it is full.
#[derive(Debug)]
pub struct QuestionQueue<T>(Sender<T>);

impl<T> QuestionQueue<T> {
    /// A queue for `capacity` messages.
    #[must_use]
    pub fn bounded(capacity: usize) -> (Self, Receiver<T>) {
        let (sender, receiver) = crossbeam_channel::bounded(capacity);
        (Self(sender), receiver)
    }

    /// Sends a message or returns an error; never blocks.
    ///
    /// # Errors
    /// [`Busy`].
    pub fn try_send(&self, message: T) -> Result<(), Busy> {
        self.0.try_send(message).map_err(|refused| match refused {
            TrySendError::Full(_) => Busy::Full {
                waiting: self.0.len(),
            },
            TrySendError::Disconnected(_) => Busy::Closing,
        })
    }

    /// Sends a message, or gives it back; never blocks.
    pub(crate) fn offer(&self, message: T) -> Result<(), TrySendError<T>> {
        self.0.try_send(message)
    }

    /// Sends a message that must not be lost and blocks while the queue is full.
    ///
    /// # Errors
    /// [`Closed`] when the receiver is gone.
    pub fn wait(&self, message: T) -> Result<(), Closed> {
        self.0.send(message).map_err(|_| Closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_door_says_how_many_wait() {
        let (door, inside) = QuestionQueue::bounded(2);
        assert_eq!(door.try_send(1), Ok(()));
        assert_eq!(door.try_send(2), Ok(()));
        assert_eq!(door.try_send(3), Err(Busy::Full { waiting: 2 }));
        assert_eq!(inside.recv(), Ok(1));
        assert_eq!(door.try_send(3), Ok(()));
        drop(inside);
        assert_eq!(door.try_send(4), Err(Busy::Closing));
    }

    #[test]
    fn an_inner_edge_says_when_its_reader_is_gone() {
        let (edge, reader) = Inner::bounded(1);
        assert_eq!(edge.send(1), Ok(()));
        drop(reader);
        assert_eq!(edge.send(2), Err(Closed));
    }
}
