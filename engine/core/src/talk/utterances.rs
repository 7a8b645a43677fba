//! Sets of utterances by id.

use super::evidence::Evidence;
use std::collections::{BTreeMap, BTreeSet};

/// Ids of utterances, by stream.
#[derive(Debug, Clone, Default)]
pub(crate) struct Utterances(BTreeMap<String, BTreeSet<String>>);

impl Utterances {
    pub(crate) fn insert(&mut self, stream: &str, id: &str) {
        if let Some(ids) = self.0.get_mut(stream) {
            ids.insert(id.to_owned());
        } else {
            let ids = BTreeSet::from([id.to_owned()]);
            self.0.insert(stream.to_owned(), ids);
        }
    }

    pub(crate) fn has(&self, stream: &str, id: &str) -> bool {
        self.0.get(stream).is_some_and(|ids| ids.contains(id))
    }

    /// Whether the evidence is from one of them.
    pub(crate) fn prove(&self, item: &Evidence) -> bool {
        self.has(&item.stream, &item.utterance)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.values().map(BTreeSet::len).sum()
    }

    /// `(stream, id)` of each.
    pub(crate) fn names(&self) -> impl Iterator<Item = (String, String)> {
        let pairs = self.0.iter();
        pairs.flat_map(|(stream, ids)| ids.iter().map(|id| (stream.clone(), id.clone())))
    }
}
