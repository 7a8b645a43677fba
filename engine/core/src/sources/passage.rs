//! A source as a value: its files, and the passages they are cut into.

use super::excerpt::Excerpt;
use crate::analysis::Term;
use crate::stream::Span;
use crate::text::terms;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use weir_models::{CountTokens, Encode, EncodeError, Encoded, Terms};

/// Passages encoded per batch.
const BATCH: usize = 16;

/// A text file cut into excerpts.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceText {
    /// Name of the file, as citations give it.
    pub file: String,
    /// Its text, in order.
    pub excerpts: Vec<Excerpt>,
}

/// Texts that a session holds beside what was heard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Its name, unique in the session.
    pub name: String,
    /// Factor on the scores of its passages against those of statements, above 0.
    pub weight: f32,
    /// Names of its files.
    pub files: Vec<String>,
    /// Their passages, in order.
    pub passages: Vec<Passage>,
    /// Tokens of all passages; counted by the session that holds it.
    #[serde(skip)]
    pub(super) tokens: usize,
}

/// A contiguous part of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// Index of its file in the source.
    pub file: u32,
    /// Its first line, from 1.
    pub first_line: u32,
    /// Its last line.
    pub last_line: u32,
    /// The time of its cues in subtitles.
    pub span: Option<Span>,
    /// The words as they stand in the file.
    pub text: String,
    /// Its unit-length vector.
    pub vector: Vec<f32>,
    /// Its sparse terms; empty without a sparse encoder.
    pub terms: Terms,
    /// Search terms in ascending order, repeats included; made by the session that holds it.
    #[serde(skip)]
    words: Vec<Term>,
}

/// "`house`: 2 files, 31 passages, 2400 tokens".
impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let many = |number: usize, thing: &str| match number {
            1 => format!("1 {thing}"),
            _ => format!("{number} {thing}s"),
        };
        let (files, passages) = (self.files.len(), self.passages.len());
        let (files, passages) = (many(files, "file"), many(passages, "passage"));
        let tokens = many(self.tokens(), "token");
        write!(f, "`{}`: {files}, {passages}, {tokens}", self.name)
    }
}

impl Source {
    /// A source of these texts with the vectors of an encoder. Cost: encodes each excerpt once.
    ///
    /// # Errors
    /// [`EncodeError`].
    pub fn of(
        name: &str,
        weight: f32,
        texts: Vec<SourceText>,
        encoder: &dyn Encode,
    ) -> Result<Self, EncodeError> {
        let (mut files, mut passages) = (Vec::new(), Vec::new());
        for (at, text) in (0..).zip(texts) {
            files.push(text.file);
            passages.extend(text.excerpts.into_iter().map(|it| Passage::of(at, it)));
        }
        let mut source = Self {
            name: name.to_owned(),
            weight,
            files,
            passages,
            tokens: 0,
        };
        source.encode(encoder)?;
        Ok(source)
    }

    /// Gives every passage the vector and terms of an encoder.
    pub(super) fn encode(&mut self, encoder: &dyn Encode) -> Result<(), EncodeError> {
        for batch in self.passages.chunks_mut(BATCH) {
            let texts: Vec<&str> = batch.iter().map(|it| it.text.as_str()).collect();
            let found = encoder.encode_for_search(&texts)?;
            for (passage, Encoded { vector, terms }) in batch.iter_mut().zip(found) {
                (passage.vector, passage.terms) = (vector, terms);
            }
        }
        Ok(())
    }

    /// Gives every passage the terms of an encoder, and leaves the vectors.
    pub(super) fn encode_terms(&mut self, encoder: &dyn Encode) -> Result<(), EncodeError> {
        for batch in self.passages.chunks_mut(BATCH) {
            let texts: Vec<&str> = batch.iter().map(|it| it.text.as_str()).collect();
            let found = encoder.terms(&texts)?;
            for (passage, terms) in batch.iter_mut().zip(found) {
                passage.terms = terms;
            }
        }
        Ok(())
    }

    /// Counts its tokens and makes the search terms, which are not stored.
    pub(super) fn recount_tokens(&mut self, counter: &dyn CountTokens) {
        let texts = self.passages.iter();
        self.tokens = texts.map(|it| counter.count(&it.text)).sum();
        for passage in &mut self.passages {
            passage.words = terms(&passage.text);
            passage.words.sort_unstable();
        }
    }

    /// Tokens of all passages.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Where a passage stands: `NAME, notes.md:12-18`.
    #[must_use]
    pub fn place(&self, passage: &Passage) -> String {
        let file = self.files.get(passage.file as usize);
        let lines = passage.first_line..=passage.last_line;
        place(&self.name, file.map_or("", String::as_str), lines)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let names = self.files.iter().map(String::len).sum::<usize>();
        let passages = self.passages.iter().map(Passage::bytes);
        size_of::<Self>() + self.name.len() + names + passages.sum::<usize>()
    }
}

impl Passage {
    fn of(file: u32, excerpt: Excerpt) -> Self {
        Self {
            file,
            first_line: excerpt.first_line,
            last_line: excerpt.last_line,
            span: excerpt.span,
            text: excerpt.text,
            vector: Vec::new(),
            terms: Terms::default(),
            words: Vec::new(),
        }
    }

    /// The passage without its vector, for an export.
    pub(crate) fn bare(&self) -> Self {
        Self {
            vector: Vec::new(),
            ..self.clone()
        }
    }

    /// The passage of an export with its vector.
    pub(crate) fn with_vector(self, vector: Vec<f32>) -> Self {
        Self { vector, ..self }
    }

    /// Its search terms in ascending order, repeats included.
    #[must_use]
    pub fn words(&self) -> &[Term] {
        &self.words
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.text.len()
            + self.vector.len() * size_of::<f32>()
            + self.terms.bytes()
            + self.words.len() * size_of::<Term>()
    }
}

/// `NAME, notes.md:12-18`, or `NAME, notes.md:12` for a single line.
#[must_use]
pub fn place(source: &str, file: &str, lines: RangeInclusive<u32>) -> String {
    let (first, last) = lines.into_inner();
    match first == last {
        true => format!("{source}, {file}:{first}"),
        false => format!("{source}, {file}:{first}-{last}"),
    }
}
