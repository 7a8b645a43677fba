//! Models: text in; vectors, scores, names, summaries, replies and token counts out. Samples of
//! sound in; vectors of speakers and their activity out.
//!
//! This crate knows no time, audio format or dialogue. Without default features it contains only
//! the contracts ([`Encode`], [`Rerank`], [`Entail`], [`Annotate`], [`Summarise`],
//! [`Generate`], [`CountTokens`], [`EncodeSpeaker`], [`SegmentSpeech`]) and implementations that
//! need no weights, [`WordHashEncoder`], [`WordPieceCounter`] and [`SpaceCounter`]. Feature
//! `candle` adds the local models: `SentenceEncoder`, `SparseEncoder`, `WithTerms`, `CrossEncoder`,
//! `LanguageModel`, `SpeakerEncoder` and `SpeechSegmentation`; feature `writers` adds those that
//! write or infer: `Generator`, `T5Summariser`, `EntailmentModel` (without it none of them can be
//! loaded); feature `weights` adds the store that finds and downloads weights, and the
//! converter of Whisper checkpoints (`whisper`); feature `endpoint` adds the generator that uses a
//! server.
//!
//! Invariant: nothing here prints, and nothing touches the network outside `weights` and
//! `endpoint`.

#![deny(unsafe_code)]
#![cfg_attr(
    all(feature = "candle", not(feature = "writers")),
    expect(dead_code, reason = "layers and readers that only those models need")
)]

mod annotate;
#[cfg(feature = "candle")]
mod checkpoint;
#[cfg(any(feature = "candle", feature = "weights"))]
mod checksum;
mod count;
#[cfg(feature = "writers")]
mod deberta;
#[cfg(feature = "candle")]
mod device;
mod encode;
mod encode_error;
#[cfg(feature = "endpoint")]
pub mod endpoint;
mod entail;
#[cfg(any(feature = "candle", feature = "weights"))]
mod families;
mod generate;
#[cfg(feature = "writers")]
mod generator;
#[cfg(any(feature = "writers", feature = "weights"))]
mod gguf_head;
mod hash;
#[cfg(any(feature = "writers", feature = "endpoint"))]
mod json_schema;
#[cfg(feature = "endpoint")]
mod json_value;
#[cfg(feature = "candle")]
mod kernel;
#[cfg(feature = "candle")]
mod language;
#[cfg(feature = "candle")]
mod layers;
#[cfg(all(feature = "candle", not(feature = "writers")))]
mod left_out;
#[cfg(any(feature = "weights", feature = "endpoint"))]
mod net;
#[cfg(feature = "writers")]
mod nli;
mod rerank;
#[cfg(feature = "candle")]
mod sentence;
#[cfg(feature = "candle")]
mod shipped;
#[cfg(feature = "candle")]
mod speaker;
mod summarise;
mod terms;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(any(feature = "writers", feature = "endpoint"))]
mod think_filter;
mod time_limit;
mod voice;
#[cfg(feature = "weights")]
pub mod weights;
#[cfg(feature = "weights")]
pub mod whisper;
mod word_hash;
mod wordpiece;

pub use annotate::{
    Annotate, Annotation, Least, Name, NameKind, Relating, Slot, SlotValue, Stated, Thing,
};
#[cfg(feature = "candle")]
pub use checkpoint::LoadError;
pub use count::{CountTokens, SpaceCounter};
#[cfg(feature = "candle")]
pub use device::{DeviceChoice, DeviceError};
pub use encode::{Encode, EncodeError, Encoded, EncoderIdentity, WithLanguage};
pub use entail::{Entail, EntailError, Entailment};
pub use generate::{
    Ended, Flow, Generate, GenerateError, Generated, JsonShape, Message, Request, Role, Sampling,
    Shape, Summarise,
};
#[cfg(feature = "writers")]
pub use generator::{Generator, GeneratorOptions};
#[cfg(feature = "candle")]
pub use language::LanguageModel;
#[cfg(all(feature = "candle", not(feature = "writers")))]
pub use left_out::{EntailmentModel, Generator, GeneratorOptions, T5Summariser};
#[cfg(feature = "writers")]
pub use nli::EntailmentModel;
pub use rerank::Rerank;
#[cfg(feature = "candle")]
pub use sentence::{CrossEncoder, Prompts, SentenceEncoder, SparseEncoder, WithTerms};
#[cfg(feature = "candle")]
pub use speaker::{SpeakerEncoder, SpeechSegmentation};
#[cfg(feature = "writers")]
pub use summarise::T5Summariser;
pub use summarise::{event_prompt, scene_prompt};
pub use terms::Terms;
pub use time_limit::TimeLimit;
pub use voice::{
    EncodeSpeaker, SegmentSpeech, SpeechFrames, SpeechWindow, VOICE_RATE_HZ, VoiceError,
    WINDOW_SPEAKERS,
};
pub use word_hash::WordHashEncoder;
pub use wordpiece::WordPieceCounter;
