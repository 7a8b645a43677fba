//! The process that is killed, and the story it tells: shared by the two sides of the kill proof.

pub(crate) mod child;
pub(crate) mod story;
