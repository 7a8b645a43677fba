//! The journal of a program with other rules, applied to the session of its snapshot.
//!
//! A journal is exact under the rules it was written by: they say where blocks end and which nodes
//! there are, and later inputs name both. Under other rules a block ends where it was mounted, and
//! an input that names nodes is applied to those of the snapshot alone, since a node that is made
//! here may have the name that another one had there. Everything that was said is kept.

use super::{Erasure, Input, InputError, Session};
use crate::memory::{Kind, NodeId};
use crate::sense::Rule;
use crate::stream::{AudioSpan, Utterance};
use crate::talk::{BlockId, BufferedUtterance, Distillate, Evidence, Utterances};
use std::collections::HashSet;
use weir_models::Terms;

/// A session that takes in such a journal.
pub struct Recovery {
    session: Session,
    /// Nodes of the snapshot.
    known: HashSet<NodeId>,
    skipped: u64,
}

/// An input as a journal holds it, of whichever format.
pub trait Recorded {
    /// Applies it.
    ///
    /// # Errors
    /// [`InputError`] where something that was said cannot be taken in.
    fn apply_to(self, recovery: &mut Recovery) -> Result<(), InputError>;
}

impl Recovery {
    /// Begins with the session of a snapshot.
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

    /// The session, and how many changes of nodes that are not there any more were left out.
    #[must_use]
    pub fn finish(self) -> (Session, u64) {
        (self.session, self.skipped)
    }

    /// Cuts the next block so that it ends with the last utterance that is `named`.
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

    /// A change of something that may be gone: then there is nothing to change.
    pub(super) fn apply_or_skip(&mut self, input: &Input) {
        if self.session.apply(input).is_err() {
            self.skipped += 1;
        }
    }

    /// Other rules may have room for it: what waits is mounted later in the journal.
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

    /// Every unit that rests on one of the utterances goes: to erase more than was asked for is
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
            Self::Pin { .. } | Self::Edit { .. } | Self::Budget(_) => {
                recovery.apply_or_skip(&self);
            }
            Self::Erase(old) => recovery.erase(old.utterances, old.audio, old.untraced),
        }
        Ok(())
    }
}
