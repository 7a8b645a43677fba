//! The receipt of downloaded weights: the source of each file and the check it passed.
//!
//! For pinned weights it is read only for checksums that the manifest lacks. For listed weights it
//! is the list of files.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::manifest::{Kind, Model, ModelFile, Source, is_lower_hex, is_name};
use super::wanted::{RECEIPT, is_inside};

/// Much larger than the receipt of any model; the rest of a larger file is not read.
const BYTES_MAX: u64 = 4 << 20;

/// Data about the files of one model.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Receipt {
    pub(super) files: BTreeMap<String, Entry>,
    /// The files of a listed model, written before the first download.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) listed: Option<Listed>,
    /// The single file of an imported model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) imported: Option<Imported>,
}

/// A speech model converted from a user's checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Imported {
    pub(super) name: String,
    /// ISO codes, or `multilingual`.
    pub(super) languages: Vec<String>,
    /// Its source.
    pub(super) note: String,
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// One file's origin.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Its source.
    pub(super) source: String,
    /// Its SHA-256.
    pub(super) sha256: String,
    pub(super) bytes: u64,
    /// What it was compared with: the checksum in the `manifest`, the one of the `hub`, the `hub
    /// size` if the hub gives no SHA-256 for a small file, or `nothing`.
    pub(super) checked_against: String,
}

/// The hub's listing of a listed model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// `owner/name` as requested.
    pub(super) hub: String,
    /// The requested branch, tag or commit.
    pub(super) revision: String,
    /// The commit of that revision.
    pub(super) commit: String,
    /// The licence as the hub states it.
    pub(super) licence: String,
    pub(super) files: Vec<ListedFile>,
}

/// One file of a listed model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ListedFile {
    pub(super) path: String,
    pub(super) bytes: u64,
    /// `None` for small files, which the hub keeps in git itself.
    pub(super) sha256: Option<String>,
    /// The git hash of its content; another hash means other bytes.
    pub(super) oid: String,
    /// Its repository and commit, if they differ from the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<(String, String)>,
}

impl Receipt {
    /// Reads the receipt in `folder`; a missing or damaged one counts as empty.
    pub(super) fn read(folder: &Path) -> Self {
        let mut text = Vec::new();
        let file = std::fs::File::open(folder.join(RECEIPT));
        let read = file.and_then(|file| file.take(BYTES_MAX).read_to_end(&mut text));
        let mut receipt: Self = match read {
            Ok(_) => serde_json::from_slice(&text).unwrap_or_default(),
            Err(_) => Self::default(),
        };
        if !receipt.listed.as_ref().is_none_or(Listed::is_sound) {
            receipt.listed = None;
        }
        if !receipt.imported.as_ref().is_none_or(Imported::is_sound) {
            receipt.imported = None;
        }
        receipt
    }

    /// Writes the receipt beside the files, atomically.
    pub(super) fn write(&self, folder: &Path) -> std::io::Result<()> {
        let text = serde_json::to_vec_pretty(self)?;
        let part = folder.join(format!("{RECEIPT}.part"));
        std::fs::write(&part, text)?;
        std::fs::rename(&part, folder.join(RECEIPT))
    }
}

impl Imported {
    fn is_sound(&self) -> bool {
        let is_sum = self.sha256.len() == 64 && self.sha256.bytes().all(is_lower_hex);
        is_name(&self.name) && is_inside(&self.path) && is_sum
    }

    /// The model as a manifest entry.
    pub(super) fn model(&self) -> Model {
        Model {
            name: self.name.clone(),
            kind: Kind::Speech,
            languages: self.languages.clone(),
            licence: "unknown".to_owned(),
            note: self.note.clone(),
            embedded: None,
            sources: Vec::new(),
            prompts: None,
            files: vec![ModelFile {
                path: self.path.clone(),
                bytes: self.bytes,
                sha256: Some(self.sha256.clone()),
            }],
            listed: false,
            wanted: Vec::new(),
            elsewhere: Vec::new(),
        }
    }
}

impl Listed {
    fn is_sound(&self) -> bool {
        let is_sum = |sum: &String| sum.len() == 64 && sum.bytes().all(is_lower_hex);
        let sound =
            |file: &ListedFile| is_inside(&file.path) && file.sha256.as_ref().is_none_or(is_sum);
        is_name(&self.name) && !self.files.is_empty() && self.files.iter().all(sound)
    }

    pub(super) fn model_files(&self) -> Vec<ModelFile> {
        self.files.iter().map(ListedFile::model_file).collect()
    }

    /// The model as a manifest entry.
    pub(super) fn model(&self) -> Model {
        Model {
            name: self.name.clone(),
            kind: self.kind,
            languages: Vec::new(),
            licence: self.licence.clone(),
            note: format!("Fetched by its address, {}.", self.hub),
            embedded: None,
            sources: vec![Source::Hub {
                hub: self.hub.clone(),
                revision: self.revision.clone(),
            }],
            prompts: None,
            files: Vec::new(),
            listed: true,
            wanted: self.files.iter().map(|file| file.path.clone()).collect(),
            elsewhere: Vec::new(),
        }
    }
}

impl ListedFile {
    pub(super) fn model_file(&self) -> ModelFile {
        ModelFile {
            path: self.path.clone(),
            bytes: self.bytes,
            sha256: self.sha256.clone(),
        }
    }
}
