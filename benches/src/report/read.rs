//! Reads and checks results and their streams.

use crate::run::record::{JobKey, JobRow, Line, ProbeRow, Stamp};
use crate::stream::{self, Stream};
use anyhow::{Context, Result, bail, ensure};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Bytes of one line of results; a typical probe with its answer has a few thousand.
const LINE_BYTES_MAX: usize = 4 << 20;

/// Input of a report.
pub(super) struct Results {
    pub(super) stamps: Vec<Stamp>,
    /// Probes of finished jobs.
    pub(super) probes: Vec<ProbeRow>,
    pub(super) jobs: Vec<JobRow>,
    /// Streams by name, with their folders.
    pub(super) streams: BTreeMap<String, Placed>,
}

/// A stream and its corpus: the name of its folder.
pub(super) struct Placed {
    pub(super) stream: Stream,
    pub(super) corpus: String,
}

impl Results {
    pub(super) fn read(files: &[PathBuf], folders: &[PathBuf]) -> Result<Self> {
        let mut all = Self {
            stamps: Vec::new(),
            probes: Vec::new(),
            jobs: Vec::new(),
            streams: BTreeMap::new(),
        };
        for file in files {
            all.read_file(file)?;
        }
        all.check_once()?;
        let failed = all.jobs.iter().filter(|row| row.failed.is_some());
        let failed: HashSet<JobKey> = failed.map(|row| row.job.clone()).collect();
        all.probes.retain(|row| !failed.contains(&row.job));
        ensure!(
            !all.jobs.is_empty(),
            "no results hold a finished job: let `weir-bench run` do one first"
        );
        let names = all.jobs.iter().map(|row| row.job.stream.clone()).collect();
        all.streams = streams(folders, &names)?;
        all.check_probes()?;
        Ok(all)
    }

    fn read_file(&mut self, path: &Path) -> Result<()> {
        let file = std::fs::File::open(path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        for number in 1_usize.. {
            line.clear();
            let mut bounded = std::io::Read::take(&mut reader, LINE_BYTES_MAX as u64);
            bounded.read_until(b'\n', &mut line)?;
            if line.is_empty() {
                break;
            }
            let is_whole = line.ends_with(b"\n");
            match serde_json::from_slice(&line) {
                Ok(Line::Stamp(stamp)) => self.stamps.push(*stamp),
                Ok(Line::Probe(row)) => self.probes.push(*row),
                Ok(Line::Job(row)) => self.jobs.push(*row),
                Err(_) if !is_whole && line.len() < LINE_BYTES_MAX => writeln!(
                    std::io::stderr(),
                    "{}: line {number} is cut short and left out",
                    path.display()
                )?,
                Err(error) => bail!(
                    "{}: line {number} is not a line of results ({error}); only files that \
                     `weir-bench run` wrote can be reported",
                    path.display()
                ),
            }
        }
        Ok(())
    }

    fn check_once(&self) -> Result<()> {
        let mut met = HashSet::new();
        for JobRow { job, .. } in &self.jobs {
            ensure!(
                met.insert(job),
                "method `{}` on stream `{}` occurs twice: give each file once, and no two runs of \
                 the same job",
                job.method,
                job.stream
            );
        }
        Ok(())
    }

    fn check_probes(&self) -> Result<()> {
        let known: HashSet<(&str, &str)> = self
            .streams
            .iter()
            .flat_map(|(name, placed)| {
                placed
                    .stream
                    .probes()
                    .map(|probe| (name.as_str(), probe.id.as_str()))
            })
            .collect();
        for row in &self.probes {
            let of = (row.job.stream.as_str(), row.probe.as_str());
            ensure!(
                known.contains(&of),
                "probe `{}` is not in stream `{}`: were the streams made again since the run?",
                of.1,
                of.0
            );
        }
        Ok(())
    }
}

/// The streams with these names among the given files.
fn streams(paths: &[PathBuf], names: &BTreeSet<String>) -> Result<BTreeMap<String, Placed>> {
    let mut found = BTreeMap::new();
    for path in stream::files(paths)? {
        let stream = Stream::read(&path)?;
        if !names.contains(&stream.name) {
            continue;
        }
        let corpus = stream::folder_name(&path);
        let name = stream.name.clone();
        let twice = found.insert(name.clone(), Placed { stream, corpus });
        ensure!(
            twice.is_none(),
            "{}: another file holds a stream `{name}` too; keep one of them",
            path.display()
        );
    }
    if let Some(missing) = names.iter().find(|name| !found.contains_key(*name)) {
        bail!("stream `{missing}` of the results is in none of the files after --streams");
    }
    Ok(found)
}
