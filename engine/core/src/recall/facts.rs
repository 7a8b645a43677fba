//! Statements of the asker's profile that bear on a question.

use super::inquiry::Inquiry;
use crate::answer::Statement;
use crate::limits;
use crate::profile::{NearestFacts, ProfileFact};
use crate::session::Session;
use crate::text::ClaimFeatures;
use crate::transcript::Transcript;

/// How the asker's profile is handed to questions.
#[derive(Clone, Copy, Default)]
pub(super) struct ProfileOptions<'a> {
    /// Tokens of it in every context; 0 for one only where it is asked for.
    pub(super) tokens: usize,
    /// Finds facts in large profiles.
    pub(super) index: Option<&'a dyn NearestFacts>,
}

/// The facts of the asker's profile that are nearest to the question, and not forgotten: where it
/// concerns the asker, or in every context. An asker without a name has the facts of the speaker
/// without one.
pub(super) fn profile<'a>(
    inquiry: &Inquiry<'a, '_>,
    options: ProfileOptions<'_>,
) -> Vec<&'a ProfileFact> {
    let (session, question, query) = (inquiry.session, inquiry.question, inquiry.query);
    let asker = question.asked_by.as_deref();
    let concerned = match asker {
        Some(asker) => query.people.contains(&asker.to_lowercase()),
        None => ClaimFeatures::of(&question.text).first_person,
    };
    if !concerned && options.tokens == 0 {
        return Vec::new();
    }
    let (facts, most) = (session.profiles(), limits::FACTS_FOUND_MAX);
    let found = match options.index {
        Some(index) => index.nearest(facts, asker, &question.vector, most),
        None => facts.find(asker, &question.vector, most),
    };
    let found = found.into_iter().map(|(fact, _)| fact);
    found.filter(|it| inquiry.remembers(it.from_ms)).collect()
}

/// The statement that says a fact, last where it was said often; without words where they are held
/// nowhere.
pub(super) fn fact_said(
    session: &Session,
    fact: &ProfileFact,
    transcript: Option<&dyn Transcript>,
) -> Option<Statement> {
    let evidence = fact.evidence.last()?;
    let quote = session.quote(evidence, transcript);
    Some(Statement::of(evidence.clone(), quote, 0.0))
}
