//! Derives `WEIR_RULES` from the sources, so that no change of the rules can be forgotten.
//!
//! A journal means what the rules of the program that wrote it make of it. So the version of the
//! rules is a hash of all files that `Session::apply` reaches. What is read from words is stored
//! with the inputs, so the rules of a language are no part of it: a word list may change. A comment
//! changes the version as well, which costs little: a journal of another version is applied by
//! `session::Recovery`, which keeps everything that was said.

use std::path::{Path, PathBuf};

/// What `Session::apply` does not reach: modules above `session`, which only use sessions; and what
/// reads words, before an input is made or when something is shown.
const LEFT_OUT: [&str; 14] = [
    "answer", "ask.rs", "beliefs/find.rs", "conversation", "distil", "driver.rs", "entities.rs",
    "memory/standing.rs", "memory/title.rs", "recall", "session/derive.rs", "standing.rs", "text",
    "window.rs",
];

/// Kinds, slots and figures among what is left out, which it does reach.
const REACHED: [&str; 6] = [
    "text/opinions/doubt.rs",
    "text/opinions/opinion.rs",
    "text/salience/mod.rs",
    "text/salience/weights.rs",
    "text/salience/weights.txt",
    "text/slot.rs",
];

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=build.rs");
    let mut files = Vec::new();
    list(Path::new("src"), &mut files)?;
    // the order of a folder's entries differs between file systems
    files.sort();
    files.retain(|file| {
        let within = |list: &[&str]| {
            list.iter()
                .any(|it| file.starts_with(Path::new("src").join(it)))
        };
        !within(&LEFT_OUT) || within(&REACHED)
    });
    let mut hash = Fnv::default();
    for file in files {
        hash.add(file.to_string_lossy().replace('\\', "/").as_bytes());
        hash.add(&std::fs::read(file)?);
    }
    println!("cargo:rustc-env=WEIR_RULES={}", hash.0);
    Ok(())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => list(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// The 64-bit FNV-1a hash.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
