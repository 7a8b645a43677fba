//! Beliefs as clients read them.

use super::evidence::quoted;
use weir_api::{self as api, BeliefCounts, Observation};
use weir_core::answer::feeling_word;
use weir_core::beliefs::{Belief, Beliefs};
use weir_core::session::Session;
use weir_core::talk::opinion_label;
use weir_core::text::is_speaker;
use weir_core::text::{Doubt, Sentiment, stems};
use weir_core::transcript::Transcript;

/// The beliefs of a holder, and about something, if these are named: by holder, those with the most
/// weight first.
#[must_use]
pub fn select_beliefs<'a>(
    beliefs: &'a Beliefs,
    of: Option<&str>,
    about: Option<&str>,
) -> Vec<&'a Belief> {
    let about = about.map(stems);
    let is = |belief: &&Belief| {
        let label = stems(&opinion_label(&belief.object, &belief.aspect));
        about.as_ref().is_none_or(|it| it.is_subset(&label))
            && is_speaker(of, belief.holder.as_deref())
    };
    let mut found: Vec<&Belief> = beliefs.held().iter().filter(is).collect();
    found.sort_by(|a, b| {
        let weight = b.tally().weight.total_cmp(&a.tally().weight);
        a.holder.cmp(&b.holder).then(weight)
    });
    found
}

/// Beliefs, the remarks of the session that do not count, and its counts.
#[must_use]
pub fn beliefs(session: &Session, transcript: &dyn Transcript, chosen: &[&Belief]) -> api::Beliefs {
    let (doubted, counts) = (session.beliefs().doubted(), session.beliefs().counts());
    let doubted = doubted.iter().map(|it| api::Doubted {
        holder: it.holder.clone(),
        doubt: doubt(it.doubt),
        source: quoted(&it.evidence, session, transcript),
    });
    let chosen = chosen.iter();
    api::Beliefs {
        beliefs: chosen.map(|it| belief(it, session, transcript)).collect(),
        doubted: doubted.collect(),
        counts: BeliefCounts {
            observed: counts.observed,
            abandoned: counts.abandoned,
            doubted: counts.doubted,
            integrated: counts.integrated,
            deleted: counts.deleted,
            forgotten: counts.forgotten,
        },
    }
}

/// What one speaker feels about one side of a thing.
#[must_use]
pub fn belief(belief: &Belief, session: &Session, transcript: &dyn Transcript) -> api::Belief {
    let tally = belief.tally();
    let history = belief.history().map(|(it, tally)| Observation {
        said_ms: it.said_ms,
        sentiment: sentiment(it.sentiment),
        strength: it.strength,
        current: sentiment(tally.current),
        settled: sentiment(tally.settled),
        source: quoted(&it.evidence, session, transcript),
    });
    api::Belief {
        id: belief.id.to_string(),
        holder: belief.holder.clone(),
        object: belief.object.clone(),
        kind: belief.kind.to_string(),
        aspect: belief.aspect.clone(),
        feeling: feeling_word(&tally).to_owned(),
        current: sentiment(tally.current),
        settled: sentiment(tally.settled),
        weight: tally.weight,
        entropy: tally.current.entropy(),
        observations: tally.count,
        shift: tally.shift(),
        last_ms: belief.last_ms(),
        history: history.collect(),
    }
}

fn sentiment(of: Sentiment) -> api::Sentiment {
    api::Sentiment {
        positive: of.positive,
        negative: of.negative,
        neutral: of.neutral,
    }
}

fn doubt(doubt: Doubt) -> api::Doubt {
    match doubt {
        Doubt::Hypothetical => api::Doubt::Hypothetical,
        Doubt::Reported => api::Doubt::Reported,
        Doubt::Sarcasm => api::Doubt::Sarcasm,
        Doubt::Past => api::Doubt::Past,
        Doubt::Question => api::Doubt::Question,
    }
}
