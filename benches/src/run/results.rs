//! The files of a run: a stamp, and one file for each job, written whole.

use super::record::{Job, JobKey, JobRow, ProbeRow, Stamp};
use crate::convert::file_name;
use crate::files::write_whole;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Name of the folder of jobs below the run's.
pub(crate) const FOLDER: &str = "jobs";
/// File name suffix of results.
pub(crate) const ENDING: &str = ".results.jsonl";

/// The last line of a file.
#[derive(Serialize, Deserialize)]
struct Last {
    summary: JobRow,
}

/// Makes the folder of a run, or goes on in one with the same inputs.
pub(super) fn open(out: &Path, stamp: &Stamp) -> Result<()> {
    std::fs::create_dir_all(out).with_context(|| format!("{} cannot be made", out.display()))?;
    let path = out.join("stamp.json");
    if path.exists() {
        let text = std::fs::read_to_string(&path)?;
        let old: Stamp = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        ensure!(
            old.config_digest == stamp.config_digest,
            "{} was made with other streams, encoder or context, or by another build; give \
             another --out, or delete it",
            out.display()
        );
        return Ok(());
    }
    let text = serde_json::to_string(stamp)?;
    write_whole(&path, |file| Ok(writeln!(file, "{text}")?))
}

/// The file of a job.
pub(super) fn path(out: &Path, key: &JobKey) -> PathBuf {
    let budget = key
        .budget_tokens
        .map_or("none".to_owned(), |t| t.to_string());
    let setup = file_name(&format!("{}-{budget}", key.method));
    let stream = file_name(&key.stream);
    out.join(FOLDER)
        .join(setup)
        .join(format!("{stream}{ENDING}"))
}

/// Writes a job's file.
pub(super) fn write(path: &Path, job: &Job) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
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
    let wrong = || format!("{} is no file of a job; delete it", path.display());
    let text = std::fs::read_to_string(path).with_context(wrong)?;
    let (mut lines, mut probes) = (text.lines(), Vec::new());
    let last: Last =
        serde_json::from_str(lines.next_back().with_context(wrong)?).with_context(wrong)?;
    for line in lines {
        let row: ProbeRow = serde_json::from_str(line).with_context(wrong)?;
        probes.push(row);
    }
    let row = last.summary;
    Ok(row.failed.is_none().then_some(Job { row, probes }))
}
