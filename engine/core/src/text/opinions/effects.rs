//! What something does to the speaker, has, or is exclaimed of: "X ruins my plans", "X makes me
//! happy", "X has a great ASPECT", "what a great X", "X broke again - how annoying".

use super::aspects::aspect_of;
use super::clause::Subject;
use super::feeling::{is_clear, stated};
use super::kind::kind_of;
use super::lexicon::{Class, effect_verb, harm_verb};
use super::opinion::{Doubt, ObjectKind};
use super::phrase::{Owner, one};
use super::quality::affect_of_words;
use super::sentence::{Found, Object, Sentence};
use super::targets::praises;
use crate::text::affect::Affect;
use crate::text::words::is_listed;

/// What is given to the speaker: nouns of good and bad.
const GIFTS: &[(&str, f32)] = &[
    (
        "joy peace happiness comfort energy hope strength confidence courage purpose",
        0.75,
    ),
    (
        "headache headaches anxiety stress creeps trouble pain nightmares",
        -0.7,
    ),
];
/// Nouns that are judged without being an opinion on anything: "had a great day".
const STAGES: &str = "time times day night weekend experience blast fun moment memory memories";

impl Sentence<'_> {
    /// Opinions of a verb that does something to the speaker.
    pub(super) fn effect(&self, at: usize) -> Option<Found> {
        let leaning = self.effect_here(at)?;
        let subject = self.subject(at);
        let object = self
            .of_subject(&subject)
            .filter(|_| !self.is_of_that(&subject, at))?;
        let denied = self.denied_before(at);
        let affect = match (denied, leaning) {
            (_, Effect::Judged(affect)) => affect,
            (false, Effect::Leaning(leaning)) => {
                stated(leaning, &self.words[self.clause(at).0..at])
            }
            (true, Effect::Leaning(leaning)) if leaning > 0.0 => stated(-0.6 * leaning, &[]),
            (true, Effect::Leaning(_)) => return None,
        };
        let helped = self.words[at].lower == "helped"
            && (kind_of(&object.name) == ObjectKind::Person
                || object.name.starts_with(char::is_uppercase));
        let (from, to) = self.clause(at);
        (is_clear(&affect) && !helped).then(|| Found {
            object,
            affect,
            doubt: self.doubt(at),
            from,
            to,
        })
    }

    /// "that helps me", and "it inspired me" of something unnamed.
    fn is_of_that(&self, subject: &Subject, verb: usize) -> bool {
        let Subject::It(it) = subject else {
            return false;
        };
        self.is(*it, "that this which who") || self.is_distant(*it) && self.is_stale(verb)
    }

    fn effect_here(&self, at: usize) -> Option<Effect> {
        let word = &self.words[at];
        let me = self.is(at + 1, "me us");
        let after = at + 2;
        if let Some(leaning) = effect_verb(&word.stem).filter(|_| me) {
            let told = self.is(after, "that with about") && word.stem == "help";
            return (!told).then_some(Effect::Leaning(leaning));
        }
        let mine = self.is(at + 1, "my our the") && self.is(at + 1, "my our");
        if let Some(leaning) =
            harm_verb(&word.stem).filter(|_| mine || self.is(at + 1, "everything"))
        {
            return Some(Effect::Leaning(leaning));
        }
        let calls = word.is("makes make made keeps keep drives drive drove puts leaves gets");
        if calls && me {
            return self.makes(at, after);
        }
        if word.is("makes make made") && mine {
            let end = self.clauses.around(at).1.max(after);
            let affect = affect_of_words(&self.words[after..end], self.slice(after, end));
            let day = self.is(after, "day week");
            return match day {
                true => Some(Effect::Leaning(0.75)),
                false => is_clear(&affect).then_some(Effect::Judged(affect)),
            };
        }
        if word.is("gives give gave brings bring brought") && me {
            let end = self.clauses.around(at).1.max(after);
            let gift = |list: &str| self.words[after..end].iter().any(|word| word.is(list));
            let (_, leaning) = GIFTS.iter().find(|(list, _)| gift(list))?;
            return Some(Effect::Leaning(*leaning));
        }
        None
    }

    /// "makes me happy", "drives me crazy", "keeps me motivated".
    fn makes(&self, at: usize, after: usize) -> Option<Effect> {
        let end = self.clauses.around(at).1.max(after);
        if self.is(at, "drives drive drove") {
            let mad = self.is(after, "crazy mad nuts insane bonkers") || self.is(after, "up");
            return mad.then_some(Effect::Leaning(-0.75));
        }
        let first = self.past_adverbs(after);
        let feel = first + usize::from(self.is(first, "feel smile laugh cry"));
        if self.is(first, "smile laugh") {
            return Some(Effect::Leaning(0.7));
        }
        if self.is(first, "cry") {
            return None;
        }
        let stop = (feel..end)
            .find(|&at| self.words[at].of(Class::Preposition))
            .unwrap_or(end);
        let told = self.words[feel.min(stop)..stop]
            .iter()
            .any(|word| word.is("motivated going energized sane calm"));
        let affect = affect_of_words(&self.words[after.min(stop)..stop], self.slice(after, stop));
        match (is_clear(&affect), told) {
            (true, _) => Some(Effect::Judged(affect)),
            (false, true) => Some(Effect::Leaning(0.7)),
            _ => None,
        }
    }

    /// "This restaurant has amazing service", "their excellent service", "with a great view".
    pub(super) fn having(&self, at: usize) -> Option<Found> {
        let has = self.is(at, "has have had offers serves got") && !self.is(at + 1, "to been not");
        let owns = self.is(at, "their its") && self.words.len() > at + 1;
        if !(has || owns) {
            return None;
        }
        let phrase = self.phrase(self.past_adverbs(at + usize::from(has)))?;
        if !praises(self, phrase.core, phrase.to) {
            return None;
        }
        let noun = one(&self.words[phrase.head()].lower);
        let affect = affect_of_words(&self.words[at..phrase.to], self.slice(at, phrase.to));
        let object = match (has, owns) {
            (_, true) => {
                let aspect = aspect_of(&noun)?;
                let of = self.of_pronoun(at)?;
                Object {
                    aspect: aspect.to_owned(),
                    ..of
                }
            }
            _ => self.holder(at, phrase.to, &noun)?,
        };
        let (from, to) = self.clause(at);
        is_clear(&affect).then(|| Found {
            object,
            affect,
            doubt: self.doubt(at),
            from,
            to,
        })
    }

    /// The object that has something, or that "I had a great time at".
    fn holder(&self, at: usize, end: usize, noun: &str) -> Option<Object> {
        let subject = self.subject(at);
        if subject == Subject::Speaker {
            let stage = is_listed(STAGES, noun);
            let at = (stage && self.is(end, "at in with on")).then_some(end + 1)?;
            let phrase = self
                .phrase(at)
                .filter(|phrase| phrase.owner != Owner::You)?;
            return self.object(&phrase);
        }
        let of = self.of_subject(&subject)?;
        let living = matches!(kind_of(&of.name), ObjectKind::Person | ObjectKind::Animal);
        let aspect = aspect_of(noun).map(str::to_owned);
        let known = aspect.or_else(|| (noun.len() > 2 && !living).then(|| noun.to_owned()))?;
        Some(Object {
            name: of.name,
            aspect: known,
        })
    }

    /// "What a great X!", and "how annoying" after what X did.
    pub(super) fn exclaimed(&self, at: usize) -> Option<Found> {
        let (start, stop) = self.clauses.around(at);
        if start != at {
            return None;
        }
        let (from, to) = self.clause(at);
        if self.is(at, "what") && self.is(at + 1, "a an") {
            let phrase = self.phrase(at + 1)?;
            let affect = affect_of_words(
                &self.words[phrase.core..phrase.to],
                self.slice(phrase.core, phrase.to),
            );
            let object = self
                .object(&phrase)
                .filter(|_| praises(self, phrase.core, phrase.to))?;
            return is_clear(&affect).then_some(Found {
                object,
                affect,
                doubt: None,
                from,
                to,
            });
        }
        if !self.is(at, "how so") || at == 0 || stop - at > 4 {
            return None;
        }
        let affect = affect_of_words(&self.words[at + 1..stop], self.slice(at + 1, stop));
        let verb = (0..at).find(|&at| super::clause::is_verb(&self.words[at]))?;
        let object = self.of_subject(&self.subject(verb))?;
        let (from, _) = self.clause(at - 1);
        is_clear(&affect).then_some(Found {
            object,
            affect,
            doubt: None,
            from,
            to: stop,
        })
    }

    /// "Oh great, another delay."
    pub(super) fn sarcastic(&self) -> Option<Found> {
        let at = self.sarcasm()?;
        let phrase = self.phrase(at)?;
        let object = self.object(&phrase)?;
        Some(Found {
            object,
            affect: stated(0.7, &[]),
            doubt: Some(Doubt::Sarcasm),
            from: 0,
            to: self.words.len(),
        })
    }
}

enum Effect {
    Leaning(f32),
    /// Its words are judged, negation included.
    Judged(Affect),
}
