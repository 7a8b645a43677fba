//! Chooses the models of a session, finds their files, loads them, and shares them between the
//! sessions of a process.
//!
//! A [`Loader`] takes a typed [`Selection`] and gives a [`ModelSet`]. It says in [`Note`]s what it
//! chose and what is missing, and fails with a [`LoadingError`]. Both name causes; what a user can
//! do about them, the program adds. Nothing here prints, reads a command line or downloads; only
//! servers that a selection names are asked.

#![forbid(unsafe_code)]

mod built_in;
mod encoder;
mod endpoint;
mod error;
mod loader;
mod note;
mod pool;
mod selection;
mod shared;
mod speech;
#[cfg(test)]
mod tests;
mod thinking;
mod voices;

pub use encoder::{MINILM, SPLADE, WORDS};
pub use error::LoadingError;
pub use loader::{Loader, bytes_of, resident_bytes};
pub use note::{Note, SentTalk};
pub use pool::{ModelPool, PoolFull, PoolStats};
pub use selection::{CheckBy, DistilBy, EndpointChoice, Selection, SpeechSelection, Writer};
pub use speech::{Speech, can_load, name_of};
pub use thinking::ModelSet;
pub use voices::{SEGMENTATION, SPEAKERS, Voices, user_data, voices_file};
