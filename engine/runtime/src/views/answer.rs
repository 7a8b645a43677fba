//! Answers and their checks as clients read them.

use super::evidence::{audio, span};
use crate::time::rfc3339;
use weir_api as api;
use weir_core::answer::{self, AnswerCheck, Citation, Finding, PassageCitation};
use weir_core::text::Verdict;

/// The kind of an answer.
pub(crate) fn kind(kind: answer::AnswerKind) -> api::AnswerKind {
    match kind {
        answer::AnswerKind::Answer => api::AnswerKind::Answer,
        answer::AnswerKind::NotKnown => api::AnswerKind::NotKnown,
        answer::AnswerKind::FalsePremise { .. } => api::AnswerKind::FalsePremise,
        answer::AnswerKind::AskBack => api::AnswerKind::AskBack,
    }
}

/// A citation.
pub(crate) fn citation(citation: &Citation) -> api::CitationResult {
    let evidence = &citation.evidence;
    api::CitationResult {
        utterances: vec![evidence.utterance.clone()],
        stream: evidence.stream.clone(),
        turn: evidence.turn,
        speaker: evidence.speaker.clone(),
        start_ms: evidence.span.start_ms,
        end_ms: evidence.span.end_ms,
        said_at: evidence.said_at_unix_ms.and_then(rfc3339),
        audio: evidence.audio.as_ref().map(audio),
        confidence: evidence.confidence,
        quote: citation.quote.clone().unwrap_or_default(),
        score: citation.score,
    }
}

/// A citation of a source.
pub(crate) fn passage(passage: &PassageCitation) -> api::PassageResult {
    api::PassageResult {
        source: passage.source.clone(),
        file: passage.file.clone(),
        first_line: passage.first_line,
        last_line: passage.last_line,
        span: passage.span.map(span),
        quote: passage.quote.clone(),
        score: passage.score,
    }
}

/// The check of an answer.
#[must_use]
pub fn check(check: &AnswerCheck) -> api::AnswerCheck {
    let share = |it: answer::Share| api::Share {
        count: it.count,
        of: it.of,
    };
    let shares = check.shares;
    let claims = check.claims.iter();
    api::AnswerCheck {
        check: check.check.clone(),
        shares: api::CheckShares {
            found: share(shares.found),
            cited: share(shares.cited),
            references: share(shares.references),
            persona: share(shares.persona),
        },
        claims: claims
            .map(|it| api::CheckedClaim {
                speaker: it.claim.speaker.clone(),
                text: it.claim.text.clone(),
                found: finding(&it.found),
                cited: finding(&it.cited),
                persona: finding(&it.persona),
            })
            .collect(),
    }
}

fn finding(finding: &Finding) -> api::Finding {
    api::Finding {
        verdict: match finding.verdict {
            Verdict::Supported => api::Verdict::Supported,
            Verdict::Contradicted => api::Verdict::Contradicted,
            Verdict::Neither => api::Verdict::Neither,
        },
        statement: finding.statement.clone(),
    }
}
