//! The integration tests of the memory, in one test binary to save linking time.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod asked_at;
mod context_cost;
mod entities;
mod exact;
mod fuzzed;
mod house;
#[path = "../../fuzz/interpreter.rs"]
mod interpreter;
mod languages;
mod memory_answers;
mod memory_bounds;
mod memory_changes;
#[path = "../../fuzz/mutation.rs"]
mod mutation;
mod observed;
mod recovery;
mod reencoded;
mod sense_boundaries;
mod sources;
mod standing;
mod store_export;
mod streams;
mod support;
mod titles;
