//! The tree of image format 3, whose evidence quoted what was said.
//!
//! Each quote becomes a line of the transcript, and the text of its unit if the unit had a
//! shortened text. Summaries and labels made of units are dropped and made again on request.

use super::context::TreeContext;
use super::lexicon::Lexicon;
use super::matrix::Matrix;
use super::node::{Kind, Node, NodeId, Superseded};
use super::sparse::TermIndex;
use super::tree::{MemoryTree, Slot, label_tokens};
use crate::sense::SensingBuffer;
use crate::stream::{AudioSpan, Span, Utterance};
use crate::talk::{Evidence, Part, Wording};
use crate::text::{Around, Claim, Salience, content_hashes};
use serde::Deserialize;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use weir_models::Terms;

#[derive(Deserialize)]
pub(crate) struct TreeV3 {
    pub(super) slots: Vec<SlotV3>,
    pub(super) free: Vec<u32>,
    pub(super) vectors: Matrix,
    pub(super) scenes: Vec<NodeId>,
    #[serde(rename = "tokens")]
    pub(super) _tokens: usize,
    pub(super) merge_candidates: VecDeque<(NodeId, NodeId)>,
}

#[derive(Deserialize)]
pub(super) struct SlotV3 {
    pub(super) generation: u32,
    pub(super) node: Option<NodeV3>,
}

#[derive(Deserialize)]
pub(super) struct NodeV3 {
    pub(super) id: NodeId,
    pub(super) kind: Kind,
    pub(super) parent: Option<NodeId>,
    pub(super) children: Vec<NodeId>,
    pub(super) text: String,
    pub(super) speaker: Option<String>,
    pub(super) evidence: Vec<EvidenceV3>,
    pub(super) evidence_more: u32,
    #[serde(rename = "detail")]
    pub(super) _detail: DetailV3,
    #[serde(rename = "salience")]
    pub(super) _salience: f32,
    pub(super) said_ms: u64,
    #[serde(rename = "tokens")]
    pub(super) _tokens: u32,
    pub(super) frequency: u32,
    pub(super) last_access_ms: u64,
    pub(super) pinned: bool,
    pub(super) edited: bool,
    pub(super) claim: Option<Claim>,
    pub(super) superseded: Option<Superseded>,
}

/// Evidence of format 3.
#[derive(Deserialize)]
pub(crate) struct EvidenceV3 {
    pub(crate) stream: String,
    pub(crate) utterance: String,
    speaker: Option<String>,
    span: Span,
    said_at_unix_ms: Option<i64>,
    audio: Option<AudioSpan>,
    confidence: Option<f32>,
    pub(crate) quote: String,
    content_words: u16,
    share: f32,
}

/// How much of its words a unit kept.
#[derive(Deserialize)]
pub(super) enum DetailV3 {
    Whole,
    Telegram,
    Gist,
}

/// An utterance, as far as evidence quotes it.
pub(crate) struct Quoted {
    pub(crate) utterance: Utterance,
    pub(crate) said_at_unix_ms: Option<i64>,
    /// Session time of the evidence.
    pub(crate) session_ms: u64,
    /// Its ordinal, once all are numbered.
    turn: Option<u64>,
}

/// The utterances that are evidence in a tree, by stream and id.
#[derive(Default)]
pub(crate) struct Quotes(BTreeMap<(String, String), Quoted>);

impl Quotes {
    /// All utterances with their ordinals, in that order.
    pub(crate) fn into_lines(self) -> Vec<(u64, Quoted)> {
        let numbered = self.0.into_values();
        let mut lines: Vec<(u64, Quoted)> = numbered
            .filter_map(|quoted| Some((quoted.turn?, quoted)))
            .collect();
        lines.sort_by_key(|(turn, _)| *turn);
        lines
    }

    fn of(&self, item: &EvidenceV3) -> Option<&Quoted> {
        self.0.get(&(item.stream.clone(), item.utterance.clone()))
    }

