//! Local models: text in, vectors and token counts out.
//!
//! This crate knows no time, no audio and no dialogue. With default features off it is the
//! contract alone, [`Encode`] and [`CountTokens`], with the implementations that need no weights,
//! [`WordHashEncoder`] and [`WordPieceCounter`]; it builds in seconds. Feature
//! `candle` adds `SentenceEncoder`, the encoder that knows meanings; feature
//! `weights` the store that finds and fetches weights.
//!
//! Invariant: nothing here prints, and nothing touches the network outside `weights`.

#![forbid(unsafe_code)]

mod count;
mod encode;
#[cfg(feature = "candle")]
mod sentence;
#[cfg(feature = "weights")]
pub mod weights;
mod word_hash;
mod wordpiece;

pub use count::{CountTokens, SpaceCounter};
pub use encode::{Encode, EncodeError, EncoderIdentity};
#[cfg(feature = "candle")]
pub use sentence::{LoadError, SentenceEncoder, TokenVectors};
pub use word_hash::WordHashEncoder;
pub use wordpiece::WordPieceCounter;
