//! Text generators of the Llama and Qwen families: GGUF or a folder of safetensors.
//!
//! The decoder is this crate's own, because it caches what it read: a conversation that starts like
//! the previous one is read only from the first difference. candle multiplies; on a CPU with one
//! thread per core, or as many as the environment variable `RAYON_NUM_THREADS` says.

mod config;
mod constraint;
mod decoder;
mod folder;
mod gguf;
mod gguf_vocabulary;
mod reply;
mod shape;
mod source;
mod stream;
mod template;
#[cfg(test)]
mod tests;
mod trie;
mod vocabulary;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::Config;
use decoder::{Decoder, Wanted};
use folder::Folder;
use gguf::Gguf;
use source::Source;
use template::Template;
use trie::TokenIndex;
use vocabulary::Vocabulary;

use crate::{DeviceChoice, GenerateError, LoadError, Message};

/// Default context in tokens.
const CONTEXT_TOKENS: usize = 4096;
/// Tokens of prompt that are read at once; the listener can stop between them.
const CHUNK_TOKENS: usize = 128;

/// Options of a generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratorOptions {
    /// Tokens of prompt and reply together, limited by the model's training context. Each takes
    /// memory once it is read: 46 kB with SmolLM2-135M.
    pub context_tokens: usize,
    /// Whether a model with optional reasoning (Qwen 3) reasons before it answers. The flag goes to
    /// its chat template; reasoning uses tokens of the reply and is not part of its text.
    pub has_thoughts: bool,
    /// Device of the weights and products. Floats take four bytes each; on devices other than the
    /// CPU, quantised blocks keep their format.
    pub device: DeviceChoice,
}

impl Default for GeneratorOptions {
    fn default() -> Self {
        Self {
            context_tokens: CONTEXT_TOKENS,
            has_thoughts: false,
            device: DeviceChoice::Cpu,
        }
    }
}

/// A local text generator.
pub struct Generator {
    name: String,
    decoder: Decoder,
    vocabulary: Vocabulary,
    template: Template,
    /// The cached tokens.
    read: Vec<u32>,
    /// Made when the first shape is requested.
    index: Option<Arc<TokenIndex>>,
}

/// The parts of a checkpoint.
struct Parts {
    config: Config,
    source: Box<dyn Source>,
    vocabulary: Vocabulary,
    template: String,
    bos: String,
    eos: String,
    /// The file with the tokens, and the file with the template.
    files: [PathBuf; 2],
}

impl Generator {
    /// Loads a model: a GGUF file, a folder that holds one, or a folder of safetensors. Reads the
    /// weights once: 0.3 s for SmolLM2-135M.
    ///
    /// # Errors
    /// [`LoadError`] names the file and the wrong entry or tensor.
    pub fn load(path: impl AsRef<Path>, options: GeneratorOptions) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let gguf = if path.is_dir() {
            only_gguf(path)?
        } else if path.is_file() {
            Some(path.to_owned())
        } else {
            let path = path.to_owned();
            return Err(LoadError::NotAFolder { path });
        };
        let parts = match &gguf {
            Some(file) => from_gguf(file)?,
            None => from_folder(path)?,
        };
        let [tokens_file, template_file] = &parts.files;
        parts
            .vocabulary
            .check(tokens_file, parts.config.vocabulary)?;
        // Templates without reasoning ignore the flag.
        let has_thoughts = Some(options.has_thoughts);
        let template = Template::new(parts.template, parts.bos, parts.eos, has_thoughts);
        let template = template.map_err(|reason| LoadError::Template {
            file: template_file.clone(),
            reason,
        })?;
        let name = path
            .file_stem()
            .filter(|_| !path.is_dir())
            .or(path.file_name());
        Ok(Self {
            name: name
                .map_or("generator".into(), |name| name.to_string_lossy())
                .into_owned(),
            decoder: decoder(parts.config, &*parts.source, options)?,
            vocabulary: parts.vocabulary,
            template,
            read: Vec::new(),
            index: None,
        })
    }

    /// Approximate bytes in memory: weights, token tables, and the cache of the conversation. On
    /// some CPUs candle adds a copy of the weights in another layout.
    #[must_use]
    pub fn resident_bytes(&self) -> usize {
        let index = self.index.as_ref().map_or(0, |index| index.bytes());
        self.decoder.resident_bytes() + self.vocabulary.resident_bytes() + index
    }

    /// The tokens of a text, without template and special tokens.
    ///
    /// # Errors
    /// [`GenerateError::Failed`].
    pub fn tokens(&self, text: &str) -> Result<Vec<u32>, GenerateError> {
        self.vocabulary
            .plain(text)
            .map_err(|reason| self.failed(reason))
    }

    /// The prompt of a conversation: the checkpoint's chat template, rendered.
    ///
    /// # Errors
    /// [`GenerateError::Request`] with the template's message.
    pub fn prompt(&self, messages: &[Message]) -> Result<String, GenerateError> {
        let rendered = self.template.render(messages, None);
        rendered.map_err(|reason| self.refused(reason))
    }

    /// The tokens of that prompt; special tokens come only from the template.
    ///
    /// # Errors
    /// [`GenerateError::Request`] with the template's message.
    pub fn prompt_tokens(&self, messages: &[Message]) -> Result<Vec<u32>, GenerateError> {
        let tokens = self.template.tokens(messages, &self.vocabulary);
        tokens.map_err(|reason| self.refused(reason))
    }

    /// The logits after each of `tokens`, one row of the vocabulary each. For tests and
    /// measurements: clears the cache.
    ///
    /// # Errors
    /// [`GenerateError`] if the tokens do not fit or are not in the vocabulary.
    pub fn logits(&mut self, tokens: &[u32]) -> Result<Vec<Vec<f32>>, GenerateError> {
        self.check_length(tokens.len())?;
        self.forget(0);
        let mut rows = Vec::with_capacity(tokens.len());
        for chunk in tokens.chunks(CHUNK_TOKENS) {
            let logits = self.take(chunk, Wanted::All)?;
            rows.extend(
                logits
                    .chunks(self.decoder.vocabulary())
                    .map(<[f32]>::to_vec),
            );
        }
        Ok(rows)
    }

    /// Reads more tokens.
    fn take(&mut self, tokens: &[u32], wanted: Wanted) -> Result<Vec<f32>, GenerateError> {
        match self.decoder.read(tokens, wanted) {
            Ok(logits) => {
                self.read.extend_from_slice(tokens);
                Ok(logits)
            }
            Err(error) => {
                // The remains of a failed step are overwritten by the next.
                self.forget(self.read.len());
                Err(self.failed(error.to_string()))
            }
        }
    }

    fn forget(&mut self, len: usize) {
        self.read.truncate(len);
        self.decoder.truncate(len);
    }

    fn check_length(&self, found: usize) -> Result<(), GenerateError> {
        let limit = self.decoder.positions();
        if found > limit {
            let model = self.name.clone();
            return Err(GenerateError::ContextOverflow {
                model,
                found,
                limit,
            });
        }
        Ok(())
    }

    fn failed(&self, reason: String) -> GenerateError {
        let model = self.name.clone();
        GenerateError::Failed { model, reason }
    }

    fn refused(&self, reason: String) -> GenerateError {
        let model = self.name.clone();
        GenerateError::Request { model, reason }
    }
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Generator")
            .field("name", &self.name)
            .field("read", &self.read.len())
            .finish_non_exhaustive()
    }
}

