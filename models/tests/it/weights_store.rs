//! What the store finds on disk, by name and by path, and its messages when it finds nothing.
#![cfg(feature = "weights")]

use std::fs;
use std::path::Path;

use crate::hub_server::place::assert_told;
use tempfile::TempDir;
use weir_models::weights::{
    Kind, Located, Manifest, Origin, SpeechLanguages, State, Store, StoreOptions, WeightsErrorKind,
};
use weir_models::whisper::Size;

/// "abc", whose SHA-256 is well known.
const ABC: &[u8] = b"abc";

fn manifest() -> Manifest {
    let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    serde_json::from_str(&format!(
        r#"{{"models": [
        {{"name": "carried", "kind": "speech", "languages": ["en"], "licence": "MIT", "note": "",
         "sources": [], "files": [{{"path": "ggml-carried.bin", "bytes": 3, "sha256": "{sum}"}}]}},
        {{"name": "voice", "kind": "speech", "languages": ["en"], "licence": "MIT", "note": "",
         "sources": [], "files": [{{"path": "ggml-voice.bin", "bytes": 3, "sha256": "{sum}"}}]}},
        {{"name": "all-MiniLM-L6-v2", "kind": "encoder", "languages": ["en"], "licence": "MIT",
         "note": "", "sources": [], "files": [
         {{"path": "config.json", "bytes": 3, "sha256": "{sum}"}},
         {{"path": "1_Pooling/config.json", "bytes": 3, "sha256": "{sum}"}}]}}]}}"#
    ))
    .unwrap()
}

fn store(models: &Path, cache: &Path) -> Store {
    let options = StoreOptions {
        models_dir: Some(models.to_owned()),
        cache_dir: Some(cache.to_owned()),
        ..StoreOptions::default()
    };
    Store::with_manifest(manifest(), options)
}

fn put(file: impl AsRef<Path>, bytes: &[u8]) {
    fs::create_dir_all(file.as_ref().parent().unwrap()).unwrap();
    fs::write(file, bytes).unwrap();
}

#[test]
fn the_users_folder_comes_before_the_cache() {
    let (models, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = store(models.path(), cache.path());
    let kind = WeightsErrorKind::NotFetched;
    for error in [
        store.path("voice").unwrap_err(),
        store.verify("voice").unwrap_err(),
    ] {
        assert_told(&error, kind, "model voice of 1 MB is not on this machine");
        assert_eq!(error.model(), "voice");
    }
    let cached = cache.path().join("weir/models/voice/ggml-voice.bin");
    let [file, folder] =
        ["ggml-voice.bin", "voice/ggml-voice.bin"].map(|at| models.path().join(at));
    for (path, name, origin) in [
        (cached, "voice", Origin::Cache),
        (file, "VOICE", Origin::ModelsDir),
        (folder, "voice", Origin::ModelsDir),
    ] {
        put(&path, ABC);
        let expected = Located::OnDisk {
            name: "voice".to_owned(),
            kind: Kind::Speech,
            path,
            origin,
        };
        assert_eq!(store.path(name).unwrap(), expected);
    }
}

#[test]
fn an_encoder_is_its_folder_once_all_files_are_there() {
    let (models, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = store(models.path(), cache.path());
    let folder = models.path().join("all-MiniLM-L6-v2");
    put(folder.join("config.json"), ABC);
    let error = store.path("all-MiniLM-L6-v2").unwrap_err();
    assert_eq!(error.kind(), WeightsErrorKind::NotFetched);
    assert_eq!(store.list()[2].state, State::Partial { bytes: 3 });
    put(folder.join("1_Pooling/config.json"), ABC);
    let located = store.path("all-MiniLM-L6-v2").unwrap();
    let is_folder = matches!(&located, Located::OnDisk { path, .. } if *path == folder);
    assert!(is_folder, "{located:?}");
}

#[test]
fn an_embedded_model_is_always_there() {
    let options = StoreOptions {
        offline: true,
        ..StoreOptions::default()
    };
    let mut manifest = manifest();
    let size = Size {
        width: 384,
        layers: 8,
        multilingual: false,
    };
    manifest.embed("carried", size);
    let store = Store::with_manifest(manifest, options);
    let located = Located::Embedded {
        name: "carried".to_owned(),
    };
    assert_eq!(store.path("carried").unwrap(), located);
    let english = store.speech_models(SpeechLanguages::English);
    assert_eq!(english, std::slice::from_ref(&located));
    assert_eq!(store.speech_models(SpeechLanguages::Many), []);
    assert_eq!(store.pull("carried", &mut |_| {}).unwrap(), located);
    assert_eq!(store.verify("carried").unwrap(), []);
    assert_eq!(store.list()[0].state, State::Embedded);
}

#[test]
fn an_unknown_name_is_told_its_neighbours() {
    let store = Store::new(StoreOptions::default());
    for name in ["bas.en", "base_en"] {
        let words = "did you mean|base.en";
        assert_told(
            &store.path(name).unwrap_err(),
            WeightsErrorKind::Unknown,
            words,
        );
    }
    let error = store.verify("x").unwrap_err();
    assert_eq!(error.kind(), WeightsErrorKind::Unknown);
}

#[test]
fn a_path_is_taken_when_it_is_a_model_and_refused_by_reason_when_not() {
    let place = TempDir::new().unwrap();
    let store = Store::new(StoreOptions::default());
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let cross = br#"{"architectures": ["XForSequenceClassification"]}"#;
    for (file, bytes, given, kind) in [
        ("mine.bin", &b"lmgg rest"[..], "mine.bin", Kind::Speech),
        ("x.gguf", b"GGUF rest", "x.gguf", Kind::Generator),
        ("folder/config.json", b"{}", "folder", Kind::Encoder),
        ("cross/config.json", cross, "cross", Kind::Reranker),
    ] {
        put(at(file), bytes);
        let expected = Located::OnDisk {
            name: given.to_owned(),
            kind,
            path: at(given).into(),
            origin: Origin::Given,
        };
        assert_eq!(store.path(&at(given)).unwrap(), expected);
    }
    put(at("song.mp3"), b"ID3 not a model");
    put(at("short.bin"), b"lm");
    put(at("y.gguf"), b"lmgg rest");
    fs::create_dir(at("empty")).unwrap();
    for (name, reason) in [
        ("song.mp3", "begins with \"ID3 \""),
        ("y.gguf", "a GGUF file with \"GGUF\""),
        ("short.bin", "shorter"),
        ("empty", "config.json"),
        ("nothing", "nothing at this path"),
    ] {
        let error = store.path(&at(name)).unwrap_err();
        let words = format!("{reason}|{name}");
        assert_told(&error, WeightsErrorKind::NotAModel, &words);
    }
}

#[test]
fn without_any_folder_the_message_says_so() {
    let store = Store::with_manifest(manifest(), StoreOptions::default());
    let error = store.path("voice").unwrap_err();
    assert_told(&error, WeightsErrorKind::NotFetched, "HOME is not set");
    let error = store.pull("voice", &mut |_| {}).unwrap_err();
    assert_told(
        &error,
        WeightsErrorKind::NoFolder,
        "HOME and XDG_CACHE_HOME",
    );
}