    fn note(&mut self, item: &EvidenceV3, session_ms: u64) {
        let name = (item.stream.clone(), item.utterance.clone());
        let known = self.0.entry(name).or_insert_with(|| Quoted {
            utterance: Utterance {
                id: item.utterance.clone(),
                stream: item.stream.clone(),
                speaker: item.speaker.clone(),
                span: item.span,
                audio: item.audio.clone(),
                confidence: item.confidence,
                text: item.quote.clone(),
            },
            said_at_unix_ms: item.said_at_unix_ms,
            session_ms,
            turn: None,
        });
        known.session_ms = known.session_ms.min(session_ms);
        let text = &mut known.utterance.text;
        if item.quote.contains(text.as_str()) {
            text.clone_from(&item.quote);
        } else if !text.contains(item.quote.as_str()) {
            text.push_str(" … ");
            text.push_str(&item.quote);
        }
    }

    /// Numbers utterances in the order said: `raw` talk keeps its ordinals, the others count from
    /// 0.
    fn number(&mut self, raw: &SensingBuffer) {
        for heard in raw.raw() {
            let said = &heard.utterance;
            if let Some(quoted) = self.0.get_mut(&(said.stream.clone(), said.id.clone())) {
                quoted.turn = Some(heard.turn);
            }
        }
        let unnumbered = self.0.values_mut().filter(|quoted| quoted.turn.is_none());
        let mut order: Vec<&mut Quoted> = unnumbered.collect();
        order.sort_by(|a, b| {
            (a.session_ms, a.utterance.span.start_ms, &a.utterance.id).cmp(&(
                b.session_ms,
                b.utterance.span.start_ms,
                &b.utterance.id,
            ))
        });
        for (turn, quoted) in (0..).zip(order) {
            quoted.turn = Some(turn);
        }
    }
}

impl TreeV3 {
    /// The quotes in the evidence. Those of events, which quoted whole utterances, are read first.
    pub(crate) fn quotes(&self, raw: &SensingBuffer) -> Quotes {
        let mut quotes = Quotes::default();
        for kind in [Kind::Event, Kind::Unit] {
            let nodes = self.slots.iter().filter_map(|slot| slot.node.as_ref());
            for node in nodes.filter(|node| node.kind == kind) {
                for item in &node.evidence {
                    quotes.note(item, node.said_ms);
                }
            }
        }
        quotes.number(raw);
        quotes
    }

    /// The tree in the current format, not settled yet: tokens, lines and lexicon are computed
    /// later.
    pub(crate) fn migrated(self, quotes: &Quotes) -> MemoryTree {
        let slots = self.slots.into_iter().map(|slot| Slot {
            generation: slot.generation,
            node: slot.node.map(|node| Arc::new(node.migrated(quotes))),
        });
        MemoryTree {
            slots: slots.collect(),
            free: self.free,
            vectors: self.vectors,
            scenes: self.scenes,
            tokens: 0,
            merge_candidates: self.merge_candidates,
            lexicon: Lexicon::default(),
            sparse: TermIndex::default(),
            is_unit: Vec::new(),
            held_bytes: 0,
            speakers: BTreeMap::new(),
        }
    }
}

impl MemoryTree {
    /// Computes the counts of a migrated tree, and settles its facts.
    pub(crate) fn settle_migrated(&mut self, ctx: &TreeContext<'_>) {
        let units: Vec<NodeId> = self.of_kind(Kind::Unit).map(|unit| unit.id).collect();
        for id in units {
            if let Some(node) = self.node_mut(id) {
                node.heard_tokens =
                    ctx.counter.count(&node.text) as u32 + label_tokens(node, ctx.counter);
            }
        }
        self.settle_all(ctx);
    }
}

