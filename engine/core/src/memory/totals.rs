//! Running totals of the tree, so that no question needs to count: tokens, bytes, speakers.

use super::node::{Kind, Node};
use crate::analysis::Term;
use std::collections::BTreeMap;

/// Totals of all nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Totals {
    pub(super) tokens: usize,
    /// Bytes of all nodes with their vectors and index entries.
    pub(super) bytes: usize,
    /// Number of units per speaker, and the terms of the name.
    speakers: BTreeMap<String, (usize, Vec<Term>)>,
}

fn speaker_of(node: &Node) -> Option<&str> {
    node.speaker.as_deref().filter(|_| node.kind == Kind::Unit)
}

impl Totals {
    /// The stored part: bytes and speakers are counted after loading.
    pub(super) fn of_tokens(tokens: usize) -> Self {
        Self {
            tokens,
            ..Self::default()
        }
    }

    /// Adds a node of this size in bytes.
    pub(super) fn add(&mut self, node: &Node, bytes: usize) {
        self.tokens += node.tokens as usize;
        self.bytes += bytes;
        self.count_speaker(node);
    }

    /// Subtracts a node of this size in bytes.
    pub(super) fn subtract(&mut self, node: &Node, bytes: usize) {
        self.tokens -= node.tokens as usize;
        self.bytes -= bytes;
        if let Some(speaker) = speaker_of(node)
            && let Some((count, _)) = self.speakers.get_mut(speaker)
        {
            *count -= 1;
            if *count == 0 {
                self.speakers.remove(speaker);
            }
        }
    }

    /// Replaces the tokens of one node.
    pub(super) fn replace_tokens(&mut self, before: u32, after: u32) {
        // damaged totals are found by the check of the tree
        self.tokens = (self.tokens + after as usize).saturating_sub(before as usize);
    }

    /// Replaces the bytes of one node.
    pub(super) fn replace_bytes(&mut self, before: usize, after: usize) {
        self.bytes = self.bytes - before + after;
    }

    /// Counts the units of every speaker anew.
    pub(super) fn recount_speakers<'a>(&mut self, nodes: impl Iterator<Item = &'a Node>) {
        self.speakers.clear();
        nodes.for_each(|node| self.count_speaker(node));
    }

    fn count_speaker(&mut self, node: &Node) {
        let Some(speaker) = speaker_of(node) else {
            return;
        };
        match self.speakers.get_mut(speaker) {
            Some((count, _)) => *count += 1,
            None => {
                let terms = node.analysis.speaker.clone();
                self.speakers.insert(speaker.to_owned(), (1, terms));
            }
        }
    }

    /// All speakers with at least one unit.
    pub(super) fn speakers(&self) -> impl Iterator<Item = &str> {
        self.speakers.keys().map(String::as_str)
    }

    /// Terms of their names, ascending.
    pub(super) fn name_terms(&self) -> Vec<Term> {
        let names = self.speakers.values().flat_map(|(_, terms)| terms);
        let mut names: Vec<Term> = names.copied().collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
