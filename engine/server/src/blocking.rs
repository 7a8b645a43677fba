//! Work that blocks, beside the threads that serve connections.

use crate::problem::Problem;
use futures_util::stream::{self, Stream};
use tokio::sync::mpsc;
use weir_engine::pipeline::Stop;

/// Does blocking work on a thread of its own.
///
/// # Errors
/// The work's; [`Problem`] if it panicked.
pub(crate) async fn blocking<T, E>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, Problem>
where
    T: Send + 'static,
    E: Send + 'static,
    Problem: From<E>,
{
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Problem::internal("the work on the request failed; see the log"))?
        .map_err(Problem::from)
}

/// Ends work when nobody waits for it any more: the client went away.
pub(crate) struct GivenUp(pub(crate) Stop);

impl Drop for GivenUp {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// What such work sends, as a stream; it ends with the sender.
pub(crate) fn received<T>(receiver: mpsc::Receiver<T>) -> impl Stream<Item = T> {
    stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|sent| (sent, receiver))
    })
}
