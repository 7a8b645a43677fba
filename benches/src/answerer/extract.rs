//! Answers by quotes: the line of the context that best supports the question, or none.
//!
//! Its only model is the encoder that all methods share, and it does not know how a context was
//! made, so an answer depends only on the context. It follows the engine's own answerer (meaning,
//! shared words, right person, right kind of answer) as far as plain lines allow. Whole lines are
//! quoted: a line's best sentence alone is closer in words to a short gold answer (ROUGE-L 0.10
//! instead of 0.08) but names all its key entities less often (0.17 instead of 0.26).

use super::lines::{self, Line};
use super::{ABSTENTION, Answerer};
use crate::method::Answered;
use crate::vectors::dot;
use anyhow::Result;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use weir_core::config::EncoderProfile;
use weir_core::text::{StatementFlags, Term, display_words, terms};
use weir_models::Encode;

/// Support below which the answerer abstains. Chosen on LoCoMo's five development dialogues (999
/// probes, contexts of dense retrieval): at 0.55 it abstained from 11 % of the probes without an
/// answer (45 % of its abstentions were right) and named all key entities of 0.252 of the answers;
/// at 0.65 it abstained from 38 % (37 %), with 0.236.
const SUPPORT_MIN: f32 = 0.65;
/// A second line is quoted if it supports the answer almost as well and the question asks for
/// several things.
const ALSO_SHARE: f32 = 0.75;
/// Cosine of a line's best statement at which support starts to grow; it is full at the encoder's
/// `support_cosine`.
const COSINE_FLOOR: f32 = 0.10;
/// Weight of meaning relative to shared words.
const COSINE_WEIGHT: f32 = 0.6;
/// Factors of support for a line by another speaker, a question, an answer without the requested
/// number or day, and a line of at most one content word.
const OTHER_PERSON: f32 = 0.6;
const ASKED_NOT_SAID: f32 = 0.5;
const NO_FIGURE: f32 = 0.8;
const SAYS_LITTLE: f32 = 0.7;
/// The extractive answerer.
pub struct Extract {
    encoder: Arc<dyn Encode>,
    full_cosine: f32,
}

/// Features of a question.
struct Asked {
    /// Its words without the names of speakers, each with its rarity among the lines.
    focus: Vec<(Term, f32)>,
    /// Words of the names of the speakers that the question is about.
    people: HashSet<Term>,
    number: bool,
    day: bool,
    several: bool,
}

/// A line and how well it supports an answer, `0.0..=1.0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Supported<'a> {
    pub(super) line: Line<'a>,
    pub(super) support: f32,
}

impl Extract {
    /// An answerer that compares lines and questions with `encoder`.
    #[must_use]
    pub fn new(encoder: Arc<dyn Encode>) -> Self {
        let full_cosine = EncoderProfile::for_encoder(&encoder.identity().name).support_cosine;
        Self {
            encoder,
            full_cosine,
        }
    }

    /// The lines of a context, best first; ties in the context's order.
    fn ranked<'a>(&self, asked: &Asked, question: &str, said: &[Line<'a>]) -> Result<Ranked<'a>> {
        let question = self.encoder.encode(&[question])?.pop().unwrap_or_default();
        let mut ranked = Vec::with_capacity(said.len());
        for line in said {
            let statements = line.statements();
            let texts: Vec<&str> = statements.iter().map(String::as_str).collect();
            let cosines = self.encoder.encode(&texts)?.into_iter();
            let cosines = cosines.map(|vector| dot(&question, &vector));
            let cosine = cosines.fold(0.0, f32::max);
            let room = (self.full_cosine - COSINE_FLOOR).max(0.05);
            let meaning = ((cosine - COSINE_FLOOR) / room).clamp(0.0, 1.0);
            let support = asked.support(line, meaning);
            ranked.push(Supported {
                line: *line,
                support,
            });
        }
        ranked.sort_by(|a, b| b.support.total_cmp(&a.support));
        Ok(ranked)
    }

    /// The lines to quote, without a threshold.
    pub(super) fn quotable<'a>(
        &self,
        question: &str,
        asked_by: Option<&str>,
        context: &'a str,
    ) -> Result<(Ranked<'a>, bool)> {
        let mut met = HashSet::new();
        let said: Vec<Line<'_>> = lines::read(context)
            .filter(|line| met.insert(line.text))
            .collect();
        let asked = Asked::read(question, asked_by, &said);
        let mut ranked = self.ranked(&asked, question, &said)?;
        let best = ranked.first().map_or(0.0, |best| best.support);
        let several = ranked
            .get(1)
            .is_some_and(|second| asked.several && second.support >= ALSO_SHARE * best);
        ranked.truncate(if several { 2 } else { 1 });
        Ok((ranked, asked.day))
    }
}

