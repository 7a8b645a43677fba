//! A store in a temporary folder, for tests that pull.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::whisper_folders::sha256;
use tempfile::TempDir;
use weir_models::weights::{
    Kind, Located, Manifest, Origin, State, Store, StoreOptions, Verdict, WeightsError,
    WeightsErrorKind,
};

pub(crate) const FILE: &str = "ggml-test.bin";
pub(crate) const HUB: &str = r#"{"hub": "weir/test", "revision": "main"}"#;

/// 300 kB without repetition.
pub(crate) fn content() -> Vec<u8> {
    let mut state = 1_u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..300_000).map(next).collect()
}

/// The same with another byte there.
pub(crate) fn content_but(at: usize) -> Vec<u8> {
    let mut bytes = content();
    bytes[at] ^= 1;
    bytes
}

/// A manifest whose only model is a speech model of one file.
pub(crate) fn manifest(sources: &str, bytes: u64, sum: &str) -> Manifest {
    serde_json::from_str(&format!(
        r#"{{"models": [{{"name": "test", "kind": "speech", "languages": ["en"],
        "licence": "MIT", "note": "for tests", "sources": [{sources}],
        "files": [{{"path": "{FILE}", "bytes": {bytes}, "sha256": "{sum}"}}]}}]}}"#
    ))
    .unwrap()
}

/// A store in a temporary folder that uses `hub_url` with short time limits.
pub(crate) struct Place {
    pub(crate) cache: TempDir,
    pub(crate) options: StoreOptions,
    pub(crate) manifest: Manifest,
}

impl Place {
    pub(crate) fn new(hub_url: &str) -> Self {
        let cache = TempDir::new().unwrap();
        let options = StoreOptions {
            cache_dir: Some(cache.path().to_owned()),
            hub_url: hub_url.to_owned(),
            stall_timeout: Duration::from_secs(1),
            retries_max: 3,
            backoff: Duration::from_millis(1),
            ..StoreOptions::default()
        };
        Self {
            cache,
            options,
            manifest: manifest(HUB, 300_000, &sha256(&content())),
        }
    }

    /// The same store with another hub.
    pub(crate) fn at(mut self, hub_url: &str) -> Self {
        hub_url.clone_into(&mut self.options.hub_url);
        self
    }

    pub(crate) fn store(&self) -> Store {
        Store::with_manifest(self.manifest.clone(), self.options.clone())
    }

    pub(crate) fn pull(&self) -> Result<Located, WeightsError> {
        self.store().pull("test", &mut |_| {})
    }

    /// The folder of all models.
    pub(crate) fn root(&self) -> PathBuf {
        self.cache.path().join("weir/models")
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.root().join("test")
    }

    pub(crate) fn part(&self) -> PathBuf {
        self.folder().join(format!("{FILE}.part"))
    }

    pub(crate) fn receipt(&self) -> String {
        fs::read_to_string(self.folder().join("weir-receipt.json")).unwrap()
    }

    /// Asserts that the model's only file is here and intact.
    pub(crate) fn assert_arrived(&self) {
        let path = self.folder().join(FILE);
        self.assert_here(Kind::Speech, path, &[(FILE.to_owned(), content())]);
    }

    /// Asserts that these files are here and intact, without partial files beside them, and that
    /// the store gives the path.
    pub(crate) fn assert_here(&self, kind: Kind, path: PathBuf, files: &[(String, Vec<u8>)]) {
        for (path, bytes) in files {
            assert_eq!(
                &fs::read(self.folder().join(path)).unwrap(),
                bytes,
                "{path}"
            );
        }
        let store = self.store();
        let findings = store.verify("test").unwrap();
        assert_eq!(findings.len(), files.len());
        for finding in findings {
            assert_eq!(finding.verdict, Verdict::Intact, "{:?}", finding.file);
            assert!(!finding.file.with_added_extension("part").exists());
        }
        let located = Located::OnDisk {
            name: "test".to_owned(),
            kind,
            path: path.clone(),
            origin: Origin::Cache,
        };
        assert_eq!(store.path("test").unwrap(), located);
        assert_eq!(store.list()[0].state, State::Here { path });
    }
}

/// Asserts that an error is of this kind, and that its message has all words, which stand between
/// bars.
#[track_caller]
pub(crate) fn assert_told(error: &WeightsError, kind: WeightsErrorKind, words: &str) {
    let message = error.to_string();
    assert_eq!(error.kind(), kind, "{message}");
    let missing = words.split('|').find(|word| !message.contains(word));
    assert_eq!(missing, None, "{message}");
}
