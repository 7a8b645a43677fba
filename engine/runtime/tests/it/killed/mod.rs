//! The child process and its story: shared by both sides of the kill test.

pub(crate) mod child;
pub(crate) mod story;
