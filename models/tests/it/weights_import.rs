//! Whisper checkpoints become models of the store, completely or not at all.
#![cfg(feature = "weights")]

use std::fs;
use std::path::Path;

use crate::whisper_folders::{checkpoint, golden, sha256};
use tempfile::TempDir;
use weir_models::weights::{
    Import, ImportError, Kind, LocateError, Located, Manifest, PullError, State, Store,
    StoreOptions, Verdict,
};
use weir_models::whisper::{ConvertError, Quantisation, Size};

const NAME: &str = "large-v3-ctranslate2";

fn store(root: &TempDir) -> Store {
    Store::new(StoreOptions {
        models_dir: Some(root.path().to_owned()),
        ..StoreOptions::default()
    })
}

fn asked<'a>(path: &'a Path, name: Option<&'a str>) -> Import<'a> {
    Import {
        path,
        name,
        quantisation: None,
        replace: false,
    }
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn an_imported_model_is_found_listed_and_verified() {
    let (root, folder) = (TempDir::new().unwrap(), checkpoint(NAME));
    let store = store(&root);
    let mut last = (0, 1);
    let asked = Import {
        quantisation: Some(Quantisation::Q5_1),
        ..asked(folder.path(), Some("mine"))
    };
    let made = store.import(&asked, &mut |at| last = (at.bytes_done, at.bytes_total));
    assert_eq!(last.0, last.1);
    let Located::OnDisk {
        name, kind, path, ..
    } = made.unwrap()
    else {
        panic!("it is embedded");
    };
    assert_eq!((name.as_str(), kind), ("mine", Kind::Speech));
    assert_eq!(sha256(&fs::read(&path).unwrap()), golden(NAME, "q5_1").1);
    assert!(
        !entries(&root.path().join("mine"))
            .iter()
            .any(|name| name.ends_with(".part"))
    );

    let found = store.path("mine").unwrap();
    assert!(matches!(found, Located::OnDisk { path: at, .. } if at == path));
    let listed = store
        .list()
        .into_iter()
        .find(|status| status.model.name == "mine")
        .unwrap();
    assert!(matches!(listed.state, State::Here { .. }));
    assert!(
        listed
            .model
            .note
            .contains("faster-whisper checkpoint, quantised to q5_1")
    );
    assert_eq!(listed.model.languages, ["multilingual"]);
    assert_eq!(
        store.came_from("mine"),
        Some(folder.path().display().to_string())
    );
    assert_eq!(store.verify("mine").unwrap()[0].verdict, Verdict::Intact);

    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let verdict = &store.verify("mine").unwrap()[0].verdict;
    assert!(matches!(verdict, Verdict::WrongChecksum { .. }));
    fs::write(&path, &bytes[..1_000]).unwrap();
    let error = store.path("mine").unwrap_err();
    assert!(matches!(error, LocateError::WrongSize { .. }), "{error}");
    let error = store.pull("mine", &mut |_| {}).unwrap_err();
    assert!(matches!(error, PullError::Imported { .. }), "{error}");
    assert!(error.to_string().contains("weir models import"), "{error}");
}

#[test]
fn a_name_that_exists_is_replaced_only_where_that_is_asked() {
    let (root, folder) = (TempDir::new().unwrap(), checkpoint(NAME));
    let store = store(&root);
    store
        .import(&asked(folder.path(), Some("mine")), &mut |_| {})
        .unwrap();
    let error = store.import(&asked(folder.path(), Some("mine")), &mut |_| {});
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("--replace") && error.contains("--name"),
        "{error}"
    );
    let again = Import {
        quantisation: Some(Quantisation::Q8_0),
        replace: true,
        ..asked(folder.path(), Some("mine"))
    };
    store.import(&again, &mut |_| {}).unwrap();
    assert_eq!(store.verify("mine").unwrap()[0].verdict, Verdict::Intact);
    let file = fs::read(root.path().join("mine/ggml-mine.bin")).unwrap();
    assert_eq!(sha256(&file), golden(NAME, "q8_0").1);

    let error = store.import(&asked(folder.path(), Some("Tiny.EN")), &mut |_| {});
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("tiny.en, a model of `weir models list`"),
        "{error}"
    );
    fs::create_dir(root.path().join("theirs")).unwrap();
    fs::write(root.path().join("theirs/x"), "x").unwrap();
    let theirs = Import {
        replace: true,
        ..asked(folder.path(), Some("theirs"))
    };
    let error = store.import(&theirs, &mut |_| {}).unwrap_err();
    assert!(matches!(error, ImportError::Taken { .. }), "{error}");
    for bad in ["", ".x", "a/b", "..", "a b"] {
        let error = store.import(&asked(folder.path(), Some(bad)), &mut |_| {});
        assert!(matches!(error, Err(ImportError::Name { .. })), "{bad:?}");
    }
    assert!(matches!(
        Store::new(StoreOptions::default()).import(&asked(folder.path(), Some("a")), &mut |_| {}),
        Err(ImportError::NoFolder)
    ));
}

