//! A stream in memory: utterances, pauses and questions, in order.
//!
//! Read from and written to stream files (`*.stream.jsonl`, version 1), so all checks of the format
//! apply: unique ids, increasing times, evidence before its probe.

use crate::files::{entries, name, write_whole};
use anyhow::{Result, ensure};
use jiff::Timestamp;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use weir_core::stream::{Span, Utterance};
use weir_engine::streamfile::{self, AudioPolicy, StreamReader, is_stream_file};

pub(crate) use weir_engine::streamfile::{Category, Gold, Probe};

/// A stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) name: String,
    /// Wall time of stream time 0 in Unix milliseconds, if known.
    pub(crate) started_at_unix_ms: Option<i64>,
    pub(crate) items: Vec<Item>,
}

/// One step of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    Turn(Turn),
    /// The recording pauses.
    Break {
        /// Wall time at which it continues, in Unix milliseconds, if known.
        started_at_unix_ms: Option<i64>,
    },
    Probe(Probe),
}

/// One turn of talk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Unique in the stream.
    pub(crate) id: String,
    /// Speaker, if known.
    pub(crate) speaker: Option<String>,
    pub(crate) span: Span,
    /// Its text; the reference text if it still has to be recognised.
    pub(crate) text: String,
}

impl Turn {
    /// The session's form of it, in a stream of that name.
    pub(crate) fn utterance(&self, stream: &str) -> Utterance {
        Utterance {
            id: self.id.clone(),
            stream: stream.to_owned(),
            speaker: self.speaker.clone(),
            span: self.span,
            audio: None,
            confidence: None,
            text: self.text.clone(),
        }
    }

    /// Whether it has a letter or digit: a memory refuses text without.
    pub(crate) fn has_words(&self) -> bool {
        self.text.contains(char::is_alphanumeric)
    }

    /// Speaker and words, as every method reads them.
    pub(crate) fn said(&self) -> String {
        match &self.speaker {
            Some(speaker) => format!("{speaker}: {}", self.text),
            None => self.text.clone(),
        }
    }
}

impl Stream {
    /// Reads a stream file; audio files may be missing.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut reader = StreamReader::open(path, AudioPolicy::MayBeMissing)?;
        let header = reader.header().clone();
        let mut items = Vec::new();
        for item in &mut reader {
            items.push(match item? {
                streamfile::Item::Utterance(line) => Item::Turn(Turn {
                    id: line.id,
                    speaker: line.speaker,
                    span: line.span,
                    text: line.text.unwrap_or_default(),
                }),
                streamfile::Item::Break { started_at_unix_ms } => {
                    Item::Break { started_at_unix_ms }
                }
                streamfile::Item::Probe(probe) => Item::Probe(probe),
            });
        }
        Ok(Self {
            name: header.name,
            started_at_unix_ms: header.started_at_unix_ms,
            items,
        })
    }

    /// Writes the stream file atomically.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        write_whole(path, |out| self.write(out))
    }

    /// Writes the lines of the stream file.
    pub(crate) fn write(&self, out: &mut impl Write) -> Result<()> {
        let started_at = wall(self.started_at_unix_ms)?;
        let header = json!({"weir_stream": 1, "name": self.name, "started_at": started_at});
        writeln!(out, "{header}")?;
        for item in &self.items {
            let line = match item {
                Item::Turn(turn) => json!({"utterance": {
                    "id": turn.id,
                    "speaker": turn.speaker,
                    "text": turn.text,
                    "start_ms": turn.span.start_ms,
                    "end_ms": turn.span.end_ms,
                }}),
                Item::Break { started_at_unix_ms } => {
                    json!({"break": {"started_at": wall(*started_at_unix_ms)?}})
                }
                Item::Probe(probe) => json!({"probe": {
                    "id": probe.id,
                    "question": probe.question,
                    "answer": probe.gold.answer,
                    "evidence": probe.gold.evidence,
                    "category": probe.gold.category.map(Category::name),
                    "asked_by": probe.asked_by,
                }}),
            };
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        Ok(())
    }

    pub(crate) fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.items.iter().filter_map(|item| match item {
            Item::Turn(turn) => Some(turn),
            _ => None,
        })
    }

    pub(crate) fn probes(&self) -> impl Iterator<Item = &Probe> + Clone {
        self.items.iter().filter_map(|item| match item {
            Item::Probe(probe) => Some(probe),
            _ => None,
        })
    }
}

/// The stream files of paths: files themselves; for folders, the `*.stream.jsonl` in them and in
/// their direct subfolders, sorted by name.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let mut found = BTreeSet::new();
        for entry in entries(path)? {
            let inside = match entry.is_dir() {
                true => entries(&entry)?,
                false => vec![entry],
            };
            found.extend(inside.into_iter().filter(|path| is_stream_file(path)));
        }
        ensure!(
            !found.is_empty(),
            "{} holds no stream: no *.stream.jsonl; make them with `weir-bench convert`",
            path.display()
        );
        all.extend(found);
    }
    Ok(all)
}

/// Name of a file's folder, which is the corpus name.
pub(crate) fn folder_name(file: &Path) -> String {
    let file = file.canonicalize().ok();
    let folder = file.as_deref().and_then(Path::parent);
    folder.map(name).unwrap_or_default()
}

fn wall(unix_ms: Option<i64>) -> Result<Option<String>> {
    let at = unix_ms.map(Timestamp::from_millisecond).transpose()?;
    Ok(at.map(|at| at.to_string()))
}
