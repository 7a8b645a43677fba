//! A set of ids that stays small if ids count up.
//!
//! `u1`, `u2`, `u3` ... form one run of any length, so a stream of a million utterances costs as
//! much as one of ten. Ids without a number at the end, or with gaps between numbers, cost an entry
//! each; [`limits::STREAM_LOOSE_IDS_MAX`] limits them. Results are exact in both cases.

use std::collections::{BTreeMap, HashSet};
use weir_core::limits;

/// Ids seen so far.
#[derive(Debug, Default)]
pub(super) struct IdSet {
    /// Prefix, then first and last number of each run.
    runs: BTreeMap<String, BTreeMap<u64, u64>>,
    other: HashSet<String>,
    entries: usize,
}

/// Result of adding an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    /// It was new.
    New,
    /// It was known.
    Known,
    /// The limit of loose ids is reached.
    Full,
}

/// Splits an id into its prefix and the number at its end, if the number is in canonical form.
fn split(id: &str) -> Option<(&str, u64)> {
    let digits = id.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (prefix, number) = id.split_at(id.len() - digits);
    if digits == 0 || (digits > 1 && number.starts_with('0')) {
        return None;
    }
    // the largest number cannot end a run, because runs look up their successor
    let value = number.parse().ok().filter(|value| *value < u64::MAX)?;
    Some((prefix, value))
}

impl IdSet {
    /// Whether the id was added before.
    pub(super) fn contains(&self, id: &str) -> bool {
        match split(id) {
            None => self.other.contains(id),
            Some((prefix, value)) => self
                .runs
                .get(prefix)
                .and_then(|runs| runs.range(..=value).next_back())
                .is_some_and(|(_, &last)| value <= last),
        }
    }

    /// Adds an id.
    pub(super) fn add(&mut self, id: &str) -> Added {
        if self.contains(id) {
            return Added::Known;
        }
        if self.entries >= limits::STREAM_LOOSE_IDS_MAX {
            return Added::Full;
        }
        let Some((prefix, value)) = split(id) else {
            self.other.insert(id.to_owned());
            self.entries += 1;
            return Added::New;
        };
        if !self.runs.contains_key(prefix) {
            self.runs.insert(prefix.to_owned(), BTreeMap::new());
        }
        if let Some(runs) = self.runs.get_mut(prefix) {
            let before = runs.len();
            join(runs, value);
            self.entries = self.entries + runs.len() - before;
        }
        Added::New
    }
}

/// Adds a new number to a set of runs.
fn join(runs: &mut BTreeMap<u64, u64>, value: u64) {
    let end = runs.remove(&(value + 1)).unwrap_or(value);
    match runs.range_mut(..value).next_back() {
        Some((_, last)) if *last + 1 == value => *last = end,
        _ => {
            runs.insert(value, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_million_ids_that_count_up_are_one_entry() {
        let mut ids = IdSet::default();
        for n in 0..1_000_000 {
            assert_eq!(ids.add(&format!("u{n}")), Added::New);
        }
        assert_eq!(ids.entries, 1);
        assert_eq!(ids.add("u4711"), Added::Known);
        assert!(!ids.contains("u1000000"));
        assert!(!ids.contains("u04711"));
    }

    proptest! {
        #[test]
        fn agrees_with_a_plain_set(ids in prop::collection::vec("[ab]?0?[0-9]{0,2}", 0..200)) {
            let (mut set, mut plain) = (IdSet::default(), HashSet::new());
            for id in &ids {
                prop_assert_eq!(set.add(id) == Added::New, plain.insert(id.clone()));
            }
            for id in ["a", "a1", "a01", "b7", "0", "", "a10"] {
                prop_assert_eq!(set.contains(id), plain.contains(id));
            }
        }
    }
}
