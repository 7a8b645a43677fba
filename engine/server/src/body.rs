//! Bodies of requests: they come at a least pace, and a response tells whether one was left unread.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// Time in which a body may come as slowly as it likes.
const GRACE: Duration = Duration::from_secs(30);
/// Bytes a second, on average, after that: half of what speech takes as Opus at 32 kbit/s.
const PACE_MIN: u64 = 2_048;

/// Whether a body was read to its end.
#[derive(Clone, Default)]
pub(crate) struct ReadToEnd(Arc<AtomicBool>);

impl ReadToEnd {
    /// Whether it was, so far.
    pub(crate) fn is_so(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A body that comes at a least pace. A time limit for each piece is set elsewhere, so that the
/// pace is looked at often enough.
struct Paced {
    body: Body,
    began: Instant,
    bytes: u64,
    ended: ReadToEnd,
}

/// The body with its pace watched.
pub(crate) fn paced(body: Body) -> (Body, ReadToEnd) {
    let ended = ReadToEnd::default();
    let paced = Paced {
        body,
        began: Instant::now(),
        bytes: 0,
        ended: ended.clone(),
    };
    paced.note_end();
    (Body::new(paced), ended)
}

/// Whether so many bytes in this time are too few.
fn is_slow(bytes: u64, took: Duration) -> bool {
    let expected = took.saturating_sub(GRACE).as_secs() * PACE_MIN;
    bytes < expected
}

impl Paced {
    fn note_end(&self) {
        if self.body.is_end_stream() {
            self.ended.0.store(true, Ordering::Release);
        }
    }
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Ready(None) => self.ended.0.store(true, Ordering::Release),
            Poll::Ready(Some(Ok(frame))) => {
                self.bytes += frame.data_ref().map_or(0, |it| it.len() as u64);
                self.note_end();
                if is_slow(self.bytes, self.began.elapsed()) {
                    let why = format!(
                        "the body comes at less than {PACE_MIN} bytes a second; send it faster, or \
                         in parts"
                    );
                    return Poll::Ready(Some(Err(axum::Error::new(why))));
                }
            }
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_may_begin_slowly_and_must_go_on() {
        let seconds = Duration::from_secs;
        assert!(!is_slow(0, seconds(30)));
        assert!(is_slow(2_047, seconds(31)));
        assert!(!is_slow(2_048, seconds(31)));
        assert!(is_slow(16 << 20, seconds(30 + 8_193)));
        assert!(!is_slow(16 << 20, seconds(30 + 8_192)));
    }

    #[tokio::test]
    async fn a_body_that_was_read_is_known() {
        let (empty, ended) = paced(Body::empty());
        assert!(ended.is_so());
        drop(empty);
        let (body, ended) = paced(Body::from("words"));
        assert!(!ended.is_so());
        let read = axum::body::to_bytes(body, 10).await.expect("it is short");
        assert_eq!(&read[..], b"words");
        assert!(ended.is_so());
    }
}
