//! Shows and changes what a session holds.

pub(crate) mod belief_plot;
pub(crate) mod beliefs;
pub(crate) mod beliefs_args;
pub(crate) mod change;
pub(crate) mod changing;
pub(crate) mod entities;
pub(crate) mod erasing;
pub(crate) mod import;
pub(crate) mod import_args;
pub(crate) mod memory;
pub(crate) mod memory_args;
pub(crate) mod minutes;
pub(crate) mod policy;
pub(crate) mod profile;
pub(crate) mod profile_args;
pub(crate) mod settings;
pub(crate) mod size_args;
pub(crate) mod source;
pub(crate) mod source_args;
pub(crate) mod speakers;
pub(crate) mod speakers_args;
pub(crate) mod transfer;