impl NodeV3 {
    fn migrated(self, quotes: &Quotes) -> Node {
        let unit = self.kind == Kind::Unit;
        let quote = self.evidence.first().map(|item| item.quote.as_str());
        // text that was shortened or dated becomes the text as heard
        let text = match quote.filter(|_| unit && !self.edited) {
            Some(quote) => quote.to_owned(),
            None if unit => self.text.clone(),
            None => String::new(),
        };
        let evidence: Vec<Evidence> = self
            .evidence
            .iter()
            .filter_map(|item| Some(item.migrated(quotes.of(item)?, &text)))
            .collect();
        let verbatim = unit && evidence.first().is_some_and(|item| item.verbatim);
        let salience = match unit {
            true => said(
                &text,
                self.evidence.first().and_then(|item| quotes.of(item)),
            ),
            false => 0.0,
        };
        Node {
            id: self.id,
            kind: self.kind,
            parent: self.parent,
            children: self.children,
            text,
            asked: None,
            speaker: self.speaker.filter(|_| unit),
            evidence,
            evidence_more: self.evidence_more,
            wording: match verbatim {
                true => Wording::Verbatim,
                false => Wording::Retold,
            },
            salience,
            said_ms: self.said_ms,
            tokens: 0,
            label_tokens: 0,
            begins_line: false,
            heard_tokens: 0,
            frequency: self.frequency,
            last_access_ms: self.last_access_ms,
            pinned: self.pinned,
            edited: self.edited,
            terms: Terms::default(),
            claim: self.claim.map(|claim| claim.key()),
            superseded: self.superseded,
        }
    }
}

fn said(text: &str, source: Option<&Quoted>) -> f32 {
    let utterance = source.map_or(text, |quoted| quoted.utterance.text.as_str());
    let around = Around {
        utterance,
        place: 0,
        statements: 1,
        answers: false,
        new_terms: &[],
        names: &[],
    };
    Salience::said(text, &around)
}

impl EvidenceV3 {
    /// The evidence in the current format for a node with text `text`, of the utterance `quoted`.
    pub(crate) fn migrated(&self, quoted: &Quoted, text: &str) -> Evidence {
        let whole = &quoted.utterance.text;
        let found = whole.find(&self.quote);
        let part = found.and_then(|start| Part::of(&whole[start..start + self.quote.len()], whole));
        let held = content_hashes(text);
        let common = content_hashes(&self.quote);
        let common = common
            .iter()
            .filter(|word| held.binary_search(word).is_ok());
        let mut item = Evidence {
            stream: self.stream.clone(),
            utterance: self.utterance.clone(),
            turn: quoted.turn.unwrap_or_default(),
            speaker: self.speaker.clone(),
            span: self.span,
            said_at_unix_ms: self.said_at_unix_ms,
            audio: self.audio.clone(),
            confidence: self.confidence,
            verbatim: part.is_some() && self.quote == text && !self.quote.contains(" … "),
            part,
            content_words: self.content_words,
            share: self.share,
        };
        item.share = item.share.max(item.share_of(common.count())).min(1.0);
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEARD: &str = "We adopted a puppy, Pixie, from the shelter in Porto.";
    const HELD: &str = "Pixie adopted";

    /// A node that quotes `HEARD` and has other words itself.
    fn node(kind: Kind, edited: bool) -> NodeV3 {
        let proof = EvidenceV3 {
            stream: "s".into(),
            utterance: "u0".into(),
            speaker: None,
            span: Span::new(0, 1),
            said_at_unix_ms: None,
            audio: None,
            confidence: None,
            quote: HEARD.into(),
            content_words: 5,
            share: 0.4,
        };
        NodeV3 {
            id: NodeId {
                slot: 0,
                generation: 0,
            },
            kind,
            parent: None,
            children: Vec::new(),
            text: HELD.into(),
            speaker: None,
            evidence: vec![proof],
            evidence_more: 0,
            _detail: DetailV3::Telegram,
            _salience: 0.0,
            said_ms: 0,
            _tokens: 2,
            frequency: 0,
            last_access_ms: 0,
            pinned: false,
            edited,
            claim: None,
            superseded: None,
        }
    }

    #[test]
    fn a_shortened_unit_gets_its_words_back_and_a_summary_is_dropped() {
        let text = |kind, edited| node(kind, edited).migrated(&Quotes::default()).text;
        assert_eq!(text(Kind::Unit, false), HEARD);
        assert_eq!(text(Kind::Unit, true), HELD, "words written by hand stay");
        assert_eq!(text(Kind::Event, false), "");
        assert_eq!(text(Kind::Scene, false), "");
    }
}
