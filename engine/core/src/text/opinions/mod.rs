//! What a statement feels, about which aspect of which object, and why (DAM-LLM, section 3.3.2,
//! the extraction agent), by rules of English instead of a generator.
//!
//! Precision comes before recall: a feeling that nobody has does more harm than one that is missed.
//! A statement without feeling gives no opinion, nor do questions, greetings and thanks. Every
//! object and aspect is made of words of the statement or of [`Said::before`].

mod aspects;
mod claimed;
mod clause;
mod doubt;
mod effects;
mod feeling;
mod feelings;
mod kind;
mod lexicon;
mod objects;
mod opinion;
mod phrase;
mod predicates;
mod quality;
mod sentence;
mod targets;
#[cfg(test)]
mod tests;
mod tokens;

pub use claimed::{ClaimedOpinion, may_feel, opinion_borne_out};
pub use opinion::{Doubt, ObjectKind, Opinion, Said};

use super::affect::Affect;
use super::claim_features::is_question;
use super::clauses::sentences;
use kind::kind_of;
use sentence::{Found, Sentence};
use tokens::{Token, tokens};

/// Maximum number of opinions of one statement.
pub const OPINIONS_MAX: usize = 4;
/// A sentence of at most this many words leaves the topic as it was.
const LITTLE_WORDS: usize = 4;
/// A sentence of more words gives no opinion.
const WORDS_MAX: usize = 80;

/// The opinions of a statement in their order, at most [`OPINIONS_MAX`].
///
/// Cost: at most quadratic in the words of a sentence; one of more than 80 words is not read.
#[must_use]
pub fn opinions<'a>(said: &Said<'a>) -> Vec<Opinion<'a>> {
    let mut all: Vec<Opinion<'a>> = Vec::new();
    let mut topic = said.before.map(str::to_owned);
    let mut fresh = false;
    let read = read(said.text);
    let last = read.len().saturating_sub(1);
    let mocked = !read.is_empty() && is_mocked(said.text);
    for (at, (text, words)) in read.into_iter().enumerate() {
        let sentence = Sentence::of(text, words, topic.clone(), fresh);
        let all_of = found_in(&sentence);
        let none = all_of.is_empty();
        for found in all_of {
            topic = Some(found.object.name.clone());
            fresh = true;
            add(&mut all, &sentence, found, mocked);
        }
        if at == last || !none {
            continue;
        }
        // a long sentence about nothing nameable ends a topic
        let little = sentence.words.len() <= LITTLE_WORDS || sentence.starts_with_pronoun();
        let after = topic_after(&sentence);
        if after.is_some() || !little {
            topic = after;
            fresh = true;
        }
    }
    all.retain(|opinion| said.speaker != Some(opinion.object.as_str()));
    all.truncate(OPINIONS_MAX);
    if let [only] = all.as_mut_slice() {
        weigh(only, said);
    }
    all
}

/// The sentences of a statement that may state an opinion, and those before them, which tell what
/// the talk is about, each with its words.
fn read(text: &str) -> Vec<(&str, Vec<Token<'_>>)> {
    let told = sentences(text)
        .into_iter()
        .filter(|text| !is_question(text));
    let told = told.map(|text| (text, tokens(text)));
    let mut read: Vec<_> = told
        .filter(|(_, words)| (1..=WORDS_MAX).contains(&words.len()))
        .collect();
    let states = |words: &[Token<'_>]| words.iter().any(Token::is_cue);
    let end = read.iter().rposition(|(_, words)| states(words));
    read.truncate(end.map_or(0, |at| at + 1));
    read
}

fn is_mocked(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["yeah right", "yeah, right"]
        .iter()
        .any(|mock| lower.contains(mock))
}

/// The vector speaks of the whole statement: it weighs the only opinion of one, where it agrees.
fn weigh(only: &mut Opinion<'_>, said: &Said<'_>) {
    let seen = Affect::of(only.clause, said.vector);
    let agrees = seen.sentiment.leaning() * only.affect.sentiment.leaning() > 0.0;
    if said.vector.is_some() && agrees && feeling::is_clear(&seen) {
        only.affect.sentiment = seen.sentiment;
    }
}

fn found_in(sentence: &Sentence<'_>) -> Vec<Found> {
    if let Some(found) = sentence.sarcastic() {
        return vec![found];
    }
    let mut all = Vec::new();
    for (at, word) in sentence.words.iter().enumerate() {
        match word.is_cue() {
            true => all.extend(found_at(sentence, at)),
            false => debug_assert!(found_at(sentence, at).is_empty(), "a cue: {}", word.text),
        }
    }
    all
}

fn found_at(sentence: &Sentence<'_>, at: usize) -> Vec<Found> {
    let mut all = sentence.feelings(at);
    if all.is_empty() {
        all = sentence.predicate(at);
    }
    all.extend(sentence.effect(at));
    all.extend(sentence.having(at));
    all.extend(sentence.wish(at));
    all.extend(sentence.exclaimed(at));
    all
}

/// What the next sentence's "it" stands for if this one stated no opinion.
fn topic_after(sentence: &Sentence<'_>) -> Option<String> {
    if sentence.starts_with_pronoun() {
        return None;
    }
    let phrase = sentence.antecedent(sentence.words.len())?;
    let object = sentence.object(&phrase)?;
    Some(object.name)
}

/// Adds an opinion, joined with one on the same aspect of the same object in its sentence.
fn add<'a>(all: &mut Vec<Opinion<'a>>, sentence: &Sentence<'a>, found: Found, mocked: bool) {
    let clause = sentence.slice(found.from, found.to);
    if clause.is_empty() || found.object.name.is_empty() {
        return;
    }
    let doubt = match mocked {
        true => Some(Doubt::Sarcasm),
        false => found.doubt,
    };
    let same = all.iter_mut().find(|known| {
        known.object == found.object.name
            && known.aspect == found.object.aspect
            && known.doubt == doubt
            && (known.affect.sentiment.leaning() > 0.0) == (found.affect.sentiment.leaning() > 0.0)
    });
    if let Some(known) = same {
        if let Some(joined) = joined(sentence.text, known.clause, clause) {
            known.clause = joined;
        }
        if found.affect.strength > known.affect.strength {
            known.affect = found.affect;
        }
        return;
    }
    all.push(Opinion {
        kind: kind_of(&found.object.name),
        object: found.object.name,
        aspect: found.object.aspect,
        clause,
        affect: found.affect,
        doubt,
    });
}

/// The part of a text from the first to the last of two of its parts.
fn joined<'a>(text: &'a str, a: &str, b: &str) -> Option<&'a str> {
    let place = |part: &str| {
        let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        let end = start + part.len();
        (end <= text.len()).then_some((start, end))
    };
    let (a, b) = (place(a)?, place(b)?);
    text.get(a.0.min(b.0)..a.1.max(b.1))
}
