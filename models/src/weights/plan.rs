//! The files of a listed model, and those already in a folder.

use std::fs;
use std::io;
use std::path::Path;

use super::error::PullError;
use super::listing::{HubFile, Listing};
use super::manifest::Model;
use super::receipt::{Entry, Listed, ListedFile, Receipt};
use super::wanted::{Wanted, choose};
use crate::checksum;

/// More files than any model has.
const FILES_MAX: usize = 512;

/// The files of a repository that `model` needs.
///
/// # Errors
/// [`PullError::Lacks`] if one is missing.
pub(super) fn of(model: &Model, listing: &Listing) -> Result<Listed, PullError> {
    planned(model, listing, None)
}

/// The same, if another repository supplies files that the model's own lacks.
///
/// # Errors
/// [`PullError::Lacks`] if neither has one.
pub(super) fn with(model: &Model, own: &Listing, other: &Listing) -> Result<Listed, PullError> {
    planned(model, own, Some(other))
}

fn planned(model: &Model, own: &Listing, other: Option<&Listing>) -> Result<Listed, PullError> {
    let refused = |reason| PullError::Protocol {
        source_name: own.hub.clone(),
        reason,
    };
    let patterns = model.patterns().map_err(refused)?;
    let names = names(own);
    let choice = choose(&patterns, &names);
    let mut files: Vec<ListedFile> = Vec::new();
    files.extend(pick(own, &choice.paths).map(|file| listed(file, None)));
    let mut missing: Vec<&Wanted> = choice.missing;
    if let Some(other) = other {
        let missing_patterns: Vec<Wanted> = missing.into_iter().cloned().collect();
        let theirs = self::names(other);
        let more = choose(&missing_patterns, &theirs);
        files.extend(pick(other, &more.paths).map(|file| listed(file, Some(other))));
        let is_missing = |pattern: &&Wanted| more.missing.contains(pattern);
        missing = patterns.iter().filter(is_missing).collect();
    }
    if let Some(pattern) = missing.first() {
        return Err(PullError::Lacks {
            repository: own.hub.clone(),
            pattern: pattern.to_string(),
            has: names.into_iter().map(str::to_owned).collect(),
        });
    }
    if files.len() > FILES_MAX {
        return Err(refused(format!(
            "the model would have {} files",
            files.len()
        )));
    }
    Ok(Listed {
        name: model.name.clone(),
        kind: model.kind,
        hub: own.hub.clone(),
        revision: own.revision.clone(),
        commit: own.commit.clone(),
        licence: own.licence.clone().unwrap_or_else(|| model.licence.clone()),
        files,
    })
}

/// The names of the files of a repository.
pub(super) fn names(listing: &Listing) -> Vec<&str> {
    listing
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect()
}

fn pick<'a>(listing: &'a Listing, paths: &'a [&str]) -> impl Iterator<Item = &'a HubFile> {
    let files = listing.files.iter();
    files.filter(move |file| paths.contains(&file.path.as_str()))
}

fn listed(file: &HubFile, from: Option<&Listing>) -> ListedFile {
    ListedFile {
        path: file.path.clone(),
        bytes: file.bytes,
        sha256: file.sha256.clone(),
        oid: file.oid.clone(),
        from: from.map(|listing| (listing.hub.clone(), listing.commit.clone())),
    }
}

/// Prepares the folder for the listed files: files of another commit that have changed are deleted
/// together with their partial downloads, and the receipt lists the expected files. An existing
/// file is kept if it is known, or verified, to be the listed one.
pub(super) fn adopt(receipt: &mut Receipt, folder: &Path, listed: Listed) -> io::Result<()> {
    let before = receipt.listed.take();
    let before = before.map(|listed| listed.files).unwrap_or_default();
    let is_still = |old: &&ListedFile| {
        let is_it = |new: &ListedFile| new.path == old.path && new.oid == old.oid;
        listed.files.iter().any(is_it)
    };
    for gone in before.iter().filter(|old| !is_still(old)) {
        receipt.files.remove(&gone.path);
        remove(&folder.join(&gone.path))?;
        remove(&folder.join(format!("{}.part", gone.path)))?;
    }
    for file in &listed.files {
        let path = folder.join(&file.path);
        // Listed before and unchanged, or it would be deleted by now.
        let was_listed = before.iter().any(|old| old.path == file.path);
        let is_known = was_listed && receipt.files.contains_key(&file.path);
        if is_known || !path.is_file() {
            continue;
        }
        let sum = match file.sha256 {
            Some(_) => Some(checksum::sha256(&path)?),
            None => None,
        };
        match sum.filter(|sum| Some(sum) == file.sha256.as_ref()) {
            Some(sha256) => {
                let entry = Entry {
                    source: "found here".to_owned(),
                    sha256,
                    bytes: file.bytes,
                    checked_against: "hub".to_owned(),
                };
                receipt.files.insert(file.path.clone(), entry);
            }
            None => remove(&path)?,
        }
    }
    receipt.listed = Some(listed);
    receipt.write(folder)
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
