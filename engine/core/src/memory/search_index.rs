//! What the tree is searched by: the words and terms of its units, and which slots hold one.
//!
//! Updated with every change, and not stored, since it follows from the nodes.

use super::lexicon::Lexicon;
use super::matrix::Matrix;
use super::node::{Kind, Node};
use super::sparse::TermIndex;
use crate::vectors::dot;
use weir_models::Terms;

/// The search structures of the tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SearchIndex {
    words: Lexicon,
    terms: TermIndex,
    /// Which slots hold a unit, so that a search reads no other vectors and no nodes.
    is_unit: Vec<bool>,
}

impl SearchIndex {
    /// The words of the units.
    pub(crate) fn words(&self) -> &Lexicon {
        &self.words
    }

    /// The product of the terms of every unit with those of a question, by slot; 0 in other slots.
    pub(crate) fn products(&self, question: &Terms) -> Vec<f32> {
        self.terms.products(question, self.is_unit.len())
    }

    /// The cosine of every unit to a vector, by slot; 0 in other slots.
    pub(super) fn cosines(&self, vectors: &Matrix, vector: &[f32]) -> Vec<f32> {
        let rows = vectors.rows().zip(&self.is_unit);
        let cosine = |(row, is_unit): (&[f32], &bool)| match is_unit {
            true => dot(row, vector),
            false => 0.0,
        };
        rows.map(cosine).collect()
    }

    /// The slots of units with their vectors.
    pub(super) fn unit_rows<'a>(
        &'a self,
        vectors: &'a Matrix,
    ) -> impl Iterator<Item = (u32, &'a [f32])> {
        let rows = (0..).zip(vectors.rows()).zip(&self.is_unit);
        rows.filter(|(_, is_unit)| **is_unit).map(|(row, _)| row)
    }

    /// Adds a node, whose slot is not in the index.
    pub(super) fn insert(&mut self, node: &Node) {
        let (slot, is_unit) = (node.id.slot, node.kind == Kind::Unit);
        if self.is_unit.len() <= slot as usize {
            self.is_unit.resize(slot as usize + 1, false);
        }
        self.is_unit[slot as usize] = is_unit;
        if is_unit {
            self.words.insert(slot, &node.search_terms(), node.traits());
            self.terms.insert(slot, &node.terms);
        }
    }

    /// Updates a node, which had these terms before.
    pub(super) fn update(&mut self, node: &Node, terms_before: &Terms) {
        if node.kind != Kind::Unit {
            return;
        }
        let slot = node.id.slot;
        self.words.insert(slot, &node.search_terms(), node.traits());
        if node.terms != *terms_before {
            self.terms.remove(slot, terms_before);
            self.terms.insert(slot, &node.terms);
        }
    }

    /// Removes a node.
    pub(super) fn remove(&mut self, node: &Node) {
        let slot = node.id.slot;
        self.is_unit[slot as usize] = false;
        self.words.remove(slot);
        self.terms.remove(slot, &node.terms);
    }

    /// Makes room for slots that hold nothing.
    pub(super) fn reserve(&mut self, slots: usize) {
        self.is_unit.resize(slots, false);
    }

    /// Bytes of a node's entries.
    pub(super) fn bytes_of(&self, node: &Node) -> usize {
        size_of_val(self.words.document(node.id.slot)) + TermIndex::bytes_of(&node.terms)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.words.bytes() + self.terms.bytes()
    }
}
