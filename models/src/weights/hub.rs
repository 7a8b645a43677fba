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
use super::http::{Answer, Failure, Http, Take};
use super::manifest::ModelFile;
use super::report::Step;
use super::wanted::{is_hash, is_inside};
use crate::net::Fault;

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
    pub(super) fn list(&self) -> Result<Listing, WeightsError> {
        self.http.reporter.tell(0, Step::Listing);
        let api = format!(
            "{}/api/models/{}",
            self.http.options.hub_url, self.repository
        );
        let url = format!("{api}/revision/{}", self.revision.replace('/', "%2F"));
        let about: Revision = self.json(&url)?.0;
        if !is_hash(&about.sha, 40) && !is_hash(&about.sha, 64) {
            return Err(self.invalid(&format!("{:?} is not a commit", about.sha)));
        }
        let mut tags = about.tags.iter();
        let licence = tags.find_map(|tag| tag.strip_prefix("license:"));
        Ok(Listing {
            hub: self.repository.to_owned(),
            revision: self.revision.to_owned(),
            files: self.tree(&format!("{api}/tree/{}?recursive=true", about.sha))?,
            licence: licence.map(str::to_owned),
            commit: about.sha,
        })
    }

    fn tree(&self, first: &str) -> Result<Vec<ModelFile>, WeightsError> {
        let (mut url, mut files) = (first.to_owned(), Vec::new());
        for _ in 0..PAGES_MAX {
            let (page, link): (Vec<Item>, _) = self.json(&url)?;
            // a path that leads outside is no file of a model
            let is_file = |item: &Item| item.kind == "file" && is_inside(&item.path);
            for item in page.into_iter().filter(is_file) {
                let mut file = ModelFile::new(item.path, item.size);
                file.oid = Some(item.oid);
                if let Some(Lfs { oid, size }) = item.lfs {
                    if !is_hash(&oid, 64) {
                        let path = &file.path;
                        let reason = format!("the checksum of {path} is not 64 hex digits");
                        return Err(self.invalid(&reason));
                    }
                    (file.bytes, file.sha256) = (size, Some(oid));
                }
                files.push(file);
            }
            let Some(link) = link.filter(|link| link.contains("rel=\"next\"")) else {
                return Ok(files);
            };
            // The cursor is appended to our own URL: a mirror's link may name the hub it mirrors,
            // and the token must not go there.
            let Some(cursor) = cursor(&link) else {
                let reason = format!("the next page of its list, {link:?}, has no cursor");
                return Err(self.invalid(&reason));
            };
            url = format!("{first}&cursor={cursor}");
        }
        Err(self.invalid(&format!("its list has more than {PAGES_MAX} pages")))
    }

    /// The JSON at a URL, and the `Link` to the next page.
    fn json<T: DeserializeOwned>(&self, url: &str) -> Result<(T, Option<String>), WeightsError> {
        let (bytes, link) = self.fetch(url, &mut read_whole)?;
        let parsed = serde_json::from_slice(&bytes);
        let unlike = |error| format!("{url} is not the list it should be ({error})");
        Ok((parsed.map_err(|error| self.invalid(&unlike(error)))?, link))
    }

    /// Reads one small file at a commit into memory.
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>, WeightsError> {
        Ok(self.fetch(&self.url(path), &mut read_whole)?.0)
    }

    /// The result of `look` on the start of a GGUF file, without downloading the rest; `None` if it
    /// is not a valid header.
    pub(super) fn look_into<T>(
        &self,
        path: &str,
        look: &dyn Fn(Head) -> io::Result<T>,
    ) -> Result<Option<T>, WeightsError> {
        let mut head = |answer: Answer| match look(BufReader::new(answer.body.take(HEAD_BYTES_MAX)))
        {
            Ok(found) => Ok(Some(found)),
            Err(error) => match error.kind() {
                io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Ok(None),
                _ => Err(error.into()),
            },
        };
        self.fetch(&self.url(path), &mut head)
    }

    fn fetch<T>(&self, url: &str, take: Take<'_, T>) -> Result<T, WeightsError> {
        let taken = self.http.get(url, &|| 0, take);
        taken.map_err(|failure| self.error(failure, None))
    }

    /// Downloads a file into `part`, from where an earlier attempt ended, until it has the file's
    /// size.
    pub(super) fn download(&self, file: &ModelFile, part: &Path) -> Result<(), WeightsError> {
        let unwritten = |error: io::Error| WeightsError::write(part, &error, file.bytes);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let out = options.open(part).map_err(unwritten)?;
        let done = || out.metadata().map_or(0, |about| about.len());
        if done() > file.bytes {
            // left over from another version of the file
            out.set_len(0).map_err(unwritten)?;
        }
        let mut take = |answer: Answer| self.receive(answer, file, part, &out);
        let got = self.http.get(&self.url(&file.path), &done, &mut take);
        got.map_err(|failure| self.error(failure, Some((file, done()))))
    }

    /// Appends the body to the part, which is open as `out`.
    fn receive(
        &self,
        mut answer: Answer,
        file: &ModelFile,
        part: &Path,
        mut out: &File,
    ) -> Result<(), Failure> {
        let size = file.bytes;
        let unwritten =
            |error: io::Error, done: u64| WeightsError::write(part, &error, size - done);
        let wrong_size = |found| Failure::Other(wrong_size(&file.path, &self.name(), found, size));
        let mut done = out
            .seek(SeekFrom::End(0))
            .map_err(|error| unwritten(error, 0))?;
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
                return Err(Fault::Broken(reason.to_owned()).into());
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
            self.http.reporter.tell(done, Step::Downloading);
        }
        Ok(out.sync_all().map_err(|error| unwritten(error, done))?)
    }

    /// The error of a request for a file, of which so many bytes came in, or for the listing.
    fn error(&self, failure: Failure, file: Option<(&ModelFile, u64)>) -> WeightsError {
        let name = self.name();
        match (failure, file) {
            (Failure::Other(error), _) => error,
            (Failure::Net(Fault::Protocol(reason)), _) => self.invalid(&reason),
            (Failure::Status { status, .. }, _) => self.refusal(status, file.map(|it| it.0)),
            (Failure::Net(Fault::Unreachable(reason)), _) => Kind::Network.error(format!(
                "{name} cannot be reached ({reason}); check the network connection, or set \
                 HF_ENDPOINT to a mirror, or copy the files by hand to {}",
                self.folder.display()
            )),
            (Failure::Net(fault), Some((ModelFile { path, bytes, .. }, done))) => Kind::Network
                .error(format!(
                    "the download of {path} from {name} broke off at {done} of {bytes} bytes \
                     ({fault}); what came in is kept: the next pull goes on from there"
                )),
            (Failure::Net(fault), None) => Kind::Network.error(format!(
                "{name} does not list its files ({fault}); try again later"
            )),
        }
    }

    fn refusal(&self, status: u16, file: Option<&ModelFile>) -> WeightsError {
        let (name, revision) = (self.name(), self.revision);
        match (status, file.map(|file| &file.path)) {
            // Without a token the hub returns 401 for missing repositories too.
            (401 | 403 | 404 | 410, None) => Kind::Refused.error(format!(
                "there is no {name} at revision {revision}, or it is not public (answer {status}); \
                 check how it is written, or set HF_TOKEN to a token that may read it"
            )),
            (401 | 403, Some(path)) => Kind::Refused.error(format!(
                "{name} refuses {path} (status {status}); set HF_TOKEN to a token that may read \
                 it, or unset HF_TOKEN if it has expired"
            )),
            (404 | 410, Some(path)) => Kind::Refused.error(format!(
                "{path} does not exist at {name} (status {status}); update weir, or check \
                 HF_ENDPOINT if it is set"
            )),
            (_, path) => Kind::Network.error(format!(
                "{name} answers {status} for {}; try again later",
                path.map_or("its list of files", String::as_str)
            )),
        }
    }

    /// The error for an invalid response.
    fn invalid(&self, reason: &str) -> WeightsError {
        let name = self.name();
        let message = format!("{name} sent an invalid response: {reason}; check HF_ENDPOINT");
        Kind::Invalid.error(message)
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

/// The error of a file of another size.
fn wrong_size(file: &str, source: &str, found: u64, expected: u64) -> WeightsError {
    Kind::Invalid.error(format!(
        "{file} at {source} has {found} bytes and should have {expected}: something else answers \
         there (a login page, a proxy, a moved file); open the address in a browser, or set \
         HF_ENDPOINT to a mirror"
    ))
}

/// The whole body, and the `Link` to the next page.
fn read_whole(answer: Answer) -> Result<(Vec<u8>, Option<String>), Failure> {
    let mut bytes = Vec::new();
    answer.body.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    let count = bytes.len() as u64;
    if count > BYTES_MAX {
        return Err(Fault::Protocol(format!("an answer of more than {BYTES_MAX} bytes")).into());
    }
    match answer.total.is_some_and(|total| count < total) {
        true => Err(Failure::closed()),
        false => Ok((bytes, answer.link)),
    }
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
