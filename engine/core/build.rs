//! Derives `WEIR_RULES` from the sources, so that no change of the rules can be forgotten.
//!
//! A journal means what the rules of the program that wrote it make of it, and the rules include
//! everything that `Session::apply` calls: word lists too. So the version of the rules is a hash of
//! all files that `session` can reach. A comment changes it as well, which costs little: a journal
//! of another version is applied by `session::Recovery`, which keeps everything that was said.

use std::path::{Path, PathBuf};

/// Modules above `session`, which only use sessions: what they do is no part of the rules.
const ABOVE_SESSION: [&str; 5] = ["answer", "ask.rs", "conversation", "driver.rs", "recall"];

fn main() -> std::io::Result<()> {
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=build.rs");
    let mut files = Vec::new();
    list(Path::new("src"), &mut files)?;
    // the order of a folder's entries differs between file systems
    files.sort();
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
        if ABOVE_SESSION
            .iter()
            .any(|it| path == Path::new("src").join(it))
        {
            continue;
        }
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
