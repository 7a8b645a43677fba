//! Scores everything held against a question and sorts it.

use super::candidate::{Candidate, Source};
use super::candidate_set::CandidateSet;
use super::counts::Counts;
use super::hybrid::{self, Signal, Utterance};
use super::passages::{self, FoundPassage};
use super::query::Query;
use super::top_down;
use crate::answer::Question;
use crate::config::{RecallPolicy, Signals};
use crate::memory::{Kind, MemoryTree, Node};
use crate::sense::Section;
use crate::session::Session;
use crate::text::{flags, heard_terms};
use crate::vectors::dot;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::{Ordering, Reverse};
use std::collections::HashSet;

/// Everything held, ranked.
pub(super) struct Ranked<'a> {
    /// All candidates, best first, ties in the order said.
    pub(super) statements: Vec<Candidate<'a>>,
    /// Their utterances in the order said, if utterances were scored.
    pub(super) utterances: Vec<Utterance>,
    /// All passages of sources, best first.
    pub(super) passages: Vec<FoundPassage<'a>>,
}

/// Scores and sorts everything held, or the part in `scope` and all passages.
pub(super) fn ranked<'a>(
    session: &'a Session,
    question: &Question,
    query: &Query,
    scope: Option<&CandidateSet>,
) -> Ranked<'a> {
    let mut found = candidates(session, question, query, scope);
    let mut passages = passages::all(session, question, query);
    let beside: Vec<Signal> = passages.iter().map(|it| it.signals).collect();
    let mut hybrid = |by| {
        let (utterances, yardstick) = hybrid::score(&mut found, query, session, scope, &beside, by);
        passages::rank(&mut passages, query, |it| yardstick.score(it));
        utterances
    };
    let utterances = match session.config().recall {
        RecallPolicy::Hybrid => hybrid(Signals::ALL),
        RecallPolicy::Only(by) => hybrid(by),
        RecallPolicy::TopDown => {
            top_down::select(&mut found, session, question);
            passages::rank(&mut passages, query, |[cosine, ..]| cosine.max(0.0));
            Vec::new()
        }
    };
    sort(&mut found);
    Ranked {
        statements: found,
        utterances,
        passages,
    }
}

/// Sorts candidates by score, ties in the order said.
pub(super) fn sort(found: &mut [Candidate<'_>]) {
    // candidates are large: sort their keys, then move each once
    found.sort_by_cached_key(|c| {
        (
            Reverse(Ordered(c.score)),
            c.said_ms(),
            Reverse(Ordered(c.own)),
        )
    });
}

/// All units, and raw utterances not yet in any unit, in the order said.
fn candidates<'a>(
    session: &'a Session,
    question: &Question,
    query: &Query,
    scope: Option<&CandidateSet>,
) -> Vec<Candidate<'a>> {
    let tree = session.tree();
    let lexicon = tree.index().words();
    let near = Near::of(tree, question, scope);
    let worded = query.holders(lexicon);
    // consecutive statements mostly share a speaker, so the last result is cached
    let mut last: Option<(Option<&str>, bool)> = None;
    let mut is_about = |speaker: Option<&'a str>| match last {
        Some((known, about)) if known == speaker => about,
        _ => last.insert((speaker, query.is_about(speaker))).1,
    };
    let candidate = |source: Source<'a>| {
        let (cosine, sparse) = near.to(source);
        let (words, traits, shares_words) = match source {
            Source::Unit(node) => {
                let slot = node.id.slot;
                let words = Cow::Borrowed(lexicon.document(slot));
                (words, lexicon.traits(slot), worded.contains(slot))
            }
            Source::Raw(heard, _) => (
                Cow::Owned(heard_terms(&heard.utterance.rendered())),
                flags(&heard.utterance.text),
                true,
            ),
        };
        let counts = match shares_words {
            true => query.counts(&words),
            false => Counts::default(),
        };
        Candidate {
            concerns: query.people.is_empty()
                || is_about(source.speaker())
                || (shares_words && query.is_named(&words, &counts)),
            source,
            cosine,
            sparse,
            lexical: lexicon.score(words.len(), query.matched(&counts)),
            score: 0.0,
            signals: [0.0; 3],
            at: 0,
            own: 0.0,
            retention: 1.0,
            counts,
            words,
            traits,
            zone: query.zone.clone(),
            transcript: None,
            looked_up: OnceCell::new(),
        }
    };
    sources(session, scope).map(candidate).collect()
}

