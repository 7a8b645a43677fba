//! The tests of hearing from outside, in one program, which is linked once.

mod clips;
mod corpus;
#[cfg(feature = "decode")]
mod damaged;
mod listening;
mod microphone;
mod recognition;
mod windows;
