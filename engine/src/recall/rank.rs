//! Scores everything held against a question and puts it in order.

use super::query::{Counts, Query};
#[cfg(feature = "index")]
use super::scope::Scope;
use crate::answer::{Citation, Question};
use crate::config::RecallPolicy;
use crate::distil::{Heard, resolved};
use crate::memory::{Evidence, Kind, MemoryTree, Node, NodeId, Part, dot};
use crate::sense::Section;
use crate::session::Session;
use crate::text::{Term, Traits, terms};
use crate::transcript::Transcript;
use std::borrow::Cow;
use std::cell::OnceCell;
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

/// Where a candidate is held.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source<'a> {
    Unit(&'a Node),
    Raw(&'a Heard, Section),
}

impl<'a> Source<'a> {
    fn speaker(self) -> Option<&'a str> {
        match self {
            Source::Unit(node) => node.speaker.as_deref(),
            Source::Raw(heard, _) => heard.utterance.speaker.as_deref(),
        }
    }
}

/// Whether a statement is a fact that can change, and whether it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// No such fact.
    Timeless,
    /// It holds.
    Present,
    /// It held.
    Past,
}

/// One statement that may answer.
pub(super) struct Candidate<'a> {
    pub(super) source: Source<'a>,
    /// Cosine to the question.
    pub(super) cosine: f32,
    /// BM25 against the question.
    pub(super) lexical: f32,
    /// Both together, in standard deviations; under hybrid recall that of the whole utterance.
    pub(super) score: f32,
    /// The same for this statement alone, which orders those of one utterance.
    pub(super) own: f32,
    pub(super) words: Cow<'a, [Term]>,
    /// How often it holds each of the question's terms.
    pub(super) counts: Counts,
    /// What kind of statement it is.
    pub(super) traits: Traits,
    /// Whether the question's people said it or are named in it; true when it names nobody.
    pub(super) concerns: bool,
    /// Where the words can be looked up that memory does not hold.
    transcript: Option<&'a dyn Transcript>,
    /// The words of a key, once they were looked up.
    looked_up: OnceCell<Option<String>>,
}

impl<'a> Candidate<'a> {
    /// The same, with words that memory does not hold from a transcript.
    pub(super) fn with_transcript(&mut self, transcript: &'a dyn Transcript) {
        self.transcript = Some(transcript);
    }

    /// The statement as it was said or told again, without anything beside it; `None` where memory
    /// holds key words alone and no transcript gives the rest.
    pub(super) fn said(&self) -> Option<&str> {
        match self.source {
            Source::Raw(heard, _) => Some(&heard.utterance.text),
            Source::Unit(node) if node.is_key() => {
                let look_up = || self.transcript?.quote(node.evidence.first()?);
                self.looked_up.get_or_init(look_up).as_deref()
            }
            Source::Unit(node) => Some(&node.text),
        }
    }

