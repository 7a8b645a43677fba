//! Scores everything held against a question and puts it in order.

use super::candidate::{Candidate, Source};
use super::query::{Counts, Query};
#[cfg(feature = "index")]
use super::scope::Scope;
use crate::answer::Question;
use crate::config::RecallPolicy;
use crate::memory::{Kind, MemoryTree, Node, NodeId, dot};
use crate::sense::Section;
use crate::session::Session;
use crate::text::{Traits, terms};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// Without an index everything is scored.
#[cfg(not(feature = "index"))]
#[derive(Debug)]
pub(super) enum Scope {}

/// How much of a neighbour's score a candidate gets: the answer often stands beside the words that
/// the question shares.
const NEIGHBOUR_SHARE: f32 = 0.25;
/// Bonus in standard deviations for what the person in question said.
const SPEAKER_BONUS: f32 = 0.75;
/// Bonus in standard deviations for what was said on a day in question.
const DAY_BONUS: f32 = 1.0;
/// Bonus in standard deviations for a fact of the time in question, and taken from one that is not.
const STANDING_BONUS: f32 = 0.5;
/// Scenes, and events in each, that top-down recall goes into (ProStream 6.1).
const SCENES_MAX: usize = 5;
const EVENTS_MAX: usize = 10;

/// Everything that may answer, best first; ties in the order said.
pub(super) fn ranked<'a>(
    session: &'a Session,
    question: &Question,
    query: &Query,
    scope: Option<&Scope>,
) -> Vec<Candidate<'a>> {
    let mut found = candidates(session, question, query, scope);
    match session.config().recall {
        RecallPolicy::Hybrid => score_hybrid(&mut found, query, session, scope),
        RecallPolicy::TopDown => score_top_down(&mut found, session, question),
    }
    if !query.past {
        for (old, new) in successions(&found) {
            found[new].score = found[new].score.max(found[old].score + STANDING_BONUS);
        }
    }
    // candidates are large: their keys are sorted, then each is moved once
    found.sort_by_cached_key(|c| {
        (
            Reverse(Ordered(c.score)),
            c.said_ms(),
            Reverse(Ordered(c.own)),
        )
    });
    found
}

/// All units, and the raw utterances that no unit carries yet, in the order said.
fn candidates<'a>(
    session: &'a Session,
    question: &Question,
    query: &Query,
    scope: Option<&Scope>,
) -> Vec<Candidate<'a>> {
    let tree = session.tree();
    let lexicon = tree.lexicon();
    let cosines = Cosines::of(tree, question, scope);
    let worded = query.holders(lexicon);
    // consecutive statements mostly share a speaker, so the last result is kept
    let mut last: Option<(Option<&str>, bool)> = None;
    let mut is_about = |speaker: Option<&'a str>| match last {
        Some((known, about)) if known == speaker => about,
        _ => last.insert((speaker, query.is_about(speaker))).1,
    };
    let candidate = |source: Source<'a>| {
        let (cosine, words, traits, shares_words) = match source {
            Source::Unit(node) => {
                let slot = node.id.slot;
                let words = Cow::Borrowed(lexicon.document(slot));
                let shares_words = worded.contains(slot);
                (cosines.to(slot), words, lexicon.traits(slot), shares_words)
            }
            Source::Raw(heard, _) => (
                dot(&heard.vector, &question.vector),
                Cow::Owned(terms(&crate::session::rendered(&heard.utterance))),
                Traits::of(&heard.utterance.text),
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
            lexical: lexicon.score(words.len(), query.matched(&counts)),
            score: 0.0,
            own: 0.0,
            counts,
            words,
            traits,
            transcript: None,
            looked_up: OnceCell::new(),
        }
    };
    sources(session, scope).map(candidate).collect()
}