type Ranked<'a> = Vec<Supported<'a>>;

impl Answerer for Extract {
    fn name(&self) -> &str {
        "extract"
    }

    fn answer(&self, question: &str, asked_by: Option<&str>, context: &str) -> Result<Answered> {
        let (quoted, with_day) = self.quotable(question, asked_by, context)?;
        let best = quoted.first().map_or(0.0, |best| best.support);
        let abstained = best < SUPPORT_MIN;
        let text = if abstained {
            ABSTENTION.to_owned()
        } else {
            let spoken = quoted.iter().map(|quote| spoken(&quote.line, with_day));
            spoken.collect::<Vec<_>>().join(" ")
        };
        Ok(Answered { text, abstained })
    }
}

/// The line's words; with its day if the question asks when.
fn spoken(line: &Line<'_>, with_day: bool) -> String {
    match line.day.filter(|_| with_day) {
        Some(day) => format!("{} ({day})", line.text),
        None => line.text.to_owned(),
    }
}

impl Asked {
    fn read(question: &str, asked_by: Option<&str>, said: &[Line<'_>]) -> Self {
        let words: HashSet<Term> = terms(question).into_iter().collect();
        let speakers: HashSet<&str> = said.iter().filter_map(|line| line.speaker).collect();
        let names: HashSet<Term> = speakers.iter().flat_map(|name| terms(name)).collect();
        let mut people: HashSet<Term> = words.intersection(&names).copied().collect();
        let first_person = display_words(question)
            .any(|word| ["i", "me", "my", "mine"].contains(&word.to_lowercase().as_str()));
        if let Some(asker) = asked_by.filter(|_| first_person) {
            people.extend(terms(asker));
        }
        let mut holding: HashMap<Term, usize> = HashMap::new();
        for line in said {
            let held: HashSet<Term> = terms(line.words).into_iter().collect();
            for term in held.intersection(&words) {
                *holding.entry(*term).or_insert(0) += 1;
            }
        }
        let rarity = |term: &Term| {
            let lines = holding.get(term).copied().unwrap_or(0) as f32;
            (1.0 + said.len() as f32 / (lines + 0.5)).ln()
        };
        let focus = words.difference(&names).map(|term| (*term, rarity(term)));
        let mut focus: Vec<(Term, f32)> = focus.collect();
        // float sums depend on the order
        focus.sort_unstable_by_key(|(term, _)| *term);
        let lower = question.to_lowercase();
        let asks = |starts: &[&str]| starts.iter().any(|start| lower.contains(start));
        Self {
            focus,
            people,
            number: asks(&["how many", "how much", "how old", "how long"]),
            day: asks(&["when ", "what time", "which time"]) || asks_for_day(&lower),
            several: asks_for_several(&lower),
        }
    }

    fn support(&self, line: &Line<'_>, meaning: f32) -> f32 {
        let held: HashSet<Term> = terms(line.words).into_iter().collect();
        let all: f32 = self.focus.iter().map(|(_, rarity)| rarity).sum();
        let shared = self.focus.iter().filter(|(term, _)| held.contains(term));
        let shared: f32 = shared.map(|(_, rarity)| rarity).sum();
        let covered = if all > 0.0 { shared / all } else { meaning };
        let mut support = COSINE_WEIGHT * meaning + (1.0 - COSINE_WEIGHT) * covered;
        let concerns = |term: &Term| self.people.contains(term);
        let spoken = line.speaker.map(terms).unwrap_or_default();
        if !self.people.is_empty() && !held.iter().any(concerns) && !spoken.iter().any(concerns) {
            support *= OTHER_PERSON;
        }
        let traits = StatementFlags::of(line.words);
        if traits.question {
            support *= ASKED_NOT_SAID;
        }
        let timed = traits.time || traits.number || line.day.is_some();
        if (self.number && !traits.number) || (self.day && !timed) {
            support *= NO_FIGURE;
        }
        if traits.little {
            support *= SAYS_LITTLE;
        }
        support
    }
}

fn asks_for_day(lower: &str) -> bool {
    let units = ["day", "date", "month", "year"];
    let asks = |word: &str| {
        units
            .iter()
            .any(|unit| lower.contains(&format!("{word} {unit}")))
    };
    asks("which") || asks("what")
}

/// Questions that ask for several things: "How many", "both", "Athens or Prague", "which cities".
fn asks_for_several(lower: &str) -> bool {
    const MARKS: [&str; 11] = [
        "all", "both", "each", "list", "and", "everyone", "or", "more", "compare", "kinds",
        "different",
    ];
    let words: Vec<&str> = display_words(lower).collect();
    let plural = |word: &str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    let pairs = || words.windows(2);
    words.iter().any(|word| MARKS.contains(word))
        || pairs().any(|pair| pair == ["how", "many"])
        || pairs().any(|pair| {
            ["which", "what"].contains(&pair[0]) && plural(pair[1]) && pair[1] != "does"
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordHashEncoder;

    const CONTEXT: &str = "## Short-term Memory:\n[8 May 2023]\n\
        10:00 Anna: We sold the boat to a fisherman in Porto.\n\
        10:01 Bob: Did you sell the boat?\n\
        10:02 Bob: I bought three cats in Porto.\n\
        10:02 Bob: I bought two goats in Porto too.\n\
        10:03 Anna: Yes.\n";

    fn answered(question: &str, asked_by: Option<&str>, context: &str) -> Answered {
        let extract = Extract::new(Arc::new(WordHashEncoder::new()));
        extract
            .answer(question, asked_by, context)
            .expect("answered")
    }

    #[test]
    fn the_best_statement_is_quoted() {
        let answer = answered("Who did Anna sell the boat to?", None, CONTEXT);
        assert_eq!(
            answer.text,
            "Anna: We sold the boat to a fisherman in Porto."
        );
        assert!(!answer.abstained);
        let mine = answered("What did I buy in Porto?", Some("Bob"), CONTEXT);
        assert!(mine.text.starts_with("Bob: I bought"), "{}", mine.text);
    }

    #[test]
    fn several_things_take_two_lines_and_when_takes_the_day() {
        let answer = answered("Which animals bought Bob in Porto?", None, CONTEXT);
        assert!(answer.text.contains("cats") && answer.text.contains("goats"));
        let answer = answered("When did Anna sell the boat?", None, CONTEXT);
        assert!(answer.text.ends_with("(8 May 2023)"), "{}", answer.text);
    }

    #[test]
    fn what_nothing_supports_is_not_answered() {
        for context in ["", "## Long-term Memory:\n[8 May 2023]\n", CONTEXT] {
            let answer = answered("Which violin concerto moved Carol?", None, context);
            assert!(answer.abstained, "{}", answer.text);
            assert_eq!(answer.text, ABSTENTION);
        }
    }

    #[test]
    fn the_same_question_has_the_same_answer() {
        let first = answered("Who sold what to a fisherman in Porto?", None, CONTEXT);
        for _ in 0..20 {
            let again = answered("Who sold what to a fisherman in Porto?", None, CONTEXT);
            assert_eq!(again, first);
        }
    }
}