    /// Its words as a context shows them, and answers give them: whole clauses, a date and the
    /// question it answers beside them.
    pub(super) fn shown(&self) -> Option<Cow<'_, str>> {
        let said = self.said()?;
        Some(match self.source {
            Source::Unit(node) => node.showing(said),
            Source::Raw(heard, _) => {
                let dated = resolved(said, heard.said_at_unix_ms);
                dated.map_or(Cow::Borrowed(said), Cow::Owned)
            }
        })
    }

    /// Whether memory holds key words of it alone.
    pub(super) fn is_key(&self) -> bool {
        matches!(self.source, Source::Unit(node) if node.is_key())
    }

    /// Whether nothing of it can be shown.
    pub(super) fn is_unreadable(&self) -> bool {
        self.said().is_none()
    }

    /// Which part of its utterance it says, where that is known.
    pub(super) fn part(&self) -> Option<Part> {
        match self.source {
            Source::Unit(node) => node.evidence.first()?.part,
            Source::Raw(heard, _) => Part::of(&heard.utterance.text, &heard.utterance.text),
        }
    }

    /// How what it says of a slot stands to now.
    pub(super) fn standing(&self) -> Standing {
        match self.source {
            Source::Unit(node) if node.is_past() => Standing::Past,
            Source::Unit(node) if node.claim.is_some() => Standing::Present,
            _ => Standing::Timeless,
        }
    }

    pub(super) fn speaker(&self) -> Option<&str> {
        self.source.speaker()
    }

    pub(super) fn said_ms(&self) -> u64 {
        match self.source {
            Source::Unit(node) => node.said_ms,
            Source::Raw(heard, _) => heard.session_ms,
        }
    }

    pub(super) fn said_at_unix_ms(&self) -> Option<i64> {
        match self.source {
            Source::Unit(node) => node.evidence.first().and_then(|item| item.said_at_unix_ms),
            Source::Raw(heard, _) => heard.said_at_unix_ms,
        }
    }

    pub(super) fn node(&self) -> Option<NodeId> {
        match self.source {
            Source::Unit(node) => Some(node.id),
            Source::Raw(..) => None,
        }
    }

    /// Its proofs, each with the words that prove it as far as they are known.
    pub(super) fn citations(&self, score: f32) -> Vec<Citation> {
        let cited = |evidence: Evidence, quote: Option<String>| Citation {
            evidence,
            quote,
            score,
        };
        let node = match self.source {
            Source::Unit(node) => node,
            Source::Raw(heard, _) => {
                let text = &heard.utterance.text;
                return vec![cited(Evidence::of(heard, text), Some(text.clone()))];
            }
        };
        let quote = |at: usize, item: &Evidence| match at {
            _ if item.verbatim => self.said().map(str::to_owned),
            1 if node.asked.is_some() => node.asked.clone(),
            _ => self
                .transcript
                .and_then(|transcript| transcript.quote(item)),
        };
        let items = node.evidence.iter().enumerate();
        items
            .map(|(at, item)| cited(item.clone(), quote(at, item)))
            .collect()
    }

    /// Whether both were said in one breath by one person.
    pub(super) fn said_with(&self, other: &Self) -> bool {
        self.said_ms() == other.said_ms() && self.speaker() == other.speaker()
    }
}

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
    found.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then(a.said_ms().cmp(&b.said_ms()))
            .then(b.own.total_cmp(&a.own))
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
    // talk has few speakers: who was just asked after is seldom asked after anew
    let mut last: Option<(Option<&str>, bool)> = None;
    let mut candidate = |source: Source<'a>, vector: &[f32], words: Cow<'a, [Term]>, traits| {
        let counts = query.counts(&words);
        let speaker = source.speaker();
        let about = match last {
            Some((known, about)) if known == speaker => about,
            _ => query.is_about(speaker),
        };
        last = Some((speaker, about));
        Candidate {
            concerns: about || query.is_named(&words, &counts),
            source,
            cosine: dot(vector, &question.vector),
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
    let mut found: Vec<Candidate<'a>> = units(tree, scope)
        .map(|node| {
            candidate(
                Source::Unit(node),
                tree.vector(node.id),
                Cow::Borrowed(lexicon.document(node.id.slot)),
                lexicon.traits(node.id.slot),
            )
        })
        .collect();
    let raw = uncarried(session, &found);
    for (heard, section) in raw {
        let words = terms(&crate::session::rendered(&heard.utterance));
        let traits = Traits::of(&heard.utterance.text);
        found.push(candidate(
            Source::Raw(heard, section),
            &heard.vector,
            Cow::Owned(words),
            traits,
        ));
    }
    found.sort_by_key(Candidate::said_ms);
    found
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

/// Raw talk that no unit in `found` carries yet.
fn uncarried<'a>(session: &'a Session, found: &[Candidate<'_>]) -> Vec<(&'a Heard, Section)> {
    let buffer = session.buffer();
    // only what was said last can still be in both
    let from = buffer.leading().map(|heard| heard.session_ms).min();
    let carried: HashSet<u64> = found
        .iter()
        .map(Candidate::said_ms)
        .filter(|said_ms| from.is_some_and(|from| *said_ms >= from))
        .collect();
    let leading = buffer
        .leading()
        .filter(|heard| !carried.contains(&heard.session_ms))
        .map(|heard| (heard, Section::ShortTerm));
    buffer.unmounted().chain(leading).collect()
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
            let then = query.is_of_the_days(candidate.said_at_unix_ms());
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
    for candidate in found {
        candidate.score = match candidate.source {
            Source::Unit(node)
                if candidate.cosine >= session.config().profile.recall_cosine
                    && node.parent.is_some_and(|event| open.contains(&event)) =>
            {
                candidate.cosine * session.valuation().utility(node, &candidate.words)
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
