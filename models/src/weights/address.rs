//! Fetches further weights: by a name in the manifest, or by the address of any repository of the
//! hub.

use std::path::Path;

use super::error::{LocateError, PullError};
use super::found::Located;
use super::held;
use super::http::Http;
use super::kind::{self, CONFIG, is_gguf};
use super::listing::{Hub, Listing};
use super::manifest::{Kind, Model, Source};
use super::plan;
use super::progress::{Progress, Step};
use super::pull::{self, OnProgress};
use super::receipt::{Listed, Receipt};
use super::repository::Repository;
use super::store::Store;
use crate::gguf_head::{Flaw, first_flaw};

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
    /// [`PullError`]; each variant gives advice.
    pub fn pull(
        &self,
        name: &str,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Located, PullError> {
        match self.path(name) {
            Err(LocateError::NotFetched { .. } | LocateError::WrongSize { .. }) => {}
            Err(LocateError::NotAModel { .. })
                if Repository::is_meant(name) && !Path::new(name).exists() =>
            {
                let asked = Repository::parse(name)?;
                self.tell_of_token(asked.name(), progress);
                return by_address(self, &asked, progress);
            }
            other => return Ok(other?),
        }
        let model = self.known(name).ok_or_else(|| self.unknown(name))?;
        self.tell_of_token(&model.name, progress);
        if self.manifest.find(&model.name).is_none() {
            if model.sources.is_empty() {
                return Err(PullError::Imported { name: model.name });
            }
            // Begun by its address: the repository may now have another commit.
            return by_address(self, &Repository::of(&model), progress);
        }
        pull::pull(self, &model, None, progress)?;
        Ok(self.locate(&model)?)
    }
}

/// Fetches the files at an address.
fn by_address(
    store: &Store,
    asked: &Repository,
    progress: OnProgress<'_>,
) -> Result<Located, PullError> {
    if let Some(known) = store.manifest.find(asked.name()) {
        return pull_known(store, known, asked, progress);
    }
    let mut model = model(asked, Kind::Generator, Vec::new());
    let folder = store.target(&model).ok_or(PullError::NoFolder)?;
    let receipt = Receipt::read(&folder);
    if receipt.imported.is_some() {
        return Err(PullError::Taken {
            name: asked.name().to_owned(),
            by: "an imported model".to_owned(),
            advice: "remove its folder (`weir models path` shows where), or give another folder \
                     of models with --models DIR"
                .to_owned(),
        });
    }
    if let Some(held) = receipt.listed {
        check_same(&held, asked)?;
        let known = held.model();
        if is_asked_for(&held, asked) && held::first_flaw(&known, &folder).is_none() {
            return Ok(store.locate(&known)?);
        }
    }
    let listing = list(store, &model, asked, progress)?;
    let config = read_config(store, &model, &listing, progress)?;
    (model.kind, model.wanted) = what_is_there(asked, &listing, config.as_ref())?;
    // Checked before a folder is made for a model that does not exist or cannot be loaded.
    plan::of(&model, &listing)?;
    check_loads(store, &model, &listing, config.as_ref(), progress)?;
    pull::pull(store, &model, Some(listing), progress)?;
    Ok(store.locate(&model)?)
}

/// A manifest model of the same name: either the same model, or the name is taken.
fn pull_known(
    store: &Store,
    known: &Model,
    asked: &Repository,
    progress: OnProgress<'_>,
) -> Result<Located, PullError> {
    let mut hubs = known.sources.iter().filter_map(Source::hub);
    let is_same = hubs.any(|hub| hub.eq_ignore_ascii_case(&asked.hub));
    let is_free = asked.revision.is_none() || known.listed;
    if !is_same || !is_free || asked.file.is_some() {
        return Err(PullError::Taken {
            name: asked.name().to_owned(),
            by: "another model of `weir models list`".to_owned(),
            advice: format!("`weir models pull {}` fetches that one", known.name),
        });
    }
    if asked.revision.is_none() {
        return store.pull(&known.name, progress);
    }
    let mut model = known.clone();
    model.sources = model_sources(asked);
    let folder = store.target(&model).ok_or(PullError::NoFolder)?;
    let held = Receipt::read(&folder).listed;
    let is_here = held.is_some_and(|held| is_asked_for(&held, asked));
    if !is_here || held::first_flaw(&model, &folder).is_some() {
        let listing = list(store, &model, asked, progress)?;
        pull::pull(store, &model, Some(listing), progress)?;
    }
    Ok(store.locate(&model)?)
}

/// Asks the hub for the files at the address.
fn list(
    store: &Store,
    model: &Model,
    asked: &Repository,
    progress: OnProgress<'_>,
) -> Result<Listing, PullError> {
    with_hub(store, model, progress, |hub, on_retry| {
        hub.list(&asked.hub, asked.revision(), on_retry)
    })
}

/// The settings of the repository, if it has any. Invalid JSON counts as none.
fn read_config(
    store: &Store,
    model: &Model,
    listing: &Listing,
    progress: OnProgress<'_>,
) -> Result<Option<serde_json::Value>, PullError> {
    if !plan::names(listing).contains(&CONFIG) {
        return Ok(None);
    }
    let text = with_hub(store, model, progress, |hub, on_retry| {
        hub.read(listing, CONFIG, on_retry)
    })?;
    Ok(serde_json::from_slice(&text).ok())
}

