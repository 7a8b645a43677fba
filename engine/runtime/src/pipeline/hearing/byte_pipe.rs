//! Bytes of a client, such as raw PCM from a socket, for a source of audio that reads them.

use crate::pipeline::driving::stop::Stop;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use std::io::{self, Read};
use std::time::Duration;

/// How often a reader that waits looks whether it is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The reader's end. It ends when the senders are gone, or at its stop.
pub struct BytePipe {
    pieces: Receiver<Vec<u8>>,
    stop: Stop,
    piece: Vec<u8>,
    /// How much of it was read.
    read: usize,
}

impl BytePipe {
    /// A pipe in which so many pieces wait; the sender waits while it is full.
    #[must_use]
    pub fn new(pieces_max: usize, stop: Stop) -> (Sender<Vec<u8>>, Self) {
        let (sender, pieces) = crossbeam_channel::bounded(pieces_max);
        let pipe = Self {
            pieces,
            stop,
            piece: Vec::new(),
            read: 0,
        };
        (sender, pipe)
    }
}

impl Read for BytePipe {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len() {
            match self.pieces.recv_timeout(LOOK_EVERY) {
                Ok(piece) => (self.piece, self.read) = (piece, 0),
                Err(RecvTimeoutError::Timeout) if !self.stop.is_set() => {}
                Err(_) => return Ok(0),
            }
        }
        let count = (&self.piece[self.read..]).read(out)?;
        self.read += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_was_sent_is_read_and_a_stop_ends_it() {
        let stop = Stop::default();
        let (sender, mut pipe) = BytePipe::new(4, stop.clone());
        for piece in [&b"ab"[..], b"", b"cde"] {
            sender.send(piece.to_vec()).expect("there is room");
        }
        let mut read = [0; 5];
        pipe.read_exact(&mut read).expect("it is there");
        assert_eq!(&read, b"abcde");
        stop.set();
        assert_eq!(pipe.read(&mut read).expect("it ends"), 0);
        let (sender, mut pipe) = BytePipe::new(4, Stop::default());
        sender.send(b"end".to_vec()).expect("there is room");
        drop(sender);
        let mut all = Vec::new();
        pipe.read_to_end(&mut all).expect("it ends");
        assert_eq!(all, b"end");
    }
}
