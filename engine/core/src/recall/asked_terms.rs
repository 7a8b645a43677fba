//! The terms that a question asks for: their rarity, their other forms, and which of them tell
//! what is asked.

use super::counts::TERMS_MAX;
use crate::analysis::Term;
use crate::session::Session;
use crate::text::{AskedTerm, Language, heard_terms};
use std::collections::BTreeSet;

/// The terms of raw talk, tokenised once for a question.
pub(super) type Raw = Vec<Vec<Term>>;

pub(super) fn raw(session: &Session) -> Raw {
    let raw = session.buffer().raw();
    raw.map(|heard| heard_terms(&heard.utterance.text))
        .collect()
}

/// The terms of a question in memory.
pub(super) struct AskedTerms {
    /// The rarest [`TERMS_MAX`] terms with their rarity in memory, in ascending order of term.
    pub(super) weighted: Vec<(Term, f32)>,
    /// Other forms of them that memory holds, in ascending order, with the index of the term.
    pub(super) forms: Vec<(Term, usize)>,
    /// Indices of the terms that say what is asked, without the names of speakers.
    pub(super) focus: Vec<usize>,
}

impl AskedTerms {
    /// The terms of `text`, in which `named` are words of names.
    pub(super) fn of(
        session: &Session,
        raw: &Raw,
        language: Language,
        text: &str,
        named: &BTreeSet<Term>,
    ) -> Self {
        let mut asked = language.asked_terms(text);
        for it in &mut asked {
            it.forms.retain(|form| is_heard(session, raw, *form));
        }
        let weighted = weighted(session, raw, &asked);
        Self {
            forms: forms(&weighted, &asked),
            focus: focus(&weighted, &asked, named),
            weighted,
        }
    }
}

pub(super) fn places(weighted: &[(Term, f32)], terms: Vec<Term>) -> Vec<usize> {
    terms
        .into_iter()
        .filter_map(|term| place(weighted, term))
        .collect()
}

pub(super) fn place(weighted: &[(Term, f32)], term: Term) -> Option<usize> {
    weighted.binary_search_by_key(&term, |(term, _)| *term).ok()
}

/// Whether memory holds a word, as heard or in a source.
pub(super) fn is_heard(session: &Session, raw: &Raw, term: Term) -> bool {
    session.tree().index().words().knows(term)
        || raw.iter().any(|words| words.contains(&term))
        || session.sources().knows(term)
}

/// Indices of the terms that say what is asked: those that tell something, without names.
fn focus(weighted: &[(Term, f32)], asked: &[AskedTerm], named: &BTreeSet<Term>) -> Vec<usize> {
    let telling = |term: Term| asked.iter().any(|it| it.tells && it.term == term);
    let tells = |term: Term| !named.contains(&term) && telling(term);
    let each = 0..weighted.len();
    each.filter(|&at| tells(weighted[at].0)).collect()
}

/// The forms of the weighted terms, ascending, with the index of the term.
fn forms(weighted: &[(Term, f32)], asked: &[AskedTerm]) -> Vec<(Term, usize)> {
    let each = asked.iter().filter_map(|it| {
        let at = place(weighted, it.term)?;
        Some(it.forms.iter().map(move |form| (*form, at)))
    });
    let mut forms: Vec<(Term, usize)> = each.flatten().collect();
    forms.sort_unstable();
    forms.dedup_by_key(|(form, _)| *form);
    forms
}

/// The terms of a question with their rarity; one is as rare as the commonest of its forms.
fn weighted(session: &Session, raw: &Raw, asked: &[AskedTerm]) -> Vec<(Term, f32)> {
    let rarity = |term: Term| {
        let with = raw.iter().filter(|words| words.contains(&term)).count();
        let lexicon = session.tree().index().words();
        lexicon.rarity(term, raw.len(), with)
    };
    let of = |it: &AskedTerm| {
        let forms = it.forms.iter().map(|form| rarity(*form));
        (it.term, forms.fold(rarity(it.term), f32::min))
    };
    let mut weighted: Vec<(Term, f32)> = asked.iter().map(of).collect();
    weighted.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    weighted.dedup_by_key(|(term, _)| *term);
    weighted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    weighted.truncate(TERMS_MAX);
    weighted.sort_by_key(|(term, _)| *term);
    weighted
}
