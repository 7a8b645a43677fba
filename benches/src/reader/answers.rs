//! Answers stored in a file, one per line, so that a reading can be resumed.

use super::score::Scores;
use crate::stream::Category;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Key of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Key {
    /// Name of the run whose context was used.
    pub(super) run: String,
    pub(super) stream: String,
    pub(super) probe: String,
    pub(super) model: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Answer {
    #[serde(flatten)]
    pub(super) key: Key,
    /// Digest of the prompt.
    pub(super) prompt: String,
    pub(super) category: Option<Category>,
    pub(super) answer: String,
    #[serde(flatten)]
    pub(super) scores: Scores,
    /// Tokens of the prompt, by the model's own tokenizer; 0 if a server gives none.
    pub(super) prompt_tokens: usize,
    /// Seconds it took.
    pub(super) seconds: f64,
}

/// The file and its content.
pub(super) struct Answers {
    path: PathBuf,
    file: File,
    known: HashMap<Key, Answer>,
}

impl Answers {
    /// Opens or creates the file; drops an incomplete last line.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let unreadable = || format!("{} cannot be read", path.display());
        let text = match path.exists() {
            true => std::fs::read(path).with_context(unreadable)?,
            false => Vec::new(),
        };
        let (mut known, mut whole_bytes) = (HashMap::new(), 0);
        for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let is_whole = line.ends_with(b"\n");
            match serde_json::from_slice::<Answer>(line) {
                Ok(answer) if is_whole => _ = known.insert(answer.key.clone(), answer),
                Err(error) if is_whole => bail!(
                    "{} line {} is not an answer: {error}; give another --out, or delete the file",
                    path.display(),
                    number + 1
                ),
                _ => break,
            }
            whole_bytes += line.len() as u64;
        }
        let unwritable = || format!("{} cannot be written", path.display());
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(unwritable)?;
        file.set_len(whole_bytes).with_context(unwritable)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            known,
        })
    }

    /// The stored answer to this prompt, if any.
    pub(super) fn get(&self, key: &Key, prompt: &str) -> Option<&Answer> {
        self.known.get(key).filter(|answer| answer.prompt == prompt)
    }

    pub(super) fn add(&mut self, answer: Answer) -> Result<()> {
        let mut line = serde_json::to_vec(&answer)?;
        line.push(b'\n');
        let written = self.file.write_all(&line);
        written.with_context(|| format!("{} cannot be written", self.path.display()))?;
        self.known.insert(answer.key.clone(), answer);
        Ok(())
    }
}
