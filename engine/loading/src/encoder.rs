//! The encoder: the one named, else the session's, else the best that is here.

use crate::error::LoadingError;
use crate::loader::Loader;
use crate::note::Note;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use weir_core::session::EncoderStamp;
use weir_engine::store::StoreError;
use weir_models::weights::{EncoderPrompts, Kind, Located, Origin, WeightsErrorKind};
use weir_models::{
    Encode, LanguageModel, LoadError, Prompts, SentenceEncoder, SparseEncoder, WithLanguage,
    WithTerms, WordHashEncoder,
};

/// Name of the encoder without weights.
pub const WORDS: &str = "words";
/// Name of the built-in encoder.
pub const SPLADE: &str = "splade-tiny";
/// Name of the default sentence encoder, if it is installed.
pub const MINILM: &str = "all-MiniLM-L6-v2";

const WORD_HASH: &str = "word-hash";

/// The built-in language model, which all sessions of the process share.
fn language() -> Result<Arc<LanguageModel>, LoadError> {
    static SHARED: OnceLock<Arc<LanguageModel>> = OnceLock::new();
    if let Some(model) = SHARED.get() {
        return Ok(Arc::clone(model));
    }
    let model = Arc::new(LanguageModel::built_in()?);
    Ok(Arc::clone(SHARED.get_or_init(|| model)))
}

impl Loader {
    /// The encoder that is named, else the session's, else the best that is here; with it a
    /// language model: the one over all-MiniLM-L6-v2 if it is the encoder, else the built-in one.
    ///
    /// # Errors
    /// [`LoadingError`].
    pub fn encoder(
        &self,
        named: Option<&str>,
        session: Option<&EncoderStamp>,
        tell: &mut dyn FnMut(Note),
    ) -> Result<Arc<dyn Encode>, LoadingError> {
        let encoder: Arc<dyn Encode> = match named.or(session.map(|stamp| stamp.name.as_str())) {
            Some(WORDS | WORD_HASH) => Arc::new(WordHashEncoder::new()),
            Some(SPLADE) => self.sparse()?,
            Some(name) => {
                let located = self.store.path(name).map_err(|source| {
                    let whose = if named.is_some() {
                        "the"
                    } else {
                        "the session's"
                    };
                    let what = format!("{whose} encoder `{name}`");
                    LoadingError::NotHere { what, source }
                });
                return self.sentence(&located?);
            }
            None => match self.store.path(MINILM) {
                Ok(located) => return self.sentence(&located),
                Err(error) if error.kind() == WeightsErrorKind::NotFetched => {
                    tell(Note::BuiltInEncoder);
                    self.sparse()?
                }
                Err(error) => return Err(error.into()),
            },
        };
        Ok(Arc::new(WithLanguage::new(encoder, language()?)))
    }

    /// The encoder of the session in a folder, or the one named; refused if its vectors cannot be
    /// compared with the session's.
    ///
    /// # Errors
    /// [`LoadingError`].
    pub fn session_encoder(
        &self,
        dir: &Path,
        session: &EncoderStamp,
        named: Option<&str>,
        tell: &mut dyn FnMut(Note),
    ) -> Result<Arc<dyn Encode>, LoadingError> {
        let encoder = self.encoder(named, Some(session), tell)?;
        let found = EncoderStamp::of(encoder.as_ref());
        if session.makes_vectors_of(&found) {
            return Ok(encoder);
        }
        let mismatch = StoreError::EncoderMismatch {
            dir: dir.to_path_buf(),
            expected: Box::new(session.clone()),
            found: Box::new(found),
        };
        Err(mismatch.into())
    }

    fn sentence(&self, located: &Located) -> Result<Arc<dyn Encode>, LoadingError> {
        let (name, path, origin) = match located {
            Located::OnDisk {
                kind: Kind::Encoder,
                path,
                name,
                origin,
            } => (name, path, *origin),
            Located::OnDisk { name, .. } | Located::Embedded { name } => {
                return Err(LoadingError::OtherKind {
                    name: name.clone(),
                    wanted: Kind::Encoder,
                });
            }
        };
        // a user's own folder says in its files what prompts it needs
        let prompts = self.store.known(name).and_then(|model| model.prompts);
        let prompts = prompts.filter(|_| origin != Origin::Given);
        let way = if prompts.is_some() {
            "with prompts"
        } else {
            ""
        };
        let vectors = self.pooled_as(way, path, |path, device| {
            let vectors = SentenceEncoder::load_on(path, device)?;
            let vectors = match prompts {
                Some(EncoderPrompts { query, passage }) => vectors
                    .with_prompts(Prompts { query, passage })
                    .listed_as(name),
                None => vectors,
            };
            let language = match LanguageModel::over(&vectors)? {
                Some(own) => Arc::new(own),
                None => language()?,
            };
            Ok::<_, LoadError>(WithLanguage::new(Arc::new(vectors), language))
        })?;
        Ok(Arc::new(WithTerms::new(vectors, self.sparse()?)))
    }

    /// The built-in encoder; the size of what is inside the program is not counted.
    fn sparse(&self) -> Result<Arc<SparseEncoder>, LoadingError> {
        self.pooled(Path::new(SPLADE), |_, _| SparseEncoder::built_in())
    }
}
