//! Cached replies in files, one per request, named by the SHA-256 of address and request.

use crate::files::write_whole;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A folder of replies. It grows with the requests and may be deleted at any time.
pub(super) struct Remembered {
    folder: PathBuf,
}

impl Remembered {
    pub(super) fn new(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// The reply to a request; `None` if the file is unreadable or belongs to another request.
    pub(super) fn get(&self, url: &str, request: &Value) -> Option<String> {
        let text = std::fs::read_to_string(self.path(url, request)).ok()?;
        let kept: Value = serde_json::from_str(&text).ok()?;
        let same = kept["url"] == url && kept["request"] == *request;
        kept["reply"].as_str().filter(|_| same).map(str::to_owned)
    }

    /// Stores a reply atomically.
    pub(super) fn keep(&self, url: &str, request: &Value, reply: &str) -> Result<()> {
        let kept = json!({"url": url, "request": request, "reply": reply});
        write_whole(&self.path(url, request), |out| Ok(writeln!(out, "{kept}")?))
    }

    fn path(&self, url: &str, request: &Value) -> PathBuf {
        let digest = Sha256::digest(format!("{url}\n{request}"));
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(format!("{digest}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_reply_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = Remembered::new(folder.path()).expect("made");
        let request = json!({"model": "m"});
        assert_eq!(kept.get("u", &request), None);
        kept.keep("u", &request, "yes").expect("written");
        assert_eq!(kept.get("u", &request).as_deref(), Some("yes"));
        assert_eq!(kept.get("other", &request), None);
        std::fs::write(kept.path("u", &request), "{").expect("written");
        assert_eq!(kept.get("u", &request), None);
    }
}