/// What is held, in the order said.
fn sources<'a>(
    session: &'a Session,
    scope: Option<&Scope>,
) -> impl Iterator<Item = Source<'a>> + use<'a> {
    let units = units(session.tree(), scope).map(|node| (node.said_ms, Source::Unit(node)));
    let mut sources: Vec<(u64, Source<'a>)> = units.collect();
    let raw = uncarried(session, &sources);
    sources.extend(raw.map(|source| (source.said_ms(), source)));
    sources.sort_by_key(|(said_ms, _)| *said_ms);
    sources.into_iter().map(|(_, source)| source)
}

/// The cosine of each unit to the question.
enum Cosines<'a> {
    /// By slot, for all of them.
    All(Vec<f32>),
    /// When they are asked for.
    Each(&'a MemoryTree, &'a [f32]),
}

impl<'a> Cosines<'a> {
    fn of(tree: &'a MemoryTree, question: &'a Question, scope: Option<&Scope>) -> Self {
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
    scope: Option<&Scope>,
) -> Box<dyn Iterator<Item = &'a Node> + 'a> {
    match scope {
        None => Box::new(tree.of_kind(Kind::Unit)),
        #[cfg(feature = "index")]
        Some(scope) => Box::new(scope.units(tree).collect::<Vec<_>>().into_iter()),
        #[cfg(not(feature = "index"))]
        Some(scope) => match *scope {},
    }
}

/// Whether a score counts for what is usual: all do where all are scored.
fn is_usual(candidate: &Candidate<'_>, scope: Option<&Scope>) -> bool {
    match (candidate.source, scope) {
        #[cfg(feature = "index")]
        (Source::Unit(unit), Some(scope)) => scope.is_usual(unit),
        _ => true,
    }
}

/// Raw talk that none of the units carries yet.
fn uncarried<'a>(
    session: &'a Session,
    units: &[(u64, Source<'_>)],
) -> impl Iterator<Item = Source<'a>> + use<'a> {
    let buffer = session.buffer();
    // only what was said last can still be in both
    let from = buffer.leading().map(|heard| heard.session_ms).min();
    let recent = units
        .iter()
        .filter(|(said_ms, _)| from.is_some_and(|from| *said_ms >= from));
    let carried: HashSet<u64> = recent.filter_map(|(_, unit)| unit.turn()).collect();
    let leading = buffer
        .leading()
        .filter(move |heard| !carried.contains(&heard.turn))
        .map(|heard| Source::Raw(heard, Section::ShortTerm));
    let unmounted = buffer.unmounted();
    unmounted
        .map(|(heard, section)| Source::Raw(heard, section))
        .chain(leading)
}

/// Cosine and BM25 of whole utterances, each in standard deviations, summed; neighbours and the
/// speaker counted in. An utterance lies where the best of its statements lies, and its words are
/// those of all of them: what is asked for may stand in one clause and its occasion in the next.
fn score_hybrid(
    found: &mut [Candidate<'_>],
    query: &Query,
    session: &Session,
    scope: Option<&Scope>,
) {
    let lexicon = session.tree().lexicon();
    let groups: Vec<Range<usize>> = utterances(found);
    let dense = groups.iter().map(|group| {
        let cosines = found[group.clone()].iter().map(|unit| unit.cosine);
        cosines.fold(f32::MIN, f32::max)
    });
    let lexical = groups.iter().map(|group| match &found[group.clone()] {
        [alone] => alone.lexical,
        several => {
            let counts = several
                .iter()
                .fold(Counts::default(), |sum, unit| sum.plus(&unit.counts));
            let length = several.iter().map(|unit| unit.words.len()).sum();
            lexicon.score(length, query.matched(&counts))
        }
    });
    let usual: Vec<bool> = groups
        .iter()
        .map(|group| found[group.clone()].iter().any(|c| is_usual(c, scope)))
        .collect();
    let dense = standardised(dense.collect(), &usual);
    let lexical = standardised(lexical.collect(), &usual);
    let own: Vec<f32> = dense.iter().zip(&lexical).map(|(d, l)| d + l).collect();
    let beside = |at: Option<usize>| {
        at.and_then(|at| own.get(at))
            .map_or(0.0, |score| score.max(0.0))
    };
    for (at, group) in groups.into_iter().enumerate() {
        let around = beside(at.checked_sub(1)) + beside(Some(at + 1));
        for candidate in &mut found[group] {
            let named = !query.people.is_empty() && candidate.concerns;
            let then = query.is_of_the_days(|| candidate.said_at_unix_ms());
            candidate.own = candidate.cosine + 0.1 * candidate.lexical;
            candidate.score = own[at]
                + NEIGHBOUR_SHARE * around
                + if named { SPEAKER_BONUS } else { 0.0 }
                + if then { DAY_BONUS } else { 0.0 }
                + query.fits(candidate.standing()) * STANDING_BONUS;
        }
    }
}

/// Runs of statements of one utterance.
fn utterances(found: &[Candidate<'_>]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for at in 0..found.len() {
        match groups.last_mut() {
            Some(last) if found[last.start].said_with(&found[at]) => last.end = at + 1,
            _ => groups.push(at..at + 1),
        }
    }
    groups
}

/// ProStream 5.4 as written: the units of the best events of the best scenes, by `cos * u`, where
/// the cosine reaches the profile's floor. Everything else scores 0, raw talk its cosine.
fn score_top_down(found: &mut [Candidate<'_>], session: &Session, question: &Question) {
    let tree = session.tree();
    let nearest = |nodes: &mut Vec<&Node>, most: usize| {
        let cosine = |node: &Node| dot(tree.vector(node.id), &question.vector);
        nodes.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)).then(a.id.cmp(&b.id)));
        nodes.truncate(most);
    };
    let mut scenes: Vec<&Node> = tree.scenes().collect();
    nearest(&mut scenes, SCENES_MAX);
    let mut open = BTreeSet::new();
    for scene in scenes {
        let mut events: Vec<&Node> = tree.children(scene.id).collect();
        nearest(&mut events, EVENTS_MAX);
        open.extend(events.into_iter().map(|event| event.id));
    }
    let value = session.valuation();
    for candidate in found {
        candidate.score = match candidate.source {
            Source::Unit(node)
                if candidate.cosine >= session.config().profile.recall_cosine
                    && node.parent.is_some_and(|event| open.contains(&event)) =>
            {
                candidate.cosine * value.utility(node, &candidate.words)
            }
            Source::Unit(_) => 0.0,
            Source::Raw(..) => candidate.cosine.max(0.0),
        };
    }
}

/// Places of each superseded fact and of what superseded it, as far as both are held; the earlier
/// first, so that what is handed on goes down the whole line.
pub(super) fn successions(found: &[Candidate<'_>]) -> Vec<(usize, usize)> {
    let heir = |candidate: &Candidate<'_>| match candidate.source {
        Source::Unit(node) => node.superseded.map(|end| end.by),
        Source::Raw(..) => None,
    };
    let mut old: Vec<usize> = (0..found.len())
        .filter(|&at| heir(&found[at]).is_some())
        .collect();
    old.sort_by_key(|&at| (found[at].said_ms(), at));
    let heirs: HashSet<NodeId> = old.iter().filter_map(|&at| heir(&found[at])).collect();
    let places: HashMap<NodeId, usize> = found
        .iter()
        .enumerate()
        .filter_map(|(at, other)| Some((other.node().filter(|id| heirs.contains(id))?, at)))
        .collect();
    old.into_iter()
        .filter_map(|at| Some((at, *places.get(&heir(&found[at])?)?)))
        .collect()
}

/// A score in the order of its values.
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

/// Each value in standard deviations from the mean of those that are usual.
fn standardised(mut values: Vec<f32>, usual: &[bool]) -> Vec<f32> {
    let basis = || {
        values
            .iter()
            .zip(usual)
            .filter(|(_, usual)| **usual)
            .map(|(value, _)| *value)
    };
    let count = basis().count().max(1) as f32;
    let mean = basis().sum::<f32>() / count;
    let variance = basis().map(|v| (v - mean) * (v - mean)).sum::<f32>() / count;
    let deviation = variance.sqrt();
    for value in &mut values {
        *value = if deviation > 1e-6 {
            (*value - mean) / deviation
        } else {
            0.0
        };
    }
    values
}
