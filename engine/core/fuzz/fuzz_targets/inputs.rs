//! Any sequence of inputs keeps every invariant of the memory, and a refused input changes nothing.
//!
//! With cargo-fuzz, in `engine/core`: `cargo fuzz run inputs`. Without it, on the stable compiler,
//! in `engine/core/fuzz` (the instrumentation is LLVM's; no address sanitizer, as there is no
//! unsafe code):
//! `RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
//! -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
//! -Cllvm-args=-sanitizer-coverage-pc-table -Ccodegen-units=1" cargo run --release --bin inputs
//! --target x86_64-unknown-linux-gnu -- -max_total_time=60 corpus/inputs`
//! with the folder `corpus/inputs` made before.

#![no_main]

#[path = "../interpreter.rs"]
mod interpreter;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    interpreter::live(bytes);
});
