//! The size of a session as clients read it.

use weir_api as api;
use weir_core::session::{MemoryStats, Session};

/// The state of memory.
#[must_use]
pub fn memory(stats: &MemoryStats) -> api::MemoryResult {
    api::MemoryResult {
        tokens: stats.tokens,
        text_tokens: stats.text_tokens,
        bytes: stats.bytes,
        budget_tokens: stats.budget_tokens,
        scenes: stats.scenes,
        events: stats.events,
        amus: stats.amus,
        pending_tokens: stats.pending_tokens,
        buffer_tokens: stats.buffer_tokens,
    }
}

/// What a session holds, counted. `transcript_bytes` are those on disk; `unrecognised` is what
/// [`crate::store::unrecognised`] finds in its directory.
#[must_use]
pub fn stats(
    session: &Session,
    transcript_bytes: u64,
    unrecognised: Vec<api::Unrecognised>,
) -> api::Stats {
    let (stats, config, encoder) = (session.stats(), session.config(), session.encoder().clone());
    let held = stats.memory;
    api::Stats {
        turns: stats.turns,
        stream_ms: stats.stream_ms,
        unsorted: session.buffer().unmounted().count(),
        memory: memory(&held),
        beliefs: held.beliefs,
        facts: held.facts,
        source_tokens: held.source_tokens,
        bytes: held.bytes,
        tree: api::TreeSize {
            nodes: session.tree().len(),
            budget_nodes: config.budget_nodes,
            bytes: session.tree().held_bytes(),
            budget_bytes: config.budget_bytes,
        },
        transcript: api::TranscriptSize {
            bytes: transcript_bytes,
            limit_bytes: config.transcript_bytes,
        },
        encoder: api::Encoder {
            name: encoder.name,
            digest: encoder.digest,
            dimension: encoder.dimension,
            terms: encoder.terms,
        },
        digest: session.digest(),
        unrecognised,
    }
}
