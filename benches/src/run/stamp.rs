//! Inputs on which a run depends: program, options, machine, streams.

use super::plan::Plan;
use super::record::{Stamp, StreamStamp};
use crate::stream::{Stream, folder_name};
use anyhow::{Context, Result};
use jiff::Timestamp;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::path::Path;

/// Hexadecimal digits kept of a digest.
const DIGITS: usize = 16;

fn digest(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    hex[..DIGITS].to_owned()
}

pub(super) fn of_stream(stream: &Stream, file: &Path) -> Result<StreamStamp> {
    let bytes = std::fs::read(file).with_context(|| format!("{} not read", file.display()))?;
    Ok(StreamStamp {
        name: stream.name.clone(),
        corpus: folder_name(file),
        turns: stream.turns().count(),
        probes: stream.probes().count(),
        digest: digest(&bytes),
    })
}

/// The stamp of a run. Its digest covers the inputs that affect results, not methods and budgets,
/// so that a run can be extended with more of them.
pub(super) fn of_run(plan: &Plan) -> Result<Stamp> {
    let streams: Vec<StreamStamp> = plan.streams.iter().map(|(_, s)| s.clone()).collect();
    let judge = plan.judge.as_ref().map(|judge| judge.name().to_owned());
    let decides = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "commit": weir_engine::COMMIT,
        "references": references(plan),
        "streams": streams.iter().map(|s| (&s.name, &s.digest)).collect::<Vec<_>>(),
        "encoder": plan.encoder.identity().digest,
        "writer": plan.writer.name(),
        "answerer": plan.answerer.name(),
        "judge": judge,
        "context_tokens": plan.context_tokens,
    });
    Ok(Stamp {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: weir_engine::COMMIT.map(str::to_owned),
        config_digest: digest(&serde_json::to_vec(&decides)?),
        encoder: plan.encoder.identity().name.clone(),
        writer: plan.writer.name().to_owned(),
        answerer: plan.answerer.name().to_owned(),
        judge,
        context_tokens: plan.context_tokens,
        cpu: cpu(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        threads: plan.threads,
        device: plan.device.clone(),
        started_at: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        streams,
    })
}

/// Digest of the reference texts, if streams are recognised ones.
fn references(plan: &Plan) -> String {
    let mut all: Vec<(&String, &String, &String)> = Vec::new();
    for (stream, turns) in &plan.references {
        all.extend(turns.iter().map(|(id, text)| (stream, id, text)));
    }
    all.sort();
    digest(format!("{all:?}").as_bytes())
}

/// The processor's name, if known.
fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = info.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':'));
    name.map_or("unknown", |(_, name)| name.trim()).to_owned()
}
