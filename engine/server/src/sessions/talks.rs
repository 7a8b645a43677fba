//! Conversations of clients, so that a question may leave something to those before it.

use parking_lot::Mutex;
use std::collections::VecDeque;
use weir_core::conversation::{Conversation, Intent};
use weir_engine::pipeline::Answered;

/// Conversations that are kept for a session; the one not used for longest goes.
const TALKS_MAX: usize = 64;
/// Who asks, if a client does not say.
const SOMEBODY: &str = "user";

/// The last conversations of a session, the latest last.
#[derive(Default)]
pub(crate) struct Talks(Mutex<VecDeque<(String, Conversation)>>);

impl Talks {
    /// A question with what it leaves to those before it.
    pub(crate) fn completed(&self, talk: &str, user: Option<&str>, question: String) -> String {
        self.with(talk, user, |it| match it.turn(&question) {
            Intent::Ask { question, .. } => question,
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

    fn with<T>(
        &self,
        talk: &str,
        user: Option<&str>,
        change: impl FnOnce(&mut Conversation) -> T,
    ) -> T {
        let mut talks = self.0.lock();
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
    use super::{TALKS_MAX, Talks};

    #[test]
    fn only_the_latest_conversations_are_kept() {
        let talks = Talks::default();
        for at in 0..TALKS_MAX + 9 {
            let asked = talks.completed(&at.to_string(), None, "Where is it?".to_owned());
            assert_eq!(asked, "Where is it?");
        }
        let kept = talks.0.lock();
        assert_eq!(kept.len(), TALKS_MAX);
        assert_eq!(kept[0].0, "9");
    }
}
