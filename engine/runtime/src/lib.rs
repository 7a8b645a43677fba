//! Sessions on disk, and the threads that turn audio and stream files into memory.
//!
//! [`store`] keeps a session in a directory, [`pipeline`] hears, distils and answers,
//! [`streamfile`] reads streams with their questions, [`results`] writes what came of them, and
//! [`index`] finds the nearest units of a large memory. The memory itself is `weir-core`.

#![forbid(unsafe_code)]

pub mod index;
pub mod pipeline;
pub mod results;
pub mod store;
pub mod streamfile;

/// The commit this was built from, where the build could be told.
pub const COMMIT: Option<&str> = option_env!("WEIR_COMMIT");
