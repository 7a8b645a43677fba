//! A repository of the hub: its listing (commit, files, sizes and checksums) and its files.
//!
//! A listing takes two requests: the revision is resolved to a commit, then that commit's tree is
//! read page by page. Later downloads use the commit, so a branch that moves meanwhile cannot mix
//! versions.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::{WeightsError, WeightsErrorKind as Kind};
use super::http::{Answer, Failure, Http, Report, Take};
use super::manifest::{ModelFile, is_hex, is_sha256};
use super::report::Step;
use super::wanted::is_inside;

/// A page of a list has 1000 files, a few hundred kB; a `config.json` has a few kB.
const BYTES_MAX: u64 = 16 << 20;
/// More pages than any model has; an endless list stops here.
const PAGES_MAX: usize = 32;
/// Much larger than the header of any GGUF file: a large vocabulary takes some ten MB.
const HEAD_BYTES_MAX: u64 = 64 << 20;
/// Much longer than any cursor of the hub.
const CURSOR_BYTES_MAX: usize = 4096;
/// Bytes of a file read at once; also how often progress is reported.
const BUFFER_BYTES: usize = 1 << 16;

/// A repository of the hub.
#[derive(Clone, Copy)]
pub(super) struct Hub<'a> {
    pub(super) http: &'a Http<'a>,
    /// `owner/name`.
    pub(super) repository: &'a str,
    /// A branch, tag or commit.
    pub(super) revision: &'a str,
    /// The folder for manual downloads, for messages.
    pub(super) folder: &'a Path,
}

/// A repository at one commit.
#[derive(Debug, Clone, Default)]
pub(super) struct Listing {
    /// `owner/name`.
    pub(super) hub: String,
    /// The requested revision.
    pub(super) revision: String,
    /// The commit of that revision.
    pub(super) commit: String,
    /// The licence as the hub states it.
    pub(super) licence: Option<String>,
    pub(super) files: Vec<ModelFile>,
}

impl Listing {
    /// The names of its files.
    pub(super) fn names(&self) -> Vec<&str> {
        self.files.iter().map(|file| file.path.as_str()).collect()
    }
}

#[derive(Deserialize)]
struct Revision {
    sha: String,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    path: String,
    #[serde(default)]
    oid: String,
    #[serde(default)]
    size: u64,
    /// Of a large file; the hash above is that of a pointer to it.
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    oid: String,
    size: u64,
}

/// A stream of a file, cut at the header limit.
pub(super) type Head = BufReader<io::Take<Box<dyn Read>>>;

