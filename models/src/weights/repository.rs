//! Parses the address of a repository of the hub.

use super::error::PullError;
use super::kind::is_gguf;
use super::manifest::{Model, Source, is_name};
use super::wanted::is_inside;

/// The default revision.
pub(super) const REVISION: &str = "main";

/// `owner/name`, `owner/name@revision`, `owner/name:file.gguf`, `owner/name@revision:file.gguf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// `owner/name`.
    pub(super) hub: String,
    /// A branch, tag or commit, if given.
    pub(super) revision: Option<String>,
    /// The requested `.gguf` file.
    pub(super) file: Option<String>,
}

impl Repository {
    /// Whether it has the form of an address and not of a path.
    pub(super) fn is_meant(text: &str) -> bool {
        text.contains('/') && !text.starts_with(['.', '/', '~']) && !text.contains('\\')
    }

    /// Parses an address.
    ///
    /// # Errors
    /// [`PullError::Address`] names the invalid part.
    pub(super) fn parse(text: &str) -> Result<Self, PullError> {
        let refused = |reason: &str| PullError::Address {
            given: text.to_owned(),
            reason: reason.to_owned(),
        };
        let (head, file) = match text.split_once(':') {
            Some((head, file)) => (head, Some(file.to_owned())),
            None => (text, None),
        };
        let (hub, revision) = match head.split_once('@') {
            Some((hub, revision)) => (hub, Some(revision.to_owned())),
            None => (head, None),
        };
        let parts: Vec<&str> = hub.split('/').collect();
        if parts.len() != 2 || !parts.iter().all(|part| is_name(part)) {
            return Err(refused(
                "owner and name are made of a-z, 0-9, '.', '-', '_' and do not begin with a dot",
            ));
        }
        let is_revision = |revision: &String| revision.split('/').all(is_name);
        if !revision.as_ref().is_none_or(is_revision) {
            return Err(refused("the revision is a branch, a tag or a commit"));
        }
        let is_gguf = |file: &String| file.ends_with(".gguf") && is_inside(file);
        if !file.as_ref().is_none_or(is_gguf) {
            return Err(refused("after the colon stands a .gguf of the repository"));
        }
        Ok(Self {
            hub: hub.to_owned(),
            revision,
            file,
        })
    }

    /// The address of a model that was pulled by address.
    pub(super) fn of(model: &Model) -> Self {
        let mut repository = Self {
            hub: model.name.clone(),
            revision: None,
            file: model.wanted.iter().find(|path| is_gguf(path)).cloned(),
        };
        if let Some(Source::Hub { hub, revision }) = model.sources.first() {
            repository.hub.clone_from(hub);
            repository.revision = Some(revision.clone());
        }
        repository
    }

    /// The model's name on this machine: the last part of the repository's name.
    pub(super) fn name(&self) -> &str {
        self.hub.split('/').next_back().unwrap_or(&self.hub)
    }

    /// The revision to request.
    pub(super) fn revision(&self) -> &str {
        self.revision.as_deref().unwrap_or(REVISION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let parsed = Repository::parse("a-b/C.d@refs/pr/1:sub/q.gguf").expect("an address");
        assert_eq!(parsed.hub, "a-b/C.d");
        assert_eq!(parsed.name(), "C.d");
        assert_eq!(parsed.revision(), "refs/pr/1");
        assert_eq!(parsed.file.as_deref(), Some("sub/q.gguf"));
        assert_eq!(
            Repository::parse("a/b").expect("an address").revision(),
            "main"
        );
    }

    #[test]
    fn an_address_cannot_lead_outside() {
        for bad in [
            "a/..", "../a", "a/b/c", "a/", "/a", "a/.b", "a/b@", "a/b@../x", "a/b:", "a/b:x.bin",
            "a/b:../x.gguf", "a b/c", "a/b?x=1", "a/b#x", "a/b%2f", "C:/a",
        ] {
            assert!(Repository::parse(bad).is_err(), "{bad:?} was taken");
        }
    }
}
