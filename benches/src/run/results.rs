//! The results file: only whole jobs, appended as they finish, sorted at the end.

use super::record::{JobKey, Line, ProbeRow, Stamp};
use crate::files::write_whole;
use anyhow::{Context, Result, bail, ensure};
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Name of the file in the run's folder.
const FILE: &str = "results.jsonl";

pub(super) struct Results {
    path: PathBuf,
    done: HashSet<JobKey>,
    file: Mutex<File>,
}

impl Results {
    /// Opens the results of a folder, creating it if needed, and drops incomplete jobs of an
    /// earlier run.
    pub(super) fn open(folder: &Path, stamp: Stamp) -> Result<Self> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        let path = folder.join(FILE);
        let mut lines = if path.exists() {
            let lines = whole_jobs(read(&path)?);
            check(&path, &lines, &stamp)?;
            // failed jobs may have failed for lack of a server or of time, so they are run again
            without_failed(lines)
        } else {
            Vec::new()
        };
        if lines.is_empty() {
            lines.push(Line::Stamp(Box::new(stamp)));
        }
        write(&path, &lines)?;
        let done = lines.iter().filter_map(|line| match line {
            Line::Job(job) => Some(job.job.clone()),
            _ => None,
        });
        let file = OpenOptions::new().append(true).open(&path);
        Ok(Self {
            done: done.collect(),
            file: Mutex::new(file.with_context(|| format!("{}", path.display()))?),
            path,
        })
    }

    pub(super) fn has(&self, key: &JobKey) -> bool {
        self.done.contains(key)
    }

    /// Appends one job's lines in one write.
    pub(super) fn append(&self, lines: &[Line]) -> Result<()> {
        let mut bytes = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut bytes, line)?;
            bytes.push(b'\n');
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let unwritable = || format!("{} cannot be written", self.path.display());
        let whole_bytes = file.metadata().with_context(unwritable)?.len();
        let written = file.write_all(&bytes);
        if written.is_err() {
            // an incomplete job would corrupt the first line of the next; if truncation fails too,
            // reading the file reports it
            let _ = file.set_len(whole_bytes);
        }
        written.with_context(unwritable)
    }

    /// Sorts the file and returns its lines.
    pub(super) fn finish<K: Ord>(&self, place: impl Fn(&JobKey) -> K) -> Result<Vec<Line>> {
        let lines = whole_jobs(read(&self.path)?);
        let mut stamps = Vec::new();
        let mut jobs: Vec<(K, Vec<Line>)> = Vec::new();
        let mut open = Vec::new();
        for line in lines {
            match &line {
                Line::Stamp(_) => stamps.push(line),
                Line::Probe(_) => open.push(line),
                Line::Job(job) => {
                    let place = place(&job.job);
                    open.push(line);
                    jobs.push((place, std::mem::take(&mut open)));
                }
            }
        }
        jobs.sort_by(|a, b| a.0.cmp(&b.0));
        let ordered = jobs.into_iter().flat_map(|(_, lines)| lines);
        let lines: Vec<Line> = stamps.into_iter().chain(ordered).collect();
        write(&self.path, &lines)?;
        Ok(lines)
    }
}

/// The lines of a results file; an incomplete last line is dropped, any other invalid line is an
/// error.
pub(crate) fn read(path: &Path) -> Result<Vec<Line>> {
    let file = File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let (mut reader, mut bytes) = (BufReader::new(file), Vec::new());
    let mut lines = Vec::new();
    let mut torn: Option<(usize, serde_json::Error)> = None;
    for number in 1_usize.. {
        bytes.clear();
        // bytes, not text: a kill may truncate a character
        let read = reader.read_until(b'\n', &mut bytes);
        if read.with_context(|| format!("{} line {number}", path.display()))? == 0 {
            break;
        }
        if let Some((number, error)) = torn {
            bail!("{} line {number} is not a result: {error}", path.display());
        }
        match serde_json::from_slice(&bytes) {
            Ok(line) => lines.push(line),
            Err(error) => torn = Some((number, error)),
        }
    }
    Ok(lines)
}

fn without_failed(lines: Vec<Line>) -> Vec<Line> {
    let failed: HashSet<JobKey> = lines
        .iter()
        .filter_map(|line| match line {
            Line::Job(job) if job.failed.is_some() => Some(job.job.clone()),
            _ => None,
        })
        .collect();
    let kept = lines.into_iter().filter(|line| match line {
        Line::Stamp(_) => true,
        Line::Probe(row) => !failed.contains(&row.job),
        Line::Job(job) => !failed.contains(&job.job),
    });
    kept.collect()
}

/// The same without probes of unfinished jobs; a job's probes come right before it.
fn whole_jobs(lines: Vec<Line>) -> Vec<Line> {
    let mut whole = Vec::new();
    let mut open: HashMap<JobKey, Vec<Box<ProbeRow>>> = HashMap::new();
    let mut seen = HashSet::new();
    for line in lines {
        match line {
            Line::Stamp(_) if whole.is_empty() => whole.push(line),
            Line::Stamp(_) => {}
            Line::Probe(row) => open.entry(row.job.clone()).or_default().push(row),
            Line::Job(job) => {
                let probes = open.remove(&job.job).unwrap_or_default();
                if seen.insert(job.job.clone()) {
                    whole.extend(probes.into_iter().map(Line::Probe));
                    whole.push(Line::Job(job));
                }
            }
        }
    }
    whole
}

fn check(path: &Path, lines: &[Line], stamp: &Stamp) -> Result<()> {
    match lines.first() {
        Some(Line::Stamp(old)) => ensure!(
            old.config_digest == stamp.config_digest,
            "{} was made with other streams, references, encoder, context, answerer or by another \
             build; give another --out, or delete it",
            path.display()
        ),
        Some(_) => bail!("{} has no stamp; give another --out", path.display()),
        None => {}
    }
    Ok(())
}

/// Writes all lines, or keeps the old file.
fn write(path: &Path, lines: &[Line]) -> Result<()> {
    write_whole(path, |out| {
        for line in lines {
            serde_json::to_writer(&mut *out, line)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })
}
