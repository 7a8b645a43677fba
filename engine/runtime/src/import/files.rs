//! The texts of an export: one file, the files of a folder, or those inside a zip archive.
//!
//! Nothing is unpacked to the disk, no link is followed, and all that is read together is bounded,
//! whatever an archive says of itself.

use super::error::{ImportError, ImportProblem};
use std::fs::File;
use std::io::{Read, Seek as _};
use std::path::{Path, PathBuf};
use weir_core::limits::{IMPORT_FILE_BYTES_MAX, IMPORT_FILES_MAX};
use zip::ZipArchive;
use zip::result::ZipError;

/// How deep the folders of an export may be.
const DEPTH_MAX: usize = 6;
/// The first bytes of a zip archive.
const ZIP: &[u8] = b"PK\x03\x04";

/// Where the texts are.
#[derive(Debug)]
enum Kind {
    One(File),
    Folder(PathBuf),
    Zip(Box<ZipArchive<File>>),
}

/// The files of an export.
#[derive(Debug)]
pub(super) struct Files {
    kind: Kind,
    /// What the user calls the whole.
    pub(super) shown: String,
    /// Paths inside a folder or an archive, parted by `/`, in order; the file's own name if it is
    /// one.
    pub(super) names: Vec<String>,
    /// Bytes that may still be read.
    left: u64,
}

impl Files {
    /// Looks at a path; `shown` is its name in messages.
    pub(super) fn open(path: &Path, shown: &str) -> Result<Self, ImportError> {
        let fault = |problem: ImportProblem| problem.at(shown, None);
        let there = std::fs::metadata(path).map_err(|error| fault(ImportProblem::Read(error)))?;
        if there.is_dir() {
            let mut names = Vec::new();
            walk(path, "", DEPTH_MAX, &mut names).map_err(fault)?;
            Self::of(Kind::Folder(path.to_path_buf()), shown, names)
        } else if there.is_file() {
            let file = File::open(path).map_err(|error| fault(ImportProblem::Read(error)))?;
            Self::of_file(file, shown)
        } else {
            // opening a pipe would wait for its writer
            Err(fault(ImportProblem::NoFile))
        }
    }

    /// The same for a file that is open.
    pub(super) fn of_file(mut file: File, shown: &str) -> Result<Self, ImportError> {
        let read = |error| ImportProblem::Read(error).at(shown, None);
        let mut first = Vec::new();
        file.rewind().map_err(read)?;
        (&mut file).take(4).read_to_end(&mut first).map_err(read)?;
        if first != ZIP {
            let name = shown.rsplit(['/', '\\']).next().unwrap_or(shown);
            return Self::of(Kind::One(file), shown, vec![name.to_owned()]);
        }
        let damaged = |error: ZipError| ImportProblem::Archive(error.to_string()).at(shown, None);
        let archive = ZipArchive::new(file).map_err(damaged)?;
        let names = archive.file_names().map(|it| Ok(it?.into_owned()));
        let names = names.collect::<Result<_, ZipError>>().map_err(damaged)?;
        Self::of(Kind::Zip(Box::new(archive)), shown, names)
    }

    fn of(kind: Kind, shown: &str, mut names: Vec<String>) -> Result<Self, ImportError> {
        if names.len() > IMPORT_FILES_MAX {
            return Err(ImportProblem::TooManyFiles.at(shown, None));
        }
        names.retain(|name| !name.ends_with('/') && !name.starts_with("__MACOSX/"));
        names.sort();
        Ok(Self {
            kind,
            shown: shown.to_owned(),
            names,
            left: IMPORT_FILE_BYTES_MAX,
        })
    }

    /// Whether it is a single file.
    pub(super) fn is_one(&self) -> bool {
        matches!(self.kind, Kind::One(_))
    }

    /// The files to read: the one that was given, else those with such a name, without folders.
    pub(super) fn named(&self, is: impl Fn(&str) -> bool) -> Vec<String> {
        let last = |name: &String| is(name.rsplit('/').next().unwrap_or(name));
        let names = self.names.iter().filter(|it| self.is_one() || last(it));
        names.cloned().collect()
    }

    /// The name of the whole without folders and extension, and without the " (2)" of a copy.
    pub(super) fn stem(&self) -> String {
        let name = self.shown.trim_end_matches(['/', '\\']);
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = match name.rsplit_once('.') {
            Some((stem, end)) if !stem.is_empty() && end.len() <= 4 => stem,
            _ => name,
        };
        let copy = stem.strip_suffix(')').and_then(|it| it.rsplit_once(" ("));
        let copy = copy.filter(|(_, n)| !n.is_empty() && n.bytes().all(|it| it.is_ascii_digit()));
        copy.map_or(stem, |(stem, _)| stem).to_owned()
    }

    /// What a file is called in messages.
    pub(super) fn place(&self, name: &str) -> String {
        match self.is_one() {
            true => self.shown.clone(),
            false => format!("{}, {name}", self.shown),
        }
    }

    /// The text of a file.
    pub(super) fn text(&mut self, name: &str) -> Result<String, ImportError> {
        let place = self.place(name);
        let left = self.left;
        let mut bytes = Vec::new();
        let mut read = |from: &mut dyn Read| from.take(left + 1).read_to_end(&mut bytes);
        let got = match &mut self.kind {
            Kind::One(file) => file.rewind().and_then(|()| read(file)),
            Kind::Folder(root) => File::open(root.join(name)).and_then(|mut file| read(&mut file)),
            Kind::Zip(archive) => {
                let file = archive.by_name(name);
                let damaged = |why: String| ImportProblem::Archive(why).at(&place, None);
                let mut file = file.map_err(|error| damaged(error.to_string()))?;
                let got = read(&mut file);
                Ok(got.map_err(|error| damaged(error.to_string()))?)
            }
        };
        let got = got.map_err(|error| ImportProblem::Read(error).at(&place, None))? as u64;
        if got > left {
            return Err(ImportProblem::TooLarge.at(&self.shown, None));
        }
        // what is looked at twice counts once
        if !self.is_one() {
            self.left -= got;
        }
        decoded(bytes).map_err(|line| ImportProblem::NotUtf8.at(&place, Some(line)))
    }
}

/// Text of UTF-8, or of UTF-16 with a byte order mark; else the first line that is neither.
fn decoded(bytes: Vec<u8>) -> Result<String, u64> {
    let wide = |of: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|it| of([it[0], it[1]]));
        let units: Vec<u16> = units.collect();
        String::from_utf16(&units).map_err(|_| 1)
    };
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => {
            let text = String::from_utf8(bytes).map_err(|error| {
                let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                1 + good.iter().filter(|byte| **byte == b'\n').count() as u64
            })?;
            Ok(match text.strip_prefix('\u{feff}') {
                Some(rest) => rest.to_owned(),
                None => text,
            })
        }
    }
}

/// Collects the files of a folder and of those below it.
fn walk(
    folder: &Path,
    below: &str,
    depth: usize,
    names: &mut Vec<String>,
) -> Result<(), ImportProblem> {
    for entry in std::fs::read_dir(folder).map_err(ImportProblem::Read)? {
        let entry = entry.map_err(ImportProblem::Read)?;
        let kind = entry.file_type().map_err(ImportProblem::Read)?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = format!("{below}{name}");
        if kind.is_dir() && depth > 0 {
            walk(&entry.path(), &format!("{path}/"), depth - 1, names)?;
        } else if kind.is_file() {
            names.push(path);
        }
        if names.len() > IMPORT_FILES_MAX {
            return Err(ImportProblem::TooManyFiles);
        }
    }
    Ok(())
}
