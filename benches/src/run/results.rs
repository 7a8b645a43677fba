//! The files of a run: a stamp, and one file for each job, written whole.

use super::plan::Plan;
use super::record::{Job, JobKey, JobRow, Stamp, StreamStamp};
use crate::convert::file_name;
use crate::files::{digest, json, text, write_whole};
use crate::process::{build, cpu_name};
use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use weir_models::Generate;

/// Name of the folder of jobs below the run's.
pub(crate) const FOLDER: &str = "jobs";
/// File name suffix of results.
pub(crate) const ENDING: &str = ".results.jsonl";

/// The last line of a file.
#[derive(Serialize, Deserialize)]
struct Last {
    summary: JobRow,
}

/// The stamp of a run. Its digest covers the inputs that affect results, not methods and budgets,
/// so that a run can be extended with more of them.
pub(super) fn stamp(plan: &Plan) -> Result<Stamp> {
    let streams: Vec<StreamStamp> = plan.streams.iter().map(|(_, s)| s.clone()).collect();
    let decides = serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"),
        "commit": build(),
        "streams": streams.iter().map(|s| (&s.name, &s.digest)).collect::<Vec<_>>(),
        "encoder": plan.encoder.identity().digest,
        "context_tokens": plan.context_tokens,
        "writer": plan.writer.as_ref().map(|it| it.name().to_owned()),
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

/// Makes the folder of a run, or goes on in one with the same inputs.
pub(super) fn open(out: &Path, stamp: &Stamp) -> Result<()> {
    let path = out.join("stamp.json");
    if path.exists() {
        let old: Stamp = json(&path, "the stamp of a run")?;
        ensure!(
            old.config_digest == stamp.config_digest,
            "{} was made with other streams, encoder, context or writer, or by another build; give \
             another --out, or delete it",
            out.display()
        );
        return Ok(());
    }
    write_whole(&path, |file| {
        Ok(writeln!(file, "{}", serde_json::to_string(stamp)?)?)
    })
}

/// The file of a job.
pub(super) fn path(out: &Path, key: &JobKey) -> PathBuf {
    let budget = key.budget_tokens.map_or("none".into(), |it| it.to_string());
    let setup = file_name(&format!("{}-{budget}", key.method));
    let folder = out.join(FOLDER).join(setup);
    folder.join(format!("{}{ENDING}", file_name(&key.stream)))
}

/// Writes a job's file.
pub(super) fn write(path: &Path, job: &Job) -> Result<()> {
    write_whole(path, |out| {
        for row in &job.probes {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
        let summary = job.row.clone();
        writeln!(out, "{}", serde_json::to_string(&Last { summary })?)?;
        Ok(())
    })
}

/// The job of a file; `None` if there is none, or if it failed: a job may fail for lack of time.
pub(super) fn done(path: &Path) -> Result<Option<Job>> {
    if !path.exists() {
        return Ok(None);
    }
    let read = || -> Result<Job> {
        let text = text(path)?;
        let mut lines = text.lines();
        let Last { summary: row } = serde_json::from_str(lines.next_back().unwrap_or_default())?;
        let probes: Result<_> = lines.map(|line| Ok(serde_json::from_str(line)?)).collect();
        Ok(Job {
            row,
            probes: probes?,
        })
    };
    let wrong = || format!("{} is no file of a job; delete it", path.display());
    Ok(Some(read().with_context(wrong)?).filter(|job| job.row.failed.is_none()))
}
