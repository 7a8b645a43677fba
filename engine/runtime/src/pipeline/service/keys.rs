//! What makes a request that is sent again the same one: idempotency keys, and ids of utterances.

use crate::pipeline::service::error::ServiceError;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::num::NonZeroU64;

/// Maximum number of keys remembered; the oldest go first.
pub const KEYS_MAX: usize = 4_096;

/// The results of the last requests that came with a key.
#[derive(Debug)]
pub(super) struct Keys<T>(VecDeque<(String, u64, Result<T, ServiceError>)>);

impl<T> Default for Keys<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

/// The key of a request, and a hash of the request.
#[derive(Debug)]
pub(super) struct Key(String, u64);

impl Key {
    /// The key of a request, if it came with one; the request is written out only then.
    pub(super) fn of(key: Option<String>, request: impl FnOnce() -> String) -> Option<Self> {
        key.map(|key| Self(key, hash_of(&request())))
    }
}

/// A hash that is the same for equal values in one run of the program.
pub(super) fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl<T: Clone> Keys<T> {
    /// The result of an earlier request with this key, or that it was another request; `None` if
    /// there was none.
    pub(super) fn first(&self, key: Option<&Key>) -> Option<Result<T, ServiceError>> {
        let Key(key, request) = key?;
        let (_, first, result) = self.0.iter().rev().find(|(known, ..)| known == key)?;
        Some(match first == request {
            true => result.clone(),
            false => Err(ServiceError::OtherRequest { key: key.clone() }),
        })
    }

    /// Remembers what was done under a key, unless it is known.
    pub(super) fn keep(&mut self, key: Option<Key>, done: &Result<T, ServiceError>) {
        let Some(Key(key, request)) = key else {
            return;
        };
        if self.0.iter().any(|(known, ..)| *known == key) {
            return;
        }
        if self.0.len() == KEYS_MAX {
            self.0.pop_front();
        }
        self.0.push_back((key, request, done.clone()));
    }
}

/// Ids of utterances remembered, over all streams; the oldest go first.
pub const IDS_MAX: usize = 1 << 20;

/// The words said under an id, as a hash; `None` if they were heard before the session was opened.
pub(super) type Words = Option<NonZeroU64>;

/// A hash of words.
pub(super) fn words_hash(words: &[&str]) -> Words {
    NonZeroU64::new(hash_of(&words) | 1)
}

/// The ids that clients gave their utterances, as hashes: 45 MB at most.
#[derive(Debug, Default)]
pub(super) struct GivenIds {
    words: HashMap<u64, Words>,
    order: VecDeque<u64>,
    /// Whether the ids heard before the session was opened are among them.
    pub(super) is_whole: bool,
}

impl GivenIds {
    /// What was said under an id of a stream, if the id is remembered.
    pub(super) fn known(&self, id: u64) -> Option<Words> {
        self.words.get(&id).copied()
    }

    /// Remembers an id with its words.
    pub(super) fn keep(&mut self, id: u64, words: Words) {
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
        let key = |n: usize, words: usize| Key::of(Some(format!("k{n}")), || words.to_string());
        let first = |keys: &Keys<usize>, n, words| keys.first(key(n, words).as_ref());
        let mut keys = Keys::default();
        (0..=KEYS_MAX).for_each(|n| keys.keep(key(n, n), &Ok(n)));
        assert_eq!(
            first(&keys, 7, 7).expect("it is known").expect("the same"),
            7
        );
        assert!(
            first(&keys, 7, 8).expect("it is known").is_err(),
            "another request"
        );
        assert!(first(&keys, 0, 0).is_none(), "forgotten");
    }

    #[test]
    fn an_id_is_remembered_with_its_words_until_many_others_came() {
        let mut ids = GivenIds::default();
        (0..=IDS_MAX as u64).for_each(|id| ids.keep(id, NonZeroU64::new(id + 1)));
        assert_eq!(
            (ids.known(7), ids.known(0)),
            (Some(NonZeroU64::new(8)), None)
        );
    }
}
