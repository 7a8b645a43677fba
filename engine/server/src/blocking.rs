//! Work that blocks, beside the threads that serve connections.

use crate::problem::Problem;

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
