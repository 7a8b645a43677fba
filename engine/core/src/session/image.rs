//! A session as bytes: for snapshots, for readers in other processes, and for its digest.

use super::clock::{OneStream, SessionClock};
use super::format::{FORMAT, FORMAT_OLDEST, ImageError};
use super::{EncoderStamp, Session, SpeakerNames};
use crate::beliefs::Beliefs;
use crate::config::SessionConfig;
use crate::memory::{MemoryTree, RarityTable};
use crate::profile::Profiles;
use crate::sense::SensingBuffer;
use crate::sources::Sources;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::sync::Arc;
use weir_models::CountTokens;

/// An image without its format number and its appendix, in the stored order. Its clock is a
/// [`SessionClock`] since format 10, and [`OneStream`] before.
#[derive(Deserialize)]
struct Body<C> {
    counter: String,
    config: SessionConfig,
    encoder: EncoderStamp,
    clock: C,
    buffer: SensingBuffer,
    tree: MemoryTree,
    rarity: RarityTable,
    turns: u64,
    names: SpeakerNames,
    beliefs: Beliefs,
    profiles: Profiles,
    sources: Sources,
}

impl Body<OneStream> {
    fn with_streams(self) -> Body<SessionClock> {
        Body {
            clock: self.clock.clock(self.names.stream_labels()),
            counter: self.counter,
            config: self.config,
            encoder: self.encoder,
            buffer: self.buffer,
            tree: self.tree,
            rarity: self.rarity,
            turns: self.turns,
            names: self.names,
            beliefs: self.beliefs,
            profiles: self.profiles,
            sources: self.sources,
        }
    }
}

impl Session {
    /// The session as bytes: the format number, its content, what was read from its words, and what
    /// its statements name.
    #[must_use]
    pub fn to_image(&self) -> Vec<u8> {
        // borrowed, in the order of `Body`
        let body = (
            self.counter.name(),
            &self.config,
            &self.encoder,
            &self.clock,
            &self.buffer,
            &self.tree,
            &self.rarity,
            self.turns,
            &self.names,
            &self.beliefs,
            &self.profiles,
            &self.sources,
        );
        let start = FORMAT.to_le_bytes().to_vec();
        let written = postcard::to_extend(&body, start);
        let written = written.and_then(|image| postcard::to_extend(&self.appendix(), image));
        let written = written.and_then(|image| postcard::to_extend(&self.mentions(), image));
        written.expect("writing plain data to memory cannot fail")
    }

    /// Reads a session from an image.
    ///
    /// # Errors
    /// [`ImageError`] if the bytes have another format, are damaged, or use another token counter.
    pub fn from_image(bytes: &[u8], counter: Arc<dyn CountTokens>) -> Result<Self, ImageError> {
        let damaged = |reason: String| ImageError::Damaged { reason };
        let (format, rest) = bytes
            .split_first_chunk::<4>()
            .ok_or_else(|| damaged("it is too short".into()))?;
        let format = u32::from_le_bytes(*format);
        match format {
            found if found > FORMAT => return Err(ImageError::Newer { found }),
            found if found < FORMAT_OLDEST => return Err(ImageError::Older { found }),
            _ => {}
        }
        let wrong = |wrong: postcard::Error| damaged(wrong.to_string());
        let (body, behind) = match format {
            ..10 => postcard::take_from_bytes(rest)
                .map(|(body, behind)| (Body::<OneStream>::with_streams(body), behind)),
            _ => postcard::take_from_bytes(rest),
        }
        .map_err(wrong)?;
        if body.counter != counter.name() {
            return Err(ImageError::OtherCounter {
                expected: body.counter,
                found: counter.name().to_owned(),
            });
        }
        let mut session = Self {
            config: body.config,
            encoder: body.encoder,
            counter,
            clock: body.clock,
            buffer: body.buffer,
            tree: body.tree,
            rarity: body.rarity,
            turns: body.turns,
            names: body.names,
            beliefs: Arc::new(body.beliefs),
            profiles: Arc::new(body.profiles),
            sources: body.sources,
        };
        session.check_parts().map_err(damaged)?;
        match format {
            8 => session.complete_all(),
            _ => {
                let (read, behind) = postcard::take_from_bytes(behind).map_err(wrong)?;
                session.take_appendix(read).map_err(damaged)?;
                if format > 10 {
                    let named = postcard::from_bytes(behind).map_err(wrong)?;
                    session.take_mentions(named).map_err(damaged)?;
                }
            }
        }
        if format < 10 {
            session.find_dates();
        }
        session.sources.recount_tokens(session.counter.as_ref());
        session.tree.reindex();
        // an image may be from a build that gave beliefs a larger share
        session.fit_observed();
        session.checked().map_err(damaged)
    }

