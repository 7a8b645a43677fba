//! Serving sessions to other programs.

pub(crate) mod page;
pub(crate) mod serve;
pub(crate) mod serve_args;
pub(crate) mod tokens;
