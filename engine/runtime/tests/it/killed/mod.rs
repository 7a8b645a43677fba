//! What the kill tests share: the child process and its story, and how both sides talk.

pub(crate) mod child;
pub(crate) mod story;

use std::fmt::Arguments;
use std::io::Write as _;

/// A number that an environment variable sets.
pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.map_or(otherwise, |text| text.parse().unwrap())
}

/// Prints on a line of its own, whatever the test harness has printed on this one.
pub(crate) fn say(what: Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    write!(out, "\n{what}\n").unwrap();
    out.flush().unwrap();
}
