//! The tests of hearing from outside, in one program, which is linked once.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "helpers of tests tell what they found or skipped"
)]

mod clips;
mod corpus;
mod listening;
mod microphone;
mod recognition;
mod windows;
