//! What a character has forgotten, and how what it remembers fades.

use super::candidate::{Candidate, Source};
use super::found::Found;
use super::rank::sort;
use crate::character::Character;

impl<'a> Found<'a> {
    /// Answers as a character: scores are multiplied by what it retains of a statement, what it has
    /// forgotten is not recalled, and only its sources are.
    #[must_use]
    pub fn as_character(mut self, character: &'a Character) -> Self {
        let now_ms = self.session.now_ms();
        for found in &mut self.ranked {
            let (last_ms, accesses) = last_access(found);
            found.retention = character.retention(now_ms.saturating_sub(last_ms), accesses);
        }
        let remembered = |it: &&Candidate<'_>| Character::remembers(it.retention);
        let first = self.ranked.first();
        self.faded = first.is_some_and(|first| !remembered(&first));
        self.ranked.retain(|it| Character::remembers(it.retention));
        for found in &mut self.ranked {
            // a score below the average is of nothing that matters
            found.score *= if found.score > 0.0 {
                found.retention
            } else {
                1.0
            };
        }
        sort(&mut self.ranked);
        self.passages.retain(|it| character.knows(&it.source.name));
        self.character = Some(character);
        self
    }
}

/// Session time of the last access, or when it was said, and the number of accesses.
fn last_access(found: &Candidate<'_>) -> (u64, u32) {
    match found.source {
        // a unit begins with the time of its mounting
        Source::Unit(unit) if unit.frequency == 0 => (unit.said_ms, 0),
        Source::Unit(unit) => (unit.last_access_ms, unit.frequency),
        Source::Raw(heard, _) => (heard.session_ms, 0),
    }
}
