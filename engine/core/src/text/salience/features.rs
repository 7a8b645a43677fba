//! The features of a statement: what it says, and its place in the talk.

use super::super::claim_features::{is_number, is_question, is_time};
use super::super::clauses::sentences;
use super::super::words::{display_words, is_content_word, stem, terms};
use super::around::Around;
use crate::analysis::Term;

const FIRST: &[&str] = &[
    "i", "my", "me", "mine", "we", "our", "us", "myself", "i'm", "i've", "i'll", "i'd", "we're",
    "we've", "we'll", "we'd", "ours",
];
const WE: &[&str] = &["we", "our", "us", "ours", "we're", "we've", "we'll", "we'd"];
const SECOND: &[&str] = &[
    "you", "your", "yours", "you're", "you've", "you'll", "you'd", "yourself", "u", "ya",
];
const THIRD: &[&str] = &[
    "he", "she", "they", "him", "her", "his", "hers", "their", "them", "theirs", "he's", "she's",
    "they're", "they've", "he'd", "she'd", "they'd",
];
const KIN: &[&str] = &[
    "mom", "mum", "mother", "dad", "father", "parent", "parents", "son", "sons", "daughter",
    "daughters", "kid", "kids", "child", "children", "baby", "brother", "brothers", "sister",
    "sisters", "sibling", "siblings", "wife", "husband", "girlfriend", "boyfriend", "fiance",
    "fiancee", "partner", "grandma", "grandpa", "grandmother", "grandfather", "granny", "gran",
    "aunt", "uncle", "cousin", "cousins", "nephew", "niece", "family", "friend", "friends",
    "buddy", "roommate", "neighbor", "colleague", "coworker", "boss", "teammate", "team", "dog",
    "dogs", "puppy", "pup", "cat", "cats", "kitten", "pet", "pets", "pal", "bird", "fish",
    "turtle", "turtles", "horse",
];
const PAST: &[&str] = &[
    "went", "bought", "brought", "sold", "told", "said", "met", "left", "lost", "found", "made",
    "took", "gave", "ate", "drank", "drove", "flew", "saw", "knew", "grew", "wrote", "began",
    "broke", "chose", "spoke", "kept", "slept", "felt", "paid", "sent", "spent", "built", "won",
    "wore", "taught", "caught", "thought", "ran", "sang", "swam", "rode", "got", "had", "was",
    "were", "did", "came", "became", "hit", "hurt", "read", "set", "put", "cut", "held", "heard",
    "hung", "led", "lent", "quit", "fell", "fought", "forgot", "threw", "woke", "understood",
    "stood", "sat", "done", "been", "seen", "gone", "written", "given", "taken", "started",
];
const ADVERBS: &[&str] = &["just", "also", "even", "finally", "recently"];
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "nobody", "nothing", "none", "neither", "nor", "without", "cannot",
    "hardly",
];
const OPINIONS: &[&str] = &[
    "think", "believe", "feel", "feels", "felt", "feeling", "hope", "know", "guess", "understand",
    "agree", "mean", "means",
];
const PRAISE: &[&str] = &[
    "thanks", "thank", "congrats", "congratulations", "appreciate", "glad", "wow", "yeah", "yes",
    "yep", "cool", "awesome", "great", "nice", "amazing", "sounds", "sure", "absolutely",
    "definitely", "totally", "exactly", "hey", "hi", "bye", "hello", "okay", "ok", "take", "keep",
    "good", "lol", "haha", "oh", "aw", "aww", "agreed",
];
const PLACES: &[&str] = &["in", "at", "from", "near", "to"];
/// Number of statements of an utterance that may answer the question before it.
const ANSWERS_MAX: usize = 4;
/// Number of statements at which an utterance counts as long.
const LONG: f32 = 8.0;
/// Cap on the number of new words.
const NEW_MAX: usize = 6;

/// Number of features.
pub(super) const SAID: usize = 23;
/// The names of the features, in the order of [`of`].
pub(super) const FEATURES: [&str; SAID] = [
    "time", "number", "i_past", "first", "my", "we", "second", "third", "start_i", "capname",
    "place", "quote", "kin", "neg", "opin", "question", "utt_q", "answer", "answer_first",
    "praise", "new", "new_share", "long",
];

/// The features of a statement. Cost: linear in its utterance.
pub(super) fn of(text: &str, around: &Around<'_>) -> [f32; SAID] {
    let words = plain_words(text);
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let first_is = |list: &[&str]| {
        let first = words.first();
        first.is_some_and(|word| list.contains(&word.as_str()))
    };
    let flag = |holds: bool| f32::from(u8::from(holds));
    let marked = |is: fn(&str, bool) -> bool| {
        display_words(text).any(|word| is(&straight(word), word.starts_with(char::is_uppercase)))
    };
    let asks = sentences(around.utterance).into_iter().any(is_question);
    let answers = around.answers && around.place < ANSWERS_MAX;
    let (new, distinct) = new_terms(text, around);
    let negated = any(NEGATIONS) || words.iter().any(|word| word.ends_with("n't"));
    [
        flag(marked(is_time)),
        flag(marked(|word, _| is_number(word))),
        flag(tells_what_happened(&words)),
        flag(any(FIRST)),
        flag(any(&["my", "mine"])),
        flag(any(WE)),
        flag(any(SECOND)),
        flag(any(THIRD)),
        flag(first_is(FIRST)),
        flag(names_something(text, around.names)),
        flag(names_a_place(text)),
        flag(quotes(text)),
        flag(any(KIN)),
        flag(negated),
        flag(any(OPINIONS)),
        flag(is_question(text)),
        flag(asks),
        flag(answers),
        flag(answers && around.place == 0),
        flag(first_is(PRAISE)),
        new.min(NEW_MAX) as f32,
        new as f32 / distinct.max(1) as f32,
        (around.statements as f32 / LONG).max(1.0).ln(),
    ]
}

