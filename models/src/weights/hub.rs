//! The hub's listing of a repository: its commit, its files, their sizes and checksums.
//!
//! Two requests: the revision is resolved to a commit, then that commit's tree is read page by
//! page. Later downloads use the commit, so a branch that moves meanwhile cannot mix versions.

use std::io::{self, BufReader, Read, Take};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::{WeightsError, WeightsErrorKind as Fault};
use super::http::{Answer, Attempts, Failure, Http};
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

/// A repository of the hub.
pub(super) struct Hub<'a> {
    pub(super) http: &'a Http<'a>,
    /// `owner/name`.
    pub(super) repository: &'a str,
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

/// Called with each step of a request.
pub(super) type Report<'a> = &'a mut dyn FnMut(Step<'_>);

/// A stream of a file, cut at the header limit.
pub(super) type Head = BufReader<Take<Box<dyn Read>>>;

impl Hub<'_> {
    /// Lists the repository.
    pub(super) fn list(&self, report: Report<'_>) -> Result<Listing, WeightsError> {
        report(Step::Listing);
        let api = format!(
            "{}/api/models/{}",
            self.http.options.hub_url, self.repository
        );
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
            for item in page {
                // a path that leads outside is no file of a model
                if item.kind == "file" && is_inside(&item.path) {
                    files.push(self.file(item)?);
                }
            }
            let Some(link) = link.filter(|link| link.contains("rel=\"next\"")) else {
                return Ok(files);
            };
            // The cursor is appended to our own URL: a mirror's link may name the hub it mirrors,
            // and the token must not go there.
            url = match cursor(&link) {
                Some(cursor) => format!("{first}&cursor={cursor}"),
                None => {
                    let reason = format!("the next page of its list, {link:?}, has no cursor");
                    return Err(self.invalid(&reason));
                }
            };
        }
        Err(self.invalid(&format!("its list has more than {PAGES_MAX} pages")))
    }

    fn file(&self, item: Item) -> Result<ModelFile, WeightsError> {
        let (bytes, sha256) = match item.lfs {
            None => (item.size, None),
            Some(lfs) => (lfs.size, Some(lfs.oid)),
        };
        if !sha256.as_deref().is_none_or(is_sha256) {
            let reason = format!("the checksum of {} is not 64 hex digits", item.path);
            return Err(self.invalid(&reason));
        }
        Ok(ModelFile {
            path: item.path,
            bytes,
            sha256,
            oid: Some(item.oid),
        })
    }

    /// The JSON at a URL, and the URL of the next page.
    fn json<T: DeserializeOwned>(
        &self,
        url: &str,
        report: Report<'_>,
    ) -> Result<(T, Option<String>), WeightsError> {
        let (bytes, link) = self.fetch(url, &read_whole, report)?;
        let parsed = serde_json::from_slice(&bytes).map_err(|error| {
            self.invalid(&format!("{url} is not the list it should be ({error})"))
        })?;
        Ok((parsed, link))
    }

    /// Reads one small file of a listed repository into memory.
    pub(super) fn read(
        &self,
        listing: &Listing,
        path: &str,
        report: Report<'_>,
    ) -> Result<Vec<u8>, WeightsError> {
        let url = self.url(&listing.commit, path);
        Ok(self.fetch(&url, &read_whole, report)?.0)
    }

    /// The result of `look` on the start of a GGUF file of a listed repository, without downloading
    /// the rest; `None` if it is not a valid header.
    pub(super) fn look_into<T>(
        &self,
        listing: &Listing,
        path: &str,
        look: &dyn Fn(Head) -> io::Result<T>,
        report: Report<'_>,
    ) -> Result<Option<T>, WeightsError> {
        let head = |answer: Answer| {
            let head = BufReader::with_capacity(1 << 16, answer.body.take(HEAD_BYTES_MAX));
            match look(head) {
                Ok(found) => Ok(Some(found)),
                Err(error) => match error.kind() {
                    io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => Ok(None),
                    _ => Err(error.into()),
                },
            }
        };
        self.fetch(&self.url(&listing.commit, path), &head, report)
    }

    /// The result of `take` on the response at a URL, with retries where useful.
    fn fetch<T>(
        &self,
        url: &str,
        take: &dyn Fn(Answer) -> Result<T, Failure>,
        report: Report<'_>,
    ) -> Result<T, WeightsError> {
        let mut attempts = Attempts::new();
        loop {
            let failure = match self.http.get(url, 0).and_then(take) {
                Ok(taken) => return Ok(taken),
                Err(failure) => failure,
            };
            let again = attempts.again(failure, self.http.options, report);
            again.map_err(|failure| self.error(failure))?;
        }
    }

    fn error(&self, failure: Failure) -> WeightsError {
        let name = self.name();
        let (kind, message) = match failure {
            // Without a token the hub returns 401 for missing repositories too.
            Failure::Status {
                status: status @ (401 | 403 | 404 | 410),
                ..
            } => {
                let message = format!(
                    "there is no {name} at revision {}, or it is not public (answer {status}); \
                     check how it is written, or set HF_TOKEN to a token that may read it",
                    self.revision
                );
                (Fault::Refused, message)
            }
            Failure::Status { status, .. } => {
                let message =
                    format!("{name} answers {status} for its list of files; try again later");
                (Fault::Network, message)
            }
            Failure::Stalled | Failure::Broken(_) => {
                let message = format!(
                    "{name} does not list its files ({failure}); run the command again later"
                );
                (Fault::Network, message)
            }
            Failure::Unreachable(reason) => return self.unreachable(&reason),
            Failure::Protocol(reason) => return self.invalid(&reason),
        };
        WeightsError::new(kind, message)
    }

    /// The error for a hub that cannot be reached.
    pub(super) fn unreachable(&self, reason: &str) -> WeightsError {
        let message = format!(
            "{} cannot be reached ({reason}); check the network connection, or set HF_ENDPOINT to \
             a mirror, or copy the files by hand to {}",
            self.name(),
            self.folder.display()
        );
        WeightsError::new(Fault::Network, message)
    }

    /// The error for an invalid response.
    pub(super) fn invalid(&self, reason: &str) -> WeightsError {
        let name = self.name();
        let message = format!("{name} sent an invalid response: {reason}; check HF_ENDPOINT");
        WeightsError::new(Fault::Invalid, message)
    }

    /// The repository in messages.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.http.options.hub_url, self.repository)
    }

    /// The download URL of a file at a commit.
    pub(super) fn url(&self, commit: &str, path: &str) -> String {
        let mut url = format!("{}/resolve/{commit}/", self.name());
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
fn read_whole(answer: Answer) -> Result<(Vec<u8>, Option<String>), Failure> {
    let mut bytes = Vec::new();
    answer.body.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    let count = bytes.len() as u64;
    if count > BYTES_MAX {
        let reason = format!("an answer of more than {BYTES_MAX} bytes");
        return Err(Failure::Protocol(reason));
    }
    if answer.total.is_some_and(|total| count < total) {
        return Err(Failure::Broken("the connection was closed".to_owned()));
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
