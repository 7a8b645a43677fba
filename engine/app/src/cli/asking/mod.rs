//! Asks a session, and shows its answers.

pub(crate) mod ask;
pub(crate) mod character_file;
pub(crate) mod chat;
pub(crate) mod chat_args;
pub(crate) mod checking;
pub(crate) mod clip;
pub(crate) mod search;
pub(crate) mod turns;
pub(crate) mod view;
