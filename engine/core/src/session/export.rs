//! A session as JSON Lines: to read, to move elsewhere, or to edit and import again.
//!
//! ```text
//! {"weir_export":6, "counter":…, "config":…, "encoder":…, "streams":…, "sensing":…, "tree":…, …}
//! {"node":{…},"read":{…},"vector":"…"} one a node; what was read from its words; the vector as
//!                                      hexadecimal little-endian floats
//! {"belief":{…},"vector":"…"}          one a belief
//! {"fact":{…},"vector":"…"}            one a fact of a profile
//! {"passage":{…},"vector":"…"}         one a passage of a source
//! {"heard":{…},"read":{…},"vector":"…"} one an utterance of raw talk
//! {"words":{…}}                        how often words occurred, by counter
//! {"end":{"lines":…,"digest":"…"}}     without it the file was cut off
//! ```
//!
//! The digest is the SHA-256 of the lines before it. Imported unchanged, it is the same session.
//! Imported with changes, it is checked like any other session: tokens are counted again, facts are
//! settled, budgets are enforced. The same goes for exports of version 1, whose digest was that of
//! an image.

use super::appendix::Read;
use super::clock::{OneStream, SessionClock};
use super::derive::{self, analyse_heard};
use super::image::hexadecimal;
use super::{EncoderStamp, Session, SpeakerNames};
use crate::analysis::Term;
use crate::beliefs::{Belief, Beliefs};
use crate::config::{MergePolicy, SessionConfig};
use crate::limits;
use crate::memory::{MemoryTree, Node, RarityTable, TreeFrame};
use crate::profile::{ProfileFact, Profiles};
use crate::sense::{BufferFrame, SensingBuffer};
use crate::sources::{Passage, Sources};
use crate::talk::BufferedUtterance;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use weir_models::CountTokens;

/// Version of the lines. 1 and 2, without names of speakers, 3, without beliefs, profiles and
/// sources, 4, without what was read from words, 5, with one stream, and 6, without what statements
/// name, are still read.
const EXPORT: u32 = 7;

/// Why lines are not a valid session.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A line is invalid.
    #[error("line {line}: {reason}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// The reason.
        reason: String,
    },
    /// The last line is missing.
    #[error("it ends after line {line} without its last line; it was cut off, export it again")]
    CutOff {
        /// Number of lines read.
        line: usize,
    },
    /// The parts do not form a session.
    #[error("its lines do not fit together: {reason}")]
    Unfit {
        /// The first invariant that fails.
        reason: String,
    },
    /// It cannot be read.
    #[error("it cannot be read")]
    Io(#[from] io::Error),
}

/// An imported session.
#[derive(Clone)]
pub struct Imported {
    /// The session.
    pub session: Session,
    /// Whether the lines are unchanged; `false` for an export of version 1, for which this is
    /// unknown.
    pub unchanged: bool,
}

#[derive(Serialize, Deserialize)]
struct Head {
    weir_export: u32,
    counter: String,
    config: SessionConfig,
    encoder: EncoderStamp,
    /// Until version 5.
    #[serde(default, skip_serializing)]
    clock: Option<OneStream>,
    #[serde(default)]
    streams: SessionClock,
    turns: u64,
    sensing: BufferFrame,
    tree: TreeFrame,
    #[serde(default)]
    names: SpeakerNames,
    /// Terms of these names.
    #[serde(default)]
    name_terms: Vec<Vec<Term>>,
    #[serde(default)]
    beliefs: Beliefs,
    #[serde(default)]
    profiles: Profiles,
    /// Without passages.
    #[serde(default)]
    sources: Sources,
}

#[derive(Serialize, Deserialize)]
struct End {
    /// Lines before this one.
    lines: usize,
    digest: String,
}

/// A line after the first: one of all but the last, with its vector.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<Box<Node>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    belief: Option<Box<Belief>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<Box<ProfileFact>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passage: Option<Box<PassageLine>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heard: Option<Box<BufferedUtterance>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<RarityTable>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<End>,
    /// What was read from the words of the node or utterance.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<Box<Read>>,
    #[serde(skip_serializing_if = "String::is_empty")]
    vector: String,
}

/// A passage, without its vector, and the place of its source.
#[derive(Serialize, Deserialize)]
struct PassageLine {
    source: usize,
    #[serde(flatten)]
    passage: Passage,
}

