//! A session moved to another encoder: every vector made anew from the text that is held.
//!
//! Not an input: what was forgotten is not encoded again, so the journal before it cannot be
//! applied to the result. Whoever keeps sessions takes a snapshot right after.

use super::{EncoderStamp, Session, rendered};
use crate::config::EncoderProfile;
use crate::memory::{Kind, NodeId};
use weir_models::{Encode, EncodeError};

/// Texts encoded at once.
const BATCH: usize = 64;

impl Session {
    /// The same session with vectors and thresholds of another encoder. Cost: encodes each unit and
    /// each raw utterance held once.
    ///
    /// # Errors
    /// [`EncodeError`]; the session is as it was.
    pub fn reencoded(&self, encoder: &dyn Encode) -> Result<Self, EncodeError> {
        let stamp = EncoderStamp::of(encoder);
        let (ids, texts): (Vec<NodeId>, Vec<String>) = self
            .tree
            .of_kind(Kind::Unit)
            .map(|unit| (unit.id, unit.rendered()))
            .unzip();
        let units: Vec<(NodeId, Vec<f32>)> =
            ids.into_iter().zip(encoded(encoder, &texts)?).collect();
        let said: Vec<String> = self
            .buffer
            .raw()
            .map(|heard| rendered(&heard.utterance))
            .collect();
        let said = encoded(encoder, &said)?;
        let mut moved = self.clone();
        moved.config.profile = EncoderProfile::for_encoder(&stamp.name);
        moved.tree = self.tree.with_vectors(stamp.dimension, &units);
        moved.buffer = self.buffer.with_vectors(said);
        moved.encoder = stamp;
        Ok(moved)
    }
}

fn encoded(encoder: &dyn Encode, texts: &[String]) -> Result<Vec<Vec<f32>>, EncodeError> {
    let mut vectors = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
        vectors.extend(encoder.encode(&batch)?);
    }
    Ok(vectors)
}