fn with_hub<T>(
    store: &Store,
    model: &Model,
    progress: OnProgress<'_>,
    ask: impl FnOnce(&Hub<'_>, &mut dyn FnMut(u32, &str)) -> Result<T, PullError>,
) -> Result<T, PullError> {
    // the model's name is the last part of the repository
    let repository = model.sources.iter().find_map(Source::hub);
    let asked = repository.unwrap_or(&model.name);
    let folder = pull::folder(store, model, asked)?;
    let mut tell = |step: Step<'_>| {
        progress(Progress {
            model: &model.name,
            file: "",
            bytes_done: 0,
            bytes_total: 0,
            step,
        });
    };
    tell(Step::Listing);
    let hub = Hub {
        http: &Http::new(&store.options),
        options: &store.options,
        folder: &folder,
    };
    ask(&hub, &mut |attempt, reason| {
        tell(Step::Retrying { attempt, reason });
    })
}

/// The kind of the repository, and the files needed for it.
fn what_is_there(
    asked: &Repository,
    listing: &Listing,
    config: Option<&serde_json::Value>,
) -> Result<(Kind, Vec<String>), PullError> {
    let names = plan::names(listing);
    let all = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let kind = kind::of_files(&names, config).ok_or_else(|| PullError::UnknownKind {
        repository: asked.hub.clone(),
        has: all(&names),
    })?;
    let ggufs: Vec<&str> = names.iter().copied().filter(|name| is_gguf(name)).collect();
    let has_tensors = names.iter().any(|name| name.ends_with(".safetensors"));
    let file = match (&asked.file, kind, ggufs.as_slice()) {
        (Some(file), ..) => file.as_str(),
        (None, Kind::Generator, [one]) if !has_tensors => one,
        (None, Kind::Generator, [_, _, ..]) if !has_tensors => {
            return Err(PullError::WhichFile {
                repository: asked.hub.clone(),
                files: all(&ggufs),
            });
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
fn check_loads(
    store: &Store,
    model: &Model,
    listing: &Listing,
    config: Option<&serde_json::Value>,
    progress: OnProgress<'_>,
) -> Result<(), PullError> {
    let refused = |file: &str, reason: String| PullError::Unsupported {
        repository: listing.hub.clone(),
        file: file.to_owned(),
        reason,
    };
    let families = kind::families(model.kind);
    let wrong = |name: &str| format!("its architecture is {name}, {}", families.advice());
    let Some(file) = model.wanted.iter().find(|path| is_gguf(path)) else {
        let name = config.and_then(|config| config["model_type"].as_str());
        let unknown = name.filter(|name| !families.has(name));
        return unknown.map_or(Ok(()), |name| Err(refused(CONFIG, wrong(name))));
    };
    // the settings also identify a T5, which may have another name in GGUF
    let is_known = |name: &str| model.kind != Kind::Generator || families.has(name);
    let flaw = with_hub(store, model, progress, |hub, on_retry| {
        let look = |head| first_flaw(head, &is_known);
        hub.look_into(listing, file, &look, on_retry)
    })?;
    match flaw.flatten() {
        Some(Flaw::Architecture(name)) => Err(refused(file, wrong(&name))),
        Some(Flaw::Type(unknown)) => Err(refused(file, unknown.to_string())),
        Some(Flaw::ZeroAlignment) | None => Ok(()),
    }
}

/// The model at an address, as a manifest entry.
fn model(asked: &Repository, kind: Kind, wanted: Vec<String>) -> Model {
    Model {
        name: asked.name().to_owned(),
        kind,
        languages: Vec::new(),
        licence: "unknown".to_owned(),
        note: String::new(),
        embedded: None,
        sources: model_sources(asked),
        prompts: None,
        files: Vec::new(),
        listed: true,
        wanted,
        elsewhere: Vec::new(),
    }
}

fn model_sources(asked: &Repository) -> Vec<Source> {
    vec![Source::Hub {
        hub: asked.hub.clone(),
        revision: asked.revision().to_owned(),
    }]
}

/// Whether the existing model has the requested revision; any if none is given.
fn is_asked_for(held: &Listed, asked: &Repository) -> bool {
    let revision = asked.revision.as_ref();
    revision.is_none_or(|asked| *asked == held.revision || *asked == held.commit)
}

/// Whether the folder of that name holds the requested model, in any revision.
fn check_same(held: &Listed, asked: &Repository) -> Result<(), PullError> {
    let has = |file: &String| held.files.iter().any(|held| held.path == *file);
    if held.hub.eq_ignore_ascii_case(&asked.hub) && asked.file.as_ref().is_none_or(has) {
        return Ok(());
    }
    let files: Vec<&str> = held.files.iter().map(|file| file.path.as_str()).collect();
    let first = files.first().copied().unwrap_or_default();
    Err(PullError::Taken {
        name: asked.name().to_owned(),
        by: format!("{} ({first})", held.hub),
        advice: "remove its folder (`weir models path` shows where), or give another folder of \
                 models with --models DIR"
            .to_owned(),
    })
}
