//! Integration tests of this crate, linked once as one program.

mod clips;
mod corpus;
#[cfg(feature = "decode")]
mod damaged;
mod listening;
mod microphone;
mod published;
mod recognition;
#[cfg(feature = "listen")]
mod sources;
mod speakers;
mod windows;
