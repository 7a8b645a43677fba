//! House rules that a compiler does not check.

mod graph;
mod modules;
mod tidy;
