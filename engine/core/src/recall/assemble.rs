//! Assembles what was found for a question: the evidence, and a context of bounded length.

use super::candidate::Candidate;
use super::cited_passages::{self, HeardEvidence};
use super::facts;
use super::found::Found;
use super::head::{self, HeadContent};
use super::inquiry::Inquiry;
use super::passages::FoundPassage;
use super::same_claim::Repeats;
use super::support::{self, Proof};
use super::{believed, context};
use crate::answer::{
    BeliefAnswer, Citation, FoundPassages, HeardStatements, KnownAnswers, Persona, Premise,
    QuestionReading, Recall, RecalledContext, Statement, add_citation,
};
use crate::limits;
use crate::memory::{Kind, Node, Titles};
use crate::profile::ProfileFact;
use crate::stream::{Utterance, spoken_line};

/// Number of strongest candidates from which answers and citations are made.
const PROOFS_MAX: usize = 128;
/// Events whose headings, and turns, a character has before it.
const HEADINGS_MAX: usize = 5;
const TURNS_MAX: usize = 6;

impl Found<'_> {
    /// The second half of [`crate::session::Session::recall`]: selects the evidence and fills a
    /// context of at most `context_tokens`, clamped to its legal range.
    #[must_use]
    pub fn assemble(&self, context_tokens: usize) -> Recall {
        let inquiry = Inquiry {
            session: self.session,
            question: self.question,
            query: &self.query,
            transcript: self.words,
            character: self.character,
        };
        // what is concluded from all talk names no number and no day
        let is_exact = !self.query.codes.is_empty() || self.query.days.is_some();
        let (beliefs, facts) = match self.windowed || is_exact {
            true => (Vec::new(), Vec::new()),
            false => (
                believed::believed(&inquiry),
                facts::profile(&inquiry, self.profile),
            ),
        };
        let best = cited_passages::best(&self.passages, self.ranked.iter().map(|it| it.score));
        let context = self.context(context_tokens, &beliefs, &facts, best);
        let HeardWithStrength {
            heard,
            strength,
            premise,
        } = self.heard();
        let passages = cited_passages::statements(best, &self.query);
        let evidence = HeardEvidence {
            score: self.ranked.iter().map(|it| it.score).fold(0.0, f32::max),
            strength,
            answers: heard.support >= limits::SUPPORT_MIN && !heard.answers.is_empty(),
        };
        Recall {
            context,
            heard,
            passages: FoundPassages {
                lead: cited_passages::lead(best, &passages, &evidence),
                best: passages,
            },
            known: KnownAnswers {
                beliefs,
                profile: self.profile_statements(&facts),
            },
            reading: QuestionReading {
                premise,
                overview: self.overview(),
                zone: self.query.zone.clone(),
                other_language: !self.query.language.is_english(),
                silent_days: self.silent_days(),
            },
            persona: self.persona(),
            session_ms: self.session.now_ms(),
        }
    }

    /// The character, with what it remembers of the talk as a whole: a summary that runs with the
    /// talk, and the last turns (Characters paper, recent history).
    fn persona(&self) -> Persona {
        let mut persona = Persona {
            character: self.character.cloned(),
            faded: self.faded,
            so_far: Vec::new(),
            turns: Vec::new(),
        };
        if self.character.is_none() || self.windowed {
            return persona;
        }
        let (tree, raw) = (self.session.tree(), self.session.buffer().raw());
        let words = |node: &Node| match node.kind {
            Kind::Unit if !node.is_key() => Some(node.text.clone()),
            // the transcript has the words as heard
            Kind::Unit if node.edited => None,
            _ => self.words?.quote(node.evidence.first()?),
        };
        let titles = Titles::with_words(tree, &words);
        let mut events: Vec<&Node> = tree.of_kind(Kind::Event).collect();
        events.sort_by_key(|event| event.said_ms);
        let last = events.len().saturating_sub(HEADINGS_MAX);
        let headings = events[last..].iter().map(|event| titles.title(event));
        persona.so_far = headings.collect();
        let turns: Vec<&Utterance> = raw.map(|heard| &heard.utterance).collect();
        let last = turns.len().saturating_sub(TURNS_MAX);
        let turn = |it: &&Utterance| spoken_line(it.speaker.as_deref(), &it.text);
        persona.turns = turns[last..].iter().map(turn).collect();
        persona
    }

    /// The context: its head, passages of sources, then statements.
    fn context(
        &self,
        context_tokens: usize,
        beliefs: &[BeliefAnswer],
        facts: &[&ProfileFact],
        passages: &[FoundPassage<'_>],
    ) -> RecalledContext {
        let counter = self.session.counter();
        let budget = context_tokens.clamp(limits::CONTEXT_TOKENS_MIN, limits::CONTEXT_TOKENS_MAX);
        let content = HeadContent {
            character: self.character,
            beliefs,
            facts,
        };
        let head = head::fill(&content, budget, self.profile.tokens, counter);
        let left = budget - head.tokens;
        let sources =
            cited_passages::section(passages, counter, left / limits::CONTEXT_SOURCES_PART);
        let left = left - sources.tokens;
        let repeats = Repeats::of(self.session, &self.query);
        let transcript = self.words.is_some();
        let said = context::fill(self.session, &self.ranked, left, transcript, repeats);
        RecalledContext {
            text: head.text + &sources.text + &said.text,
            tokens: head.tokens + sources.tokens + said.tokens,
            utterances: said.utterances,
            statements: said.statements,
        }
    }

    /// The statements that may answer.
    fn heard(&self) -> HeardWithStrength {
        let (query, ranked) = (&self.query, &self.ranked);
        // look up only what an answer could need
        let mut proofs = support::proofs(ranked, query, PROOFS_MAX);
        proofs.retain(|(_, found)| self.admits(found));
        let admitted = proofs.len();
        proofs.retain(|(_, found)| !found.is_unreadable());
        let unreadable = admitted - proofs.len();
        let strength = proofs.first().map_or(0.0, |(strength, _)| *strength);
        let judged = self.judged(strength * support::premise(ranked, query));
        let proofs = support::reranked_first(proofs, &ranked[..self.reranked]);
        let heard = HeardStatements {
            statements: support::statements(&proofs),
            citations: citations(&proofs),
            chance: judged.chance,
            by_meaning: judged.by_meaning,
            answers: judged.answers,
            around: judged.around,
            elsewhere: judged.elsewhere,
            support: judged.support,
            unreadable,
            spans_days: self.spans_days(),
        };
        HeardWithStrength {
            heard,
            strength,
            premise: judged.premise,
        }
    }

    /// The statements from which facts of a profile were read, if their words are still held.
    fn profile_statements(&self, facts: &[&ProfileFact]) -> Vec<Statement> {
        let said = |fact: &&ProfileFact| facts::fact_said(self.session, fact, self.words);
        let said = facts.iter().filter_map(said);
        said.filter(|it| !it.text.is_empty()).collect()
    }

    /// The days in question, if nothing that is held was said on them or tells of them.
    fn silent_days(&self) -> Option<String> {
        let days = self.query.days.as_ref()?;
        let silent = !self.ranked.iter().any(|found| self.is_of_days(found));
        silent.then(|| days.to_string())
    }

    fn spans_days(&self) -> bool {
        let mut days = self.ranked.iter().filter_map(Candidate::said_on);
        let first = days.next();
        days.any(|day| Some(day) != first)
    }
}

/// What was heard, the greatest strength of a statement, and the question's false premise.
struct HeardWithStrength {
    heard: HeardStatements,
    strength: f32,
    premise: Option<Premise>,
}

/// The best evidence, one citation per utterance, or per part of an utterance recognised in parts.
fn citations(proofs: &[Proof<'_>]) -> Vec<Citation> {
    let mut citations: Vec<Citation> = Vec::new();
    for (score, found) in proofs.iter().take(limits::CITATIONS_MAX) {
        for citation in found.citations(*score) {
            add_citation(&mut citations, &citation);
        }
    }
    citations
}