/// The decoder of a checkpoint on the requested device.
fn decoder(
    config: Config,
    source: &dyn Source,
    options: GeneratorOptions,
) -> Result<Decoder, LoadError> {
    let positions = options.context_tokens.clamp(1, config.context_tokens);
    Decoder::load(config, source, positions, options.device.open()?)
}

/// The GGUF file of a folder; `None` if there is none.
fn only_gguf(folder: &Path) -> Result<Option<PathBuf>, LoadError> {
    let failed = |source| LoadError::Read {
        file: folder.to_owned(),
        source,
    };
    let mut found: Option<PathBuf> = None;
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path
            .extension()
            .is_none_or(|end| !end.eq_ignore_ascii_case("gguf"))
        {
            continue;
        }
        if let Some(other) = &found {
            return Err(LoadError::NotGguf {
                file: folder.to_owned(),
                reason: format!(
                    "it holds {} and {}, one of which has to be named",
                    other.display(),
                    path.display()
                ),
            });
        }
        found = Some(path);
    }
    Ok(found)
}

fn from_gguf(file: &Path) -> Result<Parts, LoadError> {
    let gguf = Gguf::open(file)?;
    let config = gguf.config()?;
    let vocabulary = gguf_vocabulary::vocabulary(&gguf)?;
    let template = gguf.text("tokenizer.chat_template");
    let template = template.ok_or_else(|| LoadError::Template {
        file: file.to_owned(),
        reason: "there is no tokenizer.chat_template".to_owned(),
    })?;
    let text = |name: &str| {
        let id = gguf.number(&format!("tokenizer.ggml.{name}_token_id"));
        let mut specials = vocabulary.specials().iter();
        let special = specials.find(|special| Some(u64::from(special.id)) == id);
        special.map_or(String::new(), |special| special.text.clone())
    };
    Ok(Parts {
        template: template.to_owned(),
        bos: text("bos"),
        eos: text("eos"),
        files: [file.to_owned(), file.to_owned()],
        source: Box::new(gguf),
        config,
        vocabulary,
    })
}

fn from_folder(folder: &Path) -> Result<Parts, LoadError> {
    let (weights, config) = Folder::open(folder)?;
    let words = folder::words(folder)?;
    let template = words.template.ok_or_else(|| LoadError::Template {
        file: words.template_file.clone(),
        reason: "there is no chat_template".to_owned(),
    })?;
    Ok(Parts {
        source: Box::new(weights),
        template,
        bos: words.bos,
        eos: words.eos,
        files: [folder.join("tokenizer.json"), words.template_file],
        config,
        vocabulary: words.vocabulary,
    })
}
