//! The memories under measurement: one trait, so that only memory differs.
//!
//! Every method reads the same turns, shares encoder, token counter, writer and context budget, and
//! returns a context; the answerer is the same for all. Each file cites its paper and lists what it
//! leaves out.

pub mod a_mem;
pub mod baselines;
pub mod blocks;
pub mod cells;
pub mod cluster;
pub mod context;
pub mod entities;
pub mod extractive;
pub mod flat;
pub mod fuse;
pub mod graph;
pub mod graphrag;
pub mod hipporag2;
pub mod lexical;
pub mod matrix;
pub mod memgas;
pub mod memorag;
pub mod note;
pub mod notes;
pub mod prior;
pub mod products;
pub mod rag;
pub mod raptor;
pub mod recent;
pub mod registry;
pub mod rq_rag;
pub mod summary;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub mod weir;
pub mod writer;

use crate::stream::Turn;
use crate::timing::us;
use anyhow::Result;
use extractive::ExtractiveWriter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use weir_models::{CountTokens, Encode, EncodeError, Encoded, WordPieceCounter};
use writer::Writer;

/// Resources shared by all methods.
pub struct MethodContext {
    encoder: Arc<dyn Encode>,
    /// The common token counter.
    pub counter: Arc<dyn CountTokens>,
    /// Writes summaries, notes and queries if a method needs a language model.
    pub writer: Arc<dyn Writer>,
    /// Token budget; `None` is unlimited. Flat stores forget their oldest turns.
    pub budget_tokens: Option<usize>,
    encoder_us: AtomicU64,
    encoded_texts: AtomicU64,
}

impl MethodContext {
    /// A separate kit for one method on one stream.
    #[must_use]
    pub fn new(
        encoder: Arc<dyn Encode>,
        counter: Arc<dyn CountTokens>,
        writer: Arc<dyn Writer>,
        budget_tokens: Option<usize>,
    ) -> Self {
        Self {
            encoder,
            counter,
            writer,
            budget_tokens,
            encoder_us: AtomicU64::new(0),
            encoded_texts: AtomicU64::new(0),
        }
    }

    /// A kit with a writer without a model.
    pub(crate) fn plain(encoder: Arc<dyn Encode>, budget_tokens: Option<usize>) -> Self {
        let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
        let writer = Arc::new(ExtractiveWriter::new(Arc::clone(&counter)));
        Self::new(encoder, counter, writer, budget_tokens)
    }

    /// Unit-length vectors of texts; encoder time is counted separately, so that it can be excluded
    /// from a method's cost.
    ///
    /// # Errors
    /// Those of the encoder.
    pub fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        self.timed(texts, |encoder| encoder.encode(texts))
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

    /// The search keys of texts.
    ///
    /// # Errors
    /// Those of the encoder.
    pub fn encode_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        self.timed(texts, |encoder| encoder.encode_for_search(texts))
    }

    /// The search keys of one text.
    ///
    /// # Errors
    /// Those of the encoder.
    pub fn found_by(&self, text: &str) -> Result<Encoded> {
        Ok(self.encode_for_search(&[text])?.pop().unwrap_or_default())
    }

    /// The vector of one text.
    ///
    /// # Errors
    /// Those of the encoder.
    pub fn encode_one(&self, text: &str) -> Result<Vec<f32>> {
        Ok(self.encode(&[text])?.pop().unwrap_or_default())
    }

    /// Dimension of the vectors.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.encoder.dimension()
    }

    /// The encoder itself, for a memory that calls it directly.
    #[must_use]
    pub fn encoder(&self) -> &Arc<dyn Encode> {
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
    #[must_use]
    pub fn encoded(&self) -> (u64, u64) {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (of(&self.encoder_us), of(&self.encoded_texts))
    }
}

/// A turn as input of a method.
#[derive(Debug, Clone, Copy)]
pub struct HeardTurn<'a> {
    /// The turn.
    pub turn: &'a Turn,
    /// `speaker: text`.
    pub said: &'a str,
    /// Start in Unix milliseconds, if known.
    pub at_unix_ms: Option<i64>,
}

/// A question.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Its text.
    pub text: &'a str,
    /// Who asks, if known.
    pub asked_by: Option<&'a str>,
    /// Token limit of the context; only full context exceeds it.
    pub context_tokens: usize,
}

/// A method's output for the answerer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recalled {
    /// The exact text for the answerer, one statement or turn per line.
    pub context: String,
    /// Ids of the turns in the context, verbatim or condensed.
    pub turns: Vec<String>,
    /// The method's own answer, if it makes one and the run requests it.
    pub answer: Option<Answered>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// Its text.
    pub text: String,
    /// Whether the answerer abstained.
    pub abstained: bool,
}

/// A memory under measurement.
pub trait Method: Send {
    /// Takes one turn.
    ///
    /// # Errors
    /// What makes the method fail on this stream; the run records it and goes on with the rest.
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()>;

    /// The recording pauses, and continues at this wall time.
    ///
    /// # Errors
    /// As for [`Method::hear`].
    fn pause(&mut self, _resumes_at_unix_ms: Option<i64>) -> Result<()> {
        Ok(())
    }

    /// Updates structures built from many turns; called before a question that follows turns, and
    /// counted as taking in, not as answering.
    ///
    /// # Errors
    /// As for [`Method::hear`].
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// Retrieves the context of a question. Asking changes nothing.
    ///
    /// # Errors
    /// As for [`Method::hear`].
    fn recall(&self, query: &Query<'_>) -> Result<Recalled>;

    /// Ids of the turns that remain in any part of memory; `None` means all.
    fn held(&self) -> Option<Vec<String>>;

    /// Tokens of all text stored: turns, notes, summaries.
    fn stored_tokens(&self) -> usize;

    /// Estimated bytes of text, vectors and links stored.
    fn stored_bytes(&self) -> usize;

    /// Bytes on disk of a transcript used beside memory.
    fn transcript_bytes(&self) -> usize {
        0
    }
}
