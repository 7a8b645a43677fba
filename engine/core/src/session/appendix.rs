//! What was read from words, stored behind an image or an input.
//!
//! Image format 9 and its journal are those of format 8 with this behind: format 8 has only the
//! words, so what it lacks is read from them once.

use super::{Input, Session};
use crate::analysis::{Analysis, Term};
use serde::{Deserialize, Serialize};

/// The analyses of a session, each list in the order of what they belong to.
#[derive(Serialize, Deserialize)]
pub(super) struct Appendix {
    nodes: Vec<Analysis>,
    raw: Vec<Analysis>,
    names: Vec<Vec<Term>>,
}

impl Session {
    /// What is stored behind its image.
    pub(super) fn appendix(&self) -> Appendix {
        let nodes = self.tree.nodes().map(|node| node.analysis.clone());
        let raw = self.buffer.raw().map(|heard| heard.analysis.clone());
        Appendix {
            nodes: nodes.collect(),
            raw: raw.collect(),
            names: self.name_terms(),
        }
    }

    /// Terms of the names given to speakers, in their order.
    pub(super) fn name_terms(&self) -> Vec<Vec<Term>> {
        let named = self.names.named().iter();
        named.map(|it| it.terms.clone()).collect()
    }

    /// Takes back what was stored behind its image.
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

impl Input {
    /// Its analyses, in the order in which they are stored.
    fn analyses(&self) -> Vec<&Analysis> {
        match self {
            Self::Heard { analysis, .. } | Self::Edit { analysis, .. } => vec![analysis],
            Self::Mount(made) => {
                let units = made.units.iter().map(|unit| &unit.analysis);
                let above = [&made.event_analysis, &made.scene_analysis];
                units.chain(above).collect()
            }
            Self::Erase(erasure) => {
                let rewritten = erasure.rewritten.iter();
                rewritten.map(|unit| &unit.analysis).collect()
            }
            Self::Speaker(naming) => vec![&naming.analysis],
            _ => Vec::new(),
        }
    }

    /// The places of [`Self::analyses`].
    fn analyses_mut(&mut self) -> Vec<&mut Analysis> {
        match self {
            Self::Heard { analysis, .. } | Self::Edit { analysis, .. } => vec![analysis],
            Self::Mount(made) => {
                let units = made.units.iter_mut().map(|unit| &mut unit.analysis);
                let above = [&mut made.event_analysis, &mut made.scene_analysis];
                units.chain(above).collect()
            }
            Self::Erase(erasure) => {
                let rewritten = erasure.rewritten.iter_mut();
                rewritten.map(|unit| &mut unit.analysis).collect()
            }
            Self::Speaker(naming) => vec![&mut naming.analysis],
            _ => Vec::new(),
        }
    }

    /// Its entry in a journal.
    ///
    /// # Errors
    /// It cannot be serialised, as text.
    pub fn to_entry(&self) -> Result<Vec<u8>, String> {
        let entry = postcard::to_stdvec(self).map_err(|wrong| wrong.to_string())?;
        postcard::to_extend(&self.analyses(), entry).map_err(|wrong| wrong.to_string())
    }

    /// Reads an entry of a journal. One of format 8 has only the words: `session`, to which it is
    /// about to be applied, then completes it.
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
        let read: Vec<Analysis> = postcard::from_bytes(behind).map_err(wrong)?;
        let places = input.analyses_mut();
        if places.len() != read.len() {
            return Err("what was read from its words belongs to others".to_owned());
        }
        for (place, analysis) in places.into_iter().zip(read) {
            *place = analysis;
        }
        Ok(input)
    }
}
