//! Notes with their vectors, in order of creation.

use super::flat::Flat;
use super::matrix::{BestFirst, Matrix};
use super::note::Note;
use std::collections::{BTreeSet, VecDeque};

/// Notes; a note is removed once all its source turns are forgotten.
#[derive(Debug, Clone)]
pub struct Notes {
    notes: VecDeque<Option<Note>>,
    vectors: Matrix,
    /// Newest source and number of each remaining note.
    by_newest: BTreeSet<(usize, usize)>,
    tokens: usize,
    bytes: usize,
}

impl Notes {
    /// An empty list, with vectors of this dimension.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self {
            notes: VecDeque::new(),
            vectors: Matrix::new(dimension),
            by_newest: BTreeSet::new(),
            tokens: 0,
            bytes: 0,
        }
    }

    /// Adds a note with its vector and returns its number.
    pub fn push(&mut self, note: Note, vector: &[f32]) -> usize {
        let number = self.vectors.push(vector);
        self.tokens += note.tokens;
        self.bytes += note.bytes();
        self.by_newest.insert((note.newest, number));
        self.notes.push_back(Some(note));
        number
    }

    /// Forgets the notes whose source turns all precede this one.
    pub fn forget_before(&mut self, turn: usize) {
        while let Some((newest, number)) = self.by_newest.first().copied() {
            if newest >= turn {
                break;
            }
            self.by_newest.pop_first();
            let slot = self.notes.get_mut(number - self.vectors.first());
            if let Some(note) = slot.and_then(Option::take) {
                self.tokens -= note.tokens;
                self.bytes -= note.bytes();
            }
        }
        while let Some(None) = self.notes.front() {
            self.notes.pop_front();
            self.vectors.forget_before(self.vectors.first() + 1);
        }
    }

    /// Forgets all notes; numbering restarts at 0.
    pub fn clear(&mut self, dimension: usize) {
        *self = Self::new(dimension);
    }

    /// A note by its number, if it remains.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&Note> {
        let at = number.checked_sub(self.vectors.first())?;
        self.notes.get(at)?.as_ref()
    }

    /// The remaining notes, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Note)> {
        let numbered = (self.vectors.first()..).zip(&self.notes);
        numbered.filter_map(|(number, note)| Some((number, note.as_ref()?)))
    }

    /// Notes by similarity to a vector, nearest first.
    #[must_use]
    pub fn nearest(&self, query: &[f32]) -> BestFirst {
        let cosines = self
            .vectors
            .cosines(query)
            .into_iter()
            .zip(&self.notes)
            .enumerate();
        let there = cosines.filter(|(_, (_, note))| note.is_some());
        BestFirst::of(there.map(|(at, (cosine, _))| (self.vectors.first() + at, cosine)))
    }

    /// The vectors of the notes, by the same numbers.
    #[must_use]
    pub fn vectors(&self) -> &Matrix {
        &self.vectors
    }

    /// Tokens of all notes.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Bytes of texts, links and vectors.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.vectors.bytes()
    }

    /// Forgets the oldest turns, and the notes made from them alone, until the rest fits the
    /// budget; calls back with the number of each turn.
    pub fn enforce_budget(&mut self, flat: &mut Flat, mut forgotten: impl FnMut(usize, &str)) {
        while flat.is_over(self.tokens) {
            let Some((number, turn)) = flat.forget_oldest() else {
                break;
            };
            self.forget_before(number + 1);
            forgotten(number, &turn.said);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn note(newest: usize) -> Note {
        Note {
            text: format!("note {newest}"),
            tokens: 2,
            carries: vec![(newest, Arc::from("u"))],
            newest,
        }
    }

    #[test]
    fn a_note_goes_with_its_newest_turn() {
        let mut notes = Notes::new(1);
        for (number, newest) in [5, 2, 9, 2].into_iter().enumerate() {
            assert_eq!(notes.push(note(newest), &[newest as f32 / 9.0]), number);
        }
        notes.forget_before(3);
        let there: Vec<usize> = notes.iter().map(|(number, _)| number).collect();
        assert_eq!((there, notes.tokens()), (vec![0, 2], 4));
        let near: Vec<usize> = notes.nearest(&[1.0]).map(|(number, _)| number).collect();
        assert_eq!(near, [2, 0]);
        notes.forget_before(6);
        assert_eq!(notes.get(2).map(|note| note.newest), Some(9));
        assert_eq!(notes.push(note(10), &[0.0]), 4);
        notes.forget_before(usize::MAX);
        assert_eq!(
            (notes.tokens(), notes.bytes(), notes.iter().count()),
            (0, 0, 0)
        );
    }
}
