//! Reads from words what a session stores of them: where an input is made, and once where an image
//! or a journal of format 8, or an edited export, has only the words. [`Session::apply`] calls
//! nothing of this, so a change here is no change of the rules.

use super::{Input, Naming, Session, SpeakerChange};
use crate::analysis::Analysis;
use crate::distil::{analyse_summary, analyse_unit};
use crate::memory::{Kind, Node, NodeId};
use crate::stream::Utterance;
use crate::talk::Wording;
use crate::text::{Statement, analyse, resolved};
use jiff::tz::TimeZone;
use std::borrow::Cow;
use weir_models::Encoded;

pub(super) use crate::text::analyse_name;

/// What is read from an utterance until its statements are distilled.
pub(super) fn analyse_heard(utterance: &Utterance) -> Analysis {
    crate::text::analyse_heard(&utterance.text)
}

impl Input {
    /// An utterance with its vector and terms, and what is read from its words.
    #[must_use]
    pub fn heard(utterance: Utterance, encoded: Encoded) -> Self {
        let Encoded { vector, terms } = encoded;
        Self::Heard {
            analysis: analyse_heard(&utterance),
            utterance,
            vector,
            terms,
        }
    }
}

impl From<SpeakerChange> for Naming {
    /// The change alone; vectors stay as they are.
    fn from(change: SpeakerChange) -> Self {
        let name = match &change {
            SpeakerChange::Name { name, .. } | SpeakerChange::Merge { into: name, .. } => name,
            // only the session knows the label
            SpeakerChange::Forget { .. } => "",
        };
        Self {
            analysis: analyse_name(name),
            change,
            units: Vec::new(),
            raw: Vec::new(),
        }
    }
}

impl Node {
    /// As [`Self::display_text`], with other words for the statement: those of the transcript.
    #[must_use]
    pub fn display_text_with<'a>(&self, words: &'a str) -> Cow<'a, str> {
        self.display_text_in(words, &TimeZone::UTC)
    }

    /// As [`Self::display_text_with`], with dates of a time zone instead of UTC.
    #[must_use]
    pub fn display_text_in<'a>(&self, words: &'a str, zone: &TimeZone) -> Cow<'a, str> {
        let dated = resolved(words, dated_at(self, words), zone);
        self.display_text_around(dated.map_or(Cow::Borrowed(words), Cow::Owned))
    }
}

/// When a unit was said, if its dates are to be resolved: a model, or who edited it, may have
/// written the date.
fn dated_at(node: &Node, words: &str) -> Option<i64> {
    let written = node.wording == Wording::Retold && words.contains('(');
    let item = node.evidence.first()?;
    item.said_at_unix_ms
        .filter(|_| node.kind == Kind::Unit && !written)
}

/// What is read from the words that a node holds.
fn analyse_node(node: &Node) -> Analysis {
    if node.kind != Kind::Unit {
        return analyse_summary(&node.text);
    }
    let analysis = analyse(Statement {
        text: &node.text,
        asked: node.asked.as_deref(),
        speaker: node.speaker.as_deref(),
        said_at_unix_ms: dated_at(node, &node.text).filter(|_| !node.is_key()),
    });
    match node.is_key() {
        false => analysis,
        true => Analysis {
            words: Vec::new(),
            ..analysis
        },
    }
}

/// A node with what was read from its words, or is read now.
pub(super) fn completed(mut node: Node, read: Option<Analysis>) -> Node {
    match read {
        Some(read) => node.analysis = read,
        None => complete(&mut node),
    }
    node
}

/// Gives a node without an analysis what is read from its words.
fn complete(node: &mut Node) {
    node.analysis = analyse_node(node);
}

/// Reads a node whose words were edited anew.
fn reread(node: &mut Node) {
    let before = std::mem::take(&mut node.analysis);
    complete(node);
    // they are places in the words as they were
    if before.terms == node.analysis.terms && before.words == node.analysis.words {
        node.analysis.mentions = before.mentions;
    }
}

impl Session {
    /// What is read from the new words of a unit.
    pub(super) fn analyse_edit(&self, node: NodeId, text: &str) -> Analysis {
        let Some(unit) = self.tree.node(node) else {
            return Analysis::default();
        };
        let edited = Node {
            wording: Wording::Retold,
            asked: None,
            text: text.to_owned(),
            ..unit.clone()
        };
        analyse_node(&edited)
    }

    /// What is read from the words of a unit that keeps the evidence of this utterance.
    pub(super) fn analyse_rewritten(&self, node: NodeId, turn: u64, text: &str) -> Analysis {
        let unit = self.tree.node(node);
        let item = unit.and_then(|unit| unit.evidence.iter().find(|item| item.turn == turn));
        analyse(Statement {
            text,
            asked: None,
            speaker: unit.and_then(|unit| unit.speaker.as_deref()),
            said_at_unix_ms: item.and_then(|item| item.said_at_unix_ms),
        })
    }

    /// Completes an input of a journal of format 8, which has only the words. The session must be
    /// the one it is applied to.
    pub fn complete(&self, input: &mut Input) {
        match input {
            Input::Heard {
                utterance,
                analysis,
                ..
            } => *analysis = analyse_heard(utterance),
            Input::Mount(made) => {
                for unit in &mut made.units {
                    unit.analysis = analyse_unit(unit);
                }
                made.event_analysis = analyse_summary(&made.event_text);
                made.scene_analysis = analyse_summary(&made.scene_label);
            }
            Input::Edit {
                node,
                text,
                analysis,
                ..
            } => *analysis = self.analyse_edit(*node, text),
            Input::Erase(erasure) => {
                for it in &mut erasure.rewritten {
                    it.analysis = self.analyse_rewritten(it.node, it.turn, &it.text);
                }
            }
            Input::Speaker(naming) => {
                if let Ok((_, to)) = self.changed(&naming.change) {
                    naming.analysis = analyse_name(&to);
                }
            }
            _ => {}
        }
    }

    /// Reads everything that an image of format 8 does not have.
    pub(super) fn complete_all(&mut self) {
        self.tree.each_node(complete);
        self.complete_beside();
    }

    /// Reads everything anew, after an export was edited.
    pub(super) fn reread_all(&mut self) {
        self.tree.each_node(reread);
        self.complete_beside();
    }

    fn complete_beside(&mut self) {
        self.buffer.analyse(analyse_heard);
        self.complete_names();
    }

    pub(super) fn complete_names(&mut self) {
        for named in self.names.named_mut() {
            named.terms = analyse_name(&named.name).speaker;
        }
    }
}
