//! A session as bytes: for snapshots, for readers in other processes, and for its digest.

use super::body::{BodyV6, CurrentBody};
use super::format::{FORMAT, FORMAT_OLDEST, ImageError, MigratedLine};
use super::format2::BodyV2;
use super::format3::BodyV3;
use super::format4::BodyV4;
use super::format5::BodyV5;
use super::format7::BodyV7;
use super::{Session, format3};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::sync::Arc;
use weir_models::CountTokens;

/// A session read from an image.
#[derive(Clone)]
pub struct TakenUp {
    /// The session.
    pub session: Session,
    /// Format of the image.
    pub format: u32,
    /// Text that an older format kept in memory and the current one keeps in a transcript, in
    /// order.
    pub lines: Vec<MigratedLine>,
}

impl Session {
    /// The session as bytes: the format number, then its content.
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
        postcard::to_extend(&body, start).expect("writing plain data to memory cannot fail")
    }

    /// Reads a session from an image.
    ///
    /// # Errors
    /// [`ImageError`] if the bytes have a newer format, are damaged, or use another token counter.
    pub fn from_image(bytes: &[u8], counter: Arc<dyn CountTokens>) -> Result<Self, ImageError> {
        Ok(Self::taken_up(bytes, counter)?.session)
    }

    /// As [`Self::from_image`]; also returns the format, and an older format's text for the
    /// transcript.
    ///
    /// # Errors
    /// As [`Self::from_image`].
    pub fn taken_up(bytes: &[u8], counter: Arc<dyn CountTokens>) -> Result<TakenUp, ImageError> {
        let damaged = |reason: String| ImageError::Damaged { reason };
        let (format, rest) = bytes
            .split_first_chunk::<4>()
            .ok_or_else(|| damaged("it is too short".into()))?;
        let found = u32::from_le_bytes(*format);
        if found > FORMAT {
            return Err(ImageError::Newer { found });
        }
        if found < FORMAT_OLDEST {
            return Err(ImageError::Older { found });
        }
        let unreadable = |error: postcard::Error| damaged(error.to_string());
        if found < 4 {
            let body: BodyV3 = match found {
                2 => postcard::from_bytes::<BodyV2>(rest).map(BodyV2::upgraded),
                _ => postcard::from_bytes(rest),
            }
            .map_err(unreadable)?;
            let (session, lines) = format3::taken_up(body, counter)?;
            return Ok(TakenUp {
                session,
                format: found,
                lines,
            });
        }
        let body = current_body(found, rest).map_err(unreadable)?;
        body.check_counter(counter.as_ref())?;
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
            beliefs: body.beliefs,
            profiles: body.profiles,
            sources: body.sources,
        };
        session.check_parts().map_err(damaged)?;
        session.sources.settle(session.counter.as_ref());
        session.tree.reindex();
        if found < 5 {
            let (tree, ctx) = session.tree_and_context();
            tree.recount(&ctx);
            tree.enforce_budget(&ctx);
        }
        session.check().map_err(damaged)?;
        Ok(TakenUp {
            session,
            format: found,
            lines: Vec::new(),
        })
    }

    /// SHA-256 of the image in hexadecimal: equal digests mean equal sessions.
    #[must_use]
    pub fn digest(&self) -> String {
        hexadecimal(&Sha256::digest(self.to_image()))
    }
}

/// The content of an image of format 4 or later, in its present types.
fn current_body(format: u32, bytes: &[u8]) -> Result<CurrentBody, postcard::Error> {
    match format {
        4 => postcard::from_bytes::<BodyV4>(bytes).map(BodyV4::upgraded),
        5 => postcard::from_bytes::<BodyV5>(bytes).map(BodyV5::upgraded),
        6 => postcard::from_bytes::<BodyV6>(bytes).map(BodyV6::upgraded),
        7 => postcard::from_bytes::<BodyV7>(bytes).map(BodyV7::upgraded),
        _ => postcard::from_bytes(bytes),
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
