//! The parts of an image in their stored order, the same in every format.

use super::{EncoderStamp, ImageError, SessionClock, SpeakerNames};
use crate::beliefs::Beliefs;
use crate::config::SessionConfig;
use crate::memory::{MemoryTree, RarityTable};
use crate::profile::Profiles;
use crate::sense::SensingBuffer;
use crate::sources::Sources;
use serde::Deserialize;
use weir_models::CountTokens;

/// All of an image but its format number. Formats differ in the types of settings (`C`), encoder
/// (`E`), raw talk (`B`), tree (`T`), names of
/// speakers (`N`), beliefs (`L`), profiles (`P`) and sources (`S`); `()` takes no bytes.
#[derive(Deserialize)]
pub(super) struct Body<C, E, B, T, N = (), L = (), P = (), S = ()> {
    pub(super) counter: String,
    pub(super) config: C,
    pub(super) encoder: E,
    pub(super) clock: SessionClock,
    pub(super) buffer: B,
    pub(super) tree: T,
    pub(super) rarity: RarityTable,
    pub(super) turns: u64,
    pub(super) names: N,
    pub(super) beliefs: L,
    pub(super) profiles: P,
    pub(super) sources: S,
}

/// The newest format.
pub(super) type CurrentBody = Body<
    SessionConfig,
    EncoderStamp,
    SensingBuffer,
    MemoryTree,
    SpeakerNames,
    Beliefs,
    Profiles,
    Sources,
>;

/// Format 6 had no names of speakers.
pub(super) type BodyV6 = Body<SessionConfig, EncoderStamp, SensingBuffer, MemoryTree>;

impl<C, E, B, T, N, L, P, S> Body<C, E, B, T, N, L, P, S> {
    /// Converts every part to its type in a later format.
    pub(super) fn upgraded<C2, E2, B2, T2, N2, L2, P2, S2>(
        self,
    ) -> Body<C2, E2, B2, T2, N2, L2, P2, S2>
    where
        C2: From<C>,
        E2: From<E>,
        B2: From<B>,
        T2: From<T>,
        N2: From<N>,
        L2: From<L>,
        P2: From<P>,
        S2: From<S>,
    {
        Body {
            counter: self.counter,
            config: self.config.into(),
            encoder: self.encoder.into(),
            clock: self.clock,
            buffer: self.buffer.into(),
            tree: self.tree.into(),
            rarity: self.rarity,
            turns: self.turns,
            names: self.names.into(),
            beliefs: self.beliefs.into(),
            profiles: self.profiles.into(),
            sources: self.sources.into(),
        }
    }

    /// Checks that its tokens were counted with this counter.
    ///
    /// # Errors
    /// [`ImageError::OtherCounter`].
    pub(super) fn check_counter(&self, counter: &dyn CountTokens) -> Result<(), ImageError> {
        if self.counter == counter.name() {
            return Ok(());
        }
        Err(ImageError::OtherCounter {
            expected: self.counter.clone(),
            found: counter.name().to_owned(),
        })
    }
}
