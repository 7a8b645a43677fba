//! What is said of a subject: "X is great", "X tastes terrible", "X is better than Y".

use super::clause::Subject;
use super::feeling::{is_clear, reversed};
use super::kind::kind_of;
use super::lexicon::Class;
use super::opinion::ObjectKind;
use super::phrase::is_doing;
use super::quality::{affect_of_words, judges};
use super::sentence::{Found, Object, Sentence};
use crate::text::affect::Affect;
use crate::text::heading::is_past;

/// Verbs that tell the aspect, by stem.
const SENSES: &[(&str, &str)] = &[("tast", "taste"), ("smell", "smell"), ("sound", "sound")];
/// Qualities of what somebody does rather than of what the talk is about.
const TASKS: &str = "tough hard easy difficult tricky late early better worse wrong right";
/// Who is so feels something; it is nothing that others feel for them.
const FEELERS: &str = "sad excited sorry angry upset worried nervous glad grateful thankful \
    thrilled anxious jealous embarrassed confused relieved pleased determined guilty lonely \
    stoked motivated pumped eager curious unhappy delighted surprised shocked";
/// How a person or an animal is, not what is felt about them.
const STATES: &str = "sick ill sad tired dead hurt upset worried happy excited sorry afraid scared \
    angry mad nervous glad proud fine okay ok busy pregnant hungry sleepy drunk asleep lost alone \
    ready sure interested grateful thankful thrilled exhausted stressed injured anxious missing \
    better worse late mistaken right wrong frustrated disappointed lonely safe bored jealous \
    embarrassed confused surprised shocked relieved satisfied pleased determined guilty free";

