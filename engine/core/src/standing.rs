//! What people ask of forgetting: what goes next, and what something said would be worth. Only
//! reads a session.

use crate::limits;
use crate::memory::{CHANCE_USED, Standing};
use crate::session::Session;
use crate::text::{Around, Salience, is_small_talk, statements, terms};
use std::collections::BTreeSet;

/// What an utterance that memory does not hold would be worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighed {
    /// The probability that its best statement is asked for, whatever its age.
    pub chance: f32,
    /// That, decayed with its age and with what was said since.
    pub chance_now: f32,
    /// Whether it says so little that hardly anybody asks for it: a greeting, thanks, a short
    /// reply.
    pub says_little: bool,
}

impl Session {
    /// All units, those that go first at the beginning, pinned ones at the end.
    #[must_use]
    pub fn standings(&self) -> Vec<Standing> {
        self.tree().standings(&self.valuation())
    }

    /// Weighs what was said in an utterance by its number and its session time, as it is weighed
    /// when a block is distilled, but without the talk around it: an estimate.
    #[must_use]
    pub fn weigh(&self, said: &str, turn: u64, said_ms: u64) -> Weighed {
        let value = self.valuation();
        let speakers = self.speakers();
        let parts = speakers.iter().flat_map(|name| name.split_whitespace());
        let people: BTreeSet<String> = parts.map(str::to_lowercase).collect();
        let names: Vec<String> = people.iter().cloned().collect();
        let pieces = statements(said, limits::UNIT_WORDS_MAX);
        let chances = pieces.iter().enumerate().map(|(place, piece)| {
            if is_small_talk(piece, &people) {
                return 0.0;
            }
            let around = Around {
                utterance: said,
                place,
                statements: pieces.len(),
                answers: false,
                new_terms: &[],
                names: &names,
            };
            let mut words = terms(piece);
            words.sort_unstable();
            let (mass, distinct) = value.rarity.mass(&words, &value.names);
            let tokens = u32::try_from(self.counter().count(piece)).unwrap_or(u32::MAX);
            Salience::chance(Salience::said(piece, &around), mass, distinct, tokens)
        });
        let chance = chances.fold(0.0, f32::max);
        Weighed {
            chance,
            chance_now: value.faded(chance, said_ms, turn),
            says_little: chance < CHANCE_USED,
        }
    }
}
