//! A session as a state machine: inputs in, outcomes and answers out.
//!
//! It has no thread, clock, file or model: times, vectors and distillates are inputs. Every change
//! goes through [`Session::apply`], so a list of inputs is the complete history of a session and
//! gives the same session again, byte for byte.

mod appendix;
mod change;
mod clock;
mod derive;
mod erase;
mod export;
mod format;
mod image;
mod input;
mod names;
mod naming;
mod observed;
mod recovery;
mod reencode;
mod sources;
mod stamp;
mod stats;
mod stored;
mod streams;

pub use clock::OpenStream;
use clock::{Place, SessionClock};
pub use erase::{EraseError, Target};
pub use export::{ImportError, Imported};
pub use format::{FORMAT, FORMAT_OLDEST, ImageError, RULES};
pub use input::{Budgets, Erased, Erasure, Input, InputError, Outcome, SpeakerObservations};
pub use names::{
    NamedSpeaker, Naming, SpeakerChange, SpeakerError, SpeakerNames, check_speaker_name,
};
pub use naming::NamingError;
pub use recovery::Recovery;
pub use stamp::EncoderStamp;
pub use stats::{MemoryStats, Stats};

use crate::analysis::{Analysis, Term};
use crate::beliefs::Beliefs;
use crate::config::{ConfigError, SessionConfig};
use crate::memory::{MemoryTree, NewWords, NodeId, RarityTable, TreeContext, Valuation};
use crate::profile::Profiles;
use crate::sense::{Rule, SensingBuffer};
use crate::sources::Sources;
use crate::stream::{Utterance, says_anything};
use crate::talk::{Block, BlockId, BufferedUtterance, Distillate};
use crate::vectors::dot;
use std::sync::Arc;
use weir_models::{CountTokens, Terms};

/// What was found of an utterance before it was heard.
#[derive(Clone, Copy)]
struct Found<'a> {
    vector: &'a [f32],
    terms: &'a Terms,
    analysis: &'a Analysis,
}

/// A session: the sensing buffer, the tree and the clock of one conversation over time.
#[derive(Clone)]
pub struct Session {
    config: SessionConfig,
    encoder: EncoderStamp,
    counter: Arc<dyn CountTokens>,
    clock: SessionClock,
    buffer: SensingBuffer,
    tree: MemoryTree,
    rarity: RarityTable,
    turns: u64,
    names: SpeakerNames,
    /// Shared with earlier states of the session until they change, as are the next.
    beliefs: Arc<Beliefs>,
    profiles: Arc<Profiles>,
    sources: Sources,
}

