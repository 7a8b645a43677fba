//! Whisper checkpoints become models of the store, completely or not at all.
#![cfg(feature = "weights")]

use std::fs;
use std::path::Path;

use crate::hub_server::place::assert_told;
use crate::whisper_folders::{checkpoint, golden, sha256};
use tempfile::TempDir;
use weir_models::weights::{
    Import, Kind, Located, Origin, SpeechLanguages, State, Store, StoreOptions, Verdict,
    WeightsError, WeightsErrorKind as Kinds,
};
use weir_models::whisper::Quantisation;

const NAME: &str = "large-v3-ctranslate2";

fn store(root: &TempDir) -> Store {
    Store::new(StoreOptions {
        models_dir: Some(root.path().to_owned()),
        ..StoreOptions::default()
    })
}

fn import(
    store: &Store,
    path: &Path,
    name: Option<&str>,
    quantisation: Option<Quantisation>,
    replace: bool,
) -> Result<Located, WeightsError> {
    let asked = Import {
        path,
        name,
        quantisation,
        replace,
        load: |_| Ok(()),
    };
    store.import(&asked, &mut |_| {})
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
        path: folder.path(),
        name: Some("mine"),
        quantisation: Some(Quantisation::Q5_1),
        replace: false,
        load: |_| Ok(()),
    };
    let made = store
        .import(&asked, &mut |at| last = (at.bytes_done, at.bytes_total))
        .unwrap();
    assert_eq!(last.0, last.1);
    let path = root.path().join("mine/ggml-mine.bin");
    let expected = Located::OnDisk {
        name: "mine".to_owned(),
        kind: Kind::Speech,
        path: path.clone(),
        origin: Origin::ModelsDir,
    };
    assert_eq!(
        (&made, &store.path("mine").unwrap()),
        (&expected, &expected)
    );
    assert_eq!(sha256(&fs::read(&path).unwrap()), golden(NAME, "q5_1").1);
    let files = entries(&root.path().join("mine"));
    assert!(
        !files.iter().any(|name| name.ends_with(".part")),
        "{files:?}"
    );

    let mut listed = store.list().into_iter();
    let listed = listed.find(|status| status.model.name == "mine").unwrap();
    assert!(matches!(listed.state, State::Here { .. }));
    let note = "faster-whisper checkpoint, quantised to q5_1";
    assert!(listed.model.note.contains(note), "{}", listed.model.note);
    assert_eq!(listed.model.languages, ["multilingual"]);
    let from = store.came_from("mine").unwrap();
    assert_eq!(from, folder.path().display().to_string());
    assert_eq!(store.verify("mine").unwrap()[0].verdict, Verdict::Intact);

    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, &bytes).unwrap();
    let verdict = &store.verify("mine").unwrap()[0].verdict;
    assert!(matches!(verdict, Verdict::WrongChecksum { .. }));
    fs::write(&path, &bytes[..1_000]).unwrap();
    assert_eq!(store.path("mine").unwrap_err().kind(), Kinds::Damaged);
    let error = store.pull("mine", &mut |_| {}).unwrap_err();
    assert_told(&error, Kinds::Lost, "was imported");
}

#[test]
fn a_name_that_exists_is_replaced_only_where_that_is_asked() {
    let (root, folder) = (TempDir::new().unwrap(), checkpoint(NAME));
    let (store, path) = (store(&root), folder.path());
    import(&store, path, Some("mine"), None, false).unwrap();
    fs::create_dir(root.path().join("theirs")).unwrap();
    fs::write(root.path().join("theirs/x"), "x").unwrap();
    for (name, replace, kind, words) in [
        ("mine", false, Kinds::Imported, "an imported model"),
        ("theirs", true, Kinds::Taken, "something else"),
        ("Tiny.EN", false, Kinds::Taken, "a listed model"),
        ("", false, Kinds::Name, "cannot be the name"),
        (".x", false, Kinds::Name, ".x"),
        ("a/b", false, Kinds::Name, "a/b"),
        ("..", false, Kinds::Name, ".."),
        ("a b", false, Kinds::Name, "a b"),
    ] {
        let error = import(&store, path, Some(name), None, replace).unwrap_err();
        assert_told(&error, kind, words);
    }
    import(&store, path, Some("mine"), Some(Quantisation::Q8_0), true).unwrap();
    assert_eq!(store.verify("mine").unwrap()[0].verdict, Verdict::Intact);
    let file = fs::read(root.path().join("mine/ggml-mine.bin")).unwrap();
    assert_eq!(sha256(&file), golden(NAME, "q8_0").1);

    let nowhere = Store::new(StoreOptions::default());
    let error = import(&nowhere, path, Some("a"), None, false).unwrap_err();
    assert_told(&error, Kinds::NoFolder, "HOME");
}

#[test]
fn the_name_is_that_of_the_folder_or_of_the_file() {
    let (root, place) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = store(&root);
    let folder = place.path().join("my-whisper");
    fs::rename(checkpoint(NAME).keep(), &folder).unwrap();
    import(&store, &folder, None, None, false).unwrap();
    let made = root.path().join("my-whisper/ggml-my-whisper.bin");
    let copy = place.path().join("ggml-copy.v1.bin");
    fs::copy(&made, &copy).unwrap();
    import(&store, &copy, None, None, false).unwrap();
    let copied = fs::read(root.path().join("copy.v1/ggml-copy.v1.bin")).unwrap();
    assert!(copied == fs::read(&made).unwrap());
}

#[test]
fn a_failed_import_leaves_nothing() {
    let (root, folder) = (TempDir::new().unwrap(), checkpoint(NAME));
    let store = store(&root);
    let file = folder.path().join("model.bin");
    let mut bytes = fs::read(&file).unwrap();
    // an infinite value in float16, among the last weights: found only during writing
    let at = bytes.len() - 400;
    bytes[at..at + 40].fill(0xff);
    for (damaged, word) in [(&bytes[..], ""), (&bytes[..bytes.len() / 2], "cut short")] {
        fs::write(&file, damaged).unwrap();
        let error = import(&store, folder.path(), Some("mine"), None, false).unwrap_err();
        assert_told(&error, Kinds::Unusable, word);
        assert!(entries(root.path()).is_empty());
    }
}

#[test]
fn the_best_model_of_those_that_know_the_language_comes_first() {
    let root = TempDir::new().unwrap();
    let store = store(&root);
    assert_eq!(store.speech_models(SpeechLanguages::English), []);
    for (name, of, quantisation) in [
        ("less", "english-ctranslate2", Some(Quantisation::Q5_1)),
        ("whole", "english-ctranslate2", None),
        ("all", NAME, None),
    ] {
        let folder = checkpoint(of);
        import(&store, folder.path(), Some(name), quantisation, false).unwrap();
    }
    let names = |languages| -> Vec<String> {
        let found = store.speech_models(languages).into_iter();
        let name = |model| match model {
            Located::OnDisk { name, .. } | Located::Embedded { name } => name,
        };
        found.map(name).collect()
    };
    let of_english = names(SpeechLanguages::English);
    let position = |name: &str| of_english.iter().position(|it| it == name).unwrap();
    assert_eq!(of_english.len(), 3);
    assert!(position("whole") < position("less"), "{of_english:?}");
    // only this one knows other languages; as small as it is, it is no better in English
    assert_eq!(of_english[2], "all");
    assert_eq!(names(SpeechLanguages::Many), ["all"]);
    // an unreadable model is no candidate
    fs::write(root.path().join("all/ggml-all.bin"), b"no ggml").unwrap();
    assert_eq!(names(SpeechLanguages::Many), [""; 0]);
}
