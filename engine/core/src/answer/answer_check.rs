//! The check of an answer: each of its claims against what was found, what it cites, and what is
//! known of the asker.

use super::claim_check::{CheckClaim, CheckError};
use super::claims::{AnswerClaim, answer_claims, retrieved};
use super::recall::Recall;
use super::types::{Answer, Citation};
use crate::limits;
use crate::text::{SpeakerText, Verdict, resolved, words};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::AddAssign;

/// The claims of an answer with their verdicts, and the shares that these make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerCheck {
    /// Name of the check.
    pub check: String,
    /// The shares.
    pub shares: CheckShares,
    /// Each claim, in the order of the answer.
    pub claims: Vec<CheckedClaim>,
}

/// A claim with what the statements say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedClaim {
    /// The claim.
    #[serde(flatten)]
    pub claim: AnswerClaim,
    /// What all statements found for the question say.
    pub found: Finding,
    /// What the words of the answer's citations say.
    pub cited: Finding,
    /// What the asker's profile says, or the description of the character who answers.
    pub persona: Finding,
}

/// What several statements say of a claim: supported if one supports it, else contradicted if one
/// contradicts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// The statement that decides, with its speaker; `None` where none does.
    pub statement: Option<String>,
}

/// Counts of an answer, or of several. A denominator may be 0: then there is no share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CheckShares {
    /// Claims that a statement found supports, of all claims.
    pub found: Share,
    /// Claims that a citation supports, of all claims.
    pub cited: Share,
    /// Citations that support a claim, of those whose words are held.
    pub references: Share,
    /// Claims that the asker's profile, or the description of the character who answers, supports,
    /// of those that it supports or contradicts.
    pub persona: Share,
}

/// So many of so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Share {
    /// Those that count.
    pub count: usize,
    /// All of them.
    pub of: usize,
}

impl Share {
    /// The share, `0.0..=1.0`; `None` of nothing.
    #[must_use]
    pub fn ratio(self) -> Option<f32> {
        (self.of > 0).then(|| self.count as f32 / self.of as f32)
    }

    fn among(all: impl Iterator<Item = bool>) -> Self {
        all.fold(Self::default(), |share, counts| Self {
            count: share.count + usize::from(counts),
            of: share.of + 1,
        })
    }
}

impl AddAssign for Share {
    fn add_assign(&mut self, more: Self) {
        self.count += more.count;
        self.of += more.of;
    }
}

impl AddAssign for CheckShares {
    fn add_assign(&mut self, more: Self) {
        self.found += more.found;
        self.cited += more.cited;
        self.references += more.references;
        self.persona += more.persona;
    }
}

/// Checks an answer. `persona` is what the asker said of themselves, in the first person, or what
/// the character who answers is. A claim
/// is compared with at most [`limits::CLAIM_STATEMENTS_MAX`] statements of each kind, those that
/// share most words with it. Cost: that of the check for each pair.
///
/// # Errors
/// [`CheckError`] of the first claim that cannot be checked.
pub fn check_answer(
    answer: &Answer,
    recall: &Recall,
    persona: &[SpeakerText<'_>],
    check: &mut dyn CheckClaim,
) -> Result<AnswerCheck, CheckError> {
    let found = retrieved(recall).into_iter();
    let found: Vec<SpeakerText<'_>> = found
        .map(|it| spoken(it.speaker.as_deref(), &it.text))
        .collect();
    let quotes = answer.citations.iter();
    let quotes = quotes.filter_map(|it| dated_quote(it, &recall.reading.zone));
    let quotes: Vec<String> = quotes.collect();
    let cited = answer.citations.iter().filter(|it| it.quote.is_some());
    let quotes = cited.zip(&quotes);
    let quotes = quotes.map(|(it, quote)| spoken(it.evidence.speaker.as_deref(), quote));
    let passages = answer.passages.iter().map(|it| spoken(None, &it.quote));
    let quotes: Vec<SpeakerText<'_>> = quotes.chain(passages).collect();
    let mut right = vec![false; quotes.len()];
    let mut claims = Vec::new();
    for claim in answer_claims(answer, recall) {
        let mut pairs = Pairs {
            claim: claim.spoken(),
            known: HashMap::new(),
            check: &mut *check,
        };
        for (right, quote) in right.iter_mut().zip(&quotes) {
            *right |= pairs.verdict(*quote)? == Verdict::Supported;
        }
        let [cited, found] = [pairs.finding(&quotes)?, pairs.finding(&found)?];
        let persona = pairs.finding(persona)?;
        claims.push(CheckedClaim {
            claim: claim.clone(),
            found,
            cited,
            persona,
        });
    }
    // without claims there is nothing that a citation could support
    right.truncate(if claims.is_empty() { 0 } else { right.len() });
    Ok(AnswerCheck {
        check: check.name().to_owned(),
        shares: CheckShares::of(&claims, &right),
        claims,
    })
}

/// The words cited, with relative dates resolved as in the statements found.
fn dated_quote(citation: &Citation, zone: &TimeZone) -> Option<String> {
    let quote = citation.quote.as_deref()?;
    let dated = resolved(quote, citation.evidence.said_at_unix_ms, zone);
    Some(dated.unwrap_or_else(|| quote.to_owned()))
}

fn spoken<'a>(speaker: Option<&'a str>, text: &'a str) -> SpeakerText<'a> {
    SpeakerText { speaker, text }
}

impl CheckShares {
    fn of(claims: &[CheckedClaim], right: &[bool]) -> Self {
        let supported = |it: &Finding| it.verdict == Verdict::Supported;
        let about = claims.iter().map(|it| &it.persona);
        let about = about.filter(|it| it.verdict != Verdict::Neither);
        Self {
            found: Share::among(claims.iter().map(|it| supported(&it.found))),
            cited: Share::among(claims.iter().map(|it| supported(&it.cited))),
            references: Share::among(right.iter().copied()),
            persona: Share::among(about.map(supported)),
        }
    }
}

/// One claim beside statements; no pair is checked twice.
struct Pairs<'a> {
    claim: SpeakerText<'a>,
    known: HashMap<SpeakerText<'a>, Verdict>,
    check: &'a mut dyn CheckClaim,
}

impl<'a> Pairs<'a> {
    fn verdict(&mut self, statement: SpeakerText<'a>) -> Result<Verdict, CheckError> {
        if let Some(known) = self.known.get(&statement) {
            return Ok(*known);
        }
        let verdict = self.check.check(self.claim, statement)?;
        self.known.insert(statement, verdict);
        Ok(verdict)
    }

    /// The nearest statements are checked until one supports the claim.
    fn finding(&mut self, statements: &[SpeakerText<'a>]) -> Result<Finding, CheckError> {
        let own = words(self.claim.text);
        let mut near: Vec<SpeakerText<'a>> = statements.to_vec();
        near.sort_by_cached_key(|it| Reverse(words(it.text).intersection(&own).count()));
        let mut finding = Finding {
            verdict: Verdict::Neither,
            statement: None,
        };
        for statement in near.into_iter().take(limits::CLAIM_STATEMENTS_MAX) {
            let verdict = self.verdict(statement)?;
            let decides = verdict == Verdict::Supported || finding.statement.is_none();
            if verdict != Verdict::Neither && decides {
                finding = Finding {
                    verdict,
                    statement: Some(statement.to_string()),
                };
            }
            if verdict == Verdict::Supported {
                break;
            }
        }
        Ok(finding)
    }
}
