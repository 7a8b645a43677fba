//! The English words and phrases that a route is read from.

use super::super::claims::lists::Words;

/// Before a verb that is asked of the listener.
pub(super) const POLITE: &[&str] = &[
    "please", "can you", "could you", "will you", "would you", "you please", "you can",
    "want you to", "like you to", "need you to", "you to please", "you should",
];
/// Before what is to be remembered; "remember that" and the like are requests of
/// `text::facts`.
pub(super) const TO_NOTE: &[&str] = &[
    "for future reference",
    "write down that",
    "write this down",
    "jot down that",
    "save this",
    "save that",
    "store that",
    "add to your memory",
    "add to memory",
    "add that",
    "don't let me forget that",
    "don't let me forget",
];
/// Verbs before what is to be forgotten.
pub(super) const FORGETTING: &[&str] = &[
    "forget", "don't remember", "do not remember", "never remember", "stop remembering",
    "no longer remember", "unremember",
];
/// Verbs that delete from memory only where the object says so.
pub(super) const DELETING: &[&str] = &[
    "delete", "erase", "remove", "wipe", "scratch", "clear", "drop", "don't store", "don't save",
    "don't keep",
];
pub(super) const MEMORY: &[&str] = &["memory", "memories", "records", "history", "notes"];
/// Words for what was said.
pub(super) const SAID: &[&str] = &[
    "said", "told", "mentioned", "know", "conversation", "conversations", "talked", "asked",
];

/// Questions after how somebody is or what is new: they want no information where nothing else is
/// asked.
pub(super) const PHATIC: &[&str] = &[
    "how are you", "how're you", "how you doing", "how have you been", "how've you been",
    "how's it going", "how is it going", "how are things", "how's everything", "how do you do",
    "how's life", "what's up", "what is up", "what's new", "whats up", "whazzup", "wassup",
    "what have you been", "what've you been", "what are you up to", "what's been",
    "what's going on", "what is going on", "how about you", "what about you", "and you",
    "anything new", "anything cool", "anything else new", "what's happening", "you okay",
    "are you okay", "are you all right", "are you alright",
];
/// Words beside them that ask for nothing else.
pub(super) const BESIDE: Words = Words(
    "doing lately today days since last talked spoke chatted talk chat recently up week everything \
    been things going time ago friend buddy tackled",
);
/// Beginnings of questions that want no information: offers, requests to talk, and rhetoric.
pub(super) const RHETORICAL: &[&str] = &[
    "can i talk", "can we talk", "can you chat", "can we chat", "what should we talk",
    "who would have thought", "who knew", "guess what", "you know what", "know what",
    "would you look", "can you believe", "are you kidding", "are you serious", "may i help",
    "can i help", "need help", "do you need help", "need anything", "do you need anything",
    "shall we", "you mean", "so you mean", "so you're saying", "who cares", "why not", "how dare",
    "what do you mean", "do you hear that", "did you hear that", "want to hear", "wanna hear",
    "is that so", "am i ever", "what's the point",
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
    "love your recommendations",
    "need your advice",
    "like your advice",
    "want your advice",
    "some recommendations",
    "any recommendations",
    "any advice",
    "any suggestions",
    "any ideas",
    "any tips",
    "other advice",
    "i wonder",
    "i'm wondering",
    "i was wondering",
    "i'd like to know",
    "i want to know",
    "i'd love to know",
    "some advice",
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
    "i appreciate",
    "i agree",
    "i see",
    "i understand",
    "i hope you",
    "i hope it",
    "i wish you",
    "i'm glad",
    "i'm so glad",
    "i'm really glad",
    "i'm happy for",
    "i'm so happy for",
    "i'm proud of you",
    "i'm so proud of you",
    "i'm sure",
    "i'm here",
    "i'm sorry",
    "i bet",
    "i mean",
    "i guess so",
    "i believe in you",
    "i won't",
    "i promise",
    "i'll keep",
    "i'll try",
    "i'll definitely",
    "i'll make sure",
    "i'll be",
    "i'll consider",
    "i'll take",
    "i'll call you",
    "i'll think",
    "i'll do",
    "i'll check",
    "i'll give it",
    "i will try",
    "i will do",
    "i will keep",
    "i will take",
    "i will consider",
    "i will refer",
    "i will follow",
    "i will definitely",
    "i will read this",
    "i want to talk",
    "i want to chat",
    "i want to ask",
    "i have a question",
    "i have another question",
    "i can see",
    "i can tell",
    "i can imagine",
    "i look forward",
    "i couldn't agree",
    "i don't know",
    "i don't think",
    "i'm not sure",
    "i know you",
    "i know",
    "i really appreciate",
    "i think you",
    "i totally",
    "i respect",
    "i admire you",
    "i really respect",
    "i trust",
    "i can't believe",
    "i can't wait to see",
    "i can't wait to hear",
    "i thank",
    "i doubt",
    "i feel the same",
    "i'd love to join",
    "i'd love to hear",
    "i'd love to see",
    "i'm rooting",
    "we can",
    "we could",
    "we should",
    "we'd better",
    "we'll",
    "we will",
    "we need to",
    "we must",
    "we gotta",
    "we have to",
    "i gotta go",
    "i have to go",
    "i've heard of this",
    "i see your",
];
/// Talk about the talk itself: it frames a question.
pub(super) const ABOUT_TALK: &[&str] = &[
    "you recommended", "you suggested", "you told me", "you mentioned", "you said",
    "you taught me", "i told you", "i said", "i mentioned", "i asked you", "we talked",
    "we discussed", "we chatted", "i shared with you", "to you", "consulted you",
    "consulted with you", "i also mentioned", "we also discussed", "recommended me", "you gave me",
    "with you", "you have recommended", "you helped me", "you also helped", "i recommended",
];

/// Verbs in base form that begin a clause whose speaker is left out; others are imperatives.
pub(super) const FELT: &[&str] = &["love", "like", "hate", "miss", "need", "enjoy", "prefer"];