    /// Itself, if it is sound; statements that an earlier build marked as past are counted again.
    fn checked(mut self) -> Result<Self, String> {
        if self.check().is_err() {
            let (tree, ctx) = self.tree_and_context();
            tree.recount_marked(&ctx);
        }
        self.check().map(|()| self)
    }

    /// SHA-256 of the image in hexadecimal: equal digests mean equal sessions.
    #[must_use]
    pub fn digest(&self) -> String {
        hexadecimal(&Sha256::digest(self.to_image()))
    }
}

/// Bytes as lower-case hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let digits = String::with_capacity(bytes.len() * 2);
    bytes.iter().fold(digits, |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::super::appendix::Appendix;
    use super::super::{Input, SpeakerChange};
    use super::*;
    use crate::config::{BoundaryPolicy, MergePolicy, RecallPolicy, RecencyPolicy, UtilityPolicy};
    use crate::memory::{Kind, Node};
    use crate::mentions::Mentions;
    use crate::profile::{EndedBy, ProfileChange};
    use crate::sense::Cause;
    use crate::talk::Wording;
    use crate::text::{Doubt, FactSlot, ObjectKind};
    use serde_reflection::{Samples, Tracer, TracerConfig};
    use weir_models::{NameKind, Terms};

    /// Every type that is stored in an image or a journal, a line each.
    fn shapes() -> String {
        let mut tracer = Tracer::new(TracerConfig::default());
        // values of the types that check what they read
        let mut samples = Samples::new();
        let terms = Terms::of([(1, 1.0)]);
        tracer.trace_value(&mut samples, &terms).unwrap();
        let mut with_tree = Samples::new();
        tracer.trace_value(&mut with_tree, &terms).unwrap();
        let tree = MemoryTree::of_one_scene();
        tracer.trace_value(&mut with_tree, &tree).unwrap();
        macro_rules! trace {
            ($($stored:ty),+) => {{ $(tracer.trace_type::<$stored>(&samples).unwrap();)+ }};
        }
        trace!(
            BoundaryPolicy,
            MergePolicy, RecallPolicy, RecencyPolicy, UtilityPolicy
        );
        trace!(Cause, Doubt, EndedBy, FactSlot, Kind, ObjectKind, Wording);
        trace!(
            Node,
            Appendix, Mentions, ProfileChange, SpeakerChange, Input
        );
        trace!(NameKind);
        tracer.trace_type::<Body<SessionClock>>(&with_tree).unwrap();
        let line = |(name, shape)| format!("{name}: {}\n", serde_json::to_string(&shape).unwrap());
        let lines = tracer.registry().unwrap().into_iter().map(line);
        lines.collect()
    }

    /// A type that changes its stored shape needs another [`FORMAT`] and a migration.
    #[test]
    fn what_is_stored_has_the_shape_of_its_format() {
        let (shapes, root) = (shapes(), env!("CARGO_MANIFEST_DIR"));
        let file = format!("{root}/../../fixtures/session/format-{FORMAT}.shapes");
        if std::env::var_os("WEIR_WRITE").is_some() {
            std::fs::write(&file, &shapes).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap();
        for (now, kept) in shapes.lines().zip(kept.lines()) {
            assert_eq!(now, kept, "another format: raise FORMAT, and migrate");
        }
        assert_eq!(shapes.len(), kept.len());
    }
}
