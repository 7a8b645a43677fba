//! What a feeling is for: the objects after "I love", with lists, activities and pronouns.

use super::clause::is_verb;
use super::kind::is_known_noun;
use super::lexicon::Class;
use super::phrase::{canonical, is_doing, one};
use super::quality::judges;
use super::sentence::{Object, Sentence};
use crate::text::heading::is_base;
use crate::text::words::{is_listed, singular, stem};

/// Maximum number of objects of one verb.
const TARGETS_MAX: usize = 4;
/// Activities that only lead to their object, as stems: "drinking coffee" is about coffee.
const LIGHT: &str = "drink eat hav play watch read listen us wear visit do try get see tak buy own \
    giv tast din order rid driv work study learn hear purchas";
/// Activities that are nothing by themselves, as stems.
const EMPTY: &str = "be hav know see hear think say find giv let com stay mak get keep tak feel \
    help tell ask want need call look go miss start do try show shar us buy wait bring meet \
    receiv talk chat catch";

impl Sentence<'_> {
    /// The objects that begin at a word, each with the index after its last word.
    pub(super) fn targets(&self, at: usize) -> Vec<(Object, usize)> {
        let mut found = Vec::new();
        let mut at = at;
        while found.len() < TARGETS_MAX {
            let Some((object, end)) = self.target(at) else {
                break;
            };
            found.extend(object.map(|object| (object, end)));
            match self.next_in_list(end) {
                Some(next) => at = next,
                None => break,
            }
        }
        found
    }

    /// One object, `None` inside if it names nothing, and the index after it.
    fn target(&self, at: usize) -> Option<(Option<Object>, usize)> {
        let at = self.past_adverbs(at);
        let word = self.words.get(at)?;
        let ended = at > 0 && self.words[at - 1].ends_part() && !self.is_listed(at);
        if ended {
            return None;
        }
        if word.lower == "when" || word.lower == "it" && self.is(at + 1, "when") {
            return self.weather(at);
        }
        if word.lower == "to" {
            return self.words.get(at + 1).map(|_| self.activity(at + 1, true));
        }
        if word.is("it them him her") && self.stands_alone(at) {
            return Some((self.target_pronoun(at), at + 1));
        }
        if is_doing(&word.lower) && !word.capital {
            return Some(self.activity(at, false));
        }
        if word.is("this that these those") && self.stands_alone(at) {
            return None;
        }
        let phrase = self.phrase(at)?;
        // "I love the way he sings" is about something not named
        if self.is(phrase.to, "i he she they we you") && self.words[phrase.head()].is("way fact") {
            return None;
        }
        let object = self.object(&phrase);
        let end = match self.is(phrase.to, "of") {
            true => self
                .phrase(phrase.to + 1)
                .map_or(phrase.to, |inner| inner.to),
            false => phrase.to,
        };
        Some((object, end))
    }

    fn target_pronoun(&self, at: usize) -> Option<Object> {
        match self.is(at, "him her") {
            true => self.of_subject(&super::clause::Subject::Person(at)),
            false => self.of_pronoun(at),
        }
    }

    /// Whether no noun follows: "this" in "I love this", not in "I love this phone".
    fn stands_alone(&self, at: usize) -> bool {
        let word = &self.words[at];
        !word.of(Class::Determiner) || word.ends_part() || self.phrase(at).is_none()
    }

    /// Whether a list goes on at a word after a comma.
    fn is_listed(&self, at: usize) -> bool {
        self.next_in_list(at) == Some(at)
            || at > 0 && self.is(at - 1, "and or") && !self.words[at - 1].ends_part()
    }

    /// Where the next object of a list begins.
    fn next_in_list(&self, end: usize) -> Option<usize> {
        let comma = end > 0 && self.words[end - 1].ends_part();
        let joined = self.is(end, "and or");
        let at = end + usize::from(joined);
        if !(joined || comma) || self.clauses.around(at).0 == at {
            return None;
        }
        let doing = self.words.get(at).is_some_and(|word| is_doing(&word.lower));
        let phrase = self.phrase(at);
        let to = phrase.map(|phrase| phrase.to).or(doing.then_some(at + 1))?;
        let verb = self.past_adverbs(super::clause::attached(&self.words, to));
        if self.words.get(verb).is_some_and(is_verb) {
            return None;
        }
        // "I like tea, good morning": a list has an "and"
        let listed = joined || (to..self.words.len().min(to + 8)).any(|at| self.is(at, "and or"));
        listed.then_some(at)
    }

    /// "when it rains".
    fn weather(&self, at: usize) -> Option<(Option<Object>, usize)> {
        let to = self
            .clauses
            .around(at)
            .1
            .max((at + 4).min(self.words.len()));
        let name = (at..to).find_map(|at| match self.words[at].stem.as_str() {
            "rain" => Some(("rain", at)),
            "snow" => Some(("snow", at)),
            _ => None,
        })?;
        Some((Some(Object::whole(name.0.to_owned())), name.1 + 1))
    }

    /// An activity at a verb: its object if the verb only leads to it, else the activity.
    fn activity(&self, verb: usize, base: bool) -> (Option<Object>, usize) {
        let word = &self.words[verb];
        let stem = match base {
            true => stem(&word.lower),
            false => word.stem.clone(),
        };
        if base && !(is_base(&word.lower) || is_listed(LIGHT, &stem)) {
            return (None, verb + 1);
        }
        let among = |list: &str| is_listed(list, &stem);
        let mut at = verb + 1;
        if stem == "go" || stem == "spend" {
            return self.going(verb);
        }
        if stem == "listen" && self.is(at, "to") || stem == "work" && self.is(at, "on") {
            at += 1;
        }
        let open = !word.ends_part();
        let phrase = open.then(|| self.phrase(at)).flatten();
        if among(LIGHT) {
            if let Some(phrase) = phrase.filter(|phrase| phrase.core > verb) {
                return (self.object(&phrase), phrase.to);
            }
            if self.is(at, "it them this that") && open {
                return (self.of_pronoun(at), at + 1);
            }
        }
        if among(EMPTY) {
            return (None, verb + 1);
        }
        let doing = match base {
            true => gerund(&word.lower),
            false => word.lower.clone(),
        };
        match phrase {
            Some(phrase) if is_known_noun(&one(&self.words[phrase.head()].lower)) => {
                let own = phrase.core..phrase.to;
                let thing = canonical(&self.words, own.end - 1, own.end);
                let name = thing.map(|thing| format!("{doing} {thing}"));
                (name.map(Object::whole), phrase.to)
            }
            _ => (Some(Object::whole(doing)), verb + 1),
        }
    }

    /// "going hiking", "going to the gym", "spending time with my family".
    fn going(&self, verb: usize) -> (Option<Object>, usize) {
        let next = verb + 1;
        if self
            .words
            .get(next)
            .is_some_and(|word| is_doing(&word.lower))
        {
            let doing = self.words[next].lower.clone();
            return (Some(Object::whole(doing)), next + 1);
        }
        let to = (next..self.words.len().min(next + 4))
            .find(|&at| self.is(at, "to for on with in") && !self.words[at - 1].ends_part());
        let phrase = to.and_then(|at| self.phrase(at + 1));
        match phrase {
            Some(phrase) => (self.object(&phrase), phrase.to),
            None => (None, next),
        }
    }
}

