//! Everything held, ranked by how well it answers a question; the answers, and their evidence.

use super::candidate::{Candidate, Source};
use super::candidate_set::CandidateSet;
use super::facts::ProfileOptions;
use super::hybrid::Utterance;
use super::passages::FoundPassage;
use super::query::Query;
use super::rank::Ranked;
use super::same_claim::Repeats;
use super::{continued, features, pair, rank, ranker, support};
use crate::answer::{OverviewOf, Part, Premise, Question, Statement};
use crate::character::Character;
use crate::limits;
use crate::profile::NearestFacts;
use crate::sense::Section;
use crate::session::Session;
use crate::text::{Language, is_small_talk};
use crate::transcript::Transcript;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Factor on the probability of a statement of, and about, none of the people in question, where
/// words alone are compared.
const OTHER_PERSON: f32 = 0.6;
/// Fewer statements are judged without the model of the question. Set by hand.
const FEW: usize = 8;
/// Maximum number of statements offered as answers.
const ANSWERS_MAX: usize = 8;

/// A statement with its ranker features.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RankerRow {
    /// The words that a context shows.
    pub text: String,
    /// Its speaker.
    pub speaker: Option<String>,
    /// The id of its utterance.
    pub utterance: Option<String>,
    /// The place of that utterance in the order heard.
    pub turn: Option<u64>,
    /// Features; every statement has the same number.
    pub features: Vec<f32>,
}

/// Everything held, ranked by how well it answers a question.
pub struct Found<'a> {
    pub(super) session: &'a Session,
    pub(super) question: &'a Question,
    pub(super) query: Query,
    pub(super) ranked: Vec<Candidate<'a>>,
    /// Set when the question is about memory itself.
    pub(super) overview_of: Option<OverviewOf>,
    /// The utterances of the statements, in the order said.
    utterances: Vec<Utterance>,
    /// Passages of sources, best first.
    pub(super) passages: Vec<FoundPassage<'a>>,
    /// The character who answers.
    pub(super) character: Option<&'a Character>,
    /// Whether that character has forgotten what fits best.
    pub(super) faded: bool,
    /// Whether it is limited to a part of the talk.
    pub(super) windowed: bool,
    /// Number of leading statements that a reranker ordered.
    pub(super) reranked: usize,
    /// Source of words that memory does not hold.
    pub(super) words: Option<&'a dyn Transcript>,
    pub(super) profile: ProfileOptions<'a>,
    /// The utterances with what the question names exactly, once they were looked for.
    pub(super) exact_turns: OnceCell<BTreeSet<u64>>,
}

impl<'a> Found<'a> {
    /// Scores everything a session holds, or the part in `scope`.
    pub(super) fn of(
        session: &'a Session,
        question: &'a Question,
        query: Query,
        scope: Option<&CandidateSet>,
    ) -> Self {
        let Ranked {
            statements,
            utterances,
            passages,
        } = rank::ranked(session, question, &query, scope);
        Self {
            session,
            question,
            overview_of: None,
            query,
            ranked: statements,
            utterances,
            passages,
            character: None,
            faded: false,
            windowed: false,
            reranked: 0,
            words: None,
            profile: ProfileOptions::default(),
            exact_turns: OnceCell::new(),
        }
    }

    /// Words and scores of all candidates, best first, to four decimal places.
    #[cfg(test)]
    pub(crate) fn order(&self) -> Vec<(String, f32)> {
        let rounded = |score: f32| (score * 10_000.0).round() / 10_000.0;
        let ranked = self.ranked.iter();
        let shown = |found: &Candidate<'_>| found.display_text().unwrap_or_default().into_owned();
        ranked
            .map(|found| (shown(found), rounded(found.score)))
            .collect()
    }

