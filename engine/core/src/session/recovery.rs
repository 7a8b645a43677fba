//! Applies the journal of a program with other rules to the session of its snapshot.
//!
//! A journal is exact only under the rules it was written by: they determine where blocks end and
//! which nodes exist, and later inputs refer to both. Under other rules, a block ends where it was
//! mounted. An input that names nodes is applied only to nodes of the snapshot, since a node made
//! here may have the name of a different node there. Everything that was said is kept.

use super::{Erasure, Found, Input, InputError, Session};
use crate::memory::{Kind, NodeId};
use crate::sense::Rule;
use crate::stream::Utterance;
use crate::talk::{BlockId, BufferedUtterance, Distillate, Evidence, Utterances};
use std::collections::HashSet;

/// A session that applies such a journal.
pub struct Recovery {
    session: Session,
    /// Nodes of the snapshot.
    known: HashSet<NodeId>,
    skipped: u64,
}

impl Recovery {
    /// Starts with the session of a snapshot.
    #[must_use]
    pub fn of(session: Session) -> Self {
        Self {
            known: session.tree.nodes().map(|node| node.id).collect(),
            session,
            skipped: 0,
        }
    }

    /// The session as it is now.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, and the number of skipped changes to nodes that no longer exist.
    #[must_use]
    pub fn finish(self) -> (Session, u64) {
        (self.session, self.skipped)
    }

    /// Cuts the next block after the last utterance that is `named`.
    fn recut(
        &mut self,
        block: BlockId,
        named: impl Fn(&BufferedUtterance) -> bool,
    ) -> Result<(), InputError> {
        let Session { config, buffer, .. } = &mut self.session;
        let (rule, limits) = (Rule::of(config), config.raw_limits());
        match buffer.recut(block, named, &rule, &limits) {
            true => Ok(()),
            false => Err(InputError::WrongBlock {
                found: block.0,
                expected: buffer.next_id().map_or(0, |block| block.0),
            }),
        }
    }

    /// Applies the next input of the journal.
    ///
    /// # Errors
    /// [`InputError`] if an utterance cannot be taken in, or a block cannot be mounted.
    pub fn apply(&mut self, input: Input) -> Result<(), InputError> {
        match input {
            Input::Begin(_) | Input::Break { .. } | Input::End(_) | Input::Flush => {
                self.session.apply(&input).map(drop)?;
            }
            Input::Heard {
                utterance,
                vector,
                terms,
                analysis,
            } => {
                let found = Found {
                    vector: &vector,
                    terms: &terms,
                    analysis: &analysis,
                };
                self.hear(&utterance, found)?;
            }
            Input::Mount(made) => self.mount(made)?,
            Input::Recalled {
                mut nodes,
                session_ms,
            } => {
                nodes.retain(|node| self.known.contains(node));
                self.apply_or_skip(&Input::Recalled { nodes, session_ms });
            }
            Input::Pin { node, .. } | Input::Edit { node, .. } if !self.known.contains(&node) => {
                self.skipped += 1;
            }
            Input::Speaker(mut naming) => {
                naming.units.retain(|(unit, _)| self.known.contains(unit));
                self.apply_or_skip(&Input::Speaker(naming));
            }
            Input::Erase(old) => self.erase(*old),
            Input::Pin { .. }
            | Input::Edit { .. }
            | Input::Budget(_)
            | Input::Profile(_)
            | Input::AddSource(_)
            | Input::RemoveSource(_)
            | Input::Observe(_) => self.apply_or_skip(&input),
        }
        Ok(())
    }

    /// Applies a change, or skips it if its target no longer exists.
    fn apply_or_skip(&mut self, input: &Input) {
        if self.session.apply(input).is_err() {
            self.skipped += 1;
        }
    }

    /// Raw memory may be full under these rules: waiting blocks are then mounted before.
    fn hear(&mut self, utterance: &Utterance, found: Found<'_>) -> Result<(), InputError> {
        let named = self.session.with_current_name(utterance);
        let (place, tokens) = self.session.check_heard(&named, found.vector)?;
        self.session.take_in(&named, found, &place, tokens);
        self.session.names.count(utterance.speaker.as_deref());
        Ok(())
    }

    fn mount(&mut self, made: Box<Distillate>) -> Result<(), InputError> {
        let units = made.units.iter().flat_map(|unit| &unit.evidence);
        let proofs = made.event_evidence.iter().chain(units);
        let turns: HashSet<u64> = proofs.map(|item| item.turn).collect();
        self.recut(made.block, |heard| turns.contains(&heard.turn))?;
        self.session.apply(&Input::Mount(made)).map(drop)
    }

    /// Erases every unit with evidence from one of the utterances: to erase more than requested is
    /// better than to leave a trace.
    fn erase(&mut self, old: Erasure) {
        let mut named = Utterances::default();
        for (stream, id) in &old.utterances {
            named.insert(stream, id);
        }
        let tree = &self.session.tree;
        let proves = |item: &&Evidence| named.prove(item);
        let proofs = tree.nodes().flat_map(|node| &node.evidence);
        let mut turns: Vec<u64> = proofs.filter(proves).map(|item| item.turn).collect();
        turns.sort_unstable();
        turns.dedup();
        let units = tree.of_kind(Kind::Unit);
        let units = units.filter(|unit| unit.evidence.iter().any(|item| named.prove(item)));
        let erasure = Erasure {
            units: units.map(|unit| unit.id).collect(),
            rewritten: Vec::new(),
            turns,
            ..old
        };
        self.apply_or_skip(&Input::Erase(Box::new(erasure)));
    }
}
