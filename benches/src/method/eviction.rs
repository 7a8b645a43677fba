//! Which turn a baseline with a budget forgets. The oldest is a weak choice; the others are strong
//! opponents of a memory that chooses.

use crate::rarity::{Rarity, distinct};
use crate::stream::Turn;
use weir_core::analysis::Term;
use weir_core::text::{Around, Salience, terms};
use weir_fixtures::Rng;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eviction {
    Oldest,
    /// Any turn that is held: what was said long ago has had more draws.
    Random,
    /// As reservoir sampling: at any time every turn heard is as likely to be held as any other.
    Reservoir,
    /// The turn that is least worth its tokens, by Weir's salience of what was said and the rarity
    /// of its words.
    Salience,
}

/// What follows the name of a method that keeps everything, `rag-rrf-random`.
pub(crate) const SUFFIXES: [(&str, Eviction); 3] = [
    ("-random", Eviction::Random),
    ("-reservoir", Eviction::Reservoir),
    ("-salience", Eviction::Salience),
];

/// A name without its suffix, and the rule.
pub(crate) fn of(name: &str) -> (&str, Eviction) {
    let with = |(suffix, by): &(&str, Eviction)| Some((name.strip_suffix(suffix)?, *by));
    let found = SUFFIXES.iter().find_map(with);
    found.unwrap_or((name, Eviction::Oldest))
}

/// What is known of a turn when something must be forgotten.
pub(super) struct Worth {
    pub(super) tokens: usize,
    /// The draw of the reservoir.
    draw: u64,
    /// Salience of the words, in logits, and their terms; nothing under the other rules.
    said: f32,
    terms: Vec<Term>,
}

/// The rule, and the talk as far as the rule knows it.
pub(super) struct Forgetting {
    by: Eviction,
    rng: Rng,
    rarity: Rarity,
    /// Parts of the speakers' names, and their terms.
    names: Vec<String>,
    named: Vec<Term>,
    /// Who spoke last, if that was a question.
    asked_by: Option<Option<String>>,
}

impl Forgetting {
    pub(super) fn by(by: Eviction) -> Self {
        Self {
            by,
            rng: Rng::new(1),
            rarity: Rarity::default(),
            names: Vec::new(),
            named: Vec::new(),
            asked_by: None,
        }
    }

    /// Hears a turn of so many tokens.
    pub(super) fn hear(&mut self, turn: &Turn, tokens: usize) -> Worth {
        let salient = (self.by == Eviction::Salience).then(|| self.salient(turn));
        let (said, terms) = salient.unwrap_or_default();
        Worth {
            tokens,
            draw: self.rng.next_u64(),
            said,
            terms,
        }
    }

    fn salient(&mut self, turn: &Turn) -> (f32, Vec<Term>) {
        let parts = turn.speaker.iter().flat_map(|name| name.split_whitespace());
        for part in parts.map(str::to_lowercase) {
            if !self.names.contains(&part) {
                self.named.extend(terms(&part));
                self.names.push(part);
            }
        }
        let terms = distinct(&turn.text, &self.named);
        let new = |term: &&Term| !self.rarity.has(term);
        let new_terms: Vec<Term> = terms.iter().filter(new).copied().collect();
        let asked = self.asked_by.take();
        let around = Around {
            utterance: &turn.text,
            place: 0,
            statements: 1,
            answers: asked.is_some_and(|by| by != turn.speaker),
            new_terms: &new_terms,
            names: &self.names,
        };
        let said = Salience::said(&turn.text, &around);
        let asks = turn.text.trim_end().ends_with('?');
        self.asked_by = asks.then(|| turn.speaker.clone());
        self.rarity.add(&terms);
        (said, terms)
    }

    /// The place of the turn that goes, among the places of those that are held, in order heard.
    pub(super) fn first_to_go<'a>(
        &mut self,
        mut held: impl Iterator<Item = (usize, &'a Worth)> + Clone,
    ) -> Option<usize> {
        let goes = match self.by {
            Eviction::Oldest => held.next(),
            Eviction::Random => match held.clone().count() {
                0 => None,
                many => held.nth(self.rng.below(many)),
            },
            Eviction::Reservoir => held.min_by_key(|(_, worth)| worth.draw),
            Eviction::Salience => {
                let weighed = held.map(|it| (self.density(it.1), it));
                weighed.min_by(|a, b| a.0.total_cmp(&b.0)).map(|it| it.1)
            }
        };
        goes.map(|(place, _)| place)
    }

    /// The chance that a turn is asked for, and what it is worth a token: the exponent is Weir's.
    fn density(&self, of: &Worth) -> f32 {
        let mass = self.rarity.mass(&of.terms);
        let chance = Salience::chance(of.said, mass, of.terms.len(), of.tokens as u32);
        chance * (of.tokens.max(1) as f32).powf(0.4 - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::turn;
    use super::*;

    /// Which of a hundred turns are left when ten may be held.
    fn held(by: Eviction, text: impl Fn(usize) -> String) -> Vec<usize> {
        let mut forgetting = Forgetting::by(by);
        let mut held: Vec<(usize, Worth)> = Vec::new();
        for n in 0..100 {
            held.push((n, forgetting.hear(&turn(n, "Ana", &text(n)), 10)));
            if held.len() > 10 {
                let places = held.iter().map(|(_, worth)| worth).enumerate();
                let goes = forgetting.first_to_go(places).expect("eleven are held");
                held.remove(goes);
            }
        }
        held.into_iter().map(|(n, _)| n).collect()
    }

    #[test]
    fn each_rule_keeps_what_it_is_for() {
        let plain = |n: usize| format!("We walked to place number {n} and came back.");
        assert_eq!(held(Eviction::Oldest, plain), (90..100).collect::<Vec<_>>());
        let mean = |held: &[usize]| held.iter().sum::<usize>() as f32 / held.len() as f32;
        let any = held(Eviction::Random, plain);
        assert!(mean(&any) > 75.0, "fewer draws of the recent: {any:?}");
        let reservoir = held(Eviction::Reservoir, plain);
        assert!((25.0..75.0).contains(&mean(&reservoir)), "{reservoir:?}");
        let facts = |n: usize| match n % 20 {
            7 => format!("My sister Paula moved to Lisbon in 20{n:02} and bought a piano."),
            _ => "Yeah, okay.".to_owned(),
        };
        let kept = held(Eviction::Salience, facts);
        let of_facts = kept.iter().filter(|n| **n % 20 == 7).count();
        assert_eq!(of_facts, 5, "{kept:?}");
    }

    #[test]
    fn names_have_their_rule() {
        assert_eq!(of("rag-rrf-random"), ("rag-rrf", Eviction::Random));
        assert_eq!(of("rag-rrf"), ("rag-rrf", Eviction::Oldest));
    }
}