impl Session {
    /// Writes the session as JSON Lines. Cost: about ten bytes per float held.
    ///
    /// # Errors
    /// Write errors of `out`.
    pub fn export(&self, out: &mut dyn Write) -> io::Result<()> {
        let head = Head {
            weir_export: EXPORT,
            counter: self.counter.name().to_owned(),
            config: self.config.clone(),
            encoder: self.encoder.clone(),
            clock: None,
            streams: self.clock.clone(),
            turns: self.turns,
            sensing: self.buffer.frame(),
            tree: self.tree.frame(),
            names: self.names.clone(),
            name_terms: self.name_terms(),
            beliefs: self.beliefs.frame(),
            profiles: self.profiles.frame(),
            sources: self.sources.frame(),
        };
        let mut lines = Written::to(out);
        lines.write(&head)?;
        for node in self.tree.nodes() {
            lines.write(&Line {
                node: Some(Box::new(node.clone())),
                read: Some(Box::new(node.analysis.clone().into())),
                vector: hex(self.tree.vector(node.id)),
                ..Line::default()
            })?;
        }
        self.write_known(&mut lines)?;
        for heard in self.buffer.raw() {
            let bare = BufferedUtterance {
                vector: Vec::new(),
                ..heard.clone()
            };
            lines.write(&Line {
                heard: Some(Box::new(bare)),
                read: Some(Box::new(heard.analysis.clone().into())),
                vector: hex(&heard.vector),
                ..Line::default()
            })?;
        }
        lines.write(&Line {
            words: Some(self.rarity.clone()),
            ..Line::default()
        })?;
        let end = lines.end();
        lines.write(&Line {
            end: Some(end),
            ..Line::default()
        })
    }

    /// Writes beliefs, facts and passages.
    fn write_known(&self, lines: &mut Written<'_>) -> io::Result<()> {
        for belief in self.beliefs.held() {
            lines.write(&Line {
                belief: Some(Box::new(belief.bare())),
                vector: hex(belief.vector()),
                ..Line::default()
            })?;
        }
        for fact in self.profiles.facts() {
            lines.write(&Line {
                fact: Some(Box::new(fact.bare())),
                vector: hex(fact.vector()),
                ..Line::default()
            })?;
        }
        for (source, of) in self.sources.held().enumerate() {
            for passage in &of.passages {
                let vector = hex(&passage.vector);
                let passage = passage.bare();
                lines.write(&Line {
                    passage: Some(Box::new(PassageLine { source, passage })),
                    vector,
                    ..Line::default()
                })?;
            }
        }
        Ok(())
    }

    /// Imports the output of [`Self::export`], edited or not.
    ///
    /// # Errors
    /// [`ImportError`] names the first invalid line, or the invariant that fails.
    pub fn import(
        input: &mut dyn BufRead,
        counter: Arc<dyn CountTokens>,
    ) -> Result<Imported, ImportError> {
        let mut lines = Lines {
            input,
            line: 0,
            sum: Sha256::new(),
        };
        let head = lines.head(counter.name())?;
        let pieces = lines.pieces(head.encoder.dimension)?;
        let unfit = |reason| ImportError::Unfit { reason };
        let one = head.clock.map(|it| it.clock(head.names.stream_labels()));
        let mut session = Self {
            tree: MemoryTree::assembled(head.tree, pieces.nodes, head.encoder.dimension)
                .map_err(unfit)?,
            buffer: SensingBuffer::assembled(head.sensing, pieces.raw),
            rarity: pieces.rarity,
            config: head.config,
            encoder: head.encoder,
            counter,
            clock: one.unwrap_or(head.streams),
            turns: head.turns,
            names: head.names,
            beliefs: Arc::new(head.beliefs),
            profiles: Arc::new(head.profiles),
            sources: head.sources,
        };
        if head.name_terms.len() == session.names.named().len() {
            let terms = head.name_terms.into_iter();
            let named = session.names.named_mut().iter_mut();
            named.zip(terms).for_each(|(it, terms)| it.terms = terms);
        } else {
            session.complete_names();
        }
        session.find_dates();
        session.restore_observed(pieces.beliefs, pieces.facts);
        session.restore_passages(pieces.passages).map_err(unfit)?;
        session.buffer.recount(session.counter.as_ref());
        session.check_parts().map_err(unfit)?;
        session.tree.check_places().map_err(unfit)?;
        session.tree.reindex();
        if session.check().is_err() || !pieces.unchanged {
            session.rederive_imported();
        }
        session.check().map_err(unfit)?;
        Ok(Imported {
            session,
            unchanged: pieces.unchanged,
        })
    }

    /// Recomputes the derived data of edited lines.
    fn rederive_imported(&mut self) {
        self.reread_all();
        self.tree.reindex();
        self.fit_observed();
        let (tree, ctx) = self.tree_and_context();
        tree.recount(&ctx);
        tree.enforce_budget(&ctx);
    }
}

/// Writes lines, counts them and computes their digest.
struct Written<'a> {
    out: &'a mut dyn Write,
    lines: usize,
    sum: Sha256,
}

impl<'a> Written<'a> {
    fn to(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            lines: 0,
            sum: Sha256::new(),
        }
    }

    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.sum.update(&text);
        self.lines += 1;
        self.out.write_all(&text)
    }

    /// The last line's data for the lines written so far.
    fn end(&self) -> End {
        End {
            lines: self.lines,
            digest: hexadecimal(&self.sum.clone().finalize()),
        }
    }
}

/// Reads lines of bounded length and counts them.
struct Lines<'a> {
    input: &'a mut dyn BufRead,
    line: usize,
    /// Digest of the lines before the last.
    sum: Sha256,
}

