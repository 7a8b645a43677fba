//! A listed model: a T5 in a repository of the hub, and a store that knows it.

use std::fs;

use weir_models::weights::{Kind, Located, Manifest, Origin, Verdict};

use super::HubServer;
use super::place::{Place, content};
use super::shelf::Shelf;

pub(crate) const CONFIG: &[u8] = br#"{"architectures": ["T5ForConditionalGeneration"]}"#;
pub(crate) const TOKENS: &[u8] = b"{\"a tokenizer\": 1}";

/// A T5 with PyTorch weights.
pub(crate) fn shelf() -> Shelf {
    let weights = content();
    Shelf::new(
        "owner/test-T5",
        &[
            ("README.md", b"# hello"),
            ("config.json", CONFIG),
            ("pytorch_model.bin", &weights),
            ("sub/extra file.json", b"{}"),
            ("tokenizer.json", TOKENS),
        ],
    )
}

/// A store whose only model is that T5; `more` extends its entry.
pub(crate) fn place(hub: &HubServer, more: &str) -> Place {
    let mut place = Place::new(&hub.url);
    place.manifest = Manifest::parse(&format!(
        r#"{{"version": 1, "models": [{{"name": "test", "kind": "summariser", "licence": "MIT",
        "languages": ["en"], "note": "for tests", "listed": true,
        "sources": [{{"hub": "owner/test-T5", "revision": "main"}}],
        "wanted": ["config.json", "model.safetensors|pytorch_model.bin", "sub/*.json?",
                   "spiece.model?", "tokenizer.json"]{more}}}]}}"#
    ))
    .unwrap();
    place
}

/// All required files of `shelf` exist and are intact; the others do not exist.
pub(crate) fn assert_arrived(place: &Place, shelf: &Shelf) {
    let store = place.store();
    for (path, bytes) in &shelf.files {
        let file = place.folder().join(path);
        match path.as_str() {
            "README.md" => assert!(!file.exists(), "{path} was not wanted"),
            _ => assert_eq!(&fs::read(file).unwrap(), bytes, "{path}"),
        }
    }
    let expected = Located::OnDisk {
        name: "test".to_owned(),
        kind: Kind::Summariser,
        path: place.folder(),
        origin: Origin::Cache,
    };
    assert_eq!(store.path("test").unwrap(), expected);
    let findings = store.verify("test").unwrap();
    assert_eq!(findings.len(), shelf.files.len() - 1);
    let all = findings.iter().all(|at| at.verdict == Verdict::Intact);
    assert!(all, "{findings:?}");
}
