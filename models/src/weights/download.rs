//! Downloads one file from the hub into its `.part`, resuming an earlier attempt.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::error::PullError;
use super::http::{Answer, Http, HttpError, classify_read};
use super::manifest::ModelFile;
use super::options::StoreOptions;
use super::progress::Step;

/// Bytes read at once; also how often progress is reported.
const BUFFER_BYTES: usize = 1 << 16;

/// Largest factor of the first pause.
const BACKOFF_FACTOR_MAX: u32 = 32;

/// The file to download, and its destination.
pub(super) struct Download<'a> {
    pub(super) http: &'a Http,
    pub(super) options: &'a StoreOptions,
    pub(super) url: &'a str,
    /// Name of the source in messages.
    pub(super) source_name: &'a str,
    pub(super) file: &'a ModelFile,
    pub(super) part: &'a Path,
    /// The folder for manual downloads, for messages.
    pub(super) folder: &'a Path,
}

/// Reports progress; the number is the bytes of this file on disk.
pub(super) type Report<'a> = &'a mut dyn FnMut(Step<'_>, u64);

impl Download<'_> {
    /// Runs until the part has the file's size. Returns the SHA-256 that the hub gave, if any.
    pub(super) fn run(&self, report: Report<'_>) -> Result<Option<String>, PullError> {
        let mut part = self.open_part()?;
        let mut sha256 = None;
        let mut failures = 0;
        let mut most = self.length(&part)?;
        let mut has_received = false;
        loop {
            let before = self.length(&part)?;
            let Some(failure) = self.attempt(&mut part, &mut sha256, report)? else {
                return Ok(sha256);
            };
            let done = self.length(&part)?;
            // Attempts that make progress do not count as failures; bytes downloaded again after a
            // restart are not progress.
            failures = if done > most { 1 } else { failures + 1 };
            most = most.max(done);
            has_received |= done > before;
            let is_hopeless = matches!(failure, Failure::Unreachable(_)) && !has_received;
            if failures > self.options.retries_max || is_hopeless {
                return Err(self.given_up(failure, done));
            }
            let reason = failure.to_string();
            let asked_pause = failure.retry_after();
            report(
                Step::Retrying {
                    attempt: failures + 1,
                    reason: &reason,
                },
                done,
            );
            let factor = 2_u32.saturating_pow(failures - 1).min(BACKOFF_FACTOR_MAX);
            thread::sleep(asked_pause.unwrap_or(self.options.backoff * factor));
        }
    }

    /// One request. `None` when the file is complete; an error when another attempt may help.
    fn attempt(
        &self,
        part: &mut File,
        sha256: &mut Option<String>,
        report: Report<'_>,
    ) -> Result<Option<Failure>, PullError> {
        let have = self.length(part)?;
        let answer = match self.http.get(self.url, have) {
            Ok(answer) => answer,
            Err(HttpError::Protocol(reason)) => {
                let source_name = self.source_name.to_owned();
                return Err(PullError::Protocol {
                    source_name,
                    reason,
                });
            }
            Err(HttpError::Unreachable(reason)) => return Ok(Some(Failure::Unreachable(reason))),
            Err(HttpError::Stalled) => return Ok(Some(Failure::Stalled)),
            Err(HttpError::Broken(reason)) => return Ok(Some(Failure::Broken(reason))),
        };
        if let Some(failure) = self.check_status(&answer)? {
            return Ok(Some(failure));
        }
        if let Some(told) = &answer.sha256 {
            *sha256 = Some(told.clone());
        }
        if answer.status == 416 && have == self.file.bytes {
            return Ok(None);
        }
        self.check_size(answer.total)?;
        if answer.status == 416 || answer.starts_at != have {
            // The range was not honoured: start from the beginning.
            self.cut(part, 0)?;
            if answer.status == 416 || answer.starts_at != 0 {
                return Ok(Some(Failure::Broken(
                    "the server ignored the requested range".to_owned(),
                )));
            }
        }
        self.receive(part, answer, report)
    }

    /// Writes the body to the part.
    fn receive(
        &self,
        part: &mut File,
        mut answer: Answer,
        report: Report<'_>,
    ) -> Result<Option<Failure>, PullError> {
        let mut done = self.length(part)?;
        part.seek(std::io::SeekFrom::Start(done))
            .map_err(|source| self.write_error(source, done))?;
        let mut buffer = vec![0; BUFFER_BYTES];
        while done < self.file.bytes {
            let count = match answer.body.read(&mut buffer) {
                Ok(0) => {
                    return Ok(Some(Failure::Broken(
                        "the connection was closed".to_owned(),
                    )));
                }
                Ok(count) => count as u64,
                Err(error) => {
                    return Ok(Some(match classify_read(error) {
                        HttpError::Stalled => Failure::Stalled,
                        HttpError::Unreachable(reason)
                        | HttpError::Broken(reason)
                        | HttpError::Protocol(reason) => Failure::Broken(reason),
                    }));
                }
            };
            if done + count > self.file.bytes {
                return Err(self.wrong_size(done + count));
            }
            let bytes = &buffer[..count as usize];
            part.write_all(bytes)
                .map_err(|source| self.write_error(source, done))?;
            done += count;
            report(Step::Downloading, done);
        }
        part.sync_all()
            .map_err(|source| self.write_error(source, done))?;
        Ok(None)
    }

    fn check_status(&self, answer: &Answer) -> Result<Option<Failure>, PullError> {
        let (file, source_name) = (self.file.path.clone(), self.source_name.to_owned());
        match answer.status {
            200 | 206 | 416 => Ok(None),
            status @ (401 | 403) => Err(PullError::Refused {
                file,
                source_name,
                status,
            }),
            status @ (404 | 410) => Err(PullError::NotFound {
                file,
                source_name,
                status,
            }),
            status @ (408 | 429 | 500..=599) => Ok(Some(Failure::Server {
                status,
                retry_after: answer.retry_after,
            })),
            status => Err(PullError::Server {
                file,
                source_name,
                status,
            }),
        }
    }

    fn check_size(&self, total: Option<u64>) -> Result<(), PullError> {
        match total {
            Some(total) if total != self.file.bytes => Err(self.wrong_size(total)),
            _ => Ok(()),
        }
    }

    fn wrong_size(&self, found: u64) -> PullError {
        PullError::Size {
            file: self.file.path.clone(),
            source_name: self.source_name.to_owned(),
            found,
            expected: self.file.bytes,
        }
    }

    fn open_part(&self) -> Result<File, PullError> {
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(self.part);
        let mut part = opened.map_err(|source| self.write_error(source, 0))?;
        if self.length(&part)? > self.file.bytes {
            // Left over from another version of the file.
            self.cut(&mut part, 0)?;
        }
        Ok(part)
    }

    fn length(&self, part: &File) -> Result<u64, PullError> {
        Ok(part
            .metadata()
            .map_err(|source| self.write_error(source, 0))?
            .len())
    }

    fn cut(&self, part: &mut File, length: u64) -> Result<(), PullError> {
        part.set_len(length)
            .map_err(|source| self.write_error(source, length))
    }

    fn write_error(&self, source: std::io::Error, done: u64) -> PullError {
        let path = self.part.to_owned();
        write_error(path, source, self.file.bytes.saturating_sub(done))
    }

    fn given_up(&self, failure: Failure, done: u64) -> PullError {
        let (file, source_name) = (self.file.path.clone(), self.source_name.to_owned());
        let total = self.file.bytes;
        match failure {
            Failure::Unreachable(reason) => PullError::Unreachable {
                source_name,
                reason,
                folder: self.folder.to_owned(),
            },
            Failure::Stalled => {
                let after_s = self.options.stall_timeout.as_secs();
                PullError::Stalled {
                    file,
                    source_name,
                    after_s,
                    done,
                    total,
                }
            }
            Failure::Broken(reason) => PullError::CutOff {
                file,
                source_name,
                done,
                total,
                reason,
            },
            Failure::Server { status, .. } => PullError::Server {
                file,
                source_name,
                status,
            },
        }
    }
}

/// An error that may not recur at the next attempt.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Unreachable(String),
    #[error("no data arrives")]
    Stalled,
    #[error("{0}")]
    Broken(String),
    #[error("the server answers {status}{}", asked(*.retry_after))]
    Server {
        status: u16,
        retry_after: Option<Duration>,
    },
}

impl Failure {
    /// The pause that the server asks for.
    fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Server { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// The addition to a message if a server asks for a pause.
pub(super) fn asked(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |pause| {
        format!(" and is asked again in {pause:?}")
    })
}

/// Distinguishes a full disk from other write errors.
pub(super) fn write_error(
    path: std::path::PathBuf,
    source: std::io::Error,
    needed: u64,
) -> PullError {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    if matches!(source.kind(), StorageFull | QuotaExceeded) {
        PullError::DiskFull { path, needed }
    } else {
        PullError::Write { path, source }
    }
}
