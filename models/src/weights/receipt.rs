//! The receipt of weights on this machine: the source of each file and the check it passed, and the
//! model itself where the manifest does not list its files.

use std::collections::BTreeMap;
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
    /// Its source.
    pub(super) source: String,
    /// Its SHA-256.
    pub(super) sha256: String,
    pub(super) bytes: u64,
    /// What it was compared with: the checksum in the `manifest`, the one of the `hub`, the `hub
    /// size` if the hub gives no SHA-256 for a small file, or `nothing`.
    pub(super) checked_against: String,
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
        receipt.model = receipt.model.filter(|model| model.check().is_ok());
        receipt
    }

    /// Writes the receipt beside the files, atomically.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(self)?;
        let part = folder.join(format!("{RECEIPT}.part"));
        std::fs::write(&part, text)?;
        std::fs::rename(&part, folder.join(RECEIPT))
    }
}
