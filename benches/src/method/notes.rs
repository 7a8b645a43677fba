//! Notes with their vectors, in order of creation.

use super::matrix::{BestFirst, Matrix};
use super::note::Note;

/// Notes, numbered from 0.
#[derive(Debug, Clone)]
pub(crate) struct Notes {
    notes: Vec<Note>,
    vectors: Matrix,
    tokens: usize,
}

impl Notes {
    /// An empty list, with vectors of this dimension.
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            notes: Vec::new(),
            vectors: Matrix::new(dimension),
            tokens: 0,
        }
    }

    /// Adds a note with its vector and returns its number.
    pub(crate) fn push(&mut self, note: Note, vector: &[f32]) -> usize {
        self.tokens += note.tokens;
        self.notes.push(note);
        self.vectors.push(vector)
    }

    /// A note by its number.
    pub(crate) fn get(&self, number: usize) -> Option<&Note> {
        self.notes.get(number)
    }

    /// The vectors of the notes, by the same numbers.
    pub(crate) fn vectors(&self) -> &Matrix {
        &self.vectors
    }

    /// Notes by similarity to a vector, nearest first.
    pub(crate) fn nearest(&self, query: &[f32]) -> BestFirst {
        self.vectors.nearest(query)
    }

    /// Tokens of all notes.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens
    }
}
