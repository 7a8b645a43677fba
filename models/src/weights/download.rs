//! Downloads one file from the hub into its `.part`, resuming an earlier attempt.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::error::{WeightsError, WeightsErrorKind as Fault};
use super::http::{Answer, Attempts, Failure};
use super::hub::Hub;
use super::manifest::ModelFile;
use super::report::Step;

/// Bytes read at once; also how often progress is reported.
const BUFFER_BYTES: usize = 1 << 16;

/// The file to download, and its destination.
pub(super) struct Download<'a> {
    pub(super) hub: &'a Hub<'a>,
    /// A commit, or the revision of a pinned model.
    pub(super) commit: &'a str,
    pub(super) file: &'a ModelFile,
    pub(super) part: &'a Path,
}

/// Why an attempt ended before the file was complete.
enum Ended {
    /// Another attempt may help.
    Failed(Failure),
    /// No other attempt would.
    Error(WeightsError),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<WeightsError> for Ended {
    fn from(error: WeightsError) -> Self {
        Self::Error(error)
    }
}

impl Download<'_> {
    /// Runs until the part has the file's size. Reports progress with the bytes of this file on
    /// disk.
    pub(super) fn run(&self, report: &mut dyn FnMut(Step<'_>, u64)) -> Result<(), WeightsError> {
        let options = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .clone();
        let mut part = options
            .open(self.part)
            .map_err(|error| self.unwritten(&error, 0))?;
        if self.length(&part)? > self.file.bytes {
            // left over from another version of the file
            self.cut(&part)?;
        }
        let url = self.hub.url(self.commit, &self.file.path);
        let mut attempts = Attempts::new();
        let mut most = self.length(&part)?;
        loop {
            let failure = match self.attempt(&url, &mut part, report) {
                Ok(()) => return Ok(()),
                Err(Ended::Error(error)) => return Err(error),
                Err(Ended::Failed(failure)) => failure,
            };
            // bytes downloaded again after a restart are not progress
            let done = self.length(&part)?;
            if done > most {
                attempts.progress();
                most = done;
            }
            let options = self.hub.http.options;
            let again = attempts.again(failure, options, &mut |step| report(step, done));
            again.map_err(|failure| self.error(failure, done))?;
        }
    }

    /// One request.
    fn attempt(
        &self,
        url: &str,
        part: &mut File,
        report: &mut dyn FnMut(Step<'_>, u64),
    ) -> Result<(), Ended> {
        let have = self.length(part)?;
        let answer = self.hub.http.get(url, have)?;
        if answer.status == 416 && have == self.file.bytes {
            return Ok(());
        }
        if let Some(total) = answer.total.filter(|total| *total != self.file.bytes) {
            return Err(self.wrong_size(total).into());
        }
        if answer.status == 416 || answer.starts_at != have {
            // the range was not honoured: start from the beginning
            self.cut(part)?;
            if answer.status == 416 || answer.starts_at != 0 {
                let reason = "the server ignored the requested range".to_owned();
                return Err(Failure::Broken(reason).into());
            }
        }
        self.receive(part, answer, report)
    }

    /// Writes the body to the part.
    fn receive(
        &self,
        part: &mut File,
        mut answer: Answer,
        report: &mut dyn FnMut(Step<'_>, u64),
    ) -> Result<(), Ended> {
        let end = part.seek(SeekFrom::End(0));
        let mut done = end.map_err(|error| self.unwritten(&error, 0))?;
        let mut buffer = vec![0; BUFFER_BYTES];
        while done < self.file.bytes {
            let count = answer.body.read(&mut buffer).map_err(Failure::from)?;
            if count == 0 {
                return Err(Failure::Broken("the connection was closed".to_owned()).into());
            }
            if done + count as u64 > self.file.bytes {
                return Err(self.wrong_size(done + count as u64).into());
            }
            let written = part.write_all(&buffer[..count]);
            written.map_err(|error| self.unwritten(&error, done))?;
            done += count as u64;
            report(Step::Downloading, done);
        }
        part.sync_all()
            .map_err(|error| self.unwritten(&error, done))?;
        Ok(())
    }

    fn length(&self, part: &File) -> Result<u64, WeightsError> {
        let about = part.metadata().map_err(|error| self.unwritten(&error, 0))?;
        Ok(about.len())
    }

    fn cut(&self, part: &File) -> Result<(), WeightsError> {
        part.set_len(0).map_err(|error| self.unwritten(&error, 0))
    }

    fn unwritten(&self, error: &io::Error, done: u64) -> WeightsError {
        WeightsError::write(self.part, error, self.file.bytes.saturating_sub(done))
    }

    fn wrong_size(&self, found: u64) -> WeightsError {
        WeightsError::size(&self.file.path, &self.hub.name(), found, self.file.bytes)
    }

    fn error(&self, failure: Failure, done: u64) -> WeightsError {
        let (file, total, hub) = (&self.file.path, self.file.bytes, self.hub.name());
        let (kind, message) = match failure {
            Failure::Unreachable(reason) => return self.hub.unreachable(&reason),
            Failure::Protocol(reason) => return self.hub.invalid(&reason),
            Failure::Stalled => {
                let seconds = self.hub.http.options.stall_timeout.as_secs();
                let message = format!(
                    "{hub} sends nothing more: no byte of {file} for {seconds} s, at {done} of \
                     {total} bytes; what came in is kept: run the command again later and it goes \
                     on from there"
                );
                (Fault::Network, message)
            }
            Failure::Broken(reason) => {
                let message = format!(
                    "the download of {file} from {hub} broke off at {done} of {total} bytes \
                     ({reason}); what came in is kept: run the command again and it goes on from \
                     there"
                );
                (Fault::Network, message)
            }
            Failure::Status { status, .. } => match status {
                401 | 403 => {
                    let message = format!(
                        "{hub} refuses {file} (status {status}); set HF_TOKEN to a token that may \
                         read it, or unset HF_TOKEN if it has expired"
                    );
                    (Fault::Refused, message)
                }
                404 | 410 => {
                    let message = format!(
                        "{file} does not exist at {hub} (status {status}); update weir, or check \
                         HF_ENDPOINT if it is set"
                    );
                    (Fault::Refused, message)
                }
                _ => {
                    let message = format!("{hub} answers {status} for {file}; try again later");
                    (Fault::Network, message)
                }
            },
        };
        WeightsError::new(kind, message)
    }
}
