//! What the store finds on disk, by name and by path, and its messages when it finds nothing.
#![cfg(feature = "weights")]

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use weir_models::weights::{
    Kind, LocateError, Located, Manifest, Origin, State, Store, StoreOptions, Verdict,
};
use weir_models::whisper::Size;

/// "abc", whose SHA-256 is well known.
const ABC: &[u8] = b"abc";

fn manifest() -> Manifest {
    Manifest::parse(
        r#"{"version": 1, "models": [
        {"name": "carried", "kind": "speech", "languages": ["en"], "licence": "MIT", "note": "",
         "sources": [], "files": [{"path": "ggml-carried.bin", "bytes": 3, "sha256": null}]},
        {"name": "voice", "kind": "speech", "languages": ["en"], "licence": "MIT", "note": "",
         "sources": [], "files": [{"path": "ggml-voice.bin", "bytes": 3, "sha256":
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}]},
        {"name": "all-MiniLM-L6-v2", "kind": "encoder", "languages": ["en"], "licence": "MIT",
         "note": "", "sources": [], "files": [
         {"path": "config.json", "bytes": 3, "sha256": null},
         {"path": "1_Pooling/config.json", "bytes": 3, "sha256": null}]}]}"#,
    )
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

fn origin(located: &Located) -> Origin {
    match located {
        Located::OnDisk { origin, .. } => *origin,
        Located::Embedded { .. } => panic!("{located:?} is not on disk"),
    }
}

#[test]
fn the_users_folder_comes_before_the_cache() {
    let (models, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = store(models.path(), cache.path());
    let error = store.path("voice").unwrap_err();
    assert!(matches!(error, LocateError::NotFetched { .. }), "{error}");
    assert!(
        error.to_string().contains("weir models pull voice"),
        "{error}"
    );

    put(cache.path().join("weir/models/voice/ggml-voice.bin"), ABC);
    assert_eq!(origin(&store.path("voice").unwrap()), Origin::Cache);
    put(models.path().join("ggml-voice.bin"), ABC);
    assert_eq!(origin(&store.path("VOICE").unwrap()), Origin::ModelsDir);
    put(models.path().join("voice/ggml-voice.bin"), ABC);
    let Located::OnDisk { path, kind, .. } = store.path("voice").unwrap() else {
        panic!()
    };
    assert_eq!(
        (path, kind),
        (models.path().join("voice/ggml-voice.bin"), Kind::Speech)
    );
}

#[test]
fn an_encoder_is_its_folder_once_all_files_are_there() {
    let (models, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = store(models.path(), cache.path());
    let folder = models.path().join("all-MiniLM-L6-v2");
    put(folder.join("config.json"), ABC);
    assert!(matches!(
        store.locate_encoder(),
        Err(LocateError::NotFetched { .. })
    ));
    assert_eq!(store.list()[2].state, State::Partial { bytes: 3 });
    put(folder.join("1_Pooling/config.json"), ABC);
    let Located::OnDisk { path, kind, .. } = store.locate_encoder().unwrap() else {
        panic!()
    };
    assert_eq!((path, kind), (folder.clone(), Kind::Encoder));
    let findings = store.verify("all-MiniLM-L6-v2").unwrap();
    assert!(
        findings
            .iter()
            .all(|f| matches!(f.verdict, Verdict::Unknown { .. }))
    );
}

#[test]
fn an_embedded_model_is_always_there() {
    let manifest = || {
        let mut manifest = manifest();
        let size = Size {
            width: 384,
            layers: 8,
            multilingual: false,
        };
        manifest.embed("carried", size);
        manifest
    };
    let store = Store::with_manifest(manifest(), StoreOptions::default());
    let located = Located::Embedded {
        name: "carried".to_owned(),
    };
    assert_eq!(store.path("carried").unwrap(), located);
    let offline = StoreOptions {
        offline: true,
        ..StoreOptions::default()
    };
    let store = Store::with_manifest(manifest(), offline);
    assert_eq!(store.pull("carried", &mut |_| {}).unwrap(), located);
    assert_eq!(store.verify("carried").unwrap(), []);
    assert_eq!(store.list()[0].state, State::Embedded);
    assert_eq!(store.speech_models(false), [located]);
    assert_eq!(store.speech_models(true), []);
}

#[test]
fn verify_reads_every_file() {
    let (models, cache) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = store(models.path(), cache.path());
    let file = models.path().join("voice/ggml-voice.bin");
    assert!(matches!(
        store.verify("voice"),
        Err(LocateError::NotFetched { .. })
    ));
    put(&file, ABC);
    assert_eq!(store.verify("voice").unwrap()[0].verdict, Verdict::Intact);
    put(&file, b"abd");
    let verdict = store.verify("voice").unwrap().remove(0).verdict;
    assert!(
        matches!(verdict, Verdict::WrongChecksum { .. }),
        "{verdict:?}"
    );
    put(&file, b"ab");
    let verdict = store.verify("voice").unwrap().remove(0).verdict;
    assert_eq!(
        verdict,
        Verdict::WrongSize {
            expected: 3,
            found: 2
        }
    );
}

#[test]
fn an_unknown_name_is_told_its_neighbours() {
    let store = Store::new(StoreOptions::default());
    for name in ["bas.en", "base_en"] {
        let error = store.path(name).unwrap_err().to_string();
        assert!(
            error.contains("did you mean") && error.contains("base.en"),
            "{error}"
        );
        assert!(error.contains("weir models list"), "{error}");
    }
    assert!(matches!(
        store.verify("x"),
        Err(LocateError::Unknown { .. })
    ));
}

#[test]
fn a_path_is_taken_when_it_is_a_model_and_refused_by_reason_when_not() {
    let place = TempDir::new().unwrap();
    let store = Store::new(StoreOptions::default());
    let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();

    put(at("mine.bin"), b"lmgg rest");
    let Located::OnDisk {
        name, kind, origin, ..
    } = store.path(&at("mine.bin")).unwrap()
    else {
        panic!()
    };
    assert_eq!(
        (name.as_str(), kind, origin),
        ("mine.bin", Kind::Speech, Origin::Given)
    );
    put(at("folder/config.json"), b"{}");
    let Located::OnDisk { kind, .. } = store.path(&at("folder")).unwrap() else {
        panic!()
    };
    assert_eq!(kind, Kind::Encoder);

    put(at("song.mp3"), b"ID3 not a model");
    put(at("short.bin"), b"lm");
    fs::create_dir(at("empty")).unwrap();
    let reasons = [
        ("song.mp3", "begins with"),
        ("short.bin", "shorter"),
        ("empty", "config.json"),
    ];
    for (name, reason) in reasons
        .into_iter()
        .chain([("nothing", "nothing at this path")])
    {
        let error = store.path(&at(name)).unwrap_err();
        assert!(matches!(error, LocateError::NotAModel { .. }), "{error}");
        let message = error.to_string();
        assert!(
            message.contains(reason) && message.contains(name),
            "{message}"
        );
    }
}

#[test]
fn without_any_folder_the_message_says_so() {
    let store = Store::with_manifest(manifest(), StoreOptions::default());
    let error = store.path("voice").unwrap_err().to_string();
    assert!(error.contains("HOME is not set"), "{error}");
    let error = store.pull("voice", &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("WEIR_MODELS"), "{error}");
}
