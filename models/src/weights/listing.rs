//! The hub's listing of a repository: its commit, its files, their sizes and checksums.
//!
//! Two requests: the revision is resolved to a commit, then that commit's tree is read page by
//! page. Later downloads use the commit, so a branch that moves meanwhile cannot mix versions.

use std::io::{self, BufReader, Read, Take};
use std::path::Path;
use std::thread;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::download::asked;
use super::error::PullError;
use super::http::{Answer, Http, HttpError, classify_read};
use super::manifest::is_lower_hex;
use super::options::StoreOptions;
use super::wanted::is_inside;

/// A page has 1000 files, a few hundred kB.
const PAGE_BYTES_MAX: u64 = 16 << 20;

/// More pages than any model has; an endless list stops here.
const PAGES_MAX: usize = 32;

/// A `config.json` is a few kB, a few hundred with a long table of labels.
const SMALL_BYTES_MAX: u64 = 8 << 20;

/// Much larger than the header of any GGUF file: a large vocabulary takes some ten MB.
const HEAD_BYTES_MAX: u64 = 64 << 20;

/// Much longer than any cursor of the hub.
const CURSOR_BYTES_MAX: usize = 4096;

/// The hub as a source of listings.
pub(super) struct Hub<'a> {
    pub(super) http: &'a Http,
    pub(super) options: &'a StoreOptions,
    /// The folder for manual downloads, for messages.
    pub(super) folder: &'a Path,
}

/// A repository at one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listing {
    /// `owner/name`.
    pub(super) hub: String,
    /// The requested revision.
    pub(super) revision: String,
    /// The commit of that revision.
    pub(super) commit: String,
    /// The licence as the hub states it.
    pub(super) licence: Option<String>,
    pub(super) files: Vec<HubFile>,
}

/// One file of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HubFile {
    pub(super) path: String,
    pub(super) bytes: u64,
    /// Given for large files only.
    pub(super) sha256: Option<String>,
    /// The git hash of its content.
    pub(super) oid: String,
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
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    oid: String,
    size: u64,
}

/// A stream of the file, cut at the header limit.
pub(super) type Begun = BufReader<Take<Box<dyn Read>>>;

/// Called with the number and the reason of each failed attempt that is retried.
pub(super) type OnRetry<'a> = &'a mut dyn FnMut(u32, &str);

