//! A sentence with its words, its clauses, and what the talk before it was about.

use super::clause::{Clauses, Subject, attached, is_verb, subject_of};
use super::kind::kind_of;
use super::lexicon::{Class, feeling_verb};
use super::opinion::{Doubt, ObjectKind};
use super::phrase::{Phrase, is_closed, is_name, one, phrase_at};
use super::tokens::Token;
use crate::text::affect::Affect;
use crate::text::heading::{is_past, is_social};

/// A sentence of a statement.
#[derive(Debug)]
pub(super) struct Sentence<'a> {
    pub(super) text: &'a str,
    pub(super) words: Vec<Token<'a>>,
    pub(super) clauses: Clauses,
    /// The last object of the talk before it.
    pub(super) topic: Option<String>,
    /// Whether the topic was named in the same statement.
    pub(super) fresh: bool,
}

/// What an opinion is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) name: String,
    pub(super) aspect: String,
}

/// An opinion found in a sentence, its clause as indices of words.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) object: Object,
    pub(super) affect: Affect,
    pub(super) doubt: Option<Doubt>,
    pub(super) from: usize,
    pub(super) to: usize,
}

impl<'a> Sentence<'a> {
    pub(super) fn of(
        text: &'a str,
        words: Vec<Token<'a>>,
        topic: Option<String>,
        fresh: bool,
    ) -> Self {
        Self {
            text,
            clauses: Clauses::of(&words),
            words,
            topic,
            fresh,
        }
    }

    /// The text of some words.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        match (
            self.words.get(from),
            to.checked_sub(1).and_then(|last| self.words.get(last)),
        ) {
            (Some(first), Some(last)) if first.start < last.end => {
                &self.text[first.start..last.end]
            }
            _ => "",
        }
    }

    pub(super) fn subject(&self, verb: usize) -> Subject {
        subject_of(&self.words, &self.clauses, verb)
    }

    pub(super) fn phrase(&self, at: usize) -> Option<Phrase> {
        phrase_at(&self.words, at)
    }

    pub(super) fn is(&self, at: usize, list: &str) -> bool {
        self.words.get(at).is_some_and(|word| word.is(list))
    }

    /// The first word at or after `at` that is no adverb.
    pub(super) fn past_adverbs(&self, mut at: usize) -> usize {
        while self
            .words
            .get(at)
            .is_some_and(|word| word.is_adverb() && !word.ends_part())
        {
            at += 1;
        }
        at
    }

    /// The clause of a word without its conjunction, and a reason after it: "because ...".
    pub(super) fn clause(&self, at: usize) -> (usize, usize) {
        let (mut from, mut to) = self.clauses.around(at);
        while from < at
            && self.is(
                from,
                "and but so or because although though while whereas yet",
            )
        {
            from += 1;
        }
        if self.is(to, "because cuz") {
            to = self.clauses.around(to).1;
        }
        (from, to)
    }

    /// Whether a negation stands between two words, the second not included.
    pub(super) fn is_denied(&self, from: usize, to: usize) -> bool {
        self.words[from.min(to)..to].iter().any(Token::is_negation)
    }

    /// Whether the subject of its first clause is "it", "they" or "that".
    pub(super) fn starts_with_pronoun(&self) -> bool {
        let at = self.past_adverbs(0);
        self.is(at, "it they this that these those he she")
            && self.words.get(at + 1).is_some_and(is_verb)
    }

    /// The noun phrase that "it" or "they" at a word stands for: the subject of a clause before it,
    /// or the last phrase that is not after a preposition, or the last at all. People are "they".
    pub(super) fn antecedent(&self, pronoun: usize) -> Option<Phrase> {
        let plural = self.is(pronoun, "they them these those their");
        let person = self.is(pronoun, "he she him her");
        let mut best: Option<(u8, Phrase)> = None;
        let mut at = 0;
        while at < pronoun {
            let phrase = self.phrase(at).filter(|phrase| {
                // not the noun of "the taste of it" itself
                let of_it = self.is(phrase.to, "of") && phrase.to + 1 == pronoun;
                phrase.to <= pronoun && !of_it
            });
            let rank = phrase.and_then(|phrase| Some((self.rank(&phrase, pronoun)?, phrase)));
            if let Some((rank, phrase)) = rank {
                let head = &self.words[phrase.head()].lower;
                let many = head.ends_with('s') && !head.ends_with("ss") || head == "people";
                let somebody = is_person(&one(head));
                let fits = match (plural, person) {
                    (_, true) => somebody || is_name(&self.words, phrase.head()),
                    (true, _) => many,
                    _ => !many && !somebody,
                };
                if fits && best.is_none_or(|(known, _)| rank >= known) {
                    best = Some((rank, phrase));
                }
            }
            at = phrase
                .filter(|_| rank.is_some())
                .map_or(at + 1, |phrase| phrase.to);
        }
        best.map(|(_, phrase)| phrase)
    }

    /// How likely a phrase is what a later pronoun means, `None` if it cannot be.
    fn rank(&self, phrase: &Phrase, pronoun: usize) -> Option<u8> {
        let at = phrase.from;
        let word = &self.words[at];
        let head = &self.words[phrase.head()];
        let before = at.checked_sub(1).map(|before| &self.words[before]);
        // "buying it" is a verb with its object
        let verb =
            is_verb(word) || phrase.to == pronoun && self.words.get(pronoun).is_some_and(is_closed);
        if phrase.determiner.is_none() && verb || head.of(Class::Time) || self.is_address(phrase) {
            return None;
        }
        // "it was a bargain" says what it is
        if before.is_some_and(|word| word.is("is are was were 's be been")) {
            return None;
        }
        let subject = self.clauses.around(at).0 == at && self.follows(phrase);
        let listed = phrase.determiner.is_some() || is_name(&self.words, at);
        let after_verb =
            before.is_some_and(|word| feeling_verb(&word.stem).is_some() || is_past(&word.lower));
        let attached = before.is_some_and(|word| word.of(Class::Preposition));
        match () {
            () if subject => Some(2),
            () if attached => (listed && self.is_place(phrase)).then_some(0),
            () => (listed || after_verb).then_some(1),
        }
    }

    /// "to Lisbon", "at the museum".
    fn is_place(&self, phrase: &Phrase) -> bool {
        let toward = phrase.from > 0 && self.is(phrase.from - 1, "to at in on");
        let kind = kind_of(&one(&self.words[phrase.head()].lower));
        let named = phrase.determiner.is_none() && is_name(&self.words, phrase.from);
        let went = phrase.from > 1 && is_past(&self.words[phrase.from - 2].lower);
        toward && (named || went || matches!(kind, ObjectKind::Place | ObjectKind::Event))
    }

    /// Whether a phrase addresses somebody or is a call: "Thanks, Mel!", "Wow, ...".
    pub(super) fn is_address(&self, phrase: &Phrase) -> bool {
        let first = &self.words[phrase.from];
        let set_off = phrase.from == 0
            || self.words[phrase.from - 1].ends_part()
            || is_social(&self.words[phrase.from - 1].lower);
        let ends = phrase.to == self.words.len() || self.words[phrase.head()].ends_part();
        let call = phrase.determiner.is_none() && is_social(&first.lower);
        phrase.determiner.is_none() && set_off && ends && first.capital || call
    }

    /// Whether a verb follows a phrase with its attachments.
    fn follows(&self, phrase: &Phrase) -> bool {
        let at = self.past_adverbs(attached(&self.words, phrase.to));
        self.words.get(at).is_some_and(is_verb)
    }
}

fn is_person(noun: &str) -> bool {
    kind_of(noun) == ObjectKind::Person
}
