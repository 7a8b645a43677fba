//! The contexts of finished runs, read from results of `weir replay` or kept by `weir-bench run`.

use crate::convert::file_name;
use crate::files::{entries, name, text};
use crate::run::results::{ENDING, FOLDER};
use crate::stream::Probe;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The context of one question: the fields used of a result line.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub(super) struct Shown {
    probe: String,
    pub(super) context: String,
    #[serde(default)]
    pub(super) context_utterances: Vec<String>,
    pub(super) context_tokens: Option<usize>,
    pub(super) memory: Option<Memory>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Memory {
    pub(super) text_tokens: Option<usize>,
    pub(super) budget_tokens: Option<usize>,
}

/// The contexts of one run by stream and question.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    /// Its name in tables and in the file of answers.
    pub(crate) name: String,
    /// By the stream's file name, and the probe.
    contexts: HashMap<(String, String), Shown>,
    /// Whether every question without an entry has an empty context.
    is_empty: bool,
}

impl Run {
    /// A run with empty contexts.
    pub(super) fn empty(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            is_empty: true,
            ..Self::default()
        }
    }

    /// Sets a question's context to one with all of its evidence.
    pub(super) fn put(&mut self, stream: &str, probe: &Probe, context: String) {
        let shown = Shown {
            context,
            context_utterances: probe.gold.evidence.clone(),
            ..Shown::default()
        };
        let key = (file_name(stream), probe.id.clone());
        self.contexts.insert(key, shown);
    }

    /// Whether a question has a context, be it empty.
    pub(super) fn has(&self, stream: &str, probe: &str) -> bool {
        self.is_empty || self.shown(stream, probe).is_some()
    }

    pub(super) fn shown(&self, stream: &str, probe: &str) -> Option<&Shown> {
        self.contexts.get(&(file_name(stream), probe.to_owned()))
    }

    fn read(name: String, folder: &Path) -> Result<Self> {
        let mut run = Self {
            name,
            ..Self::default()
        };
        for (stream, file) in result_files(folder)? {
            for (number, line) in text(&file)?.lines().enumerate() {
                if line.starts_with("{\"summary\"") {
                    continue;
                }
                let wrong = || format!("{} line {}: no result", file.display(), number + 1);
                let shown: Shown = serde_json::from_str(line).with_context(wrong)?;
                run.contexts
                    .insert((stream.clone(), shown.probe.clone()), shown);
            }
        }
        Ok(run)
    }
}

/// The runs in folders: `DIR` or `NAME=DIR`. A folder has a `STREAM.results.jsonl` for each stream;
/// a folder of `weir-bench run --keep-contexts` has one run for each method and budget.
pub(crate) fn runs(folders: &[String]) -> Result<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    for named in folders {
        let (called, folder) = match named.split_once('=') {
            Some((name, folder)) => (Some(name), PathBuf::from(folder)),
            None => (None, PathBuf::from(named)),
        };
        let setups = folder.join(FOLDER);
        let of_bench = setups.is_dir();
        let mut found = match of_bench {
            true => entries(&setups)?,
            false => vec![folder],
        };
        found.retain(|path| !of_bench || path.is_dir());
        for folder in found {
            let own = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let own = name(&own);
            let name = match (called, of_bench) {
                (Some(called), false) => called.to_owned(),
                (Some(called), true) => format!("{called}/{own}"),
                (None, _) => own,
            };
            ensure!(
                runs.iter().all(|run| run.name != name),
                "two runs are called {name}: name them, as in --results NAME=DIR"
            );
            runs.push(Run::read(name, &folder)?);
        }
    }
    Ok(runs)
}

/// The files of results in a folder, each with its stream.
fn result_files(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let of_stream = |path: PathBuf| Some((file_name(name(&path).strip_suffix(ENDING)?), path));
    let files: Vec<_> = entries(folder)?.into_iter().filter_map(of_stream).collect();
    ensure!(
        !files.is_empty(),
        "{} holds no results: no STREAM{ENDING}; let `weir replay STREAM --results` or \
         `weir-bench run --keep-contexts` write some",
        folder.display()
    );
    Ok(files)
}
