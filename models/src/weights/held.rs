//! Which files a model has in a folder, and whether they are whole.
//!
//! Of a pinned model the manifest knows; of a listed one the receipt, or, where somebody put the
//! files there by hand, the patterns of what is wanted.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::LocateError;
use super::found::{Finding, Verdict};
use super::kind;
use super::manifest::{Kind, Model, ModelFile, Source};
use super::receipt::{Listed, Receipt};
use super::wanted::{choose, is_inside};
use crate::checksum;

/// Folders in a model's folder are looked into so deep, and so many files are looked at.
const DEPTH_MAX: usize = 3;
const ENTRIES_MAX: usize = 2000;

/// The files that make up `model` in `folder`, there or still missing; none where nobody knows.
pub(super) fn files(model: &Model, folder: &Path) -> Option<Vec<ModelFile>> {
    if !model.listed {
        return Some(model.files.clone());
    }
    match Receipt::read(folder).listed {
        Some(listed) => is_of(model, &listed).then(|| listed.model_files()),
        None => by_hand(model, folder),
    }
}

/// Whether what was listed is this model, and enough for it.
pub(super) fn is_of(model: &Model, listed: &Listed) -> bool {
    let is_source = |source: &Source| match source {
        Source::Hub { hub, .. } => hub.eq_ignore_ascii_case(&listed.hub),
        Source::Python { .. } => false,
    };
    let paths: Vec<&str> = listed.files.iter().map(|file| file.path.as_str()).collect();
    model.sources.iter().any(is_source) && covers(model, &paths).is_some()
}

/// The ones of `paths` that the model wants, where none is missing.
fn covers<'a>(model: &Model, paths: &[&'a str]) -> Option<Vec<&'a str>> {
    let patterns = model.patterns().ok()?;
    let choice = choose(&patterns, paths);
    choice.missing.is_empty().then_some(choice.paths)
}

/// Files without a receipt. Nothing is known of them but that they are there.
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

/// Why a folder does not hold a whole model.
pub(super) enum Flaw {
    Missing,
    WrongSize {
        file: PathBuf,
        found: u64,
        expected: u64,
    },
}

/// The first reason why `folder` does not hold the whole model; none when it does.
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

/// What a loader is given: the one file of a speech model or of a GGUF, else the folder.
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

/// The bytes of the model that are on disk, whole files and begun ones.
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

/// Reads a file and says how it is.
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
