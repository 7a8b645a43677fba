//! Fetches further weights: by a name in the manifest, or by the address of any repository of the
//! hub, whose kind is detected from its files.

use std::path::Path;

use serde_json::Value;

use super::error::{WeightsError, WeightsErrorKind as Fault, listed};
use super::files;
use super::http::Http;
use super::hub::{Hub, Listing};
use super::kind::{self, CONFIG, is_gguf};
use super::manifest::{Kind, Model, Source};
use super::pull::pull;
use super::receipt::Receipt;
use super::report::{Located, Progress, Reporter, shared};
use super::store::Store;
use super::wanted::{is_address, is_inside, is_name};
use crate::gguf_head::{Flaw, first_flaw};

/// `owner/name`, `owner/name@revision`, `owner/name:file.gguf`, `owner/name@revision:file.gguf`.
#[derive(Debug)]
struct Repository {
    /// `owner/name`.
    hub: String,
    /// A branch, tag or commit, if given.
    revision: Option<String>,
    /// The requested `.gguf` file.
    file: Option<String>,
}

impl Repository {
    /// Parses an address; the error names the invalid part.
    fn parse(text: &str) -> Result<Self, WeightsError> {
        let split = |text: &str, at: char| match text.split_once(at) {
            Some((head, tail)) => (head.to_owned(), Some(tail.to_owned())),
            None => (text.to_owned(), None),
        };
        let (head, file) = split(text, ':');
        let (hub, revision) = split(&head, '@');
        let is_path = |text: &String| text.split('/').all(is_name);
        let is_file = |file: &String| is_gguf(file) && is_inside(file);
        let reason = if hub.split('/').count() != 2 || !is_path(&hub) {
            "owner and name are made of a-z, 0-9, '.', '-', '_' and do not begin with a dot"
        } else if !revision.as_ref().is_none_or(is_path) {
            "the revision is a branch, a tag or a commit"
        } else if !file.as_ref().is_none_or(is_file) {
            "after the colon stands a .gguf of the repository"
        } else {
            return Ok(Self {
                hub,
                revision,
                file,
            });
        };
        Err(Fault::Address.error(format!(
            "{text:?} is not a repository of the hub: {reason}; it is written owner/name, \
             owner/name@revision or owner/name:file.gguf"
        )))
    }

    /// The model's name on this machine: the last part of the repository's name.
    fn name(&self) -> &str {
        self.hub.split('/').next_back().unwrap_or(&self.hub)
    }

    /// The revision to request.
    fn revision(&self) -> &str {
        self.revision.as_deref().unwrap_or("main")
    }

    /// Whether the receipt is of the requested revision; of any if none is given.
    fn is_revision_of(&self, receipt: &Receipt, held: &Model) -> bool {
        self.revision.as_ref().is_none_or(|asked| {
            let is_asked = |source: &Source| match source {
                Source::Hub { revision, .. } => revision == asked,
                Source::Python(_) => false,
            };
            receipt.commit.as_ref() == Some(asked) || held.sources.iter().any(is_asked)
        })
    }

    /// Refuses a folder that holds another model of the same name.
    fn check_same(&self, held: &Model) -> Result<(), WeightsError> {
        let has = |file: &String| held.files.iter().any(|held| held.path == *file);
        if held.is_at(&self.hub) && self.file.as_ref().is_none_or(has) {
            return Ok(());
        }
        let first = held.files.first().map_or("", |file| &file.path);
        let by = held.hubs().next().unwrap_or("an imported model");
        let message = format!("{} is the name of {by} ({first}) here", self.name());
        Err(Fault::Taken.error(message).about(self.name()))
    }
}