impl Sentence<'_> {
    /// Opinions of the copula at a word.
    pub(super) fn predicate(&self, at: usize) -> Vec<Found> {
        let word = &self.words[at];
        if !word.of(Class::Copula) || word.is("be being") && !self.follows_modal(at) {
            return Vec::new();
        }
        let subject = self.subject(at);
        let end = self.complement_end(at);
        let Some(affect) = self.complement(at, end, &subject) else {
            return Vec::new();
        };
        let Some(mut object) = self.judged(&subject, at, end) else {
            return Vec::new();
        };
        let sense = SENSES.iter().find(|(stem, _)| *stem == word.stem);
        // "that race sounds great" is politeness
        let heard = matches!(
            kind_of(&object.name),
            ObjectKind::Media | ObjectKind::Product
        );
        if word.stem == "sound" && !heard {
            return Vec::new();
        }
        if let Some((_, aspect)) = sense.filter(|_| object.aspect == super::aspects::GENERAL) {
            (*aspect).clone_into(&mut object.aspect);
        }
        let (from, to) = self.clause(at);
        let doubt = self.doubt(at);
        let first = Found {
            object,
            affect,
            doubt,
            from,
            to,
        };
        let mut found = vec![first];
        self.compare(at, &mut found);
        found
    }

    fn follows_modal(&self, at: usize) -> bool {
        (0..at)
            .rev()
            .take(3)
            .any(|at| self.is(at, "can would could will might should must to"))
    }

    /// The object that a predicate judges, unless it tells of the state of a person.
    fn judged(&self, subject: &Subject, at: usize, end: usize) -> Option<Object> {
        // "that's great" and "it's great to see you" judge nothing named
        let what = self.words[at + 1..end]
            .iter()
            .any(|word| word.is("to that when"));
        let it = |list: &str| matches!(subject, Subject::It(at) if self.is(*at, list));
        if it("that this these those") || it("it") && (what || self.comes(at, end)) {
            return None;
        }
        let object = self.of_subject(subject)?;
        // "it was a great experience" after some event, and "they look great" of a photo shown
        let vague = matches!(subject, Subject::It(it) if self.is_distant(*it));
        let stage = (at + 1..end).any(|at| self.words[at].of(Class::Generic));
        let task = (at + 1..end).any(|at| self.is(at, TASKS));
        if vague && (stage || task || self.words[at].stem == "look" || self.is_stale(at)) {
            return None;
        }
        let living = matches!(
            kind_of(&object.name),
            ObjectKind::Person | ObjectKind::Animal
        ) || matches!(subject, Subject::Person(_))
            || object.name.starts_with(char::is_uppercase)
                && kind_of(&object.name) == ObjectKind::Other
            || matches!(subject, Subject::It(it) if self.is(*it, "they"));
        let compared = self.is(end, "than");
        let is_any = |list: &str| self.words[at + 1..end].iter().any(|word| word.is(list));
        let state = is_any(FEELERS) || living && !compared && is_any(STATES);
        (!state).then_some(object)
    }

    /// Whether the subject of "it is great" comes after it: "to see you", "seeing you", "that ...".
    fn comes(&self, at: usize, end: usize) -> bool {
        let after = (at + 1..self.words.len().min(end + 1))
            .any(|at| is_doing(&self.words[at].lower) || self.is(at, "being"));
        after
            || self.is(
                end,
                "to that when how what i you he she we they everyone people",
            )
            || self.is(end, "for") && self.is(end + 1, "you me us")
    }

    /// One after the last word of what a copula says.
    fn complement_end(&self, at: usize) -> usize {
        let stop = self.clauses.around(at).1;
        let mut end = at + 1;
        while end < stop {
            let word = &self.words[end];
            let equal = word.lower == "as" && self.words.get(end + 1).is_some_and(judges);
            let joined = end > at + 1
                && !equal
                && (word.of(Class::Preposition) && word.lower != "of"
                    || word.of(Class::Conjunction) && !word.is("and so")
                    || word.is("to i you he she they we"));
            if joined || self.words[end - 1].ends_part() && end > at + 1 && !word.is("and") {
                break;
            }
            end += 1;
        }
        end
    }

    /// The feeling of what a copula says; `None` if it says no quality.
    fn complement(&self, at: usize, end: usize, subject: &Subject) -> Option<Affect> {
        let first = (at + 1..end).find(|&at| {
            let word = &self.words[at];
            !word.is_adverb() && !word.is_negation() && !word.is("a an the such as been be being")
                || judges(word)
        })?;
        let word = &self.words[first];
        if word.is("so not too") || word.of(Class::Preposition) || word.of(Class::Pronoun) {
            return None;
        }
        let quality = judges(word);
        let doing = word.lower.ends_with("ing") && !quality;
        let listed = !self.is(at, "is are was were 's be been") && first > at + 1;
        let determined =
            listed && (at + 1..first + 1).any(|at| self.words[at].of(Class::Determiner));
        let passive = is_past(&word.lower) && !quality;
        let has_quality = self.words[first..end].iter().any(judges);
        // "is Ana's best friend" and "was my first love" name, they do not judge
        let named = (at + 1..first + 1).any(|at| self.is(at, "my his her our your their"))
            && !self.words[first..end]
                .iter()
                .any(|word| word.is("favorite favourite best worst"));
        if doing || passive || named || determined || !has_quality {
            return None;
        }
        let before = self.start_of_verb(at);
        let mut affect = affect_of_words(&self.words[before..end], self.slice(before, end));
        if *subject == Subject::Nothing || self.denied_matrix(before) {
            affect = reversed(&affect);
        }
        is_clear(&affect).then_some(affect)
    }

    /// The first word of a verb with its helpers and adverbs: "has never been".
    fn start_of_verb(&self, at: usize) -> usize {
        let from = self.clauses.around(at).0;
        let mut start = at;
        while start > from {
            let word = &self.words[start - 1];
            if !(word.of(Class::Auxiliary) || word.is_negation() || word.is_adverb()) {
                break;
            }
            start -= 1;
        }
        start
    }

    /// "I don't think it is".
    fn denied_matrix(&self, before: usize) -> bool {
        let from = self.clauses.around(before.min(self.words.len() - 1)).0;
        self.words[from.min(before)..before]
            .windows(2)
            .any(|pair| pair[0].lower == "not" && pair[1].is("think believe feel find"))
    }

    /// "better than Y", "not as good as Y": the feeling for Y.
    fn compare(&self, at: usize, found: &mut Vec<Found>) {
        let stop = self.clauses.around(at).1;
        let Some(first) = found.first().cloned() else {
            return;
        };
        let than = (at + 1..stop).find(|&at| self.is(at, "than"));
        let as_as = (at + 1..stop).find(|&at| {
            self.is(at, "as so") && (at + 2..stop.min(at + 4)).any(|at| self.is(at, "as"))
        });
        let (place, equal) = match (than, as_as) {
            (Some(than), _) => (than + 1, false),
            (None, Some(from)) => {
                let second = (from + 2..stop)
                    .find(|&at| self.is(at, "as"))
                    .unwrap_or(from);
                (second + 1, !self.is_denied(at, from))
            }
            _ => return,
        };
        let more = than.is_none_or(|than| {
            self.words[at + 1..than]
                .iter()
                .any(|word| word.is("better worse more less"))
                || self.words[at + 1..than]
                    .iter()
                    .any(|word| word.lower.ends_with("er"))
        });
        let other = self.targets(place).into_iter().next();
        if let Some((mut object, _)) = other.filter(|_| more && !equal) {
            object.aspect.clone_from(&first.object.aspect);
            found.push(Found {
                object,
                affect: reversed(&first.affect),
                ..first
            });
        }
    }
}
