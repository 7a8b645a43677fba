//! Replies of models stored in a file, one per line, so that nothing is asked twice: not by a
//! reading that is resumed, nor of another build, nor of a run with the same context.

use super::prompt;
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use weir_models::{Flow, Generate, Request};

/// What a model was first asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Key {
    /// Name of the run whose context was used.
    pub(super) run: String,
    pub(super) stream: String,
    pub(super) probe: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Answer {
    #[serde(flatten)]
    pub(super) key: Key,
    model: String,
    /// Digest of the prompt.
    prompt: String,
    #[serde(rename = "answer")]
    pub(super) text: String,
    /// Tokens of the prompt, by the model's own tokenizer; 0 if a server gives none.
    pub(super) prompt_tokens: usize,
    /// Seconds it took.
    pub(super) seconds: f64,
}

/// The file and its content.
pub(super) struct Answers {
    path: PathBuf,
    file: File,
    /// By model and digest of the prompt.
    known: HashMap<(String, String), Answer>,
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
                Ok(answer) if is_whole => _ = known.insert(answer.asked(), answer),
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

    /// The model's answer to a request, cut by `cut`: a stored one, or a new one, which is stored.
    pub(super) fn ask(
        &mut self,
        model: &mut dyn Generate,
        request: &Request,
        key: Key,
        cut: fn(&str) -> String,
        progress: &mut Progress,
    ) -> Result<Answer> {
        let asked = (model.name().to_owned(), prompt::fingerprint(request));
        if let Some(known) = self.known.get(&asked) {
            progress.known();
            return Ok(Answer {
                key,
                ..known.clone()
            });
        }
        let began = Instant::now();
        let reply = model.generate(request, &mut |_| Flow::On);
        let reply = reply.with_context(|| {
            let (Key { run, stream, probe }, file) = (&key, self.path.display());
            format!("run {run}, stream {stream}, question {probe}: what was replied is in {file}")
        })?;
        let answer = Answer {
            model: asked.0.clone(),
            prompt: asked.1.clone(),
            text: cut(&reply.text),
            prompt_tokens: reply.prompt_tokens,
            seconds: began.elapsed().as_secs_f64(),
            key,
        };
        let mut line = serde_json::to_vec(&answer)?;
        line.push(b'\n');
        let written = self.file.write_all(&line);
        written.with_context(|| format!("{} cannot be written", self.path.display()))?;
        progress.step(&answer.key.run)?;
        self.known.insert(asked, answer.clone());
        Ok(answer)
    }
}

impl Answer {
    /// The model and the digest of the prompt.
    fn asked(&self) -> (String, String) {
        (self.model.clone(), self.prompt.clone())
    }
}