impl Session {
    /// A new, empty session.
    ///
    /// # Errors
    /// [`ConfigError`] names the first setting out of range.
    pub fn new(
        config: SessionConfig,
        encoder: EncoderStamp,
        counter: Arc<dyn CountTokens>,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            tree: MemoryTree::new(encoder.dimension),
            config,
            encoder,
            counter,
            clock: SessionClock::default(),
            buffer: SensingBuffer::default(),
            rarity: RarityTable::default(),
            turns: 0,
            names: SpeakerNames::default(),
            beliefs: Arc::default(),
            profiles: Arc::default(),
            sources: Sources::default(),
        })
    }

    /// Applies one input. Cost: bounded by the budget, independent of the length of the stream.
    ///
    /// # Errors
    /// [`InputError`]; the session is then unchanged.
    pub fn apply(&mut self, input: &Input) -> Result<Outcome, InputError> {
        match input {
            Input::Begin(start) => self.begin(start),
            Input::Heard {
                utterance,
                vector,
                terms,
                analysis,
            } => {
                let found = Found {
                    vector,
                    terms,
                    analysis,
                };
                let outcome = self.hear(&self.with_current_name(utterance), found)?;
                self.names.count(utterance.speaker.as_deref());
                Ok(outcome)
            }
            Input::Break {
                resumes_at_unix_ms,
                stream,
            } => self.resume(stream.as_deref(), *resumes_at_unix_ms),
            Input::End(stream) => self.end(stream),
            Input::Flush => Ok(Outcome::cut(self.cut())),
            Input::Mount(distillate) => self.mount(&self.with_current_names(distillate)),
            Input::Pin { node, pinned } => self.pin(*node, *pinned),
            Input::Edit {
                node,
                text,
                vector,
                terms,
                analysis,
            } => {
                let words = NewWords {
                    text,
                    vector,
                    terms,
                    analysis,
                };
                self.edit(*node, words)
            }
            Input::Budget(budgets) => self.rebudget(*budgets),
            Input::Erase(erasure) => self.erase(erasure),
            Input::Speaker(naming) => self.rename(naming),
            Input::Profile(change) => self.change_profile(change),
            Input::AddSource(source) => self.add_source(source),
            Input::RemoveSource(name) => self.remove_source(name),
            Input::Observe(observed) => Ok(self.observe_again(observed)),
            Input::Recalled { nodes, session_ms } => Ok(self.recalled(nodes, *session_ms)),
        }
    }

    fn recalled(&mut self, nodes: &[NodeId], session_ms: u64) -> Outcome {
        for &node in nodes {
            self.tree.touch(node, session_ms);
        }
        Outcome::default()
    }

    /// Closes the open block.
    fn cut(&mut self) -> Vec<BlockId> {
        let rule = Rule::of(&self.config);
        self.buffer.cut(&rule).into_iter().collect()
    }

    fn hear(&mut self, utterance: &Utterance, found: Found<'_>) -> Result<Outcome, InputError> {
        let (place, tokens) = self.check_heard(utterance, found.vector)?;
        if !self.buffer.has_room(tokens, &self.config.raw_limits()) {
            return Err(InputError::PendingFull { tokens });
        }
        Ok(self.take_in(utterance, found, &place, tokens))
    }

    /// Takes in a checked utterance.
    fn take_in(
        &mut self,
        utterance: &Utterance,
        found: Found<'_>,
        place: &Place,
        tokens: u32,
    ) -> Outcome {
        let new_terms = self.rarity.unheard(&found.analysis.terms);
        self.rarity.observe(&found.analysis.terms);
        let heard = Arc::new(BufferedUtterance {
            new_terms,
            turn: self.turns,
            session_ms: self.said_ms(place.begun_ms),
            said_at_unix_ms: place.said_at_unix_ms,
            utterance: utterance.clone(),
            vector: found.vector.to_vec(),
            terms: found.terms.clone(),
            tokens,
            analysis: found.analysis.clone(),
        });
        self.clock.hear(place, utterance.span.end_ms);
        self.turns += 1;
        let limits = self.config.raw_limits();
        let cut = self.buffer.push(heard, &Rule::of(&self.config), &limits);
        let (tree, ctx) = self.tree_and_context();
        tree.enforce_budget(&ctx);
        Outcome::cut(cut)
    }

    /// The tree, and the context for changing it.
    fn tree_and_context(&mut self) -> (&mut MemoryTree, TreeContext<'_>) {
        let beside_tokens = self.beside_tokens();
        let ctx = TreeContext {
            config: &self.config,
            counter: self.counter.as_ref(),
            rarity: &self.rarity,
            now_ms: self.clock.now_ms,
            turns: self.turns,
            beside_tokens,
        };
        (&mut self.tree, ctx)
    }

    /// Tokens of the budget that the tree may not use: raw talk or the room kept for it, beliefs,
    /// profiles, sources.
    fn beside_tokens(&self) -> usize {
        let raw = self.raw_tokens().max(self.config.raw_reserve());
        raw + self.observed_tokens() + self.sources.tokens()
    }

    /// Tokens by which the tree may grow before something must go.
    #[must_use]
    pub fn free_tokens(&self) -> usize {
        let held = self.tree.tokens() + self.beside_tokens();
        self.config.budget_tokens.saturating_sub(held)
    }

    /// How rarely a term was heard, in nats.
    pub(crate) fn rarity_of(&self, term: Term) -> f32 {
        self.rarity.of(term)
    }

    /// Tokens of all raw talk held.
    fn raw_tokens(&self) -> usize {
        self.buffer.pending_tokens() + self.buffer.buffer_tokens()
    }

    /// Number of utterances heard, parts of long ones counted separately: the ordinal of the next
    /// one.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Tokens of all text held, in the tree and as raw talk: what `budget_tokens` bounds.
    #[must_use]
    pub fn text_tokens(&self) -> usize {
        self.tree.tokens() + self.raw_tokens() + self.observed_tokens() + self.sources.tokens()
    }

    /// Everything that can be wrong with an utterance, before anything changes.
    fn check_heard(
        &self,
        utterance: &Utterance,
        vector: &[f32],
    ) -> Result<(Place, u32), InputError> {
        let id = || utterance.id.clone();
        let place = self.clock.place(utterance)?;
        if !says_anything(&utterance.text) {
            return Err(InputError::NoWords { id: id() });
        }
        let tokens = self.counter.count(&utterance.rendered());
        let raw = self.config.raw_limits();
        if tokens > raw.utterance {
            return Err(InputError::TooLong {
                id: id(),
                tokens,
                max: raw.utterance,
            });
        }
        let tokens = tokens as u32;
        if self.buffer.raw().any(|heard| heard.utterance == *utterance) {
            return Err(InputError::SameId {
                id: id(),
                stream: utterance.stream.clone(),
            });
        }
        self.check_vector(&utterance.id, vector)?;
        Ok((place, tokens))
    }

    fn check_vector(&self, what: &str, vector: &[f32]) -> Result<(), InputError> {
        let bad = |found: String, expected: String| InputError::BadVector {
            what: format!("`{what}`"),
            found,
            expected,
        };
        let dimension = self.encoder.dimension;
        if vector.len() != dimension {
            return Err(bad(
                format!("{} floats", vector.len()),
                format!("{dimension}"),
            ));
        }
        let length = dot(vector, vector).sqrt();
        // a text without words known to the encoder may have the zero vector
        if !(length == 0.0 || (length - 1.0).abs() < 1e-3) {
            return Err(bad(format!("length {length}"), "length 1".into()));
        }
        Ok(())
    }

    fn mount(&mut self, distillate: &Distillate) -> Result<Outcome, InputError> {
        let due = self.buffer.next_id();
        if due != Some(distillate.block) {
            return Err(InputError::WrongBlock {
                found: distillate.block.0,
                expected: due.map_or(0, |block| block.0),
            });
        }
        self.check_distillate(distillate)?;
        let cause = self.buffer.next_cause().unwrap_or_default();
        // mounted talk is no longer raw, so the tree may use its tokens
        self.buffer.release(&self.config.raw_limits());
        self.take_observed(&distillate.opinions, &distillate.facts, &distillate.units);
        let (tree, ctx) = self.tree_and_context();
        let mounted = tree.mount(distillate, cause, &ctx);
        // what is above pinned units may have grown
        self.fit_observed();
        debug_assert_eq!(self.check_when_due(), Ok(()));
        Ok(Outcome {
            mounted: Some(mounted),
            ..Outcome::default()
        })
    }

    fn check_distillate(&self, distillate: &Distillate) -> Result<(), InputError> {
        let block = distillate.block.0;
        if distillate.event_evidence.is_empty() {
            return Err(InputError::NoEvidence {
                what: "the event",
                block,
            });
        }
        if distillate.units.iter().any(|unit| unit.evidence.is_empty()) {
            return Err(InputError::NoEvidence {
                what: "a unit",
                block,
            });
        }
        self.check_observed(distillate)?;
        self.check_vector("the event", &distillate.event_vector)?;
        self.check_vector("the scene", &distillate.scene_vector)?;
        distillate
            .units
            .iter()
            .try_for_each(|unit| self.check_vector(&unit.text, &unit.vector))
    }

    /// The oldest block that waits to be distilled, with its leading context.
    #[must_use]
    pub fn next_block(&self) -> Option<Block> {
        self.buffer.next_block()
    }

    /// The long-term memory.
    #[must_use]
    pub fn tree(&self) -> &MemoryTree {
        &self.tree
    }

    /// Raw talk: leading context, waiting blocks, the open block.
    #[must_use]
    pub fn buffer(&self) -> &SensingBuffer {
        &self.buffer
    }

    /// The values that determine the current utility of nodes.
    pub(crate) fn valuation(&self) -> Valuation<'_> {
        Valuation {
            config: &self.config,
            rarity: &self.rarity,
            names: self.tree.name_terms(),
            now_ms: self.clock.now_ms,
            turns: self.turns,
            held: self.tree.len(),
        }
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &SessionConfig {
        &self.config
    }

    /// The encoder of its vectors.
    #[must_use]
    pub fn encoder(&self) -> &EncoderStamp {
        &self.encoder
    }

    /// The token counter.
    #[must_use]
    pub fn counter(&self) -> &dyn CountTokens {
        self.counter.as_ref()
    }

    /// The same session with a given tree.
    #[cfg(test)]
    pub(crate) fn with_tree(self, tree: MemoryTree) -> Self {
        Self { tree, ..self }
    }

    /// `check` after each change of a small memory and after one of 16 of a larger one: the cost is
    /// that of all nodes, and talk of thousands of turns would take minutes.
    fn check_when_due(&self) -> Result<(), String> {
        if self.tree.len() > 256 && !self.turns().is_multiple_of(16) {
            return Ok(());
        }
        self.check()
    }

    /// Checks every invariant of the memory.
    ///
    /// # Errors
    /// The first invariant that fails, as text.
    pub fn check(&self) -> Result<(), String> {
        let raw = self.raw_tokens();
        let beside = raw + self.observed_tokens() + self.sources.tokens();
        self.tree
            .check(&self.config, self.counter.as_ref(), beside)?;
        let dimension = self.encoder.dimension;
        self.beliefs.check(dimension, self.belief_tokens_max())?;
        self.profiles.check(dimension, self.profile_tokens_max())?;
        self.check_sources()?;
        let most = self.config.raw_limits().held;
        if raw > most {
            return Err(format!("{raw} tokens of raw text exceed {most}"));
        }
        Ok(())
    }
}
