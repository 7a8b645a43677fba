//! Converted Whisper checkpoints equal, byte for byte, those of an independent implementation in
//! numpy (recorded by `scripts/golden/make_tiny_whisper.py`), and the published files of tiny.en if
//! that checkpoint exists.
#![cfg(feature = "weights")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::whisper_folders::{NAMES, Words, checkpoint, golden, sha256, unpack, write_words};
use weir_fixtures::{Need, missing};
use weir_models::weights::{Located, Manifest, Store, StoreOptions};
use weir_models::whisper::{Checkpoint, Quantisation};

fn storages() -> impl Iterator<Item = (&'static str, Option<Quantisation>)> {
    let quantised = Quantisation::ALL.map(|kind| (kind.name(), Some(kind)));
    std::iter::once(("f16", None)).chain(quantised)
}

fn convert(path: &Path, kind: Option<Quantisation>) -> Vec<u8> {
    let checkpoint = Checkpoint::open(path).unwrap();
    let mut out = Vec::new();
    let mut last = 0;
    checkpoint
        .write(kind, &mut out, &mut |bytes| last = bytes)
        .unwrap();
    assert_eq!(out.len() as u64, checkpoint.bytes(kind));
    assert_eq!(out.len() as u64, last);
    out
}

#[test]
fn all_layouts_in_all_quantisations_equal_the_independent_converter() {
    for name in NAMES {
        let folder = checkpoint(name);
        for (storage, kind) in storages() {
            let made = convert(folder.path(), kind);
            let found = (made.len() as u64, sha256(&made));
            assert_eq!(found, golden(name, storage), "{name} {storage}");
        }
    }
}

#[test]
fn a_ggml_file_quantises_to_the_same() {
    let name = "large-v3-ctranslate2";
    let folder = checkpoint(name);
    let file = folder.path().join("ggml.bin");
    fs::write(&file, convert(folder.path(), None)).unwrap();
    for (storage, kind) in storages() {
        let made = convert(&file, kind);
        assert_eq!(sha256(&made), golden(name, storage).1, "{storage}");
    }
}

#[test]
fn every_file_of_a_vocabulary_gives_the_same_tokens() {
    for (name, is_english) in [
        ("english-ctranslate2", true),
        ("large-v3-ctranslate2", false),
    ] {
        for kind in [
            Words::TokenizerJson,
            Words::VocabJson,
            Words::VocabularyJson,
            Words::VocabularyTxt,
        ] {
            let folder = unpack(name);
            write_words(folder.path(), kind, is_english);
            let made = convert(folder.path(), None);
            assert_eq!(sha256(&made), golden(name, "f16").1);
        }
    }
}

/// The checkpoint of tiny.en: `WEIR_WHISPER_TINY_EN`, which is the CTranslate2 folder of Systran's
/// faster-whisper-tiny.en or a ggml file, else the download of `weir models pull tiny.en`.
fn tiny_en() -> Option<PathBuf> {
    let given = std::env::var_os("WEIR_WHISPER_TINY_EN").filter(|path| !path.is_empty());
    let store = Store::new(StoreOptions::from_env());
    let pulled = || match store.path("tiny.en") {
        Ok(Located::OnDisk { path, .. }) => Some(path),
        _ => None,
    };
    given.map(PathBuf::from).or_else(pulled)
}

#[test]
fn tiny_en_equals_the_published_files() {
    let Some(path) = tiny_en() else {
        let why = "tiny.en is not here; `weir models pull tiny.en` fetches it, or \
                   WEIR_WHISPER_TINY_EN names its checkpoint";
        return missing(Need::Models, why);
    };
    let manifest = Manifest::builtin();
    for (name, kind) in [
        ("tiny.en", None),
        ("tiny.en-q5_1", Some(Quantisation::Q5_1)),
        ("tiny.en-q8_0", Some(Quantisation::Q8_0)),
    ] {
        let published = &manifest.find(name).unwrap().files[0];
        let made = convert(&path, kind);
        assert_eq!(made.len() as u64, published.bytes, "{name}");
        assert_eq!(Some(sha256(&made)), published.sha256, "{name}");
    }
}
