//! Weir's memory: text and vectors in, answers with their evidence out.
//!
//! Only the memory: no audio, model, thread, file or clock. `weir-engine` stores it on disk and
//! feeds it with speech; `weir` is the program.
//!
//! An utterance with its vector enters the [`session`]. [`sense`] collects raw talk and ends a
//! block where the theme changes, at a long pause, and when the block is full. A distiller
//! ([`distil`]) makes statements of the block. [`memory`] mounts them in its tree, and forgets what
//! is worth least when a budget is full. For a question, [`recall`] finds statements and fills a
//! context, and [`answer`] answers from it. [`driver`] does all of this in order.
//!
//! - [`analysis`]: what is read from words, as plain data.
//! - [`answer`]: quotes (`quote`, with the sentence that memory knows nothing),
//!   sentences of a model (`written`, `prompt`, `check`), what memory says of itself
//!   (`overview`).
//! - [`ask`]: one question from its words to its answer.
//! - [`beliefs`]: what each speaker feels about things, summed up from opinions.
//! - [`character`]: a persona whose memories fade.
//! - [`config`]: the settings of a session, thresholds of encoders, their ranges and defaults.
//! - [`conversation`]: what each turn of a user asks for, and what is open between turns.
//! - [`distil`]: distillers: a block in, statements and an event out.
//! - [`driver`]: a session driven on the caller's thread.
//! - [`limits`]: every bound, with its unit and reason.
//! - [`memory`]: the tree of scenes, events and units: mounting, merging, utility, pruning under
//!   the budget.
//! - [`profile`]: what speakers said of themselves, and which of it holds.
//! - [`recall`]: search: which statements bear on a question, and the context made of them.
//! - [`sense`]: the buffer of raw talk, and where a block ends; drift of the theme (`boundary`).
//! - [`session`]: one memory, fed by streams over years, as a state machine; its image, journal,
//!   export, and older formats of them.
//! - [`sources`]: texts read from files beside what was heard.
//! - [`standing`]: what is worth least and goes next, for people to read.
//! - [`stream`]: utterances, times and streams as values.
//! - [`talk`]: what was said, its evidence, and what was distilled of it, as values.
//! - [`text`]: words and sentences of any language and script; for English also claims, dates,
//!   salience, opinions, facts, routes, follow-up questions.
//! - [`transcript`]: the contract of the transcript beside memory.
//! - [`vectors`]: arithmetic of vectors.

#![forbid(unsafe_code)]

pub mod analysis;
pub mod answer;
pub mod ask;
pub mod beliefs;
pub mod character;
mod circuit_breaker;
pub mod config;
pub mod conversation;
pub mod distil;
pub mod driver;
pub mod entities;
pub mod limits;
pub mod memory;
pub mod mentions;
pub mod profile;
pub mod recall;
mod retention;
pub mod sense;
pub mod session;
pub mod sources;
pub mod standing;
pub mod stream;
pub mod talk;
pub mod text;
pub mod transcript;
pub mod vectors;
pub mod window;
