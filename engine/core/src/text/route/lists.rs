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

/// First words of a clause about the speaker.
pub(super) const OWN: Words =
    Words("i i'm i've i'll i'd im my mine me myself we we've we're we'll we'd our ours us");
/// First words of a clause that points at something said before.
pub(super) const POINTING: Words = Words(
    "it it's it'll it'd that that's this these those there there's here here's such what \
    sounds looks seems",
);
/// Words at the beginning of a clause that say nothing.
pub(super) const INTERJECTIONS: Words = Words(
    "wow whoa woah yay aww oh ah ooh hi hello hey thanks thank god gosh man dude honey sweetie \
    yep yup nope no yes great cool nice awesome sure definitely absolutely totally exactly \
    obviously honestly seriously basically btw plus then lately also even just still maybe \
    perhaps first next finally unfortunately luckily sorry welcome good",
);
/// A clause that begins so holds under a condition, or only together with another one.
pub(super) const SUBORDINATE: Words =
    Words("if when whenever unless while as though although which");
/// Content words that tell nothing alone.
pub(super) const EMPTY: Words = Words(
    "think guess bet mean see say said want need try trying tried get got make makes made give \
    gave take let put day time way thing things stuff lot bit kind sort moment moments people \
    person someone something anything everything nothing somebody anybody ever more much many \
    most other another such same own again already yet only enough quite pretty actually maybe \
    advice help suggestions suggestion recommendation recommendations idea ideas question \
    questions words chat chatting talk talking honest thanks thank today gonna come end start \
    keep believe because since before after few little excited \
    stoked pumped thrilled remember used talked spoke chatted long last recipe one",
);
/// Marks of general wisdom.
pub(super) const GENERAL: &[&str] = &["us", "our", "everyone", "people", "anyone", "ourselves"];
/// Beginnings of clauses about the speaker that tell nothing of him.
pub(super) const OFFERS: &[&str] = &[
    "i agree",
    "i appreciate",
    "i really appreciate",
    "i see",
    "i understand",
    "i hope you|it",
    "i wish you",
    "i'm glad",
    "i'm so|really glad",
    "i'm happy for",
    "i'm so happy for",
    "i'm proud of you",
    "i'm so proud of you",
    "i'm sure|here|sorry|rooting",
    "i'm not sure",
    "i bet|mean|promise|trust|thank|doubt|respect|know",
    "i really respect",
    "i admire you",
    "i guess so",
    "i believe in you",
    "i won't",
    "i'll keep|try|be|consider|take|think|do|check|definitely",
    "i'll make sure",
    "i'll call you",
    "i'll give it",
    "i will try|do|keep|take|consider|follow|definitely",
    "i want to talk|chat|ask",
    "i have a|another question",
    "i can see|tell|imagine",
    "i look forward",
    "i couldn't agree",
    "i don't know|think",
    "i think you",
    "i totally",
    "i can't believe",
    "i can't wait to see|hear",
    "i feel the same",
    "i'd love to join|hear|see",
    "i gotta go",
    "i have to go",
    "i've heard of this",
    "we can|could|should|must|gotta|will",
    "we'd better",
    "we'll",
    "we need|have to",
];
/// Talk about the talk itself: it frames a question.
pub(super) const ABOUT_TALK: &[&str] = &[
    "you recommended|suggested|mentioned|said",
    "you told|taught me",
    "you gave me",
    "you helped me",
    "you have recommended|suggested|said",
    "i told|asked you",
    "i said|mentioned|recommended",
    "i shared with you",
    "i|we also said|mentioned|discussed",
    "we talked|discussed|chatted",
    "recommended me",
    "to|with you",
];

/// Verbs in base form that begin a clause whose speaker is left out; others are imperatives.
pub(super) const FELT: &[&str] = &["love", "like", "hate", "miss", "need", "enjoy", "prefer"];
