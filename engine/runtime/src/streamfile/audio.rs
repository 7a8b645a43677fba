//! Audio paths of a stream file: relative and inside the file's folder, also after following links.
//!
//! Only names are checked; no audio file is opened. A path is first checked as text (`..`,
//! absolute), then by the target of its links.

use super::error::Problem;
use std::path::{Component, Path, PathBuf};

/// Whether the audio named by a stream file must exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AudioPolicy {
    /// A missing file is an error.
    #[default]
    MustExist,
    /// It may be missing, because the text is used; its location is checked anyway.
    MayBeMissing,
}

/// Resolves paths against one folder.
#[derive(Debug)]
pub(super) struct Folder {
    folder: PathBuf,
    policy: AudioPolicy,
    /// The last result: neighbouring lines mostly name the same file.
    last: Option<(String, PathBuf)>,
}

impl Folder {
    /// Paths relative to the folder of a stream file.
    pub(super) fn of(file: &Path, policy: AudioPolicy) -> Self {
        let folder = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        Self {
            folder,
            policy,
            last: None,
        }
    }

    /// The file that `named` stands for.
    pub(super) fn resolve(&mut self, named: &str) -> Result<PathBuf, Problem> {
        if let Some((name, path)) = &self.last
            && name == named
        {
            return Ok(path.clone());
        }
        let path = self.look_up(named)?;
        self.last = Some((named.to_owned(), path.clone()));
        Ok(path)
    }

    fn look_up(&self, named: &str) -> Result<PathBuf, Problem> {
        if let Some(why) = leaves(named) {
            return Err(outside(named, why));
        }
        let joined = self.folder.join(named);
        let missing = |source: std::io::Error| Problem::AudioMissing {
            path: named.to_owned(),
            why: source.to_string(),
        };
        let real = match joined.canonicalize() {
            Ok(real) => real,
            Err(_) if self.policy == AudioPolicy::MayBeMissing => return Ok(joined),
            Err(source) => return Err(missing(source)),
        };
        let folder = self.folder.canonicalize().map_err(missing)?;
        if !real.starts_with(&folder) {
            return Err(outside(named, "is a link that ends outside the folder"));
        }
        let kind = std::fs::metadata(&real).map_err(missing)?;
        if !kind.is_file() {
            // opening a pipe blocks until a process writes to it
            let what = if kind.is_dir() {
                "folder"
            } else {
                "pipe or a device"
            };
            return Err(Problem::AudioMissing {
                path: named.to_owned(),
                why: format!("it is a {what}"),
            });
        }
        Ok(joined)
    }
}

fn outside(named: &str, why: &str) -> Problem {
    Problem::AudioOutside {
        path: named.to_owned(),
        why: why.to_owned(),
    }
}

/// Why a path leads outside its folder; `None` if it does not.
///
/// The same on every system, so that a file made on one is not dangerous on another.
fn leaves(named: &str) -> Option<&'static str> {
    let drive = named.as_bytes().get(1) == Some(&b':');
    if named.trim().is_empty() {
        return Some("is empty");
    }
    if named.contains(['\\', '\0']) {
        return Some("holds a backslash or a zero; folders are parted by /");
    }
    if named.starts_with('/') || drive {
        return Some("is absolute");
    }
    Path::new(named)
        .components()
        .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
        .then_some("holds `..`")
}
