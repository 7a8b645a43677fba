//! The reader's prompt, the same for every run.

use weir_models::{Message, Request, Role};

/// Maximum tokens of an answer.
const ANSWER_TOKENS_MAX: usize = 32;
/// The reader's reply when the context has no answer.
pub(super) const UNKNOWN: &str = "unknown";

const SYSTEM: &str = "You answer questions about a conversation from notes of it. Answer with a \
    name, a date or a short phrase, never with a sentence. If the notes do not tell, answer: \
    unknown";

/// The request for one answer; its first line counts.
pub(super) fn request(context: &str, question: &str, asked_by: Option<&str>) -> Request {
    let context = match context.trim() {
        "" => "(none)",
        text => text,
    };
    let asker = asked_by.map_or_else(String::new, |name| format!(" ({name} asks)"));
    let user = format!("Notes:\n{context}\n\nQuestion{asker}: {question}\nShort answer:");
    let messages = [(Role::System, SYSTEM), (Role::User, &user)];
    let messages = messages.map(|(role, text)| Message::new(role, text));
    Request::new(messages.into(), ANSWER_TOKENS_MAX)
}

/// The first line of a reply, without white space around it.
pub(super) fn phrase(reply: &str) -> String {
    let mut lines = reply.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty());
    first.unwrap_or_default().to_owned()
}

/// Whether a reply says that the context has no answer.
pub(super) fn declines(answer: &str) -> bool {
    let lower = answer.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    !answer.contains(char::is_alphanumeric) || words.any(|word| word == UNKNOWN)
}
