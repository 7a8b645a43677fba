//! Replies of models stored in a file, one per line, so that nothing is asked twice: not by work
//! that is resumed, nor of another build, nor by methods that ask the same.

use crate::files::digest;
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use weir_models::{Flow, Generate, Request, Role, Shape};

/// A reply, stored or new.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reply {
    model: String,
    /// Digest of the request.
    prompt: String,
    /// What it was first asked about, for who reads the file.
    #[serde(default)]
    pub(crate) about: String,
    #[serde(rename = "answer")]
    pub(crate) text: String,
    /// Tokens of the prompt, by the model's own tokenizer; 0 if a server gives none.
    pub(crate) prompt_tokens: usize,
    /// Seconds it took.
    pub(crate) seconds: f64,
}

/// The file and its content.
pub(crate) struct Replies {
    path: PathBuf,
    file: File,
    /// By the model's name and the digest of the request.
    known: HashMap<(String, String), Reply>,
}

impl Replies {
    /// Opens or creates the file; drops an incomplete last line.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let unreadable = || format!("{} cannot be read", path.display());
        let text = match path.exists() {
            true => std::fs::read(path).with_context(unreadable)?,
            false => Vec::new(),
        };
        let (mut known, mut whole_bytes) = (HashMap::new(), 0);
        for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let is_whole = line.ends_with(b"\n");
            match serde_json::from_slice::<Reply>(line) {
                Ok(reply) if is_whole => {
                    known.insert((reply.model.clone(), reply.prompt.clone()), reply);
                }
                Err(error) if is_whole => bail!(
                    "{} line {} is not a reply: {error}; give another --out, or delete the file",
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

    /// The model's reply to a request: a stored one, or a new one, which is stored.
    pub(crate) fn ask(
        &mut self,
        model: &mut dyn Generate,
        request: &Request,
        about: &str,
    ) -> Result<Reply> {
        let asked = (model.name().to_owned(), fingerprint(request));
        if let Some(known) = self.known.get(&asked) {
            return Ok(known.clone());
        }
        let began = Instant::now();
        let reply = model.generate(request, &mut |_| Flow::On);
        let reply = reply.with_context(|| {
            let file = self.path.display();
            format!("{about}: what was replied before is in {file}; the same command goes on")
        })?;
        let reply = Reply {
            model: asked.0.clone(),
            prompt: asked.1.clone(),
            about: about.to_owned(),
            text: reply.text,
            prompt_tokens: reply.prompt_tokens,
            seconds: began.elapsed().as_secs_f64(),
        };
        let mut line = serde_json::to_vec(&reply)?;
        line.push(b'\n');
        let written = self.file.write_all(&line);
        written.with_context(|| format!("{} cannot be written", self.path.display()))?;
        self.known.insert(asked, reply.clone());
        Ok(reply)
    }

    /// The same, counted as progress.
    pub(crate) fn ask_told(
        &mut self,
        model: &mut dyn Generate,
        request: &Request,
        about: &str,
        progress: &mut Progress,
    ) -> Result<Reply> {
        let before = self.known.len();
        let reply = self.ask(model, request, about)?;
        match self.known.len() == before {
            true => progress.known(),
            false => progress.step(about)?,
        }
        Ok(reply)
    }
}

/// Digest of a whole request: a stored reply is used only for the same one.
pub(crate) fn fingerprint(request: &Request) -> String {
    let messages = request.messages.iter();
    let texts = messages.clone().map(|it| format!("{}\0", it.content));
    let mut whole = texts.collect::<String>() + &request.tokens_max.to_string();
    let roles: Vec<Role> = messages.map(|it| it.role).collect();
    let usual: [&[Role]; 2] = [&[Role::User], &[Role::System, Role::User]];
    // what is usual adds nothing, so that replies of older builds stay known
    if !usual.contains(&&*roles) || request.shape != Shape::Text || request.sampling.is_some() {
        whole += &format!("{roles:?} {:?} {:?}", request.shape, request.sampling);
    }
    digest(whole.as_bytes())
}
