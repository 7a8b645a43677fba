//! The loader of models that flags and environment set up, and what it says as lines.

use crate::cli::args::Global;
use crate::cli::terminal::{Terminal, plain};
use std::path::PathBuf;
use std::sync::Arc;
use weir_asr::EXPECTED_TOKENS_MAX;
use weir_loading::{Loader, MINILM, ModelPool, Note, SPLADE, SentTalk};
use weir_loading::{SEGMENTATION, SPEAKERS, name_of};
use weir_models::weights::{Located, StoreOptions};

impl Global {
    /// The loader. One session needs all that it selects, so its pool has no bound.
    pub(crate) fn loader(&self) -> Loader {
        let pool = Arc::new(ModelPool::new(u64::MAX));
        Loader::new(self.model_folders(), self.device, pool)
    }

    /// The folders of models, from flags and environment.
    fn model_folders(&self) -> StoreOptions {
        let mut options = StoreOptions::from_env();
        if let Some(dir) = &self.models {
            options.models_dir = Some(dir.clone());
        }
        options.offline |= self.offline;
        options
    }

    /// The folder that models are downloaded into; `None` without a home folder.
    pub(crate) fn models_folder(&self) -> Option<PathBuf> {
        self.model_folders().target()
    }
}

/// Prints what the loader says, with the flags and commands that change it.
pub(crate) fn notes(global: &Global, terminal: &mut Terminal) -> impl FnMut(Note) {
    move |note| match &note {
        Note::KeyWithheld { .. } | Note::NamesLeftOut { .. } => terminal.warn(&text(&note)),
        Note::TalkIsSent { url, what } if !global.typed.endpoint => terminal.warn(&format!(
            "{}, set by WEIR_ENDPOINT; --generator NAME keeps them local",
            sent(*what, url)
        )),
        _ => terminal.note(&text(&note)),
    }
}

/// A note in words.
pub(crate) fn text(note: &Note) -> String {
    match note {
        Note::BuiltInEncoder => format!(
            "memory is searched with the built-in encoder ({SPLADE}); after `weir models pull \
             {MINILM}` a new session finds somewhat more"
        ),
        Note::SpeechModel { chosen, of } => {
            let others = match of {
                0 | 1 => String::new(),
                all => format!(", the best of {all}; --asr-model selects another"),
            };
            let name = plain(&name_of(chosen));
            format!("speech model: {name}{others}{}", better(chosen))
        }
        Note::OtherLanguages(model) => {
            let name = plain(&name_of(model));
            format!("{name} finds the language, and hears those other than English")
        }
        Note::NamesLeftOut { read, of } => format!(
            "--terms: {read} of {of} names and terms are expected, since the speech model reads \
             {EXPECTED_TOKENS_MAX} tokens of them; put those that matter most first"
        ),
        Note::NoSpeakers => {
            let get = how_to_tell_speakers_apart();
            format!("speakers are not told apart; after `{get}` they are")
        }
        Note::LoadingDistiller => "loading the models for distilling".to_owned(),
        Note::LoadingGenerator(path) => format!("loading {}", path.display()),
        Note::TalkIsSent { url, what } => sent(*what, url),
        Note::KeyWithheld { variable } => format!(
            "the key in {variable} is not sent: the address is not https://, and the endpoint is \
             not local or is behind a proxy; --endpoint-key {variable} sends it anyway"
        ),
    }
}

fn sent(what: SentTalk, url: &str) -> String {
    match what {
        SentTalk::Claims => format!("claims of answers and the statements found go to {url}"),
        SentTalk::Blocks => format!("blocks of talk go to {url}"),
    }
}

/// What to do for fewer errors, if the built-in speech model is the best one here.
pub(crate) fn better(best: &Located) -> &'static str {
    match best {
        Located::OnDisk { .. } => "",
        Located::Embedded { .. } => "; `weir models pull base.en` installs a better one",
    }
}

/// The command that installs the models that tell speakers apart.
pub(crate) fn how_to_tell_speakers_apart() -> String {
    format!("weir models pull {SPEAKERS} {SEGMENTATION}")
}
