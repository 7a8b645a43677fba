//! The receipt of weights on this machine: the source of each file, and the model itself where the
//! manifest does not list its files.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::manifest::Model;
use super::wanted::RECEIPT;

/// Much larger than the receipt of any model; the rest of a larger file is not read.
const BYTES_MAX: u64 = 4 << 20;

/// Data about the files of one model.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Receipt {
    pub(super) files: BTreeMap<String, Entry>,
    /// The model with its files, if it is listed or imported; written before the first download.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<Model>,
    /// The commit from which a listed model is fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) commit: Option<String>,
}

/// One file's origin.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) source: String,
    pub(super) sha256: String,
}

impl Receipt {
    /// Reads the receipt in `folder`; a missing or damaged one counts as empty.
    pub(super) fn read(folder: &Path) -> Self {
        let mut text = Vec::new();
        let file = File::open(folder.join(RECEIPT));
        let read = file.and_then(|file| file.take(BYTES_MAX).read_to_end(&mut text));
        let receipt = read.ok().and_then(|_| serde_json::from_slice(&text).ok());
        let mut receipt: Self = receipt.unwrap_or_default();
        receipt.model = receipt.model.filter(Model::is_sound);
        receipt
    }

    /// Writes the receipt beside the files, atomically.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let part = folder.join(format!("{RECEIPT}.part"));
        fs::write(&part, serde_json::to_vec_pretty(self)?)?;
        fs::rename(&part, folder.join(RECEIPT))
    }
}