/// All sources, in the order said.
fn sources<'a>(
    session: &'a Session,
    scope: Option<&CandidateSet>,
) -> impl Iterator<Item = Source<'a>> + use<'a> {
    let units = units(session.tree(), scope).map(|node| (node.said_ms, Source::Unit(node)));
    let mut sources: Vec<(u64, Source<'a>)> = units.collect();
    let raw = uncarried(session, &sources);
    sources.extend(raw.map(|source| (source.said_ms(), source)));
    // the statements of an utterance stand together
    sources.sort_by_key(|(said_ms, source)| (*said_ms, source.turn()));
    sources.into_iter().map(|(_, source)| source)
}

/// Dense and sparse similarity of each source to the question.
struct Near<'a> {
    question: &'a Question,
    cosines: Cosines<'a>,
    /// Sparse dot products by slot.
    products: Cow<'a, [f32]>,
}

impl<'a> Near<'a> {
    fn of(tree: &'a MemoryTree, question: &'a Question, scope: Option<&'a CandidateSet>) -> Self {
        Self {
            question,
            cosines: Cosines::of(tree, question, scope),
            products: match scope {
                None => Cow::Owned(tree.index().products(&question.terms)),
                Some(scope) => Cow::Borrowed(scope.products()),
            },
        }
    }

    fn to(&self, source: Source<'_>) -> (f32, f32) {
        match source {
            Source::Unit(node) => {
                let slot = node.id.slot;
                (self.cosines.to(slot), self.products[slot as usize])
            }
            Source::Raw(heard, _) => (
                dot(&heard.vector, &self.question.vector),
                heard.terms.dot(&self.question.terms),
            ),
        }
    }
}

/// Cosine of each unit to the question.
enum Cosines<'a> {
    /// All cosines, by slot.
    All(Vec<f32>),
    /// Computed on request.
    Each(&'a MemoryTree, &'a [f32]),
}

impl<'a> Cosines<'a> {
    fn of(tree: &'a MemoryTree, question: &'a Question, scope: Option<&CandidateSet>) -> Self {
        match scope {
            None => Self::All(tree.cosines(&question.vector)),
            Some(_) => Self::Each(tree, &question.vector),
        }
    }

    fn to(&self, slot: u32) -> f32 {
        match self {
            Self::All(by_slot) => by_slot[slot as usize],
            Self::Each(tree, vector) => dot(tree.row(slot), vector),
        }
    }
}

fn units<'a>(
    tree: &'a MemoryTree,
    scope: Option<&CandidateSet>,
) -> Box<dyn Iterator<Item = &'a Node> + 'a> {
    match scope {
        None => Box::new(tree.of_kind(Kind::Unit)),
        Some(scope) => Box::new(scope.units(tree).collect::<Vec<_>>().into_iter()),
    }
}

/// Raw talk that is in no unit yet.
fn uncarried<'a>(
    session: &'a Session,
    units: &[(u64, Source<'_>)],
) -> impl Iterator<Item = Source<'a>> + use<'a> {
    let buffer = session.buffer();
    // only the most recent utterances can still be in both
    let from = buffer.leading().map(|heard| heard.turn).min();
    let turns = units.iter().flat_map(|(_, unit)| unit.turns());
    let carried: HashSet<u64> = turns.filter(|turn| from <= Some(*turn)).collect();
    let leading = buffer
        .leading()
        .filter(move |heard| !carried.contains(&heard.turn))
        .map(|heard| Source::Raw(heard, Section::ShortTerm));
    let unmounted = buffer.unmounted();
    unmounted
        .map(|(heard, section)| Source::Raw(heard, section))
        .chain(leading)
}

/// A score with a total order.
#[derive(Debug, Clone, Copy)]
struct Ordered(f32);

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
