//! Drives a session: inline or in threads, with its storage.

pub(crate) mod disk_log;
pub(crate) mod indexing;
pub(crate) mod lockstep;
pub(crate) mod meters;
pub(crate) mod parts;
pub(crate) mod publisher;
pub(crate) mod session_writer;
pub(crate) mod stages;
pub(crate) mod stop;
pub(crate) mod threads;
pub(crate) mod timed;
pub(crate) mod transcript;
pub(crate) mod worker;