/// The form in "-ing" of a verb's base.
fn gerund(base: &str) -> String {
    let bytes = base.as_bytes();
    let vowel = |at: usize| bytes.get(at).is_some_and(|c| b"aeiou".contains(c));
    let last = bytes.len() - 1;
    match () {
        () if base.ends_with("ie") => format!("{}ying", &base[..base.len() - 2]),
        () if base.ends_with('e') && !base.ends_with("ee") => format!("{}ing", &base[..last]),
        () if base.len() <= 4
            && last >= 2
            && !vowel(last)
            && vowel(last - 1)
            && !vowel(last - 2)
            && !b"wxy".contains(&bytes[last]) =>
        {
            format!("{base}{}ing", &base[last..])
        }
        () => format!("{base}ing"),
    }
}

/// Whether a word is an adjective of praise or blame before a noun of a phrase.
pub(super) fn praises(sentence: &Sentence<'_>, core: usize, to: usize) -> bool {
    let adjectives = &sentence.words[core..to.saturating_sub(1).max(core)];
    adjectives
        .iter()
        .any(|word| judges(word) && !is_known_noun(&singular(&word.lower)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_in_ing_is_made() {
        for (base, made) in [
            ("cook", "cooking"),
            ("run", "running"),
            ("bake", "baking"),
            ("play", "playing"),
            ("draw", "drawing"),
            ("travel", "traveling"),
        ] {
            assert_eq!(gerund(base), made);
        }
    }
}
