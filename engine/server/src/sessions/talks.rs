//! Conversations of clients, so that a question may leave something to those before it.

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use weir_core::conversation::{Conversation, Intent};
use weir_engine::pipeline::Answered;

/// Conversations that are kept for a session; the one not used for longest goes.
const TALKS_MAX: usize = 64;
/// Who asks, if a client does not say.
const SOMEBODY: &str = "user";

/// Longest time between two requests with one turn of a chat: with the results of tools, or again
/// after an error. Later the same words are said anew.
const TURN_TIME: Duration = Duration::from_secs(600);

/// The last conversations of a session, the latest last.
#[derive(Default)]
pub(crate) struct Talks {
    talks: Mutex<VecDeque<(String, Conversation)>>,
    turns: Mutex<Turns>,
}

/// The last turns of chats, the latest last.
#[derive(Default)]
struct Turns {
    last: VecDeque<Turn>,
    number: u64,
}

struct Turn {
    digest: String,
    number: u64,
    used: Instant,
}

impl Talks {
    /// A question with what it leaves to those before it.
    pub(crate) fn completed(&self, talk: &str, user: Option<&str>, question: String) -> String {
        self.with(talk, user, |it| match it.turn(&question) {
            Intent::Ask { question } => question,
            _ => question,
        })
    }

    /// Takes down the answer to a question of a conversation.
    pub(crate) fn answered(&self, talk: &str, answered: &Answered) {
        let Answered {
            asking,
            answer,
            recall,
            ..
        } = answered;
        self.with(talk, asking.asked_by.as_deref(), |it| {
            it.answered(&asking.text, answer, recall);
        });
    }

    /// The key of a turn of a chat, whose messages have this digest: the same for requests that
    /// follow one another within [`TURN_TIME`].
    pub(crate) fn turn(&self, digest: &str, now: Instant) -> String {
        let mut turns = self.turns.lock();
        let is_recent = |it: &Turn| now.duration_since(it.used) < TURN_TIME;
        let found = turns
            .last
            .iter()
            .position(|it| it.digest == digest && is_recent(it));
        let number = match found.and_then(|at| turns.last.remove(at)) {
            Some(turn) => turn.number,
            None => {
                turns.number += 1;
                turns.number
            }
        };
        if turns.last.len() == TALKS_MAX {
            turns.last.pop_front();
        }
        turns.last.push_back(Turn {
            digest: digest.to_owned(),
            number,
            used: now,
        });
        format!("{digest} {number}")
    }

    fn with<T>(
        &self,
        talk: &str,
        user: Option<&str>,
        change: impl FnOnce(&mut Conversation) -> T,
    ) -> T {
        let mut talks = self.talks.lock();
        let at = talks.iter().position(|(name, _)| name == talk);
        let (name, mut found) = at.and_then(|at| talks.remove(at)).unwrap_or_else(|| {
            let user = user.unwrap_or(SOMEBODY);
            (talk.to_owned(), Conversation::new(user))
        });
        let done = change(&mut found);
        if talks.len() == TALKS_MAX {
            talks.pop_front();
        }
        talks.push_back((name, found));
        done
    }
}

#[cfg(test)]
mod tests {
    use super::{TALKS_MAX, TURN_TIME, Talks};
    use std::time::{Duration, Instant};

    #[test]
    fn only_the_latest_conversations_are_kept() {
        let talks = Talks::default();
        for at in 0..TALKS_MAX + 9 {
            let asked = talks.completed(&at.to_string(), None, "Where is it?".to_owned());
            assert_eq!(asked, "Where is it?");
        }
        let kept = talks.talks.lock();
        assert_eq!(kept.len(), TALKS_MAX);
        assert_eq!(kept[0].0, "9");
    }

    #[test]
    fn a_turn_that_is_sent_again_is_one_and_on_another_day_another() {
        let (talks, now) = (Talks::default(), Instant::now());
        let first = talks.turn("hi", now);
        assert_eq!(talks.turn("hi", now + TURN_TIME / 2), first);
        assert_eq!(talks.turn("hi", now + TURN_TIME), first);
        assert_ne!(talks.turn("ho", now), first);
        let later = now + TURN_TIME + Duration::from_secs(86_400);
        assert_ne!(talks.turn("hi", later), first);
    }
}