    /// Excludes one part of memory, to measure what that part contributes.
    #[must_use]
    pub fn without(mut self, part: Part) -> Self {
        let stays = |found: &Candidate<'_>| {
            part != match found.source {
                Source::Unit(_) => Part::LongTerm,
                Source::Raw(_, Section::ShortTerm) => Part::ShortTerm,
                Source::Raw(_, Section::Pending) => Part::Pending,
            }
        };
        let reranked = self.ranked.iter().take(self.reranked);
        self.reranked = reranked.filter(|found| stays(found)).count();
        self.ranked.retain(stays);
        self
    }

    /// Reads words that memory does not hold from a transcript. Answers quote them, and contexts
    /// show statements of which memory holds only key words.
    #[must_use]
    pub fn with_transcript(mut self, transcript: &'a dyn Transcript) -> Self {
        for found in &mut self.ranked {
            found.transcript = Some(transcript);
        }
        self.words = Some(transcript);
        self
    }

    /// Hands the asker's profile to every question, at most so many tokens of it; 0 hands it only
    /// to questions that concern the asker.
    #[must_use]
    pub fn with_profile(mut self, tokens: usize) -> Self {
        self.profile.tokens = tokens;
        self
    }

    /// Finds facts of profiles with an index, which was built from this session or an earlier state
    /// of it.
    #[must_use]
    pub fn with_fact_index(mut self, index: &'a dyn NearestFacts) -> Self {
        self.profile.index = Some(index);
        self
    }

    /// Ranker features of the best statements without those of some utterances, best first: for
    /// training the ranker.
    #[must_use]
    pub fn weighed(&self, without: &[String]) -> Vec<RankerRow> {
        let utterance = |found: &Candidate<'a>| found.source.utterance().map(str::to_owned);
        let mut best = self.readable();
        best.retain(|found| !utterance(found).is_some_and(|id| without.contains(&id)));
        let (rows, _) = self.rows(&best);
        let each = best.into_iter().zip(rows);
        each.map(|(found, row)| RankerRow {
            text: found.display_text().unwrap_or_default().into_owned(),
            speaker: found.speaker().map(str::to_owned),
            utterance: utterance(found),
            turn: found.source.last_turn(),
            features: row.to_vec(),
        })
        .collect()
    }

    /// The best statements that can be shown, in the order before reranking. The ranker reads a
    /// limited number of statements that tell something; questions that rank between them come
    /// with them.
    fn readable(&self) -> Vec<&Candidate<'a>> {
        let with_questions = |most: usize| {
            let mut tell = 0;
            move |found: &&Candidate<'a>| {
                tell += usize::from(!found.traits.question);
                tell <= most
            }
        };
        let admitted = self.ranked.iter().filter(|found| self.admits(found));
        let shown = admitted.filter(|found| !found.is_unreadable());
        let most = ranker::WEIGHED_MAX.max(self.reranked);
        let shown = shown.take_while(with_questions(most)).take(2 * most);
        let mut best: Vec<&Candidate<'a>> = shown.collect();
        best.sort_by(|a, b| b.score.total_cmp(&a.score));
        let within = with_questions(ranker::WEIGHED_MAX);
        let kept = best.iter().copied().take_while(within).count();
        best.truncate(kept);
        best
    }

    /// The answers, and the probability that any is right; `covered` is the share of the question
    /// that the strongest statement covers, independent of the models.
    pub(super) fn judged(&self, covered: f32) -> Judged {
        let weighed = self.weighed_candidates(covered);
        let (best, mut chances, support) = (weighed.best, weighed.chances, weighed.support);
        let meant = self.chances_by_meaning(&best);
        let across = meant.iter().copied().fold(0.0, f32::max);
        // words that nobody used may be those of another language
        let support = match self.query.unheard.is_empty() {
            true => support.max(across),
            false => across,
        };
        for ((chance, found), meant) in chances.iter_mut().zip(&best).zip(meant) {
            *chance = chance.max(meant) * found.retention;
        }
        let earlier = self.holds_now(&best, &mut chances);
        let mut order: Vec<usize> = (0..best.len()).collect();
        order.sort_by(|a, b| chances[*b].total_cmp(&chances[*a]).then(a.cmp(b)));
        if self.reranked > 0 {
            let first = &self.ranked[..self.reranked];
            let place = |at: &usize| first.iter().position(|it| std::ptr::eq(it, best[*at]));
            order.sort_by_key(|at| place(at).unwrap_or(usize::MAX));
        }
        let told = |at: usize| {
            let mut statement = support::answer(best[at], chances[at], &self.query);
            statement.earlier = earlier == Some(at);
            continued::continue_statement(&mut statement, best[at], &self.ranked);
            statement
        };
        let elsewhere = self.elsewhere(&best).map(|at| Statement {
            earlier: false,
            ..told(at)
        });
        let around = order.first().map_or_else(Vec::new, |&at| {
            let first = support::answer(best[at], chances[at], &self.query);
            self.around_of(best[at], &first)
        });
        let of_other = order
            .first()
            .is_some_and(|&at| self.tells_of_another(best[at]));
        let mut repeats = Repeats::of(self.session, &self.query);
        let sure = |at: &usize| Some(ranker::sure(chances[*at], weighed.answerable?));
        Judged {
            chance: order.first().and_then(sure),
            by_meaning: covered < limits::SUPPORT_MIN,
            premise: self.premise(support, elsewhere.is_some(), of_other),
            around,
            // beside an answer nobody else speaks of themselves, and nothing is said twice
            answers: order
                .into_iter()
                .enumerate()
                .filter(|&(place, at)| place == 0 || !self.tells_of_another(best[at]))
                .filter(|&(_, at)| repeats.tell(best[at], at).is_none())
                .take(ANSWERS_MAX)
                .map(|(_, at)| told(at))
                .collect(),
            elsewhere,
            support,
        }
    }

    /// The best statements that tell something, the chance of each to be an answer, and the
    /// support; `covered` as in [`Self::judged`].
    fn weighed_candidates(&self, covered: f32) -> Weighed<'_, 'a> {
        let mut best = self.readable();
        let tells = |found: &Candidate<'_>| !found.traits.question;
        if !self.query.language.is_english() {
            best.retain(|found| tells(found));
            let (chances, support) = self.chances_by_words(&best);
            return Weighed {
                best,
                chances,
                answerable: None,
                support,
            };
        }
        // the ranker was trained with questions among the statements; no question is an answer
        let (rows, paired) = self.rows(&best);
        let mut chances = ranker::chances(&rows);
        let answerable = ranker::answerable(&rows, &chances);
        if !paired {
            let projected = self.session.encoder().is_projected();
            ranker::add_meaning(&rows, projected, &mut chances);
        }
        let told = best.into_iter().zip(chances);
        let (best, chances): (Vec<_>, Vec<f32>) = told.filter(|(found, _)| tells(found)).unzip();
        // words of the question that a statement has, or the scorer, must speak for an answer
        let concern = best.iter().zip(&chances).filter(|it| it.0.concerns);
        let likeliest = concern.map(|(_, chance)| *chance).fold(0.0, f32::max);
        let sure = match self.session.encoder().compares_words() {
            true => 0.0,
            false => ranker::sure(likeliest, answerable),
        };
        // of so few statements the model of the question has learned little
        let support = match rows.len() < FEW {
            true => covered.max(sure),
            false => answerable.min(covered.max(sure)),
        };
        Weighed {
            best,
            chances,
            answerable: Some(answerable),
            support,
        }
    }

    /// The ranker's features of statements, and whether the network of pairs read them.
    fn rows(&self, best: &[&Candidate<'a>]) -> (Vec<[f32; features::COUNT]>, bool) {
        let pairs = pair::odds(self.session, &self.question.vector, &self.query, best);
        let paired = pairs.is_some();
        let pairs = pairs.unwrap_or_else(|| vec![0.0; best.len()]);
        let rows = features::of_all(best, &pairs, &self.query, &self.utterances);
        (rows, paired)
    }

    /// What else was said in the utterance of the first answer, of its day and as likely.
    fn around_of(&self, found: &Candidate<'a>, first: &Statement) -> Vec<Statement> {
        let around = self.around(found).into_iter().map(|found| Statement {
            day: first.day.clone(),
            ..support::answer(found, first.chance, &self.query)
        });
        around.collect()
    }

    /// The other statements of the same utterance: those after it, then those before it, nearest
    /// first. Cost: one pass over all candidates.
    fn around(&self, found: &Candidate<'a>) -> Vec<&Candidate<'a>> {
        let Some(place) = found.part() else {
            return Vec::new();
        };
        let people = self.query.speakers().iter();
        let people = people.flat_map(|name| name.split_whitespace().map(str::to_lowercase));
        let people: BTreeSet<String> = people.collect();
        let tells = |other: &&Candidate<'_>| {
            let said = other.said().filter(|_| !other.is_unreadable());
            said.is_some_and(|said| !is_small_talk(said, &people)) && !other.traits.question
        };
        let others = self.ranked.iter();
        let others = others.filter(|other| other.said_with(found) && tells(other));
        let placed = others.filter_map(|other| Some((other.part()?, other)));
        let mut around: Vec<(bool, u32, &Candidate<'a>)> = placed
            .filter(|(part, _)| part.start >= place.end || part.end <= place.start)
            .map(|(part, other)| {
                let before = part.start < place.start;
                (before, part.start.abs_diff(place.start), other)
            })
            .collect();
        around.sort_by_key(|&(before, distance, _)| (before, distance));
        around.into_iter().map(|(.., other)| other).collect()
    }

    /// The chances of statements in a language that the ranker does not know, and the support: the
    /// share of the question's words that a statement holds, by their rarity.
    fn chances_by_words(&self, best: &[&Candidate<'a>]) -> (Vec<f32>, f32) {
        let asked = self.query.asked_rarity().max(f32::MIN_POSITIVE);
        let covered = |found: &&Candidate<'a>| {
            let share = self.query.focus_where(|at| found.counts.has(at)) / asked;
            share * if found.concerns { 1.0 } else { OTHER_PERSON }
        };
        let chances: Vec<f32> = best.iter().map(covered).collect();
        let support = chances.iter().copied().fold(0.0, f32::max);
        (chances, support)
    }

    /// The chance of each statement in another language than the question, by the vectors of an
    /// encoder that knows both; 0 of all others.
    fn chances_by_meaning(&self, best: &[&Candidate<'a>]) -> Vec<f32> {
        let profile = &self.session.config().profile;
        let meant = |found: &&Candidate<'a>| {
            let chance = profile.chance_across_languages(found.cosine)?;
            let said = Language::of(found.said()?)?;
            (said != self.query.language)
                .then_some(chance * if found.concerns { 1.0 } else { OTHER_PERSON })
        };
        let chances = best.iter().map(|found| meant(found).unwrap_or(0.0));
        chances.collect()
    }
}

/// The best statements that tell something, with the chance of each to be an answer.
struct Weighed<'f, 'a> {
    best: Vec<&'f Candidate<'a>>,
    chances: Vec<f32>,
    /// The chance that anything answers, by the model of the question; `None` in other languages
    /// than English.
    answerable: Option<f32>,
    support: f32,
}

/// Candidate answers, and the probability that any is right.
pub(super) struct Judged {
    pub(super) answers: Vec<Statement>,
    pub(super) around: Vec<Statement>,
    pub(super) elsewhere: Option<Statement>,
    pub(super) support: f32,
    /// How sure the first answer is.
    pub(super) chance: Option<f32>,
    /// Whether the answers have too few words of the question to answer by words.
    pub(super) by_meaning: bool,
    pub(super) premise: Option<Premise>,
}
