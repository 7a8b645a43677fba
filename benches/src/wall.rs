//! Wall time along a stream: it counts on from the header and from each break.

use crate::stream::{Item, Stream};

/// The items of a stream, each with the wall time in Unix milliseconds at which it begins; `None`
/// where that is unknown, and for what is no turn.
pub(crate) fn along(stream: &Stream) -> impl Iterator<Item = (Option<i64>, &Item)> {
    // stream time and the wall time of it
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
