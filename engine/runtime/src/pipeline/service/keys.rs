//! What makes a request that is sent again the same one: idempotency keys, and ids of utterances.

use crate::pipeline::service::error::ServiceError;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Maximum number of keys remembered; the oldest go first.
pub const KEYS_MAX: usize = 4_096;

/// The results of the last requests that came with a key.
#[derive(Debug)]
pub(super) struct Keys<T>(VecDeque<(String, u64, T)>);

impl<T> Default for Keys<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

/// Fingerprint of a request.
pub(super) fn fingerprint(request: &impl std::fmt::Debug) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{request:?}").hash(&mut hasher);
    hasher.finish()
}

impl<T: Clone> Keys<T> {
    /// The result of an earlier request with this key.
    ///
    /// # Errors
    /// [`ServiceError::OtherRequest`] if the earlier request was another one.
    pub(super) fn known(&self, key: &str, request: u64) -> Result<Option<T>, ServiceError> {
        let found = self.0.iter().rev().find(|(known, ..)| known == key);
        match found {
            Some((_, first, result)) if *first == request => Ok(Some(result.clone())),
            Some(_) => Err(ServiceError::OtherRequest {
                key: key.to_owned(),
            }),
            None => Ok(None),
        }
    }

    /// Remembers a result.
    pub(super) fn keep(&mut self, key: String, request: u64, result: T) {
        if self.0.len() == KEYS_MAX {
            self.0.pop_front();
        }
        self.0.push_back((key, request, result));
    }
}

/// Ids of utterances remembered, over all streams; the oldest go first.
const IDS_MAX: usize = 65_536;

/// The ids that clients gave their last utterances, as hashes: 2 MB at most.
#[derive(Debug, Default)]
pub(super) struct GivenIds {
    words: HashMap<u64, u64>,
    order: VecDeque<u64>,
}

impl GivenIds {
    /// The words said under an id of a stream, if they are remembered.
    pub(super) fn known(&self, id: u64) -> Option<u64> {
        self.words.get(&id).copied()
    }

    /// Remembers an id with its words.
    pub(super) fn keep(&mut self, id: u64, words: u64) {
        if self.words.insert(id, words).is_some() {
            return;
        }
        self.order.push_back(id);
        if self.order.len() > IDS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.words.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stands_for_one_request_and_old_ones_go() {
        let mut keys = Keys::default();
        for n in 0..=KEYS_MAX {
            keys.keep(format!("k{n}"), n as u64, n);
        }
        assert_eq!(keys.known("k7", 7).expect("the same"), Some(7));
        assert!(keys.known("k7", 8).is_err(), "another request");
        assert_eq!(keys.known("k0", 0).expect("forgotten"), None);
    }

    #[test]
    fn an_id_is_remembered_with_its_words_until_many_others_came() {
        let mut ids = GivenIds::default();
        (0..=IDS_MAX as u64).for_each(|id| ids.keep(id, id + 1));
        assert_eq!((ids.known(7), ids.known(0)), (Some(8), None));
    }
}
