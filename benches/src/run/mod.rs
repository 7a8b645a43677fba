//! Runs every combination of stream, method and budget once; runs can be resumed.
//!
//! Each thread takes a stream and runs every method on it in turn, so that its vectors are cached.
//! A method that fails, panics or exceeds its time on a stream is recorded as failed there; the
//! rest continues.

pub mod contexts;
mod job;
mod plan;
pub mod record;
pub(crate) mod results;
mod stamp;

pub mod summary;
#[cfg(test)]
pub(crate) mod tests;

pub use plan::{Build, Plan};

use crate::method::weir;
use crate::progress::Progress;
use crate::stream::{self, Stream};
use anyhow::{Result, ensure};
use record::{JobKey, Line, StreamStamp};
use results::Results;
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Shortest interval between progress reports.
const TOLD_EVERY: Duration = Duration::from_secs(5);

/// Reference texts by stream and turn, for scoring streams of the same names.
#[must_use]
pub fn references(streams: &[(Stream, StreamStamp)]) -> HashMap<String, HashMap<String, String>> {
    let by_stream = streams.iter().map(|(stream, _)| {
        let turns = stream
            .turns()
            .map(|turn| (turn.id.clone(), turn.text.clone()));
        (stream.name.clone(), turns.collect())
    });
    by_stream.collect()
}

/// Reads the streams of files and folders, sorted by name.
///
/// # Errors
/// A path has no stream file, two streams have the same name, or a line is invalid.
pub fn read_streams(paths: &[PathBuf]) -> Result<Vec<(Stream, StreamStamp)>> {
    let mut streams: Vec<(Stream, StreamStamp)> = Vec::new();
    for file in stream::files(paths)? {
        let stream = Stream::read(&file)?;
        let stamp = stamp::of_stream(&stream, &file)?;
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

/// Runs what is missing, writes `results.jsonl` and `summary.jsonl`, and returns their folder's
/// path and the number of failed jobs.
///
/// # Errors
/// The results cannot be written, or belong to a run with other options.
pub fn run(plan: &Plan) -> Result<usize> {
    let stamp = stamp::of_run(plan)?;
    let results = Results::open(&plan.out, stamp)?;
    let streams = plan.streams.iter().map(|(stream, _)| stream);
    let done: Vec<bool> = streams
        .flat_map(|stream| jobs(plan, stream).map(|key| is_done(plan, &key, stream, &results)))
        .collect();
    let before = done.iter().filter(|done| **done).count();
    let progress = Progress::new(done.len(), before, TOLD_EVERY);
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            scope.spawn(|| {
                while let Some((stream, _)) = plan.streams.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if let Err(error) = all_of(plan, stream, &results, &progress) {
                        let mut slot = failure.lock().unwrap_or_else(PoisonError::into_inner);
                        slot.get_or_insert(error);
                        return;
                    }
                }
            });
        }
    });
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let lines = results.finish(|key| place(plan, key))?;
    summary::write(&lines, &plan.out.join("summary.jsonl"))?;
    let failed = |line: &&Line| matches!(line, Line::Job(job) if job.failed.is_some());
    Ok(lines.iter().filter(failed).count())
}

/// Every unfinished job of one stream.
fn all_of(plan: &Plan, stream: &Stream, results: &Results, progress: &Progress) -> Result<()> {
    for key in jobs(plan, stream).filter(|key| !is_done(plan, key, stream, results)) {
        let (lines, contexts) = job::run(plan, stream, &key);
        if !contexts.is_empty() {
            contexts::write(&contexts::path(&plan.out, &key), &contexts)?;
        }
        results.append(&lines)?;
        if let Some(pace) = progress.step() {
            writeln!(
                std::io::stderr(),
                "{} of {} jobs, about {:.0} min left: {}, {}",
                pace.done,
                pace.total,
                pace.minutes_left,
                key.stream,
                key.method
            )?;
        }
    }
    Ok(())
}

/// All jobs of a stream, finished or not.
fn jobs<'a>(plan: &'a Plan, stream: &'a Stream) -> impl Iterator<Item = JobKey> + 'a {
    let setups = plan.budgets.iter().flat_map(|budget| {
        let methods = plan.methods.iter();
        methods.map(|method| (method, budget.tokens(method)))
    });
    let told = setups.filter(|(method, budget_tokens)| weir::tells(method, *budget_tokens));
    told.map(|(method, budget_tokens)| JobKey {
        stream: stream.name.clone(),
        method: method.clone(),
        budget_tokens,
        encoder: plan.encoder.identity().name.clone(),
    })
}

fn is_done(plan: &Plan, key: &JobKey, stream: &Stream, results: &Results) -> bool {
    let needs_contexts = plan.keep_contexts && stream.probes().next().is_some();
    results.has(key) && (!needs_contexts || contexts::path(&plan.out, key).exists())
}

/// Position of a job in the results.
fn place(plan: &Plan, key: &JobKey) -> (usize, usize, usize) {
    let streams = plan.streams.iter().position(|(_, s)| s.name == key.stream);
    let methods = plan.methods.iter().position(|name| *name == key.method);
    let end = usize::MAX;
    (
        methods.unwrap_or(end),
        key.budget_tokens.unwrap_or(end),
        streams.unwrap_or(end),
    )
}
