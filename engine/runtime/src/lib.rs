//! Sessions on disk, and the threads that turn audio and stream files into memory.
//!
//! To embed a memory in a program, begin with [`Memory`]:
//!
//! ```
//! use weir_engine::{Memory, Utterance, WordHashEncoder};
//!
//! let memory = Memory::builder(WordHashEncoder::new()).budget_tokens(2_048).in_memory()?;
//! memory.hear(Utterance::new("Ana", "The keys of the cabin hang behind the stove."))?;
//! let answer = memory.ask("Where are the keys of the cabin?")?;
//! assert!(answer.kind.is_answered() && answer.text.contains("stove"));
//! # Ok::<(), weir_engine::MemoryError>(())
//! ```
//!
//! Use `open(dir)` instead of `in_memory()` to keep it on disk. The lower layers: [`store`] keeps a
//! session in a directory, [`pipeline`] runs recognition, distilling and answering on threads,
//! [`streamfile`] reads streams with their questions, [`import`] conversations of other programs,
//! [`sourcefile`] reads texts for a source, [`results`] writes answers and figures, [`views`] turns
//! a session into what clients read, [`time`] knows zones and this machine's clock, [`private`]
//! keeps files to their owner, and [`index`] finds the nearest units of a large memory. The memory
//! itself is [`weir_core`]: no files and no threads.

#![forbid(unsafe_code)]

pub mod chat;
pub mod control;
mod embed;
pub mod import;
pub mod index;
pub mod pipeline;
pub mod private;
pub mod results;
pub mod sourcefile;
pub mod store;
pub mod streamfile;
pub mod time;
pub mod views;

pub use embed::{Memory, MemoryBuilder, MemoryError};
pub use pipeline::{ErrorClass, ServiceError, SessionHandle};
pub use weir_core;
pub use weir_core::answer::{Answer, AnswerKind, Citation, QuestionTime};
pub use weir_core::stream::{Span, Utterance};
pub use weir_models::{Encode, WordHashEncoder};

/// The commit of this build, if known.
pub const COMMIT: Option<&str> = option_env!("WEIR_COMMIT");
