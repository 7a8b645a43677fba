//! The speaker's feeling for an object: "I love X", "I can't stand X", "I'm tired of X".

use super::clause::Subject;
use super::feeling::{LEANING_MIN, stated};
use super::lexicon::{Class, feeling_verb, felt, is_felt};
use super::opinion::Doubt;
use super::sentence::{Found, Sentence};
use crate::text::heading::is_past;

impl Sentence<'_> {
    /// Opinions of a verb or adjective of feeling at a word.
    pub(super) fn feelings(&self, at: usize) -> Vec<Found> {
        let verb = self.verb_of_feeling(at);
        let Some((leaning, object)) = verb.or_else(|| self.adjective_of_feeling(at)) else {
            return Vec::new();
        };
        let subject = self.subject(at);
        let elliptic = subject == Subject::Left && self.starts_elliptic(at);
        let others = match subject {
            Subject::Speaker => None,
            Subject::Left if elliptic => None,
            Subject::Person(_) | Subject::Noun(_) => Some(Doubt::Reported),
            Subject::It(it) if self.is(it, "they") => Some(Doubt::Reported),
            _ => return Vec::new(),
        };
        let doubt = others.or_else(|| self.doubt(at));
        let (from, to) = self.clause(at);
        let degree = &self.words[from..object.min(self.words.len())];
        let affect = stated(leaning, degree);
        // "I appreciate it" is thanks
        let thanks = self.is(object, "it that this your you") && self.words[at].stem == "appreciat";
        let targets = match thanks {
            true => Vec::new(),
            false => self.targets(object),
        };
        let mut found = Vec::new();
        for (object, end) in &targets {
            found.push(Found {
                object: object.clone(),
                affect,
                doubt,
                from,
                to: to.max(*end),
            });
        }
        found.extend(self.rival(at, &found, targets.last().map(|(_, end)| *end)));
        found
    }

    /// "I prefer tea to coffee": the other side.
    fn rival(&self, verb: usize, found: &[Found], end: Option<usize>) -> Option<Found> {
        let first = found
            .first()
            .filter(|_| self.words[verb].stem == "prefer")?;
        let end = end.filter(|&end| self.is(end, "to over than"))?;
        let (object, after) = self.targets(end + 1).into_iter().next()?;
        // "I prefer people to address me" prefers nothing to anything
        let verb = self
            .words
            .get(after)
            .is_some_and(|next| next.of(Class::Pronoun));
        if verb {
            return None;
        }
        Some(Found {
            object,
            affect: super::feeling::reversed(&first.affect),
            ..first.clone()
        })
    }

    /// The leaning of a verb of feeling, and where its object begins.
    fn verb_of_feeling(&self, at: usize) -> Option<(f32, usize)> {
        let word = &self.words[at];
        let denied = || self.denied_before(at);
        if word.is("stand bear") {
            let can = denied() && (0..at).rev().take(4).any(|at| self.is(at, "can could"));
            return can.then_some((-0.8, at + 1));
        }
        if word.is("forward")
            && at > 0
            && self.words[at - 1].stem == "look"
            && self.is(at + 1, "to")
        {
            return Some((0.7, at + 2));
        }
        if word.is("wait") && denied() && self.is(at - 1, "not") && self.is(at.max(2) - 2, "can") {
            return self.is(at + 1, "for").then_some((0.7, at + 2));
        }
        let leaning = feeling_verb(&word.stem).filter(|_| self.is_verb_here(at))?;
        let miss = word.is("miss missed missing") && self.missed_a_chance(at);
        if miss || word.is("prefer like love hate") && self.is_wish(at) {
            return None;
        }
        let enough = self.words[at..]
            .iter()
            .take(6)
            .any(|word| word.lower == "enough");
        match !enough && denied() {
            false => Some((leaning, at + 1)),
            true if word.is("miss value treasure fear regret") => None,
            true => {
                Some((-0.75 * leaning, at + 1)).filter(|(l, _)| l.abs() > LEANING_MIN && *l < 0.0)
            }
        }
    }

    /// "I'd love to", "I would like": a wish, not a feeling.
    fn is_wish(&self, at: usize) -> bool {
        (0..at)
            .rev()
            .take(3)
            .any(|at| self.is(at, "would 'd will should"))
    }

    /// "I missed the bus", "I missed my class": nothing is longed for.
    fn missed_a_chance(&self, at: usize) -> bool {
        self.words[at].lower == "missed"
            && !(0..at)
                .rev()
                .take(2)
                .any(|at| self.is(at, "have still really 've has so"))
            || self.is(at + 1, "out on the")
                && self.is(
                    at + 2,
                    "on bus train flight call point deadline class meeting opportunity",
                )
    }

    /// Whether a word that may be a noun or a preposition is a verb here.
    fn is_verb_here(&self, at: usize) -> bool {
        let word = &self.words[at];
        let Some(before) = at.checked_sub(1).map(|at| &self.words[at]) else {
            return self.starts_elliptic(at);
        };
        if self.clauses.around(at).0 == at {
            return word.is("loved enjoyed hated") || self.starts_elliptic(at);
        }
        let helper = !(word.lower == "like" && before.is("have has had"))
            && before.of(Class::Auxiliary)
            && !before.is("is are was were am 's be been being");
        let doing = word.lower.ends_with("ing");
        let being = before.is("am 's is are was been") && doing && !word.is("missing loving");
        let named = !before.of(Class::Determiner)
            && !before.of(Class::Preposition)
            && !before.of(Class::Auxiliary);
        let person = before.is("i we you he she they");
        let to = before.lower == "to"
            && self.is(at.max(2) - 2, "have started began come grown learned used");
        let like = word.stem == "lik" && word.is("like liked likes");
        let adverb = before.is_adverb() || before.is_negation();
        let by = || matches!(self.subject(at), Subject::Speaker | Subject::Person(_));
        let skipped = adverb && (!like || by());
        match () {
            () if person || to => true,
            () if doing => being || before.is("start started still"),
            () if helper || skipped && !before.is("much more less most very so just") => true,
            () if skipped && before.is("so just more most much") => {
                at > 1 && (self.is(at - 2, "i we he she they") || self.is(at - 2, "do does did"))
            }
            () if before.is("and but or") => {
                is_past(&word.lower)
                    || !like
                        && self
                            .words
                            .get(at + 1)
                            .is_some_and(|next| next.of(Class::Determiner))
            }
            () if like => word.lower != "like" && named,
            () => named && (word.lower.ends_with('s') || is_past(&word.lower)),
        }
    }

    /// "Love this place!": a sentence that begins with the verb, before an object.
    fn starts_elliptic(&self, at: usize) -> bool {
        let first = self.clauses.around(at).0;
        let lead = (first..at)
            .all(|at| self.words[at].is_adverb() || self.is(at, "and but oh well not do"));
        let next = at + 1;
        let object = self.is(next, "the this that it my these those how his her our its");
        let verb = self.is(
            at,
            "love loved loving hate hated enjoyed enjoying adore miss like",
        );
        let feels = self.words[at].of(Class::Adverb)
            || felt_any(&self.words[at].lower)
            || self.is(at, "stand bear forward wait");
        lead && (verb && object || feels)
    }

    fn adjective_of_feeling(&self, at: usize) -> Option<(f32, usize)> {
        let word = &self.words[at];
        if word.ends_part() || !is_felt(&word.lower) {
            return None;
        }
        let before = (0..at).rev().find(|&at| {
            !self.words[at].is_adverb()
                && !self.words[at].is_negation()
                && !self.is(at, "a big huge")
        });
        let being = before.is_none_or(|at| {
            self.is(
                at,
                "am are is was were 's been feel felt get got feeling getting fell be",
            ) || self.words[at].is("i we")
                || self.is(at, "and but")
        });
        let next = self.words.get(at + 1)?;
        let into = word.lower == "into";
        if !being
            || into
                && !self.words[..at]
                    .iter()
                    .any(|word| word.is("really so very"))
        {
            return None;
        }
        let (leaning, object) = match felt(&word.lower, &next.lower) {
            Some(leaning) => (leaning, at + 2),
            None if into => (felt("into", "")?, at + 1),
            None => return None,
        };
        let object = object + usize::from(word.lower == "fed" && self.is(object, "with"));
        match self.denied_before(at) {
            false => Some((leaning, object)),
            true if leaning > 0.0 => Some((-0.6 * leaning, object)),
            true => None,
        }
    }

    /// Whether the verb at a word is denied: "do not like", "have never liked", "no longer like".
    pub(super) fn denied_before(&self, at: usize) -> bool {
        let from = self.clauses.around(at).0;
        let mut before = at;
        while before > from && !self.is(before - 1, "i we he she they it") {
            before -= 1;
        }
        let matrix = self.words[from..before.max(from)]
            .windows(2)
            .any(|pair| pair[0].lower == "not" && pair[1].is("think believe feel know"));
        self.is_denied(before, at) || matrix
    }

    /// "I wish the battery lasted longer": it does not.
    pub(super) fn wish(&self, at: usize) -> Option<Found> {
        if !self.is(at, "wish") || at == 0 || !self.is(at - 1, "i we really just") {
            return None;
        }
        let start = at + 1 + usize::from(self.is(at + 1, "that"));
        let object = match self.is(start, "it they") {
            true => self.of_pronoun(start),
            false => self.phrase(start).and_then(|phrase| {
                let verb = super::clause::attached(&self.words, phrase.to);
                let changed = self.words.get(verb).is_some_and(super::clause::is_verb);
                changed.then(|| self.object(&phrase)).flatten()
            }),
        }?;
        let (from, to) = self.clause(at);
        Some(Found {
            object,
            affect: stated(-0.5, &self.words[from..at]),
            doubt: None,
            from,
            to: to.max(self.clauses.around(start).1),
        })
    }
}

fn felt_any(word: &str) -> bool {
    ["of", "about", "with", "for", "by"]
        .iter()
        .any(|preposition| felt(word, preposition).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::opinions::sentence::Object;
    use crate::text::opinions::tokens::tokens;

    #[test]
    fn wishes_and_missed_trains_are_no_feelings() {
        for text in [
            "I'd love to visit Japan.",
            "I missed the bus.",
            "It looks like rain.",
            "My love for you is endless.",
        ] {
            let sentence = Sentence::of(text, tokens(text), None, false);
            let all = (0..sentence.words.len()).flat_map(|at| sentence.feelings(at));
            let names: Vec<Object> = all.map(|found| found.object).collect();
            assert!(names.is_empty(), "{text}: {names:?}");
        }
    }
}
