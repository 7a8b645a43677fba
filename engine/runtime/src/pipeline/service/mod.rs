//! The session service: the one door to an open session.
//!
//! One thread owns the session and everything that changes it, in order of arrival. Questions run
//! on snapshots in a pool of threads, so a slow answer delays neither hearing nor other questions.
//! A [`SessionHandle`](handle::SessionHandle) reaches both; it can be cloned and shared.
//!
//! ```text
//!            hear, change ──> owner ──> journal, then the reply
//! handle ──┤                    └──> snapshot ─┐
//!            ask ───────────> pool <───────────┘
//! ```
//! The owner's work is `owner::Owner`, which has no thread. A replay without threads steps the
//! same owner inline.

mod answered;
pub(crate) mod answering;
pub(crate) mod ask;
pub(crate) mod attached;
pub(crate) mod change;
pub(crate) mod error;
pub(crate) mod handle;
pub(crate) mod keys;
pub(crate) mod labels;
pub(crate) mod messages;
mod news;
pub(crate) mod owner;
pub(crate) mod preview;
mod requests;
pub(crate) mod stage;
pub(crate) mod start;
pub(crate) mod subscribers;
pub(crate) mod watch;
