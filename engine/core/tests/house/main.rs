//! House rules that a compiler does not check.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod tidy;
