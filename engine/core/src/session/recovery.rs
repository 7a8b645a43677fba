//! Applies the journal of a program with other rules to the session of its snapshot.
//!
//! A journal is exact only under the rules it was written by: they determine where blocks end and
//! which nodes exist, and later inputs refer to both. Under other rules, a block ends where it was
//! mounted. An input that names nodes is applied only to nodes of the snapshot, since a node made
//! here may have the name of a different node there. Everything that was said is kept.

use super::{Erasure, Input, InputError, Session};
use crate::memory::{Kind, NodeId};
use crate::sense::Rule;
use crate::stream::{AudioSpan, Utterance};
use crate::talk::{BlockId, BufferedUtterance, Distillate, Evidence, Utterances};
use std::collections::HashSet;
use weir_models::Terms;

/// A session that applies such a journal.
pub struct Recovery {
    session: Session,
    /// Nodes of the snapshot.
    known: HashSet<NodeId>,
    skipped: u64,
}

/// A journal's input, in any format.
pub trait Recorded {
    /// Applies it.
    ///
    /// # Errors
    /// [`InputError`] if an utterance cannot be taken in.
    fn apply_to(self, recovery: &mut Recovery) -> Result<(), InputError>;
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

    /// The session so far.
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
    pub(super) fn recut(
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

    pub(super) fn apply(&mut self, input: &Input) -> Result<(), InputError> {
        self.session.apply(input).map(drop)
    }

    /// Applies a change, or skips it if its target no longer exists.
    pub(super) fn apply_or_skip(&mut self, input: &Input) {
        if self.session.apply(input).is_err() {
            self.skipped += 1;
        }
    }

    /// Raw memory may be full under these rules: waiting blocks are then mounted before.
    fn hear(
        &mut self,
        utterance: &Utterance,
        vector: &[f32],
        terms: &Terms,
    ) -> Result<(), InputError> {
        let tokens = self.session.check_heard(utterance, vector)?;
        self.session.take_in(utterance, vector, terms, tokens);
        Ok(())
    }

    fn mount(&mut self, made: Box<Distillate>) -> Result<(), InputError> {
        let units = made.units.iter().flat_map(|unit| &unit.evidence);
        let proofs = made.event_evidence.iter().chain(units);
        let turns: HashSet<u64> = proofs.map(|item| item.turn).collect();
        self.recut(made.block, |heard| turns.contains(&heard.turn))?;
        self.apply(&Input::Mount(made))
    }

    /// Erases every unit with evidence from one of the utterances: to erase more than requested is
    /// better than to leave a trace.
    pub(super) fn erase(
        &mut self,
        utterances: Vec<(String, String)>,
        audio: Vec<AudioSpan>,
        untraced: u32,
    ) {
        let mut named = Utterances::default();
        for (stream, id) in &utterances {
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
            utterances,
            rewritten: Vec::new(),
            turns,
            audio,
            untraced,
        };
        self.apply_or_skip(&Input::Erase(Box::new(erasure)));
    }
}

impl Recorded for Input {
    fn apply_to(self, recovery: &mut Recovery) -> Result<(), InputError> {
        match self {
            Self::Mount(made) => return recovery.mount(made),
            Self::Heard {
                utterance,
                vector,
                terms,
            } => return recovery.hear(&utterance, &vector, &terms),
            Self::Begin(_) | Self::Break { .. } | Self::Flush => return recovery.apply(&self),
            Self::Recalled {
                mut nodes,
                session_ms,
            } => {
                nodes.retain(|node| recovery.known.contains(node));
                recovery.apply_or_skip(&Self::Recalled { nodes, session_ms });
            }
            Self::Pin { node, .. } | Self::Edit { node, .. } if !recovery.known.contains(&node) => {
                recovery.skipped += 1;
            }
            Self::Pin { .. }
            | Self::Edit { .. }
            | Self::Budget(_)
            | Self::Profile(_)
            | Self::AddSource(_)
            | Self::RemoveSource(_) => recovery.apply_or_skip(&self),
            Self::Speaker(mut naming) => {
                naming
                    .units
                    .retain(|(unit, _)| recovery.known.contains(unit));
                recovery.apply_or_skip(&Self::Speaker(naming));
            }
            Self::Erase(old) => recovery.erase(old.utterances, old.audio, old.untraced),
        }
        Ok(())
    }
}
