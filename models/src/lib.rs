//! Local models: text in, vectors and token counts out.
//!
//! This crate knows no time, no audio and no dialogue. With default features off it is the
//! contract alone, [`Encode`] and [`CountTokens`], with the implementations that need no weights,
//! [`WordHashEncoder`] and [`WordPieceCounter`]; it builds in seconds. Feature
//! `candle` adds `SentenceEncoder`, the encoder that knows meanings; feature
//! `weights` the store that finds and fetches weights.
//!
//! Invariant: nothing here prints, and nothing touches the network outside `weights`.

#![deny(unsafe_code)]

#[cfg(feature = "candle")]
mod checkpoint;
mod count;
mod encode;
mod extract;
mod generate;
#[cfg(feature = "candle")]
mod generator;
#[cfg(any(feature = "candle", feature = "weights"))]
mod json_schema;
mod rerank;
#[cfg(feature = "candle")]
mod sentence;
#[cfg(feature = "weights")]
pub mod weights;
mod word_hash;
mod wordpiece;

#[cfg(feature = "candle")]
pub use checkpoint::LoadError;
pub use count::{CountTokens, SpaceCounter};
pub use encode::{Encode, EncodeError, EncoderIdentity};
pub use extract::{Extract, ExtractError, Extracted};
pub use generate::{
    Ended, Flow, Generate, GenerateError, Generated, JsonShape, Message, Request, Role, Sampling,
    Shape, Summarise,
};
#[cfg(feature = "candle")]
pub use generator::{Generator, GeneratorOptions};
pub use rerank::Rerank;
#[cfg(feature = "candle")]
pub use sentence::{SentenceEncoder, TokenVectors};
pub use word_hash::WordHashEncoder;
pub use wordpiece::WordPieceCounter;
