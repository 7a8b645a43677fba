//! Corpora that more than one command reads.

pub(crate) mod qmsum;
pub(crate) mod questions;

/// This many items of a list, evenly spread.
pub(crate) fn spread<T>(all: Vec<T>, limit: Option<usize>) -> Vec<T> {
    let of = all.len();
    let many = limit.unwrap_or(of).min(of);
    let mut all: Vec<Option<T>> = all.into_iter().map(Some).collect();
    let chosen = (0..many).filter_map(|n| all[n * of / many].take());
    chosen.collect()
}
