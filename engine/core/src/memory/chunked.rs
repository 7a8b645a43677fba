//! A list that shares its items with earlier states of the session, chunk by chunk.

use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// Items per chunk, the unit of copying when an item changes that an earlier state shares.
const CHUNK: usize = 64;

/// A list of items. Cloning shares all chunks; one is copied when an item in it changes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chunked<T> {
    /// All but the last are full.
    chunks: Vec<Arc<Vec<T>>>,
}

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { chunks: Vec::new() }
    }
}

impl<T: Clone> Chunked<T> {
    pub(super) fn len(&self) -> usize {
        let last = self.chunks.last().map_or(0, |chunk| chunk.len());
        self.chunks.len().saturating_sub(1) * CHUNK + last
    }

    pub(super) fn get(&self, at: usize) -> Option<&T> {
        self.chunks.get(at / CHUNK)?.get(at % CHUNK)
    }

    pub(super) fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        let chunk = self.chunks.get_mut(at / CHUNK)?;
        Arc::make_mut(chunk).get_mut(at % CHUNK)
    }

    pub(super) fn push(&mut self, item: T) {
        match self.chunks.last_mut().filter(|chunk| chunk.len() < CHUNK) {
            Some(chunk) => Arc::make_mut(chunk).push(item),
            None => self.chunks.push(Arc::new(vec![item])),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let chunks = self.chunks.iter_mut().map(Arc::make_mut);
        chunks.flat_map(|chunk| chunk.iter_mut())
    }
}

impl<T: Clone> Index<usize> for Chunked<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.chunks[at / CHUNK][at % CHUNK]
    }
}

impl<T: Clone> IndexMut<usize> for Chunked<T> {
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut Arc::make_mut(&mut self.chunks[at / CHUNK])[at % CHUNK]
    }
}

impl<T: Clone> FromIterator<T> for Chunked<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut all = Self::default();
        items.into_iter().for_each(|item| all.push(item));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_keeps_its_items_and_shares_all_chunks_but_the_changed_one() {
        let mut list: Chunked<usize> = (0..3 * CHUNK + 1).collect();
        let before = list.clone();
        list[CHUNK] = 7;
        list.push(8);
        assert!(before.iter().copied().eq(0..3 * CHUNK + 1));
        assert_eq!((before.len(), list.len()), (3 * CHUNK + 1, 3 * CHUNK + 2));
        assert_eq!(
            (list.get(CHUNK), list.get(3 * CHUNK + 1)),
            (Some(&7), Some(&8))
        );
        assert_eq!(
            (list.get(list.len()), before.get(before.len())),
            (None, None)
        );
        let shared = |at: usize| Arc::ptr_eq(&before.chunks[at], &list.chunks[at]);
        assert_eq!([0, 1, 2, 3].map(shared), [true, false, true, false]);
    }
}
