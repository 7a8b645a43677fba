//! A listed model: a T5 in a repository of the hub, and a store that knows it.

use weir_models::weights::Kind;

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
    place.manifest = serde_json::from_str(&format!(
        r#"{{"models": [{{"name": "test", "kind": "summariser", "licence": "MIT",
        "languages": ["en"], "note": "for tests", "listed": true,
        "sources": [{{"hub": "owner/test-T5", "revision": "main"}}],
        "wanted": ["config.json", "model.safetensors|pytorch_model.bin", "sub/*.json?",
                   "spiece.model?", "tokenizer.json"]{more}}}]}}"#
    ))
    .unwrap();
    place
}

/// All required files of `shelf` exist and are intact; the others do not exist.
#[track_caller]
pub(crate) fn assert_arrived(place: &Place, shelf: &Shelf) {
    place.assert_here(Kind::Summariser, place.folder(), &shelf.files[1..]);
    let (unwanted, _) = &shelf.files[0];
    assert!(
        !place.folder().join(unwanted).exists(),
        "{unwanted} was not wanted"
    );
}
