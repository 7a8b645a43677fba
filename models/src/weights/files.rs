//! Which files belong to a model, which of them are in a folder, and whether they are complete.
//!
//! The files of a pinned model come from the manifest; those of a listed model from the receipt, or
//! from the patterns of required files if they were copied by hand.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use walkdir::WalkDir;

use super::error::{WeightsError, WeightsErrorKind as Fault, listed};
use super::hub::Listing;
use super::kind::is_gguf;
use super::manifest::{Kind, Model, ModelFile};
use super::receipt::Receipt;
use super::report::{Finding, Verdict};
use super::wanted::{ENTRIES_MAX, LOCK, is_inside};
use crate::checksum;

/// Depth of folders that are looked at.
const DEPTH_MAX: usize = 3;

/// A file to fetch, and the listing that has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Planned<'a> {
    pub(super) from: &'a Listing,
    pub(super) file: &'a ModelFile,
}

/// The files that `model` needs of the first of `listings`. The others supply required files that
/// the first lacks.
///
/// # Errors
/// A required file is in none of them.
pub(super) fn plan<'a>(
    model: &Model,
    listings: &'a [Listing],
) -> Result<Vec<Planned<'a>>, WeightsError> {
    let mut planned: Vec<Planned<'a>> = Vec::new();
    for pattern in model.patterns() {
        let searched = if pattern.is_optional {
            &listings[..1]
        } else {
            listings
        };
        let found = searched.iter().find_map(|from| {
            let files = pattern.choose(&from.files, &|file| &file.path);
            (!files.is_empty()).then_some((from, files))
        });
        let Some((from, files)) = found else {
            if pattern.is_optional {
                continue;
            }
            let repository = &listings[0];
            return Err(Fault::Unusable.error(format!(
                "{} has no {}, which a model of this kind needs; it has: {}; look for a repository \
                 of the same model that has it",
                repository.hub,
                pattern.alternatives.replace('|', " or "),
                listed(&repository.names())
            )));
        };
        for file in files {
            if planned.iter().all(|other| other.file.path != file.path) {
                planned.push(Planned { from, file });
            }
        }
    }
    Ok(planned)
}

/// Those of `files` that the model needs; `None` if one is missing.
fn complete(model: &Model, files: Vec<ModelFile>) -> Option<Vec<ModelFile>> {
    let listing = Listing {
        files,
        ..Listing::default()
    };
    let planned = plan(model, std::slice::from_ref(&listing)).ok()?;
    Some(planned.iter().map(|planned| planned.file.clone()).collect())
}

/// The files of `model` in `folder`, present or missing; `None` if they are unknown.
pub(super) fn files(model: &Model, folder: &Path) -> Option<Vec<ModelFile>> {
    if !model.listed {
        return Some(model.files.clone());
    }
    let Some(held) = Receipt::read(folder).model else {
        // copied by hand: only their existence is known
        return complete(model, lying(folder));
    };
    let is_it = held.hubs().any(|hub| model.is_at(hub));
    let is_complete = || complete(model, held.files.clone()).is_some();
    (is_it && is_complete()).then_some(held.files)
}

/// The files that lie in a folder.
fn lying(folder: &Path) -> Vec<ModelFile> {
    let entries = WalkDir::new(folder).max_depth(DEPTH_MAX).follow_links(true);
    let entries = entries.into_iter().flatten().take(ENTRIES_MAX);
    let file = |entry: walkdir::DirEntry| {
        let path = entry.path().strip_prefix(folder).ok()?.to_str()?;
        let path = path.replace(MAIN_SEPARATOR, "/");
        let is_file = entry.file_type().is_file() && is_inside(&path);
        is_file.then_some(ModelFile::new(path, entry.metadata().ok()?.len()))
    };
    entries.filter_map(file).collect()
}

/// Checks by sizes that `folder` holds the complete model.
///
/// # Errors
/// `None` if a file is missing, else the file of the wrong size.
pub(super) fn check(model: &Model, folder: &Path) -> Result<(), Option<WeightsError>> {
    for file in files(model, folder).ok_or(None)? {
        let path = folder.join(&file.path);
        let about = fs::metadata(&path).ok().filter(fs::Metadata::is_file);
        let (found, expected) = (about.ok_or(None)?.len(), file.bytes);
        if found != expected {
            let (path, name) = (path.display(), &model.name);
            let message = format!(
                "{path} has {found} bytes and should have {expected}: the file of model {name} is \
                 cut short or changed"
            );
            return Err(Some(Fault::Damaged.error(message).about(name)));
        }
    }
    Ok(())
}

/// The loader's input: the single file of a speech model or of a GGUF, else the folder.
pub(super) fn load_path(model: &Model, folder: &Path) -> PathBuf {
    let files = files(model, folder).unwrap_or_default();
    let mut one = files.iter().filter(|file| match model.kind {
        Kind::Speech => true,
        Kind::Generator => is_gguf(&file.path),
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
    let files = files(model, folder).unwrap_or_default();
    let begun = |file: &ModelFile| size(folder.join(&file.path)) + size(part(folder, &file.path));
    files.iter().map(begun).sum()
}

/// Where a file is written until it is complete.
pub(super) fn part(folder: &Path, path: &str) -> PathBuf {
    folder.join(format!("{path}.part"))
}

/// Reads a file and returns its state.
pub(super) fn verify(
    folder: &Path,
    file: &ModelFile,
    receipt: &Receipt,
) -> Result<Finding, WeightsError> {
    let path = folder.join(&file.path);
    let remembered = receipt.files.get(&file.path).map(|entry| &entry.sha256);
    let verdict = match fs::metadata(&path) {
        Err(_) => Verdict::Missing,
        Ok(about) if about.len() != file.bytes => Verdict::WrongSize {
            expected: file.bytes,
            found: about.len(),
        },
        Ok(_) => {
            let sum = checksum::sha256(&path);
            let found = sum.map_err(|error| WeightsError::read(&path, &error))?;
            match file.sha256.as_ref().or(remembered).cloned() {
                None => Verdict::Unknown { found },
                Some(expected) if found == expected => Verdict::Intact,
                Some(expected) => Verdict::WrongChecksum { expected, found },
            }
        }
    };
    let file = path;
    Ok(Finding { file, verdict })
}

/// Makes a model's folder and locks it against other processes until the file is dropped or the
/// process ends; calls `wait` before it waits for another one.
pub(super) fn lock(folder: &Path, wait: &mut dyn FnMut()) -> Result<File, WeightsError> {
    let locked = fs::create_dir_all(folder).and_then(|()| {
        let file = File::create(folder.join(LOCK))?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => wait(),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        file.lock()?;
        Ok(file)
    });
    locked.map_err(|error| WeightsError::write(folder, &error, 0))
}

/// Joins the pieces of a folder's files: `x.part1`, `x.part2` and so on become `x`.
pub(super) fn join_pieces(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.take(ENTRIES_MAX) {
        let first = entry?.path();
        if first.extension().is_none_or(|ending| ending != "part1") {
            continue;
        }
        let mut whole = File::create(first.with_extension(""))?;
        for number in 1.. {
            let piece = first.with_extension(format!("part{number}"));
            if !piece.is_file() {
                break;
            }
            io::copy(&mut File::open(&piece)?, &mut whole)?;
            fs::remove_file(piece)?;
        }
    }
    Ok(())
}

/// Removes a file that may be missing.
pub(super) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
