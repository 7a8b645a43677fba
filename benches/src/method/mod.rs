//! The memories under measurement: one trait, so that only memory differs.
//!
//! Every method reads the same turns, shares encoder, token counter and context budget, and
//! returns a context. Each file cites its paper and lists what it leaves out.

mod a_mem;
mod blocks;
mod bounded;
mod cluster;
pub(crate) mod context;
mod entities;
pub(crate) mod eviction;
mod extractive;
mod flat;
mod graph;
mod graphrag;
mod hipporag2;
mod lexical;
mod matrix;
mod memgas;
mod memorag;
mod note;
mod rag;
mod raptor;
mod recent;
pub(crate) mod registry;
mod summary;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod weir;

use crate::options::Model;
use crate::stream::Turn;
use crate::timing::us;
use anyhow::Result;
use extractive::Writer;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use weir_models::{
    Annotate, CountTokens, Encode, EncodeError, Encoded, EncoderIdentity, WordPieceCounter,
};

/// Resources shared by all methods.
pub(crate) struct MethodContext {
    encoder: Arc<dyn Encode>,
    pub(crate) counter: Arc<dyn CountTokens>,
    /// Writes that for which a method asks a language model.
    writer: Writer,
    /// Token budget; `None` is unlimited.
    pub(crate) budget_tokens: Option<usize>,
    encoder_us: AtomicU64,
    encoded_texts: AtomicU64,
}

impl MethodContext {
    /// A separate kit for one method on one stream.
    pub(crate) fn new(
        encoder: Arc<dyn Encode>,
        counter: Arc<dyn CountTokens>,
        budget_tokens: Option<usize>,
    ) -> Self {
        Self {
            encoder,
            writer: Writer::new(Arc::clone(&counter)),
            counter,
            budget_tokens,
            encoder_us: AtomicU64::new(0),
            encoded_texts: AtomicU64::new(0),
        }
    }

    /// The same with the token counter that all measurements share.
    pub(crate) fn plain(encoder: Arc<dyn Encode>, budget_tokens: Option<usize>) -> Self {
        Self::new(encoder, Arc::new(WordPieceCounter::shared()), budget_tokens)
    }

    /// The same with a language model, if one is given, that writes for all methods.
    pub(crate) fn with_model(mut self, model: Option<Model>) -> Self {
        self.writer.model = model;
        self
    }

    /// The model, if one is given.
    pub(crate) fn model(&self) -> Option<Model> {
        self.writer.model.clone()
    }

    fn timed<T>(
        &self,
        texts: &[&str],
        encode: impl FnOnce(&dyn Encode) -> Result<T, EncodeError>,
    ) -> Result<T, EncodeError> {
        let before = Instant::now();
        let found = encode(self.encoder.as_ref())?;
        let spent = before.elapsed().as_micros() as u64;
        self.encoder_us.fetch_add(spent, Ordering::Relaxed);
        let texts = texts.len() as u64;
        self.encoded_texts.fetch_add(texts, Ordering::Relaxed);
        Ok(found)
    }

    /// The search keys of a question.
    pub(crate) fn asked_by(&self, question: &str) -> Result<Encoded> {
        let found_by = self.encode_queries_for_search(&[question])?.pop();
        Ok(found_by.unwrap_or_default())
    }

    /// The vector of one text.
    pub(crate) fn encode_one(&self, text: &str) -> Result<Vec<f32>> {
        Ok(self.encode(&[text])?.pop().unwrap_or_default())
    }

    pub(crate) fn encoder(&self) -> &Arc<dyn Encode> {
        &self.encoder
    }

    /// Microseconds of a step without encoder time, and the step's result.
    pub(crate) fn beside_encoder<T>(&self, step: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
        let (encoder_us, began) = (self.encoded().0, Instant::now());
        let done = step()?;
        let encoder_us = self.encoded().0 - encoder_us;
        Ok(((us(began) - encoder_us as f64).max(0.0), done))
    }

    /// Microseconds spent in the encoder, and texts encoded, so far.
    pub(crate) fn encoded(&self) -> (u64, u64) {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (of(&self.encoder_us), of(&self.encoded_texts))
    }
}

/// Encoder time is counted separately, so that it can be excluded from a method's cost.
impl Encode for MethodContext {
    fn dimension(&self) -> usize {
        self.encoder.dimension()
    }

    fn identity(&self) -> &EncoderIdentity {
        self.encoder.identity()
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        self.timed(texts, |encoder| encoder.encode(texts))
    }

    fn encode_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        self.timed(texts, |encoder| encoder.encode_for_search(texts))
    }

    fn encode_queries_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        self.timed(texts, |encoder| encoder.encode_queries_for_search(texts))
    }

    fn terms_identity(&self) -> Option<&EncoderIdentity> {
        self.encoder.terms_identity()
    }

    fn language(&self) -> Option<&dyn Annotate> {
        self.encoder.language()
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct HeardTurn<'a> {
    pub(crate) turn: &'a Turn,
    /// `speaker: text`.
    pub(crate) said: &'a str,
    /// Start in Unix milliseconds, if known.
    pub(crate) at_unix_ms: Option<i64>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Query<'a> {
    pub(crate) text: &'a str,
    /// Who asks, if known.
    pub(crate) asked_by: Option<&'a str>,
    /// Token limit of the context; only full context exceeds it.
    pub(crate) context_tokens: usize,
}

/// A method's result for a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Recalled {
    /// The context, one statement or turn per line.
    pub(crate) context: String,
    /// Ids of the turns in the context, verbatim or condensed.
    pub(crate) turns: Vec<String>,
    /// The method's answer, if it makes one.
    pub(crate) answer: Option<Answered>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) text: String,
    pub(crate) abstained: bool,
    /// Ids of the turns that it cites.
    pub(crate) cited: Vec<String>,
    /// Of a model's answer: whether a sentence was removed because nothing that it cites supports
    /// it, and whether quotes stand where its text would.
    pub(crate) cut_quoted: Option<(bool, bool)>,
}

impl Answered {
    /// The text that is scored: an abstention says nothing.
    pub(crate) fn counted(&self) -> &str {
        if self.abstained { "" } else { &self.text }
    }
}

pub(crate) trait Method: Send {
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()>;

    /// The recording pauses, and continues at this wall time.
    fn pause(&mut self, _resumes_at_unix_ms: Option<i64>) -> Result<()> {
        Ok(())
    }

    /// Updates structures built from many turns; called before a question that follows turns, and
    /// counted as ingest, not as answering.
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// Retrieves the context of a question. Asking changes nothing.
    fn recall(&self, query: &Query<'_>) -> Result<Recalled>;

    /// Ids of the turns that remain in any part of memory; `None` means all.
    fn held(&self) -> Option<Vec<String>> {
        None
    }

    /// Tokens of all text stored.
    fn stored_tokens(&self) -> usize;

    /// Bytes on disk of a transcript used beside memory.
    fn transcript_bytes(&self) -> usize {
        0
    }
}
