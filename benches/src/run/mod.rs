//! Runs every combination of stream, method and budget once; runs can be resumed.
//!
//! Each thread takes a stream and runs every method on it in turn, so that its vectors are cached.
//! A method that fails, panics or exceeds its time on a stream is recorded as failed there; the
//! rest continues.

mod args;
mod job;
mod plan;
mod record;
pub(crate) mod results;
mod summary;
mod table;
#[cfg(test)]
mod tests;

use crate::files::digest;
use crate::method::weir;
use crate::progress::Progress;
use crate::stream::{self, Stream, folder_name};
use anyhow::{Context, Result, ensure};
pub(crate) use args::{RunArgs, main};
pub(crate) use plan::Plan;
use record::StreamStamp;
pub(crate) use record::{Job, JobKey, ProbeRow};
use std::io::Write as _;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
pub(crate) use summary::{ALL, Summary};
pub(crate) use table::{GROUPS, by_kind, of_group};

/// Reads the streams of files and folders, sorted by name.
pub(crate) fn read_streams(paths: &[PathBuf]) -> Result<Vec<(Stream, StreamStamp)>> {
    let mut streams: Vec<(Stream, StreamStamp)> = Vec::new();
    for file in stream::files(paths)? {
        let stream = Stream::read(&file)?;
        let bytes = std::fs::read(&file).with_context(|| format!("{} not read", file.display()))?;
        let stamp = StreamStamp {
            name: stream.name.clone(),
            corpus: folder_name(&file),
            turns: stream.turns().count(),
            probes: stream.probes().count(),
            digest: digest(&bytes),
        };
        ensure!(
            streams.iter().all(|(_, known)| known.name != stamp.name),
            "{}: a second stream is called {}; give each a name of its own",
            file.display(),
            stamp.name
        );
        streams.push((stream, stamp));
    }
    Ok(streams)
}

/// Runs what is missing; all jobs, those of a method with each budget together.
pub(crate) fn jobs(plan: &Plan) -> Result<Vec<Job>> {
    results::open(&plan.out, &results::stamp(plan)?)?;
    let streams = plan.streams.iter();
    let total = streams.map(|(stream, _)| keys(plan, stream).count()).sum();
    let progress = Mutex::new(Progress::new(total, "jobs"));
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<Job>> {
        let mut jobs = Vec::new();
        while let Some((stream, _)) = plan.streams.get(next.fetch_add(1, Ordering::Relaxed)) {
            jobs.extend(jobs_of(plan, stream, &progress)?);
        }
        Ok(jobs)
    };
    let done: Result<Vec<Vec<Job>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..plan.threads.max(1))
            .map(|_| scope.spawn(work))
            .collect();
        let done = threads.into_iter().map(|thread| thread.join());
        done.map(|it| it.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    let mut jobs = done?.concat();
    jobs.sort_by_key(|job| place(plan, &job.row.key));
    Ok(jobs)
}

/// Runs what is missing, writes `summary.jsonl` and `table.md`, and returns the summary.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Summary>> {
    let (jobs, stamp) = (jobs(plan)?, results::stamp(plan)?);
    let stamps = plan.streams.iter().map(|(_, stamp)| stamp);
    let corpora = stamps
        .map(|it| (it.name.as_str(), it.corpus.as_str()))
        .collect();
    let rows = summary::of(&jobs, &corpora, &plan.encoder.identity().name);
    summary::write(&stamp, &rows, &plan.out.join("summary.jsonl"))?;
    table::write(&rows, &plan.out.join("table.md"))?;
    let failed = jobs.iter().filter(|job| job.row.failed.is_some()).count();
    if failed > 0 {
        let told = "jobs failed; their lines in results.jsonl say why";
        writeln!(std::io::stderr(), "{failed} {told}")?;
    }
    Ok(rows)
}

/// Every job of one stream, read or run.
fn jobs_of(plan: &Plan, stream: &Stream, progress: &Mutex<Progress>) -> Result<Vec<Job>> {
    let locked = || progress.lock().unwrap_or_else(PoisonError::into_inner);
    let mut jobs = Vec::new();
    for key in keys(plan, stream) {
        let path = results::path(&plan.out, &key);
        if let Some(job) = results::done(&path)? {
            locked().known();
            jobs.push(job);
            continue;
        }
        let job = job::run(plan, stream, &key);
        results::write(&path, &job)?;
        jobs.push(job);
        locked().step(&format!("{}, {}", key.stream, key.method))?;
    }
    Ok(jobs)
}

/// All jobs of a stream, finished or not.
fn keys<'a>(plan: &'a Plan, stream: &'a Stream) -> impl Iterator<Item = JobKey> + 'a {
    let setups = plan.budgets.iter().flat_map(|budget| {
        let methods = plan.methods.iter();
        methods.map(|method| (method, budget.tokens(method)))
    });
    let told = setups.filter(|(method, budget_tokens)| weir::tells(method, *budget_tokens));
    told.map(|(method, budget_tokens)| JobKey {
        stream: stream.name.clone(),
        method: method.clone(),
        budget_tokens,
    })
}

/// Position of a job in the results.
fn place(plan: &Plan, key: &JobKey) -> (Option<usize>, usize, Option<usize>) {
    let streams = plan.streams.iter().position(|(_, s)| s.name == key.stream);
    let methods = plan.methods.iter().position(|name| *name == key.method);
    (methods, key.budget_tokens.unwrap_or(usize::MAX), streams)
}
