//! Benchmarks of Weir.