impl Hub<'_> {
    /// Lists `repository` at `revision`.
    pub(super) fn list(
        &self,
        repository: &str,
        revision: &str,
        on_retry: OnRetry<'_>,
    ) -> Result<Listing, PullError> {
        let of = Of {
            repository,
            revision,
        };
        let api = format!("{}/api/models/{repository}", self.options.hub_url);
        let url = format!("{api}/revision/{}", revision.replace('/', "%2F"));
        let about: Revision = self.json(&of, &url, on_retry)?.0;
        let is_commit = matches!(about.sha.len(), 40 | 64);
        if !is_commit || !about.sha.bytes().all(is_lower_hex) {
            let reason = format!("{:?} is not a commit", about.sha);
            return Err(self.not_understood(repository, reason));
        }
        let licence = about
            .tags
            .iter()
            .find_map(|tag| tag.strip_prefix("license:"));
        Ok(Listing {
            hub: repository.to_owned(),
            revision: revision.to_owned(),
            files: self.tree(&of, &format!("{api}/tree/{}", about.sha), on_retry)?,
            commit: about.sha,
            licence: licence.map(str::to_owned),
        })
    }

    fn tree(
        &self,
        of: &Of<'_>,
        url: &str,
        on_retry: OnRetry<'_>,
    ) -> Result<Vec<HubFile>, PullError> {
        let first = format!("{url}?recursive=true");
        let mut url = first.clone();
        let mut files = Vec::new();
        for _ in 0..PAGES_MAX {
            let (page, link): (Vec<Item>, _) = self.json(of, &url, on_retry)?;
            for item in page.into_iter().filter(|item| item.kind == "file") {
                files.extend(self.file(of, item)?);
            }
            let Some(link) = link.filter(|link| link.contains("rel=\"next\"")) else {
                return Ok(files);
            };
            let cursor = cursor(&link).ok_or_else(|| {
                let reason = format!("the next page of its list, {link:?}, has no cursor");
                self.not_understood(of.repository, reason)
            })?;
            // The cursor is appended to our own URL: a mirror's link may name the hub it mirrors,
            // and the token must not go there.
            url = format!("{first}&cursor={cursor}");
        }
        let reason = format!("its list has more than {PAGES_MAX} pages");
        Err(self.not_understood(of.repository, reason))
    }

    /// A file that can be stored in the model's folder; an error if its path leads outside.
    fn file(&self, of: &Of<'_>, item: Item) -> Result<Option<HubFile>, PullError> {
        if !is_inside(&item.path) {
            return Ok(None);
        }
        let (bytes, sha256) = match item.lfs {
            None => (item.size, None),
            Some(lfs) => (lfs.size, Some(lfs.oid)),
        };
        let is_sum = |sum: &String| sum.len() == 64 && sum.bytes().all(is_lower_hex);
        if !sha256.as_ref().is_none_or(is_sum) {
            let reason = format!("the checksum of {} is not 64 hex digits", item.path);
            return Err(self.not_understood(of.repository, reason));
        }
        Ok(Some(HubFile {
            path: item.path,
            bytes,
            sha256,
            oid: item.oid,
        }))
    }

    /// Reads one small file of a listed repository into memory.
    pub(super) fn read(
        &self,
        listing: &Listing,
        path: &str,
        on_retry: OnRetry<'_>,
    ) -> Result<Vec<u8>, PullError> {
        let of = Of {
            repository: &listing.hub,
            revision: &listing.revision,
        };
        let url = address(&self.options.hub_url, &listing.hub, &listing.commit, path);
        let whole = |answer| read(answer, SMALL_BYTES_MAX);
        Ok(self.fetch(&of, &url, &whole, on_retry)?.0)
    }

    /// The result of `look` on the start of a GGUF file of a listed repository, without downloading
    /// the rest; `None` if it finds nothing.
    pub(super) fn look_into<T>(
        &self,
        listing: &Listing,
        path: &str,
        look: &dyn Fn(Begun) -> io::Result<T>,
        on_retry: OnRetry<'_>,
    ) -> Result<Option<T>, PullError> {
        let of = Of {
            repository: &listing.hub,
            revision: &listing.revision,
        };
        let url = address(&self.options.hub_url, &listing.hub, &listing.commit, path);
        let begun = |answer: Answer| {
            let body = BufReader::with_capacity(1 << 16, answer.body.take(HEAD_BYTES_MAX));
            match look(body) {
                Ok(found) => Ok(Some(found)),
                Err(error) if is_no_head(&error) => Ok(None),
                Err(error) => Err(classify_read(error)),
            }
        };
        self.fetch(&of, &url, &begun, on_retry)
    }

    /// The JSON at a URL, and the URL of the next page.
    fn json<T: DeserializeOwned>(
        &self,
        of: &Of<'_>,
        url: &str,
        on_retry: OnRetry<'_>,
    ) -> Result<(T, Option<String>), PullError> {
        let whole = |answer| read(answer, PAGE_BYTES_MAX);
        let (bytes, link) = self.fetch(of, url, &whole, on_retry)?;
        let parsed = serde_json::from_slice(&bytes).map_err(|error| {
            let reason = format!("{url} is not the list it should be ({error})");
            self.not_understood(of.repository, reason)
        })?;
        Ok((parsed, link))
    }

    /// The result of `take` on the response at a URL, with retries where useful.
    fn fetch<T>(
        &self,
        of: &Of<'_>,
        url: &str,
        take: &dyn Fn(Answer) -> Result<T, HttpError>,
        on_retry: OnRetry<'_>,
    ) -> Result<T, PullError> {
        let mut failures = 0;
        loop {
            let mut retry_after = None;
            let (failure, reason) = match self.http.get(url, 0) {
                Ok(answer) if answer.status == 200 => match take(answer) {
                    Ok(taken) => return Ok(taken),
                    Err(error) => self.failure(of, error),
                },
                Ok(Answer {
                    status,
                    retry_after: after,
                    ..
                }) => {
                    retry_after = after;
                    let reason = format!("the server answers {status}{}", asked(after));
                    (self.refusal(of, status), reason)
                }
                Err(error) => self.failure(of, error),
            };
            let may_pass = matches!(
                failure,
                PullError::Server {
                    status: 408 | 429 | 500..=599,
                    ..
                } | PullError::Silent { .. }
            );
            failures += 1;
            if !may_pass || failures > self.options.retries_max {
                return Err(failure);
            }
            on_retry(failures + 1, &reason);
            let pause = self.options.backoff * 2_u32.saturating_pow(failures - 1).min(32);
            thread::sleep(retry_after.unwrap_or(pause));
        }
    }

    fn refusal(&self, of: &Of<'_>, status: u16) -> PullError {
        let source_name = self.name(of.repository);
        match status {
            // Without a token the hub returns 401 for missing repositories too.
            401 | 403 | 404 | 410 => PullError::NoRepository {
                source_name,
                revision: of.revision.to_owned(),
                status,
            },
            status => PullError::Server {
                file: "its list of files".to_owned(),
                source_name,
                status,
            },
        }
    }

    fn failure(&self, of: &Of<'_>, error: HttpError) -> (PullError, String) {
        let source_name = self.name(of.repository);
        match error {
            HttpError::Unreachable(reason) => {
                let failure = PullError::Unreachable {
                    source_name,
                    reason: reason.clone(),
                    folder: self.folder.to_owned(),
                };
                (failure, reason)
            }
            HttpError::Stalled => {
                let reason = "no data arrives".to_owned();
                (
                    PullError::Silent {
                        source_name,
                        reason: reason.clone(),
                    },
                    reason,
                )
            }
            HttpError::Broken(reason) => (
                PullError::Silent {
                    source_name,
                    reason: reason.clone(),
                },
                reason,
            ),
            HttpError::Protocol(reason) => {
                (self.not_understood(of.repository, reason.clone()), reason)
            }
        }
    }

    fn not_understood(&self, repository: &str, reason: String) -> PullError {
        PullError::Protocol {
            source_name: self.name(repository),
            reason,
        }
    }

    fn name(&self, repository: &str) -> String {
        format!("{}/{repository}", self.options.hub_url)
    }
}