impl Hub<'_> {
    /// Lists the repository.
    pub(super) fn list(&self, report: Report<'_>) -> Result<Listing, WeightsError> {
        report(Step::Listing);
        let hub_url = &self.http.options.hub_url;
        let api = format!("{hub_url}/api/models/{}", self.repository);
        let url = format!("{api}/revision/{}", self.revision.replace('/', "%2F"));
        let about: Revision = self.json(&url, report)?.0;
        if !matches!(about.sha.len(), 40 | 64) || !is_hex(&about.sha) {
            return Err(self.invalid(&format!("{:?} is not a commit", about.sha)));
        }
        let mut tags = about.tags.iter();
        let licence = tags.find_map(|tag| tag.strip_prefix("license:"));
        Ok(Listing {
            hub: self.repository.to_owned(),
            revision: self.revision.to_owned(),
            files: self.tree(&format!("{api}/tree/{}?recursive=true", about.sha), report)?,
            licence: licence.map(str::to_owned),
            commit: about.sha,
        })
    }

    fn tree(&self, first: &str, report: Report<'_>) -> Result<Vec<ModelFile>, WeightsError> {
        let (mut url, mut files) = (first.to_owned(), Vec::new());
        for _ in 0..PAGES_MAX {
            let (page, link): (Vec<Item>, _) = self.json(&url, report)?;
            // a path that leads outside is no file of a model
            let is_file = |item: &Item| item.kind == "file" && is_inside(&item.path);
            for item in page.into_iter().filter(is_file) {
                let (bytes, sha256) = match item.lfs {
                    None => (item.size, None),
                    Some(lfs) => (lfs.size, Some(lfs.oid)),
                };
                if !sha256.as_deref().is_none_or(is_sha256) {
                    let reason = format!("the checksum of {} is not 64 hex digits", item.path);
                    return Err(self.invalid(&reason));
                }
                files.push(ModelFile {
                    path: item.path,
                    bytes,
                    sha256,
                    oid: Some(item.oid),
                });
            }
            let Some(link) = link.filter(|link| link.contains("rel=\"next\"")) else {
                return Ok(files);
            };
            // The cursor is appended to our own URL: a mirror's link may name the hub it mirrors,
            // and the token must not go there.
            let reason = || format!("the next page of its list, {link:?}, has no cursor");
            let cursor = cursor(&link).ok_or_else(|| self.invalid(&reason()))?;
            url = format!("{first}&cursor={cursor}");
        }
        Err(self.invalid(&format!("its list has more than {PAGES_MAX} pages")))
    }

    /// The JSON at a URL, and the URL of the next page.
    fn json<T: DeserializeOwned>(
        &self,
        url: &str,
        report: Report<'_>,
    ) -> Result<(T, Option<String>), WeightsError> {
        let (bytes, link) = self.fetch(url, &mut read_whole, report)?;
        let parsed = serde_json::from_slice(&bytes).map_err(|error| {
            self.invalid(&format!("{url} is not the list it should be ({error})"))
        })?;
        Ok((parsed, link))
    }

    /// Reads one small file at a commit into memory.
    pub(super) fn read(&self, path: &str, report: Report<'_>) -> Result<Vec<u8>, WeightsError> {
        Ok(self.fetch(&self.url(path), &mut read_whole, report)?.0)
    }

    /// The result of `look` on the start of a GGUF file, without downloading the rest; `None` if it
    /// is not a valid header.
    pub(super) fn look_into<T>(
        &self,
        path: &str,
        look: &dyn Fn(Head) -> io::Result<T>,
        report: Report<'_>,
    ) -> Result<Option<T>, WeightsError> {
        let mut head = |answer: Answer, _: Report<'_>| {
            let head = BufReader::with_capacity(1 << 16, answer.body.take(HEAD_BYTES_MAX));
            match look(head) {
                Ok(found) => Ok(Some(found)),
                Err(error) => match error.kind() {
                    io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Ok(None),
                    _ => Err(error.into()),
                },
            }
        };
        self.fetch(&self.url(path), &mut head, report)
    }

    fn fetch<T>(
        &self,
        url: &str,
        take: Take<'_, T>,
        report: Report<'_>,
    ) -> Result<T, WeightsError> {
        let taken = self.http.get(url, &|| 0, take, report);
        taken.map_err(|failure| self.error(failure, None))
    }

    /// Downloads a file into `part`, from where an earlier attempt ended, until it has the file's
    /// size. Reports progress with the bytes of this file on disk.
    pub(super) fn download(
        &self,
        file: &ModelFile,
        part: &Path,
        report: &mut dyn FnMut(Step<'_>, u64),
    ) -> Result<(), WeightsError> {
        let unwritten = |error: io::Error| WeightsError::write(part, &error, file.bytes);
        let options = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .clone();
        let out = options.open(part).map_err(unwritten)?;
        let done = || out.metadata().map_or(0, |about| about.len());
        if done() > file.bytes {
            // left over from another version of the file
            out.set_len(0).map_err(unwritten)?;
        }
        let mut take =
            |answer: Answer, report: Report<'_>| self.receive(answer, file, part, &out, report);
        let mut report = |step: Step<'_>| report(step, done());
        let got = self
            .http
            .get(&self.url(&file.path), &done, &mut take, &mut report);
        got.map_err(|failure| self.error(failure, Some((file, done()))))
    }

    /// Appends the body to the part, which is open as `out`.
    fn receive(
        &self,
        mut answer: Answer,
        file: &ModelFile,
        part: &Path,
        mut out: &File,
        report: Report<'_>,
    ) -> Result<(), Failure> {
        let size = file.bytes;
        let unwritten = |error: io::Error, done: u64| {
            Failure::Other(WeightsError::write(part, &error, size - done))
        };
        let wrong_size =
            |found| Failure::Other(WeightsError::size(&file.path, &self.name(), found, size));
        let end = out.seek(SeekFrom::End(0));
        let mut done = end.map_err(|error| unwritten(error, 0))?;
        if answer.status == 416 && done == size {
            return Ok(());
        }
        if let Some(total) = answer.total.filter(|total| *total != size) {
            return Err(wrong_size(total));
        }
        if answer.status == 416 || answer.starts_at != done {
            // the range was not honoured: start from the beginning
            let cut = out.set_len(0).and_then(|()| out.rewind());
            cut.map_err(|error| unwritten(error, 0))?;
            done = 0;
            if answer.status == 416 || answer.starts_at != 0 {
                let reason = "the server ignored the requested range";
                return Err(Failure::Broken(reason.to_owned()));
            }
        }
        let mut buffer = vec![0; BUFFER_BYTES];
        while done < size {
            let count = answer.body.read(&mut buffer)?;
            if count == 0 {
                return Err(Failure::closed());
            }
            if done + count as u64 > size {
                return Err(wrong_size(done + count as u64));
            }
            let written = out.write_all(&buffer[..count]);
            written.map_err(|error| unwritten(error, done))?;
            done += count as u64;
            report(Step::Downloading);
        }
        out.sync_all().map_err(|error| unwritten(error, done))
    }

    /// The error of a request for a file, of which so many bytes came in, or for the listing.
    fn error(&self, failure: Failure, file: Option<(&ModelFile, u64)>) -> WeightsError {
        let name = self.name();
        let (kind, message) = match (failure, file) {
            (Failure::Other(error), _) => return error,
            (Failure::Protocol(reason), _) => return self.invalid(&reason),
            (Failure::Status { status, .. }, _) => self.refusal(status, file.map(|it| it.0)),
            (Failure::Unreachable(reason), _) => {
                let message = format!(
                    "{name} cannot be reached ({reason}); check the network connection, or set \
                     HF_ENDPOINT to a mirror, or copy the files by hand to {}",
                    self.folder.display()
                );
                (Kind::Network, message)
            }
            (Failure::Broken(reason), Some((ModelFile { path, bytes, .. }, done))) => {
                let message = format!(
                    "the download of {path} from {name} broke off at {done} of {bytes} bytes \
                     ({reason}); what came in is kept: run the command again and it goes on from \
                     there"
                );
                (Kind::Network, message)
            }
            (Failure::Broken(reason), None) => {
                let message = format!(
                    "{name} does not list its files ({reason}); run the command again later"
                );
                (Kind::Network, message)
            }
        };
        WeightsError::new(kind, message)
    }

    fn refusal(&self, status: u16, file: Option<&ModelFile>) -> (Kind, String) {
        let (name, revision) = (self.name(), self.revision);
        let what = file.map_or("its list of files", |file| &file.path);
        match status {
            // Without a token the hub returns 401 for missing repositories too.
            401 | 403 | 404 | 410 if file.is_none() => {
                let message = format!(
                    "there is no {name} at revision {revision}, or it is not public (answer \
                     {status}); check how it is written, or set HF_TOKEN to a token that may read \
                     it"
                );
                (Kind::Refused, message)
            }
            401 | 403 => {
                let message = format!(
                    "{name} refuses {what} (status {status}); set HF_TOKEN to a token that may \
                     read it, or unset HF_TOKEN if it has expired"
                );
                (Kind::Refused, message)
            }
            404 | 410 => {
                let message = format!(
                    "{what} does not exist at {name} (status {status}); update weir, or check \
                     HF_ENDPOINT if it is set"
                );
                (Kind::Refused, message)
            }
            _ => {
                let message = format!("{name} answers {status} for {what}; try again later");
                (Kind::Network, message)
            }
        }
    }

    /// The error for an invalid response.
    fn invalid(&self, reason: &str) -> WeightsError {
        let name = self.name();
        let message = format!("{name} sent an invalid response: {reason}; check HF_ENDPOINT");
        WeightsError::new(Kind::Invalid, message)
    }

    /// The repository in messages.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.http.options.hub_url, self.repository)
    }

    /// The download URL of a file at the revision.
    fn url(&self, path: &str) -> String {
        let mut url = format!("{}/resolve/{}/", self.name(), self.revision);
        for byte in path.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                url.push(char::from(byte));
            } else {
                url.push_str(&format!("%{byte:02X}"));
            }
        }
        url
    }
}

