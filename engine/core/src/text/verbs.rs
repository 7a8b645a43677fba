//! Which words are verbs of English.

use super::words::stem;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Common verbs whose present and past forms differ.
const VERBS: &str = "\
    accept achieve act add admire admit adopt adore advise afford agree aim allow announce \
    answer apologise apologize apply appreciate argue arrange arrive ask assume attend avoid \
    bake become begin believe belong blame book borrow break bring build buy call camp care \
    carry catch celebrate change check cheer choose claim clean climb close coach collect come \
    compete complete concentrate consider continue contribute cook cover crave create cry \
    dance decide decorate depend describe deserve design develop die discover discuss donate \
    doubt drag draw dream dress drink drive drop earn eat edit encourage end enjoy expect \
    experience explain explore express face fall fear feed feel fight figure fill film find \
    finish fish fix fly focus follow forget forgive form gain garden gather get give go \
    graduate grow guess handle hang happen hate have hear help hide hike hire hold honor hope \
    host hug hunt imagine improve include inspire interview introduce invest invite join \
    journal jog juggle keep know laugh launch lead learn leave lend lie lift like listen live \
    look lose love maintain make manage marry matter mean meditate meet mention mentor mind \
    miss move need notice offer open order organise organize overcome owe own paint pass pay \
    perform photograph pick plan plant play practice practise prefer prepare present pretend \
    produce promise propose prove provide publish pull push raise reach realise realize \
    receive recommend record recover reduce refuse regret relate relax relish remember remind \
    rent repair reply represent research resist rest retire return ride rise roast run save \
    say scream search see seem sell send serve set sew shake share shop shoot show sign sing \
    sit skate sketch ski sleep smell smoke snap solve sound speak spend stand star start stay \
    stick stop store struggle study suffer suggest support suppose surf surprise survive \
    suspect swim take talk taste teach tell tend test thank think throw touch tour train \
    travel treasure treat trust try turn understand unwind use value view visit volunteer wait \
    wake walk want warn wash watch wear win wish wonder work worry write yell";
const PAST: &[&str] = &[
    "went", "bought", "brought", "sold", "told", "said", "met", "left", "lost", "found", "made",
    "took", "gave", "ate", "drank", "drove", "flew", "saw", "knew", "grew", "wrote", "began",
    "broke", "chose", "spoke", "kept", "slept", "felt", "paid", "sent", "spent", "built", "won",
    "wore", "taught", "caught", "thought", "ran", "sang", "swam", "rode", "got", "had", "was",
    "did", "came", "became", "held", "heard", "hung", "led", "lent", "fell", "forgot", "woke",
    "threw", "drew", "stood", "sat", "understood", "meant", "dreamt", "learnt", "fought", "hid",
    "shot", "stuck", "dealt", "rose", "shook", "stole", "fed", "bit", "blew", "dug", "lit", "sank",
];
const MODALS: &[&str] = &[
    "will", "would", "can", "could", "should", "might", "may", "must", "won't", "can't", "cannot",
    "couldn't", "wouldn't", "shouldn't", "didn't", "hadn't", "wasn't", "mustn't",
];
const BE: &[&str] = &[
    "is", "are", "was", "were", "isn't", "aren't", "wasn't", "weren't", "has", "have", "had",
    "hasn't", "haven't", "hadn't", "does", "doesn't", "don't",
];
/// Words that may stand between a subject and its verb.
const ADVERBS: &[&str] = &[
    "also", "just", "really", "always", "never", "still", "even", "already", "ever", "often",
    "sometimes", "now", "once", "kinda", "totally", "finally", "actually", "recently", "usually",
    "definitely", "absolutely", "almost", "soon", "then", "only", "both", "all",
];

fn bases() -> &'static HashSet<&'static str> {
    static BASES: LazyLock<HashSet<&'static str>> =
        LazyLock::new(|| VERBS.split_whitespace().collect());
    &BASES
}

/// Whether a lower-cased word may stand between a subject and its verb.
pub(in crate::text) fn is_adverb(word: &str) -> bool {
    ADVERBS.contains(&word) || (word.len() > 4 && word.ends_with("ly") && word != "family")
}

/// Whether a word is certainly the past form of a verb.
pub(crate) fn is_past(word: &str) -> bool {
    let regular = || {
        word.len() > 4
            && word.ends_with("ed")
            && ![
                "need", "speed", "exceed", "indeed", "based", "named", "called", "excited",
            ]
            .contains(&word)
    };
    PAST.contains(&word) || regular()
}

/// Whether a word is a verb in its base form; it may also be a noun.
pub(in crate::text) fn is_base(word: &str) -> bool {
    bases().contains(word)
}

/// Whether a lower-cased word may be a verb.
pub(crate) fn is_verb(word: &str) -> bool {
    let bare = word.split(['\'', '’']).next().unwrap_or_default();
    bare.len() < word.len() || is_base(word) || is_finite(word)
}

/// Whether a word can be the verb of a clause after its subject.
pub(in crate::text) fn is_finite(word: &str) -> bool {
    static STEMS: LazyLock<HashSet<String>> =
        LazyLock::new(|| bases().iter().map(|verb| stem(verb)).collect());
    let third = || word.ends_with('s') && STEMS.contains(&stem(word));
    BE.contains(&word) || MODALS.contains(&word) || is_past(word) || third()
}
