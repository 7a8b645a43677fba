//! House rules that a compiler does not check.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod graph;
mod modules;
mod tidy;
