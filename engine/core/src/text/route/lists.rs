//! The English words and phrases that a route is read from.

use super::super::matching::Words;

/// Before a verb that is asked of the listener.
pub(super) const POLITE: &[&str] = &[
    "please",
    "can|could|will|would you",
    "you please|can|should",
    "want|like|need you to",
];
/// Before what is to be remembered; "remember that" and the like are requests of
/// `text::request`.
pub(super) const TO_NOTE: &[&str] = &[
    "for future reference", "write|jot down that", "save this|that", "store|add that",
    "add to memory", "add to your memory", "don't let me forget",
];
/// Verbs before what is to be forgotten.
pub(super) const FORGETTING: &[&str] = &[
    "forget", "don't remember", "do not remember", "never remember", "stop remembering",
    "no longer remember", "unremember",
];
/// Verbs that delete from memory only where the object says so.
pub(super) const DELETING: &[&str] = &[
    "delete", "erase", "remove", "wipe", "scratch", "clear", "drop", "don't store|save|keep",
];
pub(super) const MEMORY: &[&str] = &["memory", "memories", "records", "history", "notes"];
/// Words for what was said.
pub(super) const SAID: &[&str] = &[
    "said", "told", "mentioned", "message", "know", "conversation", "conversations", "talked",
    "asked",
];

/// Polite questions, such as how the other is: they ask memory for nothing, unless the turn asks
/// something else too.
pub(super) const PHATIC: &[&str] = &[
    "how are|have you",
    "how're|how've you",
    "how you doing",
    "how do you do",
    "how is it going",
    "how's it going",
    "how are things",
    "how's life|everything",
    "what's|whats up|new|happening",
    "what is up",
    "wassup",
    "what have|are|were you been|doing",
    "what've you been",
    "what are you up to",
    "what's been",
    "what's going on",
    "what is going on",
    "how|what about you",
    "and you",
    "anything new|cool",
    "you okay",
    "are you okay|alright",
];
/// Words beside them that ask for nothing else.
pub(super) const BESIDE: Words = Words(
    "doing lately today days since last talked spoke chatted talk chat recently up week everything \
    been things going time ago friend buddy",
);
/// Beginnings of questions that want no information: offers, requests to talk, and rhetoric.
pub(super) const RHETORICAL: &[&str] = &[
    "can i|we talk",
    "can you|we chat",
    "what should we talk",
    "who would have thought",
    "who knew",
    "guess what",
    "you know what",
    "know what",
    "would you look",
    "can you believe",
    "are you kidding|serious",
    "can|may i help",
    "need help|anything",
    "do you need|want help|anything",
    "shall we",
    "you mean",
    "so you mean",
    "so you're saying",
    "who cares",
    "why not",
    "how dare",
    "what do you mean",
    "did|do you hear that",
    "want to hear",
    "wanna hear",
    "is that so",
    "what's the point",
];
/// Ends of a question that says something itself.
pub(super) const TAGS: &[&str] = &[
    "right", "huh", "yeah", "eh", "okay", "ok", "no", "isn't it", "aren't they", "don't you think",
    "doesn't it", "isn't he", "isn't she", "you know", "y'know", "wasn't it", "hey", "don't you",
    "didn't you", "won't you", "aren't you",
];
/// Questions of one word that ask about what was said last.
pub(super) const SHORT: &[&str] = &["why", "when", "where", "who", "how", "which"];
/// Verbs with which a user asks an assistant for something.
pub(super) const REQUESTS: &[&str] = &[
    "tell me", "explain", "describe", "recommend", "suggest", "give me", "show me", "find me",
    "help me", "remind me", "list", "simplify", "summarize", "summarise", "compare", "define",
    "translate", "teach me", "write me", "write a", "create a", "let me know", "look up",
    "search for", "read me",
];
/// Anywhere in a sentence: a request without a question mark.
pub(super) const WISHES: &[&str] = &[
    "love|need|like|want your recommendations|advice|opinion",
    "some|any|other advice|recommendations|suggestions|ideas|tips",
    "i wonder",
    "i'm wondering",
    "i was wondering",
    "i'd like|love to know",
    "i want to know",
];

/// Words at the beginning of a clause that say nothing.
pub(super) const INTERJECTIONS: Words = Words(
    "wow whoa woah yay aww oh ah ooh hi hello hey thanks thank god gosh man dude honey sweetie \
    yep yup nope no yes great cool nice awesome sure definitely absolutely totally exactly \
    obviously honestly seriously basically btw plus then lately also even just still maybe \
    perhaps first next finally unfortunately luckily sorry welcome good",
);
/// Verbs in base form that begin a clause whose speaker is left out; others are imperatives.
pub(super) const FELT: &[&str] = &["love", "like", "hate", "miss", "need", "enjoy", "prefer"];
