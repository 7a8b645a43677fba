//! Streams, methods and budgets brought together: every combination once, resumable.

pub mod record;
