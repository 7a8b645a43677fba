//! From a subject or a noun phrase to the object and aspect that it names.

use super::aspects::{GENERAL, aspect_of, is_only_aspect};
use super::clause::Subject;
use super::kind::kind_of;
use super::opinion::ObjectKind;
use super::phrase::{Owner, Phrase, canonical, is_name, one, toward};
use super::sentence::{Object, Sentence};
use super::tokens::Token;
use crate::text::heading::is_past;

/// Nouns before "of" that only measure or point: "a cup of coffee", "the feeling of running".
const POINTERS: &str = "cup glass bottle piece slice bit kind type sort pair lot lots bunch plate \
    bowl feeling idea thought rest most all some end middle sense experience part couple \
    thing way pack can top process act habit joy amount number style group";
/// Nouns that "this" makes stand for what the talk is about.
const STANDS: &str = "place thing one product item stuff restaurant phone hotel movie book film \
    show game car app city town";

impl Object {
    pub(super) fn whole(name: String) -> Self {
        Self {
            name,
            aspect: GENERAL.to_owned(),
        }
    }
}

impl Sentence<'_> {
    /// The object of a subject; `None` for people that are only pronouns and for what cannot be
    /// resolved.
    pub(super) fn of_subject(&self, subject: &Subject) -> Option<Object> {
        match subject {
            Subject::Noun(phrase) => self.object(phrase),
            Subject::It(at) => self.of_pronoun(*at),
            Subject::Person(at) => {
                let person = self.of_pronoun(*at)?;
                (kind_of(&person.name) == ObjectKind::Person || is_a_name(&person.name))
                    .then_some(person)
            }
            Subject::Speaker | Subject::You | Subject::Nothing | Subject::Left => None,
        }
    }

    /// What "it", "they" or "this" at a word stands for.
    pub(super) fn of_pronoun(&self, at: usize) -> Option<Object> {
        if self.is(at, "this that these those which who") {
            return None;
        }
        let phrase = self.antecedent(at);
        // "the battery is bad, I regret buying it": the phone, where it is known
        let part = |phrase: &Phrase| self.topic.is_some() && self.aspect(phrase).is_some();
        match phrase.filter(|phrase| !part(phrase)) {
            Some(phrase) => self
                .object_at(&phrase, None)
                .map(|it| Object::whole(it.name)),
            None => self.topic.clone().map(Object::whole),
        }
    }

    /// Whether nothing in this sentence is what a pronoun stands for.
    pub(super) fn is_distant(&self, at: usize) -> bool {
        self.antecedent(at).is_none()
    }

    /// Whether a past tense speaks of something that was not named in this statement: "it was
    /// great" is some event, seldom the last object.
    pub(super) fn is_stale(&self, verb: usize) -> bool {
        let from = self.clauses.around(verb).0;
        let past = |word: &Token<'_>| word.is("was were had 'd did") || is_past(&word.lower);
        !self.fresh && self.words[from..=verb].iter().any(past)
    }

    /// The object and aspect of a noun phrase.
    pub(super) fn object(&self, phrase: &Phrase) -> Option<Object> {
        let topic = match phrase.owner {
            Owner::Topic => {
                let owner = phrase.determiner?;
                self.of_pronoun(owner).map(|object| object.name)
            }
            _ => self.topic_before(phrase.from),
        };
        self.object_at(phrase, topic.as_deref())
    }

    /// What the talk is about when the words from `at` on are said.
    fn topic_before(&self, at: usize) -> Option<String> {
        let here = self.antecedent(at);
        let here = here.filter(|phrase| self.aspect(phrase).is_none());
        let here = here.and_then(|phrase| self.object_at(&phrase, None));
        here.filter(|object| kind_of(&object.name) != ObjectKind::Other)
            .map(|object| object.name)
            .or_else(|| self.topic.clone())
    }

    fn object_at(&self, phrase: &Phrase, topic: Option<&str>) -> Option<Object> {
        let words = &self.words;
        if phrase.owner == Owner::You {
            return None;
        }
        if let Some((name, _)) = toward(words, phrase) {
            return Some(Object::whole(name));
        }
        if let Owner::Named(from, to) = phrase.owner {
            let owner = canonical(words, from, to);
            if let (Some(aspect), Some(name)) = (self.aspect(phrase), owner) {
                return Some(Object { name, aspect });
            }
        }
        if let Some(object) = self.part_of(phrase) {
            return Some(object);
        }
        if let Some(name) = self.pointed(phrase) {
            return Some(Object::whole(name));
        }
        let aspect = self.aspect(phrase);
        if let Some(object) = aspect.and_then(|of| self.with_aspect(phrase, topic, of)) {
            return Some(object);
        }
        let known = canonical(words, phrase.core, phrase.to).map(Object::whole);
        known.or_else(|| {
            (phrase.owner == Owner::Topic)
                .then(|| topic.map(|t| Object::whole(t.to_owned())))
                .flatten()
        })
    }

    /// "this place", where the talk is about a place.
    fn pointed(&self, phrase: &Phrase) -> Option<String> {
        let head = &self.words[phrase.head()];
        let near = phrase
            .determiner
            .is_some_and(|at| self.words[at].is("this that these those"));
        let alone = phrase.to - phrase.core == 1 && near;
        let topic = self.topic.as_ref().filter(|_| alone && head.is(STANDS))?;
        let (kind, of) = (kind_of(&one(&head.lower)), kind_of(topic));
        let fits = head.is("thing one item stuff") || kind == of || is_a_name(topic);
        fits.then(|| topic.clone())
    }

    /// "the ASPECT of X", "a cup of X".
    fn part_of(&self, phrase: &Phrase) -> Option<Object> {
        let head = &self.words[phrase.head()];
        if head.ends_part() || !self.is(phrase.to, "of") {
            return None;
        }
        let inner = self.phrase(phrase.to + 1);
        let name = match inner {
            Some(inner) if inner.owner != Owner::You => self.object_at(&inner, None)?.name,
            None if self.is(phrase.to + 1, "it this them") => self.of_pronoun(phrase.to + 1)?.name,
            _ => return None,
        };
        let aspect = match () {
            () if head.is(POINTERS) => GENERAL.to_owned(),
            () => self.aspect(phrase).unwrap_or_else(|| one(&head.lower)),
        };
        Some(Object { name, aspect })
    }

    /// The aspect that a phrase names by its last two words or its last.
    fn aspect(&self, phrase: &Phrase) -> Option<String> {
        let head = &self.words[phrase.head()];
        let two = (phrase.to - phrase.core >= 2).then(|| {
            let before = &self.words[phrase.head() - 1];
            aspect_of(&format!("{} {}", before.lower, head.lower))
        });
        two.flatten()
            .or_else(|| aspect_of(&head.lower))
            .map(str::to_owned)
    }

    /// An aspect of what the talk is about, or of the noun before it: "the phone battery".
    fn with_aspect(&self, phrase: &Phrase, topic: Option<&str>, aspect: String) -> Option<Object> {
        let words = &self.words;
        let mut end = phrase.head();
        let head = &words[end];
        let joined = end > phrase.core
            && aspect_of(&format!("{} {}", words[end - 1].lower, head.lower)).is_some();
        end -= usize::from(joined);
        let noun = words[phrase.core..end].iter().rev().find(|word| {
            kind_of(&one(&word.lower)) != ObjectKind::Other
                || is_name(words, phrase.core) && word.capital
        });
        if noun.is_some() && end > phrase.core {
            let name = canonical(words, phrase.core, end)?;
            return Some(Object { name, aspect });
        }
        let own = phrase
            .determiner
            .is_some_and(|at| words[at].is("my our his her"));
        let alone = match joined {
            true => true,
            false => is_only_aspect(&head.lower),
        };
        let definite = phrase
            .determiner
            .is_none_or(|at| words[at].is("the its their"));
        let explicit = phrase.determiner.is_some();
        let place = topic.filter(|topic| {
            let kind = kind_of(topic);
            let has = alone || explicit && kind != ObjectKind::Food;
            !own && definite && has && kind != ObjectKind::Person
        })?;
        Some(Object {
            name: place.to_owned(),
            aspect,
        })
    }
}

fn is_a_name(object: &str) -> bool {
    object.starts_with(char::is_uppercase)
}
