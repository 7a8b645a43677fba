//! The contexts of finished runs, read from results of `weir replay` or kept by `weir-bench run`.

use crate::convert::file_name;
use crate::run::results::{ENDING, FOLDER};
use crate::stream::Probe;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// The context of one question.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shown {
    pub(super) context: String,
    pub(super) context_utterances: Vec<String>,
    pub(super) context_tokens: Option<usize>,
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

/// The fields used of a result line; other fields are ignored.
#[derive(Deserialize)]
struct Line {
    probe: String,
    context: String,
    #[serde(default)]
    context_utterances: Vec<String>,
    context_tokens: Option<usize>,
    memory: Option<Memory>,
}

#[derive(Deserialize)]
struct Memory {
    text_tokens: Option<usize>,
    budget_tokens: Option<usize>,
}

impl Run {
    /// A run with empty contexts.
    pub(super) fn empty(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            contexts: HashMap::new(),
            is_empty: true,
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

    /// Whether a question has a context.
    pub(super) fn has(&self, stream: &str, probe: &str) -> bool {
        let key = (file_name(stream), probe.to_owned());
        self.is_empty || self.contexts.contains_key(&key)
    }

    /// The context of a question; empty if it has none.
    pub(super) fn shown(&self, stream: &str, probe: &str) -> Shown {
        let key = (file_name(stream), probe.to_owned());
        self.contexts.get(&key).cloned().unwrap_or_default()
    }

    fn read(name: String, folder: &Path) -> Result<Self> {
        let mut run = Self {
            name,
            ..Self::default()
        };
        for (stream, file) in result_files(folder)? {
            let text = std::fs::read_to_string(&file)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            for (number, line) in text.lines().enumerate() {
                if line.starts_with("{\"summary\"") {
                    continue;
                }
                let line: Line = serde_json::from_str(line).with_context(|| {
                    format!("{} line {}: no result", file.display(), number + 1)
                })?;
                let memory = line.memory.as_ref();
                let shown = Shown {
                    context_tokens: line.context_tokens,
                    text_tokens: memory.and_then(|memory| memory.text_tokens),
                    budget_tokens: memory.and_then(|memory| memory.budget_tokens),
                    context: line.context,
                    context_utterances: line.context_utterances,
                };
                run.contexts.insert((stream.clone(), line.probe), shown);
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
        let (name, folder) = match named.split_once('=') {
            Some((name, folder)) => (Some(name), PathBuf::from(folder)),
            None => (None, PathBuf::from(named)),
        };
        let setups = folder.join(FOLDER);
        let of_bench = setups.is_dir();
        let found = match of_bench {
            true => folders_in(&setups)?,
            false => vec![folder.clone()],
        };
        for folder in found {
            let own = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let own = own.file_name().unwrap_or_default().to_string_lossy();
            let name = match (name, of_bench) {
                (Some(name), false) => name.to_owned(),
                (Some(name), true) => format!("{name}/{own}"),
                (None, _) => own.into_owned(),
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

fn folders_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The files of results in a folder by stream.
fn result_files(folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut files = BTreeMap::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(stream) = name.strip_suffix(ENDING) {
            files.insert(file_name(stream), path.clone());
        }
    }
    ensure!(
        !files.is_empty(),
        "{} holds no results: no STREAM{ENDING}; let `weir replay STREAM --results` or \
         `weir-bench run --keep-contexts` write some",
        folder.display()
    );
    Ok(files)
}