/// Everything after the first line.
struct Pieces {
    nodes: Vec<(Node, Vec<f32>)>,
    beliefs: Vec<(Belief, Vec<f32>)>,
    facts: Vec<(ProfileFact, Vec<f32>)>,
    /// Each with the place of its source.
    passages: Vec<(usize, Passage)>,
    raw: Vec<BufferedUtterance>,
    rarity: RarityTable,
    unchanged: bool,
}

impl Lines<'_> {
    /// The first line, if its version and counter are supported.
    fn head(&mut self, counter: &str) -> Result<Head, ImportError> {
        let first = self.next()?.ok_or(ImportError::CutOff { line: 0 })?;
        let mut head: Head = self.parse(&first)?;
        let found = head.weir_export;
        if !(1..=EXPORT).contains(&found) {
            let reason = format!("export version {found}; this version reads 1 to {EXPORT}");
            return Err(self.wrong(reason));
        }
        if found == 1 {
            head.config.merge = MergePolicy::implied_by(&head.config.profile);
        }
        self.sum.update(&first);
        if head.counter != counter {
            let (made, here) = (head.counter, counter);
            let reason =
                format!("it was counted with token counter `{made}`; this program uses `{here}`");
            return Err(self.wrong(reason));
        }
        let dimension = head.encoder.dimension;
        if dimension > limits::DIMENSION_MAX {
            let most = limits::DIMENSION_MAX;
            return Err(self.wrong(format!(
                "vectors of {dimension} floats; the limit is {most}"
            )));
        }
        Ok(head)
    }

    fn pieces(&mut self, dimension: usize) -> Result<Pieces, ImportError> {
        let mut nodes: Vec<(Node, Vec<f32>)> = Vec::new();
        let (mut beliefs, mut facts, mut passages) = (Vec::new(), Vec::new(), Vec::new());
        let mut raw: Vec<BufferedUtterance> = Vec::new();
        let mut rarity = RarityTable::default();
        loop {
            let Some(text) = self.next()? else {
                return Err(ImportError::CutOff { line: self.line });
            };
            let line: Line = self.parse(&text)?;
            let vector = || floats(&line.vector, dimension).map_err(|why| self.wrong(why));
            match line {
                Line {
                    node: Some(node),
                    read,
                    ..
                } => nodes.push((derive::completed(*node, read.map(Read::all)), vector()?)),
                Line {
                    belief: Some(belief),
                    ..
                } => beliefs.push((*belief, vector()?)),
                Line {
                    fact: Some(fact), ..
                } => facts.push((*fact, vector()?)),
                Line {
                    passage: Some(line),
                    ..
                } => passages.push((line.source, line.passage.with_vector(vector()?))),
                Line {
                    heard: Some(heard),
                    read,
                    ..
                } => raw.push(BufferedUtterance {
                    vector: vector()?,
                    analysis: read.map_or_else(|| analyse_heard(&heard.utterance), Read::all),
                    ..*heard
                }),
                Line {
                    words: Some(table), ..
                } => rarity = table,
                Line { end: Some(end), .. } => {
                    let sum = std::mem::take(&mut self.sum).finalize();
                    return Ok(Pieces {
                        nodes,
                        beliefs,
                        facts,
                        passages,
                        raw,
                        rarity,
                        unchanged: end.digest == hexadecimal(&sum),
                    });
                }
                _ => {
                    let parts = "node, belief, fact, passage, heard, words and end";
                    return Err(self.wrong(format!("it has none of {parts}")));
                }
            }
            self.sum.update(&text);
        }
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>, ImportError> {
        let mut text = Vec::new();
        let most = limits::IMPORT_LINE_BYTES_MAX;
        let read =
            io::Read::take(&mut *self.input, most as u64 + 1).read_until(b'\n', &mut text)?;
        if read == 0 {
            return Ok(None);
        }
        self.line += 1;
        if read > most {
            return Err(self.wrong(format!("it is longer than {most} bytes")));
        }
        if self.line > limits::IMPORT_LINES_MAX {
            let most = limits::IMPORT_LINES_MAX;
            return Err(self.wrong(format!("more than {most} lines; no session has as many")));
        }
        Ok(Some(text))
    }

    fn parse<'t, T: Deserialize<'t>>(&self, text: &'t [u8]) -> Result<T, ImportError> {
        serde_json::from_slice(text).map_err(|wrong| self.wrong(wrong.to_string()))
    }

    fn wrong(&self, reason: String) -> ImportError {
        ImportError::Line {
            line: self.line,
            reason,
        }
    }
}

fn hex(vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
    hexadecimal(&bytes)
}

fn floats(text: &str, dimension: usize) -> Result<Vec<f32>, String> {
    let wrong = || {
        let digits = dimension * 8;
        format!("its vector must be {digits} hexadecimal digits, {dimension} floats")
    };
    if text.len() != dimension * 8 || !text.is_ascii() {
        return Err(wrong());
    }
    let float = |at: usize| {
        let part = text.get(at * 8..at * 8 + 8)?;
        let bits = u32::from_str_radix(part, 16).ok()?;
        let float = f32::from_bits(bits.swap_bytes());
        float.is_finite().then_some(float)
    };
    let found: Option<Vec<f32>> = (0..dimension).map(float).collect();
    found.ok_or_else(wrong)
}
