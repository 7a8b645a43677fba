//! One statement that may answer a question, with its scores.

use super::counts::Counts;
use crate::analysis::{StatementFlags, Term};
use crate::answer::Citation;
use crate::memory::{Node, NodeId};
use crate::sense::Section;
use crate::session::Session;
use crate::stream::Span;
use crate::talk::BufferedUtterance;
use crate::talk::{Evidence, Part};
use crate::text::{date_of, resolved};
use crate::transcript::Transcript;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::borrow::Cow;
use std::cell::OnceCell;

/// Where a candidate is held.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source<'a> {
    Unit(&'a Node),
    Raw(&'a BufferedUtterance, Section),
}

impl<'a> Source<'a> {
    pub(super) fn said_ms(self) -> u64 {
        match self {
            Source::Unit(node) => node.said_ms,
            Source::Raw(heard, _) => heard.session_ms,
        }
    }

    /// Ordinal of the candidate's utterance.
    pub(super) fn turn(self) -> Option<u64> {
        match self {
            Source::Unit(node) => Some(node.evidence.first()?.turn),
            Source::Raw(heard, _) => Some(heard.turn),
        }
    }

    /// Ordinals of the utterances that say it: the first, and others of the same person. The
    /// question that a statement answers is evidence of it too, and does not say it.
    pub(super) fn turns(self) -> impl Iterator<Item = u64> + use<'a> {
        let (evidence, speaker, raw) = match self {
            Source::Unit(node) => (&node.evidence[..], node.speaker.as_ref(), None),
            Source::Raw(heard, _) => (&[][..], None, Some(heard.turn)),
        };
        let says = move |(place, item): &(usize, &Evidence)| {
            *place == 0 || speaker.is_some() && item.speaker.as_ref() == speaker
        };
        let said = evidence.iter().enumerate().filter(says);
        said.map(|(_, item)| item.turn).chain(raw)
    }

    /// Ordinal of the last utterance of its evidence.
    pub(super) fn last_turn(self) -> Option<u64> {
        match self {
            Source::Unit(node) => node.evidence.iter().map(|item| item.turn).max(),
            Source::Raw(heard, _) => Some(heard.turn),
        }
    }

    /// In how many utterances it was said.
    pub(super) fn times(self) -> u32 {
        let more = match self {
            Source::Unit(node) => node.evidence_more,
            Source::Raw(..) => 0,
        };
        more.saturating_add(self.turns().count() as u32)
    }

    /// The id of the candidate's utterance.
    pub(super) fn utterance(self) -> Option<&'a str> {
        match self {
            Source::Unit(node) => node.evidence.first().map(|item| item.utterance.as_str()),
            Source::Raw(heard, _) => Some(&heard.utterance.id),
        }
    }

    /// The candidate's stream, and its time span in that stream's time.
    pub(super) fn place(self) -> Option<(&'a str, Span)> {
        match self {
            Source::Unit(node) => {
                let item = node.evidence.first()?;
                Some((&item.stream, item.span))
            }
            Source::Raw(heard, _) => Some((&heard.utterance.stream, heard.utterance.span)),
        }
    }

    pub(super) fn speaker(self) -> Option<&'a str> {
        match self {
            Source::Unit(node) => node.speaker.as_deref(),
            Source::Raw(heard, _) => heard.utterance.speaker.as_deref(),
        }
    }
}

/// One statement that may answer.
pub(super) struct Candidate<'a> {
    pub(super) source: Source<'a>,
    /// Cosine of the statement and the question.
    pub(super) cosine: f32,
    /// Dot product of the sparse terms of the statement and the question.
    pub(super) sparse: f32,
    /// BM25 of the statement against the question.
    pub(super) lexical: f32,
    /// Sum of the three signals in standard deviations; under hybrid recall the whole utterance's
    /// score.
    pub(super) score: f32,
    /// Cosine, terms and BM25 of this statement alone, in standard deviations of the scores of
    /// utterances.
    pub(super) signals: [f32; 3],
    /// Index of its utterance among those scored.
    pub(super) at: u32,
    /// Cosine plus a tenth of BM25 of this statement alone. Orders the statements of one utterance.
    /// 0 under top-down recall.
    pub(super) own: f32,
    pub(super) words: Cow<'a, [Term]>,
    /// Count of each question term in the statement.
    pub(super) counts: Counts,
    /// What kind of statement it is.
    pub(super) traits: StatementFlags,
    /// What the character who answers retains of it, `0.0..=1.0`; 1 without one.
    pub(super) retention: f32,
    /// Whether a person in the question said it or is named in it; true when the question names
    /// nobody.
    pub(super) concerns: bool,
    /// The time zone of shown dates.
    pub(super) zone: TimeZone,
    /// Source of the full words when memory holds only key words.
    pub(super) transcript: Option<&'a dyn Transcript>,
    /// The transcript's words of a statement kept as key words, cached after the first lookup.
    pub(super) looked_up: OnceCell<Option<String>>,
}

impl<'a> Candidate<'a> {
    /// The vector of the statement, or of its whole utterance while that is raw talk.
    pub(super) fn vector(&self, session: &'a Session) -> &'a [f32] {
        match self.source {
            Source::Unit(node) => session.tree().vector(node.id),
            Source::Raw(heard, _) => &heard.vector,
        }
    }

    /// The statement as said or as rewritten by a model, without additions; `None` when memory
    /// holds only key words and no transcript has the rest.
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

    /// The words that contexts and answers show: whole clauses, plus the resolved date and the
    /// question that the statement answers.
    pub(super) fn display_text(&self) -> Option<Cow<'_, str>> {
        let said = self.said()?;
        Some(match self.source {
            Source::Unit(node) => node.display_text_in(said, &self.zone),
            Source::Raw(heard, _) => {
                let dated = resolved(said, heard.said_at_unix_ms, &self.zone);
                dated.map_or(Cow::Borrowed(said), Cow::Owned)
            }
        })
    }

    /// Whether memory holds only key words of the statement.
    pub(super) fn is_key(&self) -> bool {
        matches!(self.source, Source::Unit(node) if node.is_key())
    }

    /// Whether no words of the statement can be shown.
    pub(super) fn is_unreadable(&self) -> bool {
        self.said().is_none()
    }

    /// Which part of its utterance the statement is, when known.
    pub(super) fn part(&self) -> Option<Part> {
        match self.source {
            Source::Unit(node) => node.evidence.first()?.part,
            Source::Raw(heard, _) => Part::of(&heard.utterance.text, &heard.utterance.text),
        }
    }

    pub(super) fn speaker(&self) -> Option<&str> {
        self.source.speaker()
    }

    pub(super) fn said_ms(&self) -> u64 {
        self.source.said_ms()
    }

    pub(super) fn said_at_unix_ms(&self) -> Option<i64> {
        match self.source {
            Source::Unit(node) => node.evidence.first().and_then(|item| item.said_at_unix_ms),
            Source::Raw(heard, _) => heard.said_at_unix_ms,
        }
    }

    /// The day on which it was said, in the question's time zone.
    pub(super) fn said_on(&self) -> Option<Date> {
        date_of(self.said_at_unix_ms()?, &self.zone)
    }

    pub(super) fn node(&self) -> Option<NodeId> {
        match self.source {
            Source::Unit(node) => Some(node.id),
            Source::Raw(..) => None,
        }
    }

    /// The statement's evidence, each with the words that prove it, as far as they are known.
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

    /// Whether both statements belong to one utterance.
    pub(super) fn said_with(&self, other: &Self) -> bool {
        let turn = self.source.turn();
        turn.is_some() && turn == other.source.turn()
    }
}
