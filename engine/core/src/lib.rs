//! Weir's memory: text and vectors in, answers with their evidence out.
//!
//! Only the memory: no audio, model, thread, file or clock. `weir-engine` stores it on disk and
//! feeds it with speech; `weir` is the program.
//!
//! An utterance with its vector enters the [`session`]. [`sense`] collects raw talk and ends a
//! block where the theme changes. A distiller ([`distil`]) makes statements of the block.
//! [`memory`] mounts them in its tree, and forgets what is worth least when a budget is full. For
//! a question, [`recall`] finds statements and fills a context, and [`answer`] answers from it.
//! [`driver`] does all of this in order.

#![forbid(unsafe_code)]

/// Answers: quotes (`quote`, with the sentence that memory knows nothing), sentences of a
/// model (`written`, `prompt`, `check`), what memory says of itself (`overview`).
pub mod answer;
/// One question from its words to its answer.
pub mod ask;
mod circuit_breaker;
/// The settings of a session, thresholds of encoders, their ranges and defaults.
pub mod config;
/// Distillers: a block in, statements, an event and a scene out.
pub mod distil;
/// A session driven on the caller's thread.
pub mod driver;
/// Every bound, with its unit and reason.
pub mod limits;
/// The tree of scenes, events and units: mounting, merging, utility, pruning under the budget.
pub mod memory;
/// Search: which statements bear on a question, and the context made of them.
pub mod recall;
/// The buffer of raw talk, and the rules where a block ends (`boundary`).
pub mod sense;
/// One conversation as a state machine; its image, journal, export, and older formats of them.
pub mod session;
/// Utterances, times and streams as values.
pub mod stream;
/// What was said, its evidence, and what was distilled of it, as values.
pub mod talk;
/// English: words, sentences, claims, dates, headings, salience.
pub mod text;
/// The contract of the transcript beside memory.
pub mod transcript;
/// Arithmetic of vectors.
pub mod vectors;
