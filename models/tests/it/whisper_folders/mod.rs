//! The checkpoints of `fixtures/golden/tiny-whisper`, unpacked, with the generated vocabulary of
//! `scripts/golden/make_tiny_whisper.py`.
#![allow(dead_code, reason = "no test file uses all of it")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

pub(crate) const NAMES: [&str; 4] = [
    "english-hugging-face", "english-ctranslate2", "large-v3-hugging-face", "large-v3-ctranslate2",
];

pub(crate) fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/golden/tiny-whisper")
}

/// Expected result for one file.
pub(crate) fn golden(name: &str, storage: &str) -> (u64, String) {
    let text = fs::read(golden_folder().join("golden.json")).unwrap();
    let golden: Value = serde_json::from_slice(&text).unwrap();
    let about = &golden[name][storage];
    let sum = about["sha256"].as_str().unwrap().to_owned();
    (about["bytes"].as_u64().unwrap(), sum)
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    let sum = Sha256::digest(bytes);
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Format of the vocabulary.
#[derive(Clone, Copy)]
pub(crate) enum Words {
    TokenizerJson,
    VocabJson,
    VocabularyJson,
    VocabularyTxt,
}

/// Unpacks a checkpoint, without its vocabulary.
pub(crate) fn unpack(name: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let file = File::open(golden_folder().join(format!("{name}.zip"))).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut out = File::create(folder.path().join(name)).unwrap();
        std::io::copy(&mut entry, &mut out).unwrap();
    }
    folder
}

/// Unpacks a checkpoint with a vocabulary in its layout's usual format.
pub(crate) fn checkpoint(name: &str) -> TempDir {
    let folder = unpack(name);
    let kind = match name {
        "english-hugging-face" => Words::VocabJson,
        "english-ctranslate2" => Words::VocabularyTxt,
        "large-v3-ctranslate2" => Words::VocabularyJson,
        _ => Words::TokenizerJson,
    };
    write_words(folder.path(), kind, name.starts_with("english"));
    folder
}

/// 50,257 tokens as byte-level text: every byte, then numbers after a space or after two bytes that
/// are not text; last the end of text, which follows an empty token in a multilingual model.
pub(crate) fn words(is_english: bool) -> Vec<String> {
    let characters: Vec<char> = byte_characters();
    let written = |bytes: &[u8]| -> String {
        bytes
            .iter()
            .map(|&byte| characters[usize::from(byte)])
            .collect()
    };
    let mut words: Vec<String> = (0..=255u8).map(|byte| written(&[byte])).collect();
    words.extend((0..50_000).map(|at| match at % 3 {
        0 => written(&[b"\xff\n", at.to_string().as_bytes()].concat()),
        _ => written(format!(" {at}").as_bytes()),
    }));
    if !is_english {
        words.push(String::new());
    }
    words.push("<|endoftext|>".to_owned());
    words
}

fn byte_characters() -> Vec<char> {
    let mut next = 0x100;
    let mut character = |byte: u32| match byte {
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => byte,
        _ => {
            next += 1;
            next - 1
        }
    };
    let codes: Vec<u32> = (0..256).map(&mut character).collect();
    codes.into_iter().filter_map(char::from_u32).collect()
}

pub(crate) fn write_words(folder: &Path, kind: Words, is_english: bool) {
    let mut words = words(is_english);
    let by_word = |words: &[String]| -> Value {
        let pairs = words.iter().enumerate();
        pairs.map(|(id, word)| (word.clone(), json!(id))).collect()
    };
    let (name, text) = match kind {
        Words::VocabJson => ("vocab.json", by_word(&words).to_string()),
        Words::VocabularyJson => ("vocabulary.json", json!(words).to_string()),
        Words::VocabularyTxt => ("vocabulary.txt", words.join("\n") + "\n"),
        Words::TokenizerJson => {
            let end = words.pop().unwrap();
            let added = json!([{"id": words.len(), "content": end}]);
            let model = json!({"type": "BPE", "vocab": by_word(&words)});
            let tokenizer = json!({"model": model, "added_tokens": added});
            ("tokenizer.json", tokenizer.to_string())
        }
    };
    fs::write(folder.join(name), text).unwrap();
}
