//! What remembers a stream: one trait, so that only memory differs.
//!
//! Every method reads the same turns, shares encoder, token counter, writer and context budget, and
//! hands over a context; the answerer is the same for all. Each file cites what it follows and what
//! it leaves out.

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

/// What all methods share.
pub struct MethodContext {
    encoder: Arc<dyn Encode>,
    /// Counts tokens, the same everywhere.
    pub counter: Arc<dyn CountTokens>,
    /// Writes summaries, notes and queries where a method needs a language model.
    pub writer: Arc<dyn Writer>,
    /// Tokens that may be stored; `None` is without bound. Flat stores forget their oldest turns.
    pub budget_tokens: Option<usize>,
    encoder_us: AtomicU64,
    encoded_texts: AtomicU64,
}

impl MethodContext {
    /// A kit of its own for one method on one stream.
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

    /// A kit whose writer needs no model.
    pub(crate) fn plain(encoder: Arc<dyn Encode>, budget_tokens: Option<usize>) -> Self {
        let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
        let writer = Arc::new(ExtractiveWriter::new(Arc::clone(&counter)));
        Self::new(encoder, counter, writer, budget_tokens)
    }

    /// Unit-length vectors of texts; the time is counted apart, so that what a method costs beside
    /// the encoder can be told.
    ///
    /// # Errors
    /// The encoder's.
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

    /// What a text is found by.
    ///
    /// # Errors
    /// The encoder's.
    pub fn encode_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        self.timed(texts, |encoder| encoder.encode_for_search(texts))
    }

    /// What one text is found by.
    ///
    /// # Errors
    /// The encoder's.
    pub fn found_by(&self, text: &str) -> Result<Encoded> {
        Ok(self.encode_for_search(&[text])?.pop().unwrap_or_default())
    }

    /// The vector of one text.
    ///
    /// # Errors
    /// The encoder's.
    pub fn encode_one(&self, text: &str) -> Result<Vec<f32>> {
        Ok(self.encode(&[text])?.pop().unwrap_or_default())
    }

    /// Dimension of the vectors.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.encoder.dimension()
    }

    /// The encoder itself, for a memory that calls it on its own.
    #[must_use]
    pub fn encoder(&self) -> &Arc<dyn Encode> {
        &self.encoder
    }

    /// Microseconds of a step without those of the encoder, and what the step gave.
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

/// A turn as a method hears it.
#[derive(Debug, Clone, Copy)]
pub struct HeardTurn<'a> {
    /// The turn.
    pub turn: &'a Turn,
    /// `speaker: text`.
    pub said: &'a str,
    /// Wall time of its beginning in Unix milliseconds, where known.
    pub at_unix_ms: Option<i64>,
}

/// A question.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Its words.
    pub text: &'a str,
    /// Who asks, where known.
    pub asked_by: Option<&'a str>,
    /// Tokens that the context may have; only full context goes over it.
    pub context_tokens: usize,
}

/// What a method hands to the answerer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recalled {
    /// The exact text that the answerer reads, a statement or turn a line.
    pub context: String,
    /// Ids of the turns that the context carries, verbatim or condensed.
    pub turns: Vec<String>,
    /// The method's own answer, where it makes one and the run asks for it.
    pub answer: Option<Answered>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// Its words.
    pub text: String,
    /// Nothing supports an answer.
    pub abstained: bool,
}

/// A memory under measurement.
pub trait Method: Send {
    /// Takes in one turn.
    ///
    /// # Errors
    /// What makes the method fail on this stream; the run records it and goes on with the rest.
    fn hear(&mut self, heard: HeardTurn<'_>) -> Result<()>;

    /// The recording pauses, and goes on at that wall time.
    ///
    /// # Errors
    /// As for [`Method::hear`].
    fn pause(&mut self, _resumes_at_unix_ms: Option<i64>) -> Result<()> {
        Ok(())
    }

    /// Brings up to date what is built from many turns; called before a question that follows
    /// turns, and counted as taking in, not as answering.
    ///
    /// # Errors
    /// As for [`Method::hear`].
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// What it knows about a question. Asking changes nothing.
    ///
    /// # Errors
    /// As for [`Method::hear`].
    fn recall(&self, query: &Query<'_>) -> Result<Recalled>;

    /// Ids of the turns that are still in any part of memory; `None` means all of them.
    fn held(&self) -> Option<Vec<String>>;

    /// Tokens of all text stored: turns, notes, summaries.
    fn stored_tokens(&self) -> usize;

    /// Bytes of text, vectors and links stored, as an estimate from their lengths.
    fn stored_bytes(&self) -> usize;

    /// Bytes on disk of a transcript that it keeps beside its memory and looks words up in.
    fn transcript_bytes(&self) -> usize {
        0
    }
}
