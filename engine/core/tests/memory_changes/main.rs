//! Memory changed by hand and by what is said, one property at a time and at random.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod facts;
mod found;
mod hand;
mod random;
#[path = "../support/mod.rs"]
mod support;
mod telling;
