//! Moves a session to another encoder: recomputes every vector, or all terms, from the text held.
//!
//! This is not an input: forgotten text is not encoded again, so the earlier journal cannot be
//! applied to the result. Whoever stores the session must take a snapshot right after.

use super::{EncoderStamp, Session};
use crate::config::EncoderProfile;
use crate::memory::{Kind, Node, NodeId};
use crate::stream::spoken_line;
use crate::transcript::Transcript;
use weir_models::{Encode, EncodeError, Encoded};

/// Texts encoded per batch.
const BATCH: usize = 64;

impl Session {
    /// The same session with vectors and thresholds of another encoder, without units that no
    /// longer fit into the byte budget. Cost: encodes each unit and each raw utterance once.
    ///
    /// # Errors
    /// [`EncodeError`]; the session is then unchanged.
    pub fn reencoded(&self, encoder: &dyn Encode) -> Result<Self, EncodeError> {
        let stamp = EncoderStamp::of(encoder);
        let (ids, texts): (Vec<NodeId>, Vec<String>) = self
            .tree
            .of_kind(Kind::Unit)
            .map(|unit| (unit.id, unit.rendered()))
            .unzip();
        let units: Vec<(NodeId, Encoded)> = ids
            .into_iter()
            .zip(in_batches(&texts, |batch| {
                encoder.encode_for_search(batch)
            })?)
            .collect();
        let said: Vec<String> = self
            .buffer
            .raw()
            .map(|heard| heard.utterance.rendered())
            .collect();
        let said = in_batches(&said, |batch| encoder.encode_for_search(batch))?;
        let mut moved = self.clone();
        moved.config.profile = EncoderProfile::for_encoder(&stamp.name);
        moved.tree = self.tree.with_vectors(stamp.dimension, &units);
        moved.buffer = self.buffer.with_vectors(said);
        moved.encoder = stamp;
        moved.reencode_observed(encoder)?;
        moved.sources.encode(encoder)?;
        moved.fit();
        Ok(moved)
    }
}

impl Session {
    /// The same session with the terms of this encoder and unchanged vectors, without units that no
    /// longer fit into the byte budget. The statements of units kept as key words are read from
    /// `transcript`. Cost: encodes each unit and each raw utterance once.
    ///
    /// # Errors
    /// [`EncodeError`]; the session is then unchanged.
    pub fn with_terms_of(
        &self,
        encoder: &dyn Encode,
        transcript: Option<&dyn Transcript>,
    ) -> Result<Self, EncodeError> {
        let said = |unit: &Node| {
            let quoted = || transcript?.quote(unit.evidence.first()?);
            match quoted().filter(|_| unit.is_key()) {
                Some(said) => spoken_line(unit.speaker.as_deref(), &unit.display_text_with(&said)),
                None => unit.rendered(),
            }
        };
        let units = self.tree.of_kind(Kind::Unit);
        let (ids, texts): (Vec<NodeId>, Vec<String>) =
            units.map(|unit| (unit.id, said(unit))).unzip();
        let units = in_batches(&texts, |batch| encoder.terms(batch))?;
        let raw = self.buffer.raw();
        let raw: Vec<String> = raw.map(|heard| heard.utterance.rendered()).collect();
        let raw = in_batches(&raw, |batch| encoder.terms(batch))?;
        let mut made = self.clone();
        made.tree.set_terms(ids.into_iter().zip(units));
        made.buffer.set_terms(raw.into_iter());
        made.sources.encode_terms(encoder)?;
        made.encoder.terms = EncoderStamp::of(encoder).terms;
        made.fit();
        Ok(made)
    }

    /// Forgets what exceeds the byte budget with larger vectors or more terms.
    fn fit(&mut self) {
        let (tree, ctx) = self.tree_and_context();
        tree.enforce_budget(&ctx);
    }
}

pub(super) fn in_batches<T>(
    texts: &[String],
    encode: impl Fn(&[&str]) -> Result<Vec<T>, EncodeError>,
) -> Result<Vec<T>, EncodeError> {
    let mut found = Vec::with_capacity(texts.len());
    for batch in texts.chunks(BATCH) {
        let batch: Vec<&str> = batch.iter().map(String::as_str).collect();
        found.extend(encode(&batch)?);
    }
    Ok(found)
}
