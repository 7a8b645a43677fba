//! Which files of a model are in a folder, and whether they are complete.
//!
//! The files of a pinned model come from the manifest; those of a listed model from the receipt, or
//! from the patterns of required files if they were copied by hand.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::LocateError;
use super::found::{Finding, Verdict};
use super::kind;
use super::manifest::{Kind, Model, ModelFile, Source};
use super::receipt::{Listed, Receipt};
use super::wanted::{choose, is_inside};
use crate::checksum;

/// Limits on the depth of folders and the number of files that are searched.
const DEPTH_MAX: usize = 3;
const ENTRIES_MAX: usize = 2000;

/// The files of `model` in `folder`, present or missing; `None` if they are unknown.
pub(super) fn files(model: &Model, folder: &Path) -> Option<Vec<ModelFile>> {
    if !model.listed {
        return Some(model.files.clone());
    }
    match Receipt::read(folder).listed {
        Some(listed) => is_of(model, &listed).then(|| listed.model_files()),
        None => by_hand(model, folder),
    }
}

/// Whether the listed files are this model and complete.
pub(super) fn is_of(model: &Model, listed: &Listed) -> bool {
    let is_source = |source: &Source| match source {
        Source::Hub { hub, .. } => hub.eq_ignore_ascii_case(&listed.hub),
        Source::Python { .. } => false,
    };
    let paths: Vec<&str> = listed.files.iter().map(|file| file.path.as_str()).collect();
    model.sources.iter().any(is_source) && covers(model, &paths).is_some()
}

/// Those of `paths` that the model needs; `None` if one is missing.
fn covers<'a>(model: &Model, paths: &[&'a str]) -> Option<Vec<&'a str>> {
    let patterns = model.patterns().ok()?;
    let choice = choose(&patterns, paths);
    choice.missing.is_empty().then_some(choice.paths)
}

/// Files without a receipt: only their existence is known.
fn by_hand(model: &Model, folder: &Path) -> Option<Vec<ModelFile>> {
    let mut found = Vec::new();
    walk(folder, "", DEPTH_MAX, &mut found);
    let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    let chosen = covers(model, &paths)?;
    let file = |(path, bytes): &(String, u64)| ModelFile {
        path: path.clone(),
        bytes: *bytes,
        sha256: None,
    };
    let is_chosen = |(path, _): &&(String, u64)| chosen.contains(&path.as_str());
    Some(found.iter().filter(is_chosen).map(file).collect())
}

fn walk(folder: &Path, below: &str, depth: usize, found: &mut Vec<(String, u64)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = format!("{below}{name}");
        match fs::metadata(entry.path()) {
            Ok(_) if found.len() >= ENTRIES_MAX => return,
            Ok(about) if about.is_file() && is_inside(&path) => found.push((path, about.len())),
            Ok(about) if about.is_dir() && depth > 1 => {
                walk(&entry.path(), &format!("{path}/"), depth - 1, found);
            }
            _ => {}
        }
    }
}

/// Why a folder does not hold a complete model.
pub(super) enum Flaw {
    Missing,
    WrongSize {
        file: PathBuf,
        found: u64,
        expected: u64,
    },
}

/// The first reason why `folder` does not hold the complete model; `None` if it does.
pub(super) fn first_flaw(model: &Model, folder: &Path) -> Option<Flaw> {
    let Some(files) = files(model, folder) else {
        return Some(Flaw::Missing);
    };
    files.iter().find_map(|file| {
        let path = folder.join(&file.path);
        match fs::metadata(&path) {
            Ok(about) if about.is_file() && about.len() == file.bytes => None,
            Ok(about) if about.is_file() => {
                let (found, expected) = (about.len(), file.bytes);
                Some(Flaw::WrongSize {
                    file: path,
                    found,
                    expected,
                })
            }
            _ => Some(Flaw::Missing),
        }
    })
}

/// The loader's input: the single file of a speech model or of a GGUF, else the folder.
pub(super) fn load_path(model: &Model, folder: &Path) -> PathBuf {
    let files = files(model, folder).unwrap_or_default();
    let mut one = files.iter().filter(|file| match model.kind {
        Kind::Speech => true,
        Kind::Generator => kind::is_gguf(&file.path),
        _ => false,
    });
    match (one.next(), one.next()) {
        (Some(file), None) => folder.join(&file.path),
        _ => folder.to_owned(),
    }
}

/// Bytes of the model on disk, complete files and partial ones.
pub(super) fn bytes_begun(model: &Model, folder: &Path) -> u64 {
    let size = |path: PathBuf| fs::metadata(path).map_or(0, |about| about.len());
    let of = |file: &ModelFile| {
        size(folder.join(&file.path)) + size(folder.join(format!("{}.part", file.path)))
    };
    files(model, folder)
        .unwrap_or_default()
        .iter()
        .map(of)
        .sum()
}

/// Reads a file and returns its state.
pub(super) fn judge(
    folder: &Path,
    file: &ModelFile,
    receipt: &Receipt,
) -> Result<Finding, LocateError> {
    let path = folder.join(&file.path);
    let verdict = match fs::metadata(&path) {
        Err(_) => Verdict::Missing,
        Ok(about) if about.len() != file.bytes => Verdict::WrongSize {
            expected: file.bytes,
            found: about.len(),
        },
        Ok(_) => {
            let found = checksum::sha256(&path).map_err(|source| LocateError::Read {
                path: path.clone(),
                source,
            })?;
            let remembered = || {
                receipt
                    .files
                    .get(&file.path)
                    .map(|entry| entry.sha256.clone())
            };
            match file.sha256.clone().or_else(remembered) {
                Some(expected) if expected == found => Verdict::Intact,
                Some(expected) => Verdict::WrongChecksum { expected, found },
                None => Verdict::Unknown { found },
            }
        }
    };
    Ok(Finding {
        file: path,
        verdict,
    })
}
