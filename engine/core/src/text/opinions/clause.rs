//! Where the clauses of a sentence begin, and what the subject of a verb is.

use super::lexicon::Class;
use super::phrase::{Phrase, is_closed, is_doing, phrase_at};
use super::tokens::{Mark, Token};
use crate::text::heading::{is_base, is_finite};

/// The subject of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// "I", "we".
    Speaker,
    You,
    /// "he", "she", at this word.
    Person(usize),
    /// "it", "they", "this", at this word.
    It(usize),
    Noun(Phrase),
    /// "nothing is better than ...".
    Nothing,
    /// No subject before it in its clause: "Love this place".
    Left,
}

/// A sentence cut into clauses.
#[derive(Debug)]
pub(super) struct Clauses {
    /// Indices of the first words, ascending; the first is 0.
    starts: Vec<usize>,
    end: usize,
}

impl Clauses {
    pub(super) fn of(tokens: &[Token<'_>]) -> Self {
        let mut starts = vec![0];
        for at in 1..tokens.len() {
            // "the creativity and skill is" is one clause: the first has no verb
            let joins = tokens[at].is("and or") && tokens[at - 1].mark != Mark::Stop;
            let last = starts.last().copied().unwrap_or(0);
            let whole = || tokens[last..at].iter().any(is_whole_verb);
            if begins(tokens, at) && (!joins || whole()) {
                starts.push(at);
            }
        }
        Self {
            starts,
            end: tokens.len(),
        }
    }

    /// First word of the clause of a word, and one after its last.
    pub(super) fn around(&self, at: usize) -> (usize, usize) {
        let after = self.starts.partition_point(|start| *start <= at);
        let end = self.starts.get(after).copied().unwrap_or(self.end);
        (
            self.starts
                .get(after.saturating_sub(1))
                .copied()
                .unwrap_or(0),
            end,
        )
    }

    /// The first word of the clause before the one that begins at `start`.
    fn before(&self, start: usize) -> Option<usize> {
        let at = self.starts.partition_point(|known| *known < start);
        at.checked_sub(1).map(|at| self.starts[at])
    }
}

/// Whether a clause begins at a word.
fn begins(tokens: &[Token<'_>], at: usize) -> bool {
    let (before, word) = (&tokens[at - 1], &tokens[at]);
    let next = tokens.get(at + 1);
    if before.mark == Mark::Stop || word.is("but because although though whereas cuz") {
        return true;
    }
    if word.is("and so or yet while which") {
        return next.is_some_and(|_| starts_clause(tokens, at + 1));
    }
    let exclaims = word.is("how what") || word.is("if when unless since");
    before.ends_part() && (exclaims || starts_clause(tokens, at))
}

/// Whether a subject with its verb, or a verb alone, stands at a word.
fn starts_clause(tokens: &[Token<'_>], at: usize) -> bool {
    let mut at = at;
    while tokens
        .get(at)
        .is_some_and(|word| word.is_adverb() && !word.ends_part())
    {
        at += 1;
    }
    let Some(word) = tokens.get(at) else {
        return false;
    };
    if word.is("i he she it we they you this that there") {
        return tokens.get(at + 1).is_some();
    }
    if is_verb(word) && !word.is("like look looks love") {
        return true;
    }
    let Some(phrase) = phrase_at(tokens, at) else {
        return false;
    };
    let mut verb = attached(tokens, phrase.to);
    while tokens.get(verb).is_some_and(Token::is_adverb) {
        verb += 1;
    }
    tokens.get(verb).is_some_and(is_verb) && !tokens[verb - 1].ends_part()
}

pub(super) fn is_verb(word: &Token<'_>) -> bool {
    word.of(Class::Auxiliary) || word.of(Class::Copula) || !word.capital && is_finite(&word.lower)
}

/// Whether a word is a verb of any form.
fn is_whole_verb(word: &Token<'_>) -> bool {
    is_verb(word) || !word.capital && is_base(&word.lower)
}

/// One after the prepositional phrases that follow a noun phrase.
pub(super) fn attached(tokens: &[Token<'_>], to: usize) -> usize {
    let mut at = to;
    for _ in 0..3 {
        let open = at == 0 || !tokens[at - 1].ends_part();
        let joins = |word: &Token<'_>| word.of(Class::Preposition) && !word.is("than since like");
        if !open || !tokens.get(at).is_some_and(joins) {
            break;
        }
        let pronoun = |at: usize| tokens.get(at).is_some_and(|word| word.of(Class::Pronoun));
        at = match phrase_at(tokens, at + 1) {
            Some(phrase) => phrase.to,
            None if pronoun(at + 1) => at + 2,
            None => break,
        };
    }
    at
}

/// The subject of the verb at a word.
pub(super) fn subject_of(tokens: &[Token<'_>], clauses: &Clauses, verb: usize) -> Subject {
    let start = clauses.around(verb).0;
    let mut last = verb;
    while last > start && is_skipped(&tokens[last - 1]) {
        last -= 1;
    }
    let leads = |word: &Token<'_>| word.is("used have started began come grown learned going");
    if last > start + 1 && tokens[last - 1].lower == "to" && leads(&tokens[last - 2]) {
        return subject_of(tokens, clauses, last - 2);
    }
    if last == start {
        return carried(tokens, clauses, start);
    }
    let word = &tokens[last - 1];
    match word.lower.as_str() {
        "i" | "we" => Subject::Speaker,
        "you" | "u" | "y'all" => Subject::You,
        "he" | "she" => Subject::Person(last - 1),
        "it" | "they" | "this" | "these" | "those" => Subject::It(last - 1),
        "that" | "which" | "who" => match noun_before(tokens, start, last - 1) {
            // "Joey, that is sweet" calls Joey
            Some(phrase) if phrase.to == last - 1 && phrase.determiner.is_some() => {
                Subject::Noun(phrase)
            }
            _ => Subject::It(last - 1),
        },
        "nothing" | "nobody" => Subject::Nothing,
        "and" | "but" | "or" | "so" | "yet" => carried(tokens, clauses, last - 1),
        "to" => Subject::Left,
        _ => noun_before(tokens, start, last).map_or(Subject::Left, Subject::Noun),
    }
}

fn is_skipped(word: &Token<'_>) -> bool {
    word.of(Class::Auxiliary) && !word.lower.is_empty()
        || word.is_adverb()
        || word.is_negation() && !word.is("nothing nobody none")
}

/// The subject of a verb without one: that of the clause before.
fn carried(tokens: &[Token<'_>], clauses: &Clauses, at: usize) -> Subject {
    let start = match clauses.around(at).0 {
        start if start < at => start,
        start => match clauses.before(start) {
            Some(before) if joins(tokens, start) => before,
            _ => return Subject::Left,
        },
    };
    let mut first = start;
    while first < at && (tokens[first].is_adverb() || tokens[first].of(Class::Conjunction)) {
        first += 1;
    }
    match tokens[first].lower.as_str() {
        "i" | "we" => Subject::Speaker,
        "you" => Subject::You,
        "he" | "she" => Subject::Person(first),
        "it" | "they" => Subject::It(first),
        _ => phrase_at(tokens, first)
            .filter(|phrase| followed_by_verb(tokens, phrase))
            .map_or(Subject::Left, Subject::Noun),
    }
}

fn joins(tokens: &[Token<'_>], start: usize) -> bool {
    tokens[start].is("and but or so yet")
}

fn followed_by_verb(tokens: &[Token<'_>], phrase: &Phrase) -> bool {
    let mut at = attached(tokens, phrase.to);
    while tokens.get(at).is_some_and(Token::is_adverb) {
        at += 1;
    }
    tokens
        .get(at)
        .is_some_and(|word| is_verb(word) || is_base(&word.lower))
}

/// The noun phrase of a clause that ends, with what is attached to it, before a word.
fn noun_before(tokens: &[Token<'_>], start: usize, end: usize) -> Option<Phrase> {
    // "sharing our experiences is hard" is about sharing
    let takes_object = |at: usize| {
        let word = &tokens[at];
        is_doing(&word.lower) && (at == start || !word.capital) && at + 1 < end && !word.ends_part()
    };
    for from in start..end {
        if takes_object(from) {
            return None;
        }
        let after = from
            .checked_sub(1)
            .filter(|_| from > start)
            .map(|at| &tokens[at]);
        let inside = after.is_some_and(|word| {
            word.of(Class::Preposition) || word.is("i you he she we they it what how and or")
        });
        let verb = is_verb(&tokens[from]);
        if inside || verb || is_closed(&tokens[from]) {
            continue;
        }
        let Some(phrase) = phrase_at(tokens, from).filter(|phrase| phrase.to <= end) else {
            continue;
        };
        if attached(tokens, phrase.to) == end || relative(tokens, phrase.to, end) {
            return Some(phrase);
        }
    }
    None
}

/// Whether a relative clause fills the words between a phrase and its verb: "the phone I bought".
fn relative(tokens: &[Token<'_>], from: usize, end: usize) -> bool {
    let opens = |word: &Token<'_>| word.is("that which who i we you he she they it");
    from < end
        && tokens.get(from).is_some_and(opens)
        && !tokens[from - 1].ends_part()
        && !tokens[from..end]
            .iter()
            .any(|word| word.is("and but or because") || word.ends_part())
}
