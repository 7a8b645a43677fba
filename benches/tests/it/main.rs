//! Integration tests of `weir-bench`, linked once as one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod command;
mod paper;