impl Store {
    /// Fetches a model if it is not on this machine and returns its path. Resumes an earlier pull,
    /// waits for one that runs in another process, and calls `progress` regularly.
    ///
    /// Besides a name it takes the address of any repository of the hub: `owner/name`,
    /// `owner/name@revision`, and `owner/name:file.gguf` if there are several such files. The kind
    /// is detected from the repository's files; afterwards the model's name is the last part of its
    /// address.
    ///
    /// # Errors
    /// [`WeightsError`].
    pub fn pull(
        &self,
        name: &str,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Located, WeightsError> {
        let (located, progress) = (self.path(name), shared(progress));
        match located.as_ref().map_err(WeightsError::kind) {
            Err(Fault::NotFetched | Fault::Damaged) => {}
            Err(Fault::NotAModel) if is_address(name) && !Path::new(name).exists() => {
                return self.pull_from(&Repository::parse(name)?, &progress);
            }
            _ => return located,
        }
        let model = self.known(name).ok_or_else(|| self.unknown(name))?;
        if self.manifest.find(&model.name).is_none() && model.is_imported() {
            let name = &model.name;
            let message = format!("model {name} was imported and its file is missing or damaged");
            return Err(Fault::Lost.error(message).about(name));
        }
        pull(self, &model, None, &Reporter::new(&model.name, &progress))
    }

    /// Fetches the model at an address.
    fn pull_from(
        &self,
        asked: &Repository,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Located, WeightsError> {
        let name = asked.name();
        let known = self.manifest.find(name);
        if let Some(known) = known {
            let is_free = asked.revision.is_none() || known.listed;
            if !known.is_at(&asked.hub) || !is_free || asked.file.is_some() {
                let message = format!("{name} is the name of another known model here");
                return Err(Fault::Taken.error(message).about(&known.name));
            }
            if asked.revision.is_none() {
                return self.pull(&known.name, &mut |at| progress(at));
            }
        }
        let new = || Model::new(name, Kind::Generator);
        let mut model = known.cloned().unwrap_or_else(new);
        model.sources = vec![Source::Hub {
            hub: asked.hub.clone(),
            revision: asked.revision().to_owned(),
        }];
        let receipt = Receipt::read(&self.target(&model)?);
        if let Some(held) = &receipt.model {
            asked.check_same(held)?;
            let folder = self.target(&model)?;
            if asked.is_revision_of(&receipt, held) && files::check(held, &folder).is_ok() {
                return self.locate(held);
            }
        }
        let reporter = Reporter::new(name, progress);
        let hub = Hub {
            http: &Http::new(&self.options, &reporter),
            repository: &asked.hub,
            revision: asked.revision(),
            folder: &self.target_online(&model, &asked.hub)?,
        };
        let listing = hub.list()?;
        if known.is_none() {
            // before a folder is made for a model that does not exist or cannot be loaded
            model = look(model, asked, &hub, &listing)?;
        }
        pull(self, &model, Some(listing), &reporter)
    }
}

/// The model in a repository: its kind and the files needed for it.
fn look(
    mut model: Model,
    asked: &Repository,
    hub: &Hub<'_>,
    listing: &Listing,
) -> Result<Model, WeightsError> {
    let hub = &Hub {
        revision: &listing.commit,
        ..*hub
    };
    let config = match listing.names().contains(&CONFIG) {
        // invalid JSON counts as none
        true => serde_json::from_slice(&hub.read(CONFIG)?).ok(),
        false => None,
    };
    (model.kind, model.wanted) = kind_and_files(asked, listing, config.as_ref())?;
    model.listed = true;
    model.note = format!("Fetched by its address, {}.", asked.hub);
    files::plan(&model, std::slice::from_ref(listing))?;
    check_loads(&model, hub, config.as_ref())?;
    Ok(model)
}

/// The kind of a repository, and the files needed for it.
fn kind_and_files(
    asked: &Repository,
    listing: &Listing,
    config: Option<&Value>,
) -> Result<(Kind, Vec<String>), WeightsError> {
    let (hub, names) = (&asked.hub, listing.names());
    let Some(kind) = kind::of_files(&names, config) else {
        return Err(Fault::Unusable.error(format!(
            "{hub} holds no model that weir can use, which are sentence encoders, cross-encoders, \
             T5, and text generators; it has: {}",
            listed(&names)
        )));
    };
    let ggufs: Vec<&str> = names.iter().copied().filter(|name| is_gguf(name)).collect();
    let has_tensors = names.iter().any(|name| name.ends_with(".safetensors"));
    let file = match (&asked.file, kind, ggufs.as_slice()) {
        (Some(file), ..) => file.as_str(),
        (None, Kind::Generator, [one]) if !has_tensors => one,
        (None, Kind::Generator, [first, _, ..]) if !has_tensors => {
            return Err(Fault::Address.error(format!(
                "{hub} has several .gguf files; name one, as in {hub}:{first}; it has: {}",
                listed(&ggufs)
            )));
        }
        _ => return Ok((kind, kind::wanted(kind))),
    };
    // A generator's GGUF contains its settings and tokenizer; a T5's does not.
    let mut wanted = vec![file.to_owned()];
    if kind == Kind::Summariser {
        wanted.extend(["config.json".to_owned(), "tokenizer.json".to_owned()]);
    }
    Ok((kind, wanted))
}

/// Refuses an unsupported architecture or weight type, read from the settings and from the header
/// of a GGUF file. If they give none, the loader decides.
fn check_loads(model: &Model, hub: &Hub<'_>, config: Option<&Value>) -> Result<(), WeightsError> {
    let Some((families, names)) = kind::families(model.kind) else {
        return Ok(());
    };
    let foreign = |name: &str| format!("its architecture is {name}, and only {names} is supported");
    let gguf = model.wanted.iter().find(|path| is_gguf(path));
    let reason = match gguf {
        Some(file) => {
            // the settings also identify a T5, which may have another name in GGUF
            let is_known = |name: &str| model.kind != Kind::Generator || families.contains(&name);
            match hub
                .look_into(file, &|head| first_flaw(head, &is_known))?
                .flatten()
            {
                Some(Flaw::Architecture(name)) => Some(foreign(&name)),
                Some(Flaw::Type(unknown)) => Some(unknown.to_string()),
                Some(Flaw::ZeroAlignment) | None => None,
            }
        }
        None => {
            let name = config.and_then(|config| config["model_type"].as_str());
            name.filter(|name| !families.contains(name)).map(foreign)
        }
    };
    let Some(reason) = reason else { return Ok(()) };
    let (file, hub) = (gguf.map_or(CONFIG, String::as_str), hub.repository);
    Err(Fault::Unusable.error(format!("{file} of {hub}: {reason}; nothing was fetched")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_apart_and_cannot_lead_outside() {
        let parsed = Repository::parse("a-b/C.d@refs/pr/1:sub/q.gguf").expect("an address");
        assert_eq!((parsed.hub.as_str(), parsed.name()), ("a-b/C.d", "C.d"));
        assert_eq!(parsed.revision(), "refs/pr/1");
        assert_eq!(parsed.file.as_deref(), Some("sub/q.gguf"));
        let plain = Repository::parse("a/b").expect("an address");
        assert_eq!(plain.revision(), "main");
        for bad in [
            "a/..", "../a", "a/b/c", "a/", "/a", "a/.b", "a/b@", "a/b@../x", "a/b:", "a/b:x.bin",
            "a/b:../x.gguf", "a b/c", "a/b?x=1", "a/b#x", "a/b%2f", "C:/a",
        ] {
            assert!(Repository::parse(bad).is_err(), "{bad:?} was taken");
        }
    }
}