/// Lower-cased, with straight apostrophes.
fn straight(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

/// Number of new terms in a text, and number of all its terms, without terms that equal part of a
/// speaker's name. A name whose stem differs from it ("caroline", "carolin") counts as a term, as
/// in the training of the weights.
fn new_terms(text: &str, around: &Around<'_>) -> (usize, usize) {
    let names = around.names.iter().filter(|name| stem(name) == **name);
    let names: Vec<Term> = names.flat_map(|name| terms(name)).collect();
    let mut own: Vec<Term> = terms(text);
    own.sort_unstable();
    own.dedup();
    own.retain(|term| !names.contains(term));
    let is_new = |term: &&Term| around.new_terms.binary_search(term).is_ok();
    (own.iter().filter(is_new).count(), own.len())
}

/// Lower-cased runs of ASCII letters, digits and apostrophes.
fn plain_words(text: &str) -> Vec<String> {
    straight(text)
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// "I adopted", "we finally went".
fn tells_what_happened(words: &[String]) -> bool {
    let past = |word: Option<&String>| {
        word.is_some_and(|word| {
            PAST.contains(&word.as_str()) || (word.len() >= 3 && word.ends_with("ed"))
        })
    };
    (0..words.len()).any(|at| {
        let adverb = words
            .get(at + 1)
            .is_some_and(|w| ADVERBS.contains(&w.as_str()));
        ["i", "we"].contains(&words[at].as_str())
            && (past(words.get(at + 1)) || (adverb && past(words.get(at + 2))))
    })
}

/// A capitalised word inside a sentence that is no speaker's name, number, time or pronoun.
fn names_something(text: &str, names: &[String]) -> bool {
    let mut end = 0;
    for (nth, word) in display_words(text).enumerate() {
        // words are slices of the text, so pointer distance gives the byte offset
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let opens = text[end..at].contains(['.', '?', '!', '"', '“']);
        end = at + word.len();
        let lower = straight(word);
        let bare = lower.strip_suffix("'s").unwrap_or(&lower);
        let capital = word.starts_with(char::is_uppercase);
        if nth > 0
            && capital
            && !opens
            && is_content_word(&lower)
            && !FIRST.contains(&lower.as_str())
            && !is_number(&lower)
            && !is_time(&lower, capital)
            && !names.iter().any(|name| name == bare)
        {
            return true;
        }
    }
    false
}

/// "in Oslo", "from the Alps".
fn names_a_place(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    (0..words.len()).any(|at| {
        // "built-in Oven" counts, "in, Oslo" does not
        let word = words[at]
            .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
            .next();
        let after = match words.get(at + 1) {
            Some(&"the") => words.get(at + 2),
            next => next,
        };
        word.is_some_and(|word| PLACES.contains(&word))
            && after.is_some_and(|next| next.starts_with(|c: char| c.is_ascii_uppercase()))
    })
}

/// A title or other words in quotation marks.
fn quotes(text: &str) -> bool {
    let length = |inside: &str| (2..=60).contains(&inside.chars().count());
    let double: Vec<(usize, char)> = text
        .char_indices()
        .filter(|(_, c)| matches!(c, '"' | '“' | '”'))
        .collect();
    let between = |a: &(usize, char), b: &(usize, char)| length(&text[a.0 + a.1.len_utf8()..b.0]);
    if double.windows(2).any(|pair| between(&pair[0], &pair[1])) {
        return true;
    }
    text.match_indices('\'').any(|(at, _)| {
        let opens = text[..at]
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace);
        let rest = &text[at + 1..];
        opens
            && rest.starts_with(|c: char| c.is_ascii_uppercase())
            && rest
                .find('\'')
                .is_some_and(|end| (3..=61).contains(&rest[..end].chars().count()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around<'a>(utterance: &'a str, names: &'a [String]) -> Around<'a> {
        Around {
            utterance,
            place: 0,
            statements: 1,
            answers: false,
            new_terms: &[],
            names,
        }
    }

    fn set(text: &str) -> Vec<&'static str> {
        let names = ["mia".to_owned()];
        let values = of(text, &around(text, &names));
        let set = FEATURES
            .iter()
            .zip(values)
            .filter(|(_, value)| *value != 0.0);
        set.map(|(name, _)| *name).collect()
    }

    #[test]
    fn what_is_looked_at() {
        assert_eq!(
            set("I finally adopted a puppy in Oslo last Friday."),
            [
                "time", "i_past", "first", "start_i", "capname", "place", "kin"
            ]
        );
        assert_eq!(set("Thanks, Mia!"), ["praise"]);
        assert_eq!(
            set("Do you know Mia's plan?"),
            ["second", "opin", "question", "utt_q"]
        );
        assert_eq!(set("She read \"Dune\" to them."), ["third", "quote"]);
    }
}