#[test]
fn the_name_is_that_of_the_folder_or_of_the_file() {
    let (root, place) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = store(&root);
    let folder = place.path().join("my-whisper");
    fs::rename(checkpoint(NAME).keep(), &folder).unwrap();
    store.import(&asked(&folder, None), &mut |_| {}).unwrap();
    let made = root.path().join("my-whisper/ggml-my-whisper.bin");
    let copy = place.path().join("ggml-copy.v1.bin");
    fs::copy(&made, &copy).unwrap();
    store.import(&asked(&copy, None), &mut |_| {}).unwrap();
    let copied = fs::read(root.path().join("copy.v1/ggml-copy.v1.bin")).unwrap();
    assert!(copied == fs::read(&made).unwrap());
}

#[test]
fn a_failed_import_leaves_nothing() {
    let (root, folder) = (TempDir::new().unwrap(), checkpoint(NAME));
    let store = store(&root);
    let file = folder.path().join("model.bin");
    let mut bytes = fs::read(&file).unwrap();
    // An infinite value in float16, among the last weights: found only during writing.
    let at = bytes.len() - 400;
    bytes[at..at + 40].fill(0xff);
    fs::write(&file, &bytes).unwrap();
    let error = store.import(&asked(folder.path(), Some("mine")), &mut |_| {});
    assert!(matches!(error, Err(ImportError::Convert(_))));
    assert!(entries(root.path()).is_empty());
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let error = store.import(&asked(folder.path(), Some("mine")), &mut |_| {});
    assert!(matches!(
        error,
        Err(ImportError::Convert(ConvertError::Truncated { .. }))
    ));
    assert!(entries(root.path()).is_empty());
}

#[test]
fn the_best_model_of_those_that_know_the_language_comes_first() {
    let root = TempDir::new().unwrap();
    let store = store(&root);
    assert_eq!(store.speech_models(false), []);
    let import = |name, of: &str, quantisation| {
        let folder = checkpoint(of);
        let asked = Import {
            quantisation,
            ..asked(folder.path(), Some(name))
        };
        store.import(&asked, &mut |_| {}).unwrap();
    };
    import("less", "english-ctranslate2", Some(Quantisation::Q5_1));
    import("whole", "english-ctranslate2", None);
    import("all", NAME, None);
    let names = |multilingual| -> Vec<String> {
        let found = store.speech_models(multilingual).into_iter();
        let name = |model| match model {
            Located::OnDisk { name, .. } | Located::Embedded { name } => name,
        };
        found.map(name).collect()
    };
    let of_english = names(false);
    let position = |name: &str| of_english.iter().position(|it| it == name).unwrap();
    assert_eq!(of_english.len(), 3);
    assert!(position("whole") < position("less"), "{of_english:?}");
    // only this one knows other languages
    assert_eq!(names(true), ["all"]);
    // one inside the program is ranked among them
    let with_embedded = |width| {
        let mut manifest = Manifest::builtin();
        let size = Size {
            width,
            layers: 3,
            multilingual: false,
        };
        manifest.embed("tiny.en", size);
        let options = StoreOptions {
            models_dir: Some(root.path().to_owned()),
            ..StoreOptions::default()
        };
        let found = Store::with_manifest(manifest, options).speech_models(false);
        let is_embedded = |model: &Located| matches!(model, Located::Embedded { .. });
        found.iter().position(is_embedded)
    };
    assert_eq!([with_embedded(32), with_embedded(33)], [Some(3), Some(0)]);
    // an unreadable model is no candidate
    fs::write(root.path().join("all/ggml-all.bin"), b"no ggml").unwrap();
    assert_eq!(names(true), [""; 0]);
}
