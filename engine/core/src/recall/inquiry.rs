//! A question to beliefs and profiles, with everything that decides what they answer.

use super::query::Query;
use crate::answer::Question;
use crate::character::Character;
use crate::session::Session;
use crate::transcript::Transcript;

/// A question to beliefs and profiles.
pub(super) struct Inquiry<'a, 'q> {
    pub(super) session: &'a Session,
    pub(super) question: &'q Question,
    pub(super) query: &'q Query,
    /// Source of words that memory does not hold.
    pub(super) transcript: Option<&'q dyn Transcript>,
    /// The character who answers.
    pub(super) character: Option<&'q Character>,
}

impl Inquiry<'_, '_> {
    /// Whether the character who answers remembers what was said at this session time; without a
    /// character, everything is remembered.
    pub(super) fn remembers(&self, said_ms: u64) -> bool {
        let since_ms = self.session.now_ms().saturating_sub(said_ms);
        self.character
            .is_none_or(|it| Character::remembers(it.retention(since_ms, 0)))
    }
}
