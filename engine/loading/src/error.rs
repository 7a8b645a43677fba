//! Why models were not loaded.

use crate::pool::PoolFull;
use weir_asr::{ListenError, TranscribeError};
use weir_engine::store::{StoreError, VoicesError};
use weir_models::LoadError;
use weir_models::endpoint::EndpointError;
use weir_models::weights::{Kind, WeightsError};

/// Why models were not loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadingError {
    /// A model is not here.
    #[error("cannot load {what}")]
    NotHere {
        /// What it is for.
        what: String,
        /// Why it was not found.
        source: WeightsError,
    },
    /// The name is that of another kind of model.
    #[error("{name} is not {}", kind_name(.wanted))]
    OtherKind {
        /// The name.
        name: String,
        /// The kind that is needed.
        wanted: Kind,
    },
    /// The store of models could not be read.
    #[error(transparent)]
    Store(#[from] WeightsError),
    /// A file is no model of its kind.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The models that are held fill the pool.
    #[error(transparent)]
    PoolFull(#[from] PoolFull),
    /// There is no speech model.
    #[error("no speech model is installed, and none is inside this build")]
    NoSpeech,
    /// The speech model cannot be loaded.
    #[error(transparent)]
    Speech(#[from] TranscribeError),
    /// The recogniser cannot be used.
    #[error("cannot use the speech model")]
    Listen(#[from] ListenError),
    /// There is no usual place for enrolled voices.
    #[error("no home folder for enrolled voices")]
    NoVoicesFile,
    /// The file of enrolled voices cannot be used.
    #[error(transparent)]
    Voices(#[from] VoicesError),
    /// A server was selected and none is given.
    #[error("a server is to write, and none is given")]
    NoEndpoint,
    /// The server cannot be used.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The encoder is not that of the session.
    #[error(transparent)]
    Session(#[from] StoreError),
}

/// A kind of model in words.
fn kind_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Speech => "a speech model",
        Kind::Encoder => "a sentence encoder",
        Kind::Summariser => "a summariser",
        Kind::Reranker => "a reranker",
        Kind::Entailment => "a model of natural-language inference",
        Kind::Generator => "a generator",
        Kind::Speaker => "an encoder of voices",
        Kind::Segmentation => "a segmentation model",
    }
}
