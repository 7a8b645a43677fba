//! The receipt beside fetched weights: where each file came from and what it was checked against.
//!
//! It is read again for one thing only: the checksum of a file for which the manifest has none.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The name of the receipt in a model's folder.
pub(super) const RECEIPT: &str = "weir-receipt.json";

/// What is remembered of the files of one model.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Receipt {
    pub(super) files: BTreeMap<String, Entry>,
}

/// One file's origin.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Who sent it.
    pub(super) source: String,
    /// What it has.
    pub(super) sha256: String,
    pub(super) bytes: u64,
    /// What its checksum was compared with: `manifest`, `hub`, or `nothing`.
    pub(super) checked_against: String,
}

impl Receipt {
    /// Reads the receipt in `folder`; a missing or damaged one is an empty one.
    pub(super) fn read(folder: &Path) -> Self {
        let text = std::fs::read(folder.join(RECEIPT)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Writes the receipt beside the files, whole or not at all.
    pub(super) fn write(&self, folder: &Path) -> std::io::Result<()> {
        let text = serde_json::to_vec_pretty(self)?;
        let part = folder.join(format!("{RECEIPT}.part"));
        std::fs::write(&part, text)?;
        std::fs::rename(&part, folder.join(RECEIPT))
    }
}