/// The whole body, and the URL of the next page.
fn read_whole(answer: Answer, _: Report<'_>) -> Result<(Vec<u8>, Option<String>), Failure> {
    let mut bytes = Vec::new();
    answer.body.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    let count = bytes.len() as u64;
    if count > BYTES_MAX {
        let reason = format!("an answer of more than {BYTES_MAX} bytes");
        return Err(Failure::Protocol(reason));
    }
    if answer.total.is_some_and(|total| count < total) {
        return Err(Failure::closed());
    }
    Ok((bytes, answer.link))
}

/// The cursor in `<https://hub/api/...?cursor=abc&limit=1000>; rel="next"`, still encoded.
fn cursor(link: &str) -> Option<&str> {
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let url = next.trim().strip_prefix('<')?.split('>').next()?;
    let mut fields = url.split_once('?')?.1.split('&');
    let cursor = fields.find_map(|field| field.strip_prefix("cursor="))?;
    let is_encoded = |byte: u8| byte.is_ascii_alphanumeric() || b"%-._~=+/".contains(&byte);
    let is_sound = (1..=CURSOR_BYTES_MAX).contains(&cursor.len()) && cursor.bytes().all(is_encoded);
    is_sound.then_some(cursor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_of_the_next_page_is_found() {
        for (link, expected) in [
            (
                "<https://h/c?r=true&cursor=ZXlK%3D%3D&limit=9>; rel=\"next\"",
                Some("ZXlK%3D%3D"),
            ),
            (
                "<https://h?cursor=A>; rel=\"first\", <https://h?cursor=B>; rel=\"next\"",
                Some("B"),
            ),
            ("<https://h?cursor=a b>; rel=\"next\"", None),
            ("<https://h?cursor=>; rel=\"next\"", None),
            ("<https://h>; rel=\"next\"", None),
            ("https://h?cursor=A; rel=\"next\"", None),
        ] {
            assert_eq!(cursor(link), expected, "{link}");
        }
    }
}
