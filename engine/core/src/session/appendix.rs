//! The appendix of an image or an input: what was read from words.
//!
//! Image format 9 is format 8 followed by this appendix, and so are the entries of its journal.
//! Format 8 has only the words; the appendix is then made from them once. Format 10 also stores in
//! an entry which stream pauses, and how a stream begins. Format 11 also stores what statements
//! name, behind the appendix of an image and of a distilled block: before it nothing is named.

use super::{Erasure, Input, Naming, Session};
use crate::analysis::{Analysis, Term};
use crate::memory::UnitRewrite;
use crate::mentions::Mentions;
use crate::talk::{Distillate, DistilledUnit};
use serde::{Deserialize, Serialize};

/// The analyses of a session, each list in the order of what they belong to.
#[derive(Serialize, Deserialize)]
pub(super) struct Appendix {
    nodes: Vec<Analysis>,
    raw: Vec<Analysis>,
    names: Vec<Vec<Term>>,
}

/// An analysis in a line of an export, which has all of it in one object.
#[derive(Serialize, Deserialize)]
pub(super) struct Read {
    #[serde(flatten)]
    analysis: Analysis,
    #[serde(flatten)]
    mentions: Option<Mentions>,
}

impl From<Analysis> for Read {
    fn from(mut analysis: Analysis) -> Self {
        let mentions = std::mem::take(&mut analysis.mentions);
        Self {
            mentions: Some(mentions).filter(|it| !it.is_empty()),
            analysis,
        }
    }
}

impl Read {
    /// The whole analysis.
    pub(super) fn all(self: Box<Self>) -> Analysis {
        let mentions = self.mentions.unwrap_or_default();
        Analysis {
            mentions,
            ..self.analysis
        }
    }
}

impl Session {
    /// The appendix of its image.
    pub(super) fn appendix(&self) -> Appendix {
        let nodes = self.tree.nodes().map(|node| node.analysis.clone());
        let raw = self.buffer.raw().map(|heard| heard.analysis.clone());
        Appendix {
            nodes: nodes.collect(),
            raw: raw.collect(),
            names: self.name_terms(),
        }
    }

    /// What each node names, in their order.
    pub(super) fn mentions(&self) -> Vec<Mentions> {
        let nodes = self.tree.nodes();
        nodes.map(|node| node.analysis.mentions.clone()).collect()
    }

    /// Restores what the nodes name.
    ///
    /// # Errors
    /// It is not of this session, as text.
    pub(super) fn take_mentions(&mut self, read: Vec<Mentions>) -> Result<(), String> {
        if self.tree.nodes().count() != read.len() {
            return Err("what its statements name belongs to others".to_owned());
        }
        let mut read = read.into_iter();
        self.tree
            .each_node(|node| node.analysis.mentions = read.next().unwrap_or_default());
        Ok(())
    }

    /// Terms of the names given to speakers, in their order.
    pub(super) fn name_terms(&self) -> Vec<Vec<Term>> {
        let named = self.names.named().iter();
        named.map(|it| it.terms.clone()).collect()
    }

    /// Restores what the appendix of its image has.
    ///
    /// # Errors
    /// It is not of this session, as text.
    pub(super) fn take_appendix(&mut self, read: Appendix) -> Result<(), String> {
        let Appendix { nodes, raw, names } = read;
        let held = [self.tree.nodes().count(), self.buffer.raw().count()];
        if held != [nodes.len(), raw.len()] || self.names.named().len() != names.len() {
            return Err("what was read from its words belongs to others".to_owned());
        }
        let mut nodes = nodes.into_iter();
        self.tree
            .each_node(|node| node.analysis = nodes.next().unwrap_or_default());
        let mut raw = raw.into_iter();
        self.buffer.analyse(|_| raw.next().unwrap_or_default());
        for (named, terms) in self.names.named_mut().iter_mut().zip(names) {
            named.terms = terms;
        }
        Ok(())
    }
}

/// The analyses of an input, in the order in which they are stored: shared with `as_ref`, their
/// places with `as_mut`.
macro_rules! analyses {
    ($input:expr, $reach:ident) => {{
        let mut all = Vec::new();
        match $input {
            Input::Heard { analysis, .. } | Input::Edit { analysis, .. } => all.push(analysis),
            Input::Mount(made) => {
                let Distillate {
                    units,
                    event_analysis,
                    scene_analysis,
                    ..
                } = made.$reach();
                for DistilledUnit { analysis, .. } in units {
                    all.push(analysis);
                }
                all.extend([event_analysis, scene_analysis]);
            }
            Input::Erase(erasure) => {
                let Erasure { rewritten, .. } = erasure.$reach();
                for UnitRewrite { analysis, .. } in rewritten {
                    all.push(analysis);
                }
            }
            Input::Speaker(naming) => {
                let Naming { analysis, .. } = naming.$reach();
                all.push(analysis);
            }
            _ => {}
        }
        all
    }};
}

impl Input {
    /// Its entry in a journal.
    ///
    /// # Errors
    /// It cannot be serialised, as text.
    pub fn to_entry(&self) -> Result<Vec<u8>, String> {
        let all: Vec<&Analysis> = analyses!(self, as_ref);
        let entry = postcard::to_stdvec(self);
        let entry = entry.and_then(|entry| postcard::to_extend(&all, entry));
        let entry = entry.and_then(|entry| match self {
            Self::Begin(start) => postcard::to_extend(&(&start.zone, start.beside), entry),
            Self::Break { stream, .. } => postcard::to_extend(stream, entry),
            Self::Mount(made) => {
                let units = made.units.iter();
                let named: Vec<&Mentions> = units.map(|it| &it.analysis.mentions).collect();
                postcard::to_extend(&named, entry)
            }
            _ => Ok(entry),
        });
        entry.map_err(|wrong| wrong.to_string())
    }

    /// Reads an entry of a journal. One of format 8 has only the words: `session`, to which it is
    /// about to be applied, then completes it. One of format 9 ends with what was read from them.
    ///
    /// # Errors
    /// It is damaged, as text.
    pub fn from_entry(entry: &[u8], session: &Session) -> Result<Self, String> {
        let wrong = |wrong: postcard::Error| wrong.to_string();
        let (mut input, behind) = postcard::take_from_bytes::<Self>(entry).map_err(wrong)?;
        if behind.is_empty() {
            session.complete(&mut input);
            return Ok(input);
        }
        let (read, behind) = postcard::take_from_bytes::<Vec<Analysis>>(behind).map_err(wrong)?;
        let places: Vec<&mut Analysis> = analyses!(&mut input, as_mut);
        if places.len() != read.len() {
            return Err("what was read from its words belongs to others".to_owned());
        }
        for (place, analysis) in places.into_iter().zip(read) {
            *place = analysis;
        }
        match &mut input {
            // format 9 had one stream, without a zone; format 10 named nothing
            _ if behind.is_empty() => {}
            Self::Begin(start) => {
                (start.zone, start.beside) = postcard::from_bytes(behind).map_err(wrong)?;
            }
            Self::Break { stream, .. } => *stream = postcard::from_bytes(behind).map_err(wrong)?,
            Self::Mount(made) => {
                let named: Vec<Mentions> = postcard::from_bytes(behind).map_err(wrong)?;
                if named.len() != made.units.len() {
                    return Err("what its statements name belongs to others".to_owned());
                }
                for (unit, named) in made.units.iter_mut().zip(named) {
                    unit.analysis.mentions = named;
                }
            }
            _ => return Err("there is more than an input".to_owned()),
        }
        Ok(input)
    }
}
