//! Wall time along a stream, counted from the header and from each break.

use crate::stream::{Item, Stream};

/// The items of a stream, each with its start in Unix milliseconds; `None` if unknown, and for
/// items other than turns.
pub(crate) fn along(stream: &Stream) -> impl Iterator<Item = (Option<i64>, &Item)> {
    // a stream time and its wall time
    let mut from = (0, stream.started_at_unix_ms);
    let mut end_ms = 0;
    stream.items.iter().map(move |item| {
        let at = match item {
            Item::Turn(turn) => {
                end_ms = end_ms.max(turn.span.end_ms);
                let since = turn.span.start_ms as i64 - from.0 as i64;
                from.1.map(|from| from + since)
            }
            Item::Break { started_at_unix_ms } => {
                from = (end_ms, *started_at_unix_ms);
                None
            }
            Item::Probe(_) => None,
        };
        (at, item)
    })
}
