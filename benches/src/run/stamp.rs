//! Inputs on which a run depends: program, options, machine, streams.

use super::plan::Plan;
use super::record::{Stamp, StreamStamp};
use crate::files::digest;
use crate::process::{build, cpu_name};
use anyhow::Result;
use jiff::Timestamp;
use serde_json::json;

/// The stamp of a run. Its digest covers the inputs that affect results, not methods and budgets,
/// so that a run can be extended with more of them.
pub(super) fn of(plan: &Plan) -> Result<Stamp> {
    let streams: Vec<StreamStamp> = plan.streams.iter().map(|(_, s)| s.clone()).collect();
    let decides = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "commit": build(),
        "streams": streams.iter().map(|s| (&s.name, &s.digest)).collect::<Vec<_>>(),
        "encoder": plan.encoder.identity().digest,
        "context_tokens": plan.context_tokens,
        "keep_contexts": plan.keep_contexts,
    });
    Ok(Stamp {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: build(),
        config_digest: digest(&serde_json::to_vec(&decides)?),
        encoder: plan.encoder.identity().name.clone(),
        context_tokens: plan.context_tokens,
        cpu: cpu_name(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        threads: plan.threads,
        started_at: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        streams,
    })
}