/// The repository, for messages.
struct Of<'a> {
    repository: &'a str,
    revision: &'a str,
}

/// Whether the bytes were read but are not a valid header.
fn is_no_head(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}

/// The whole body, and the URL of the next page.
fn read(answer: Answer, bytes_max: u64) -> Result<(Vec<u8>, Option<String>), HttpError> {
    let mut bytes = Vec::new();
    let body = answer.body.take(bytes_max + 1).read_to_end(&mut bytes);
    body.map_err(classify_read)?;
    let count = bytes.len() as u64;
    if count > bytes_max {
        let reason = format!("an answer of more than {bytes_max} bytes");
        return Err(HttpError::Protocol(reason));
    }
    if answer.total.is_some_and(|total| count < total) {
        return Err(HttpError::Broken("the connection was closed".to_owned()));
    }
    Ok((bytes, answer.link))
}

/// The cursor in `<https://hub/api/...?cursor=abc&limit=1000>; rel="next"`, still encoded.
fn cursor(link: &str) -> Option<&str> {
    let next = link.split(',').find(|part| part.contains("rel=\"next\""))?;
    let url = next.trim().strip_prefix('<')?.split('>').next()?;
    let (_, query) = url.split_once('?')?;
    let cursor = query
        .split('&')
        .find_map(|part| part.strip_prefix("cursor="))?;
    let is_encoded = |byte: u8| byte.is_ascii_alphanumeric() || b"%-._~=+/".contains(&byte);
    let sound = !cursor.is_empty() && cursor.len() <= CURSOR_BYTES_MAX;
    (sound && cursor.bytes().all(is_encoded)).then_some(cursor)
}

/// The download URL of a file of a repository.
pub(super) fn address(hub_url: &str, repository: &str, revision: &str, path: &str) -> String {
    let mut url = format!("{hub_url}/{repository}/resolve/{revision}/");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_of_the_next_page_is_found() {
        let link = "<https://hub/api/models/a/b/tree/c?recursive=true&cursor=ZXlK%3D%3D&limit=9>; \
                    rel=\"next\"";
        assert_eq!(cursor(link), Some("ZXlK%3D%3D"));
        let both =
            "<https://hub/x?cursor=A>; rel=\"first\", <https://hub/x?cursor=B>; rel=\"next\"";
        assert_eq!(cursor(both), Some("B"));
        for bad in [
            "<https://hub/x?cursor=a b>; rel=\"next\"",
            "<https://hub/x?cursor=>; rel=\"next\"",
            "<https://hub/x>; rel=\"next\"",
            "https://hub/x?cursor=A; rel=\"next\"",
        ] {
            assert_eq!(cursor(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_address_is_encoded() {
        assert_eq!(
            address("http://h", "a/b", "c0", "x y/é#.json"),
            "http://h/a/b/resolve/c0/x%20y/%C3%A9%23.json"
        );
    }
}
