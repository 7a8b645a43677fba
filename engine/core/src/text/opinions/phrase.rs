//! Noun phrases by rules: a determiner, adjectives and nouns, up to a verb or a function word.

use super::aspects::aspect_of;
use super::kind::is_known_noun;
use super::lexicon::{Class, classes_of};
use super::quality::judges;
use super::tokens::Token;
use crate::text::heading::{is_base, is_finite, is_social};
use crate::text::words::{is_listed, singular};

/// Maximum number of words of an object.
const WORDS_MAX: usize = 4;
/// Maximum number of words between a determiner and the end of a phrase.
const REACH: usize = 6;
/// Nouns with a direction: "trip to Japan".
const TOWARD: &str = "trip visit journey flight move drive holiday vacation";
/// Nouns in "-s" whose singular is not made by the general rule.
const PLAIN_PLURALS: &str = "movies cookies brownies zombies selfies hoodies pies ties smoothies \
    calories bookies rookies foodies shoes canoes";
const ALWAYS_PLURAL: &str = "jeans pants glasses sunglasses clothes series news politics sports \
    physics species shorts scissors headphones groceries christmas graphics";
const WEATHER: &[(&str, &str)] = &[
    ("rainy", "rain"),
    ("raining", "rain"),
    ("rains", "rain"),
    ("sunny", "sun"),
    ("snowy", "snow"),
    ("snows", "snow"),
    ("snowing", "snow"),
    ("windy", "wind"),
    ("foggy", "fog"),
];

/// Who owns what a phrase names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    None,
    /// "its", "their": what the talk is about.
    Topic,
    /// "my", "his".
    Person,
    /// The words before "'s", as indices: first, and one after the last.
    Named(usize, usize),
    /// "your": nothing that the speaker judges.
    You,
}

/// A noun phrase, as indices of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Phrase {
    pub(super) from: usize,
    /// One after its last word, without what is attached by prepositions.
    pub(super) to: usize,
    /// The first word after determiner and owner.
    pub(super) core: usize,
    pub(super) owner: Owner,
    /// Index of the determiner.
    pub(super) determiner: Option<usize>,
}

impl Phrase {
    /// Index of its last word.
    pub(super) fn head(&self) -> usize {
        self.to - 1
    }
}

/// The noun phrase that begins at a word.
pub(super) fn phrase_at(tokens: &[Token<'_>], from: usize) -> Option<Phrase> {
    let mut at = from;
    while tokens
        .get(at)
        .is_some_and(|word| word.is("all both just even especially only such"))
    {
        at += 1;
    }
    let first = tokens.get(at)?;
    let mut owner = Owner::None;
    let mut determiner = None;
    if first.of(Class::Determiner) {
        owner = match () {
            () if first.is("its their") => Owner::Topic,
            () if first.is("your") => Owner::You,
            () if first.of(Class::Possessive) => Owner::Person,
            () => Owner::None,
        };
        if first.ends_part() {
            return None;
        }
        determiner = Some(at);
        at += 1;
    }
    let (core, to) = nouns(tokens, at, determiner.is_some())?;
    let owns = tokens.get(to).is_some_and(|next| next.lower == "'s");
    let has = (owns && owned(tokens, to + 1)).then(|| nouns(tokens, to + 1, true));
    if let Some((inner, end)) = has.flatten() {
        return Some(Phrase {
            from,
            to: end,
            core: inner,
            owner: Owner::Named(core, to),
            determiner,
        });
    }
    Some(Phrase {
        from,
        to,
        core,
        owner,
        determiner,
    })
}

/// Whether what follows "'s" is owned: a noun, not "'s" for "is".
fn owned(tokens: &[Token<'_>], at: usize) -> bool {
    let Some(next) = tokens.get(at) else {
        return false;
    };
    let closed = next.of(Class::Determiner) || next.of(Class::Adverb) || is_closed(next);
    let ends = next.ends_part() || tokens.get(at + 1).is_none_or(is_closed);
    let doing = next.lower.ends_with("ing") && !is_known_noun(&next.lower);
    !(closed || doing || ends && judges(next))
}

/// The run of adjectives and nouns at a word, without leading adverbs.
fn nouns(tokens: &[Token<'_>], from: usize, determined: bool) -> Option<(usize, usize)> {
    let mut core = from;
    while determined && tokens.get(core).is_some_and(|word| is_degree(word)) {
        core += 1;
    }
    let mut to = core;
    while to < tokens.len() && to - core < REACH {
        let word = &tokens[to];
        let before = (to > core).then(|| &tokens[to - 1]);
        // "a safe, inviting place"
        let listed = |before: &Token<'_>| determined && judges(before) && judges(word);
        if before.is_some_and(|before| before.ends_part() && !listed(before)) || is_closed(word) {
            break;
        }
        let own = determined && before.is_some() && is_doing(&word.lower);
        if own || before.is_some_and(|before| ends_before(before, word, tokens.get(to + 1))) {
            break;
        }
        if word.is_adverb() && !is_known_noun(&word.lower) || word.of(Class::Determiner) {
            break;
        }
        to += 1;
    }
    (to > core).then_some((core, to))
}

/// Whether a noun phrase ends between two words, since the second is a verb.
fn ends_before(before: &Token<'_>, word: &Token<'_>, next: Option<&Token<'_>>) -> bool {
    let lower = word.lower.as_str();
    let s = before.lower.ends_with('s') && !before.lower.ends_with("ss");
    let object = next.is_some_and(|next| next.of(Class::Determiner) || next.of(Class::Pronoun));
    let plural = (s || before.is("people")) && (object || !is_known_noun(lower));
    let verb =
        is_finite(lower) || word.is("used had called named based") || is_base(lower) && plural;
    let doing = is_doing(lower);
    // "my sister loves" has a verb, "my new watch" a noun
    let formed = lower.ends_with('s') || lower.ends_with("ed");
    let noun = is_known_noun(&singular(lower));
    // "the yellow leaves", where no object or end of a clause tells of a verb
    let subject = is_known_noun(&before.lower) || aspect_of(&before.lower).is_some();
    let ends = word.ends_part() || next.is_none_or(is_closed);
    let leaves = lower.ends_with('s') && !is_verb_alone(lower) && !subject && !before.capital;
    if leaves && ends && !object {
        return false;
    }
    !word.capital
        && (verb || doing)
        && !(noun && !judges(before) && !plural && !formed)
        && !(judges(before) && noun)
}

/// Forms of be, do and have, and modals.
fn is_verb_alone(word: &str) -> bool {
    let classes = classes_of(word);
    classes.has(Class::Auxiliary) || classes.has(Class::Copula)
}

/// Whether a lower-cased word is an activity in "-ing".
pub(super) fn is_doing(word: &str) -> bool {
    const NOUNS: &str = "thing nothing something everything anything morning evening king ring \
        spring string wing ceiling building wedding feeling meeting clothing being interesting \
        amazing exciting boring charming stunning inspiring rewarding comforting calming \
        relaxing frustrating annoying disappointing satisfying fascinating";
    word.len() > 4 && word.ends_with("ing") && !is_listed(NOUNS, word)
}

/// An adverb before an adjective: "really", "newly".
fn is_degree(word: &Token<'_>) -> bool {
    word.is_adverb() && !word.ends_part() && !is_known_noun(&word.lower)
}

/// Whether a word belongs to no noun phrase.
pub(super) fn is_closed(word: &Token<'_>) -> bool {
    let classes = [
        Class::Pronoun,
        Class::Preposition,
        Class::Conjunction,
        Class::Auxiliary,
        Class::Negation,
    ];
    classes.iter().any(|class| word.of(*class)) || word.lower.starts_with('\'')
}

/// The words of an object in canonical form; `None` if the phrase names nothing by itself.
pub(super) fn canonical(tokens: &[Token<'_>], core: usize, to: usize) -> Option<String> {
    let words = &tokens[core..to];
    let weather = |word: &Token<'_>| WEATHER.iter().find(|(form, _)| *form == word.lower);
    if let Some((_, name)) = words.iter().find_map(weather) {
        return Some((*name).to_owned());
    }
    let (head, rest) = words.split_last()?;
    let title = head.capital && core + rest.len() > 0 && !head.is("god gosh lord heck hell");
    if head.of(Class::Generic) && !title {
        return None;
    }
    let nameless = head.of(Class::Time) || head.of(Class::State);
    let name = |at: usize| is_name(tokens, core + at);
    let says = head.lower.chars().any(char::is_alphabetic) || !rest.is_empty();
    let is_object = name(rest.len()) || !nameless && !is_feeling(head) && says;
    if !is_object || head.lower.len() < 2 {
        return None;
    }
    let kept = rest.iter().enumerate().filter(|(at, word)| {
        let passive = word.lower.len() > 4 && word.lower.ends_with("ed");
        name(*at)
            || !(word.of(Class::State)
                || word.of(Class::Time)
                || word.is_adverb()
                || passive
                || judges(word))
    });
    let mut made: Vec<String> = kept
        .map(|(at, word)| {
            if name(at) {
                word.text.to_owned()
            } else {
                word.lower.clone()
            }
        })
        .collect();
    made.push(match name(rest.len()) {
        true => head.text.to_owned(),
        false => one(&head.lower),
    });
    let most = made.len().saturating_sub(WORDS_MAX);
    Some(made.split_off(most).join(" "))
}

/// An adjective of feeling at the end of a phrase: "the best" names nothing.
fn is_feeling(head: &Token<'_>) -> bool {
    let ends = ["able", "ible", "ful", "ous", "less", "ish"];
    let quality = head.lower.len() > 6 && ends.iter().any(|end| head.lower.ends_with(end));
    if quality || head.is("ready aware close open due busy") {
        return true;
    }
    judges(head) && !is_known_noun(&singular(&head.lower))
}

/// "trip to Japan": the name after a noun with a direction, and where it ends.
pub(super) fn toward(tokens: &[Token<'_>], phrase: &Phrase) -> Option<(String, usize)> {
    let head = &tokens[phrase.head()];
    let next = tokens.get(phrase.to)?;
    let place = phrase.to + 1;
    let named = tokens
        .get(place)
        .is_some_and(|word| word.capital && !is_closed(word));
    if head.ends_part() || !head.is(TOWARD) || next.lower != "to" || !named {
        return None;
    }
    let run = tokens[place..].iter().take(2);
    let mut end = place;
    for word in run {
        end += 1;
        if word.ends_part() || !tokens.get(end).is_some_and(|next| next.capital) {
            break;
        }
    }
    let names: Vec<&str> = tokens[place..end].iter().map(|word| word.text).collect();
    Some((format!("{} to {}", head.lower, names.join(" ")), end))
}

/// A noun in the singular.
pub(super) fn one(noun: &str) -> String {
    let listed = |list: &str| is_listed(list, noun);
    match () {
        () if listed(ALWAYS_PLURAL) || noun.len() < 4 => noun.to_owned(),
        () if listed(PLAIN_PLURALS) => noun[..noun.len() - 1].to_owned(),
        () => singular(noun),
    }
}

/// Whether a word is a name: capitalised where that means something. At the start of a sentence a
/// bare word is a name if no common noun can stand there without an article.
pub(super) fn is_name(tokens: &[Token<'_>], at: usize) -> bool {
    let word = &tokens[at];
    let inner = word.text.chars().skip(1).any(char::is_uppercase);
    let digits = word.text.starts_with(|c: char| c.is_ascii_digit());
    if digits {
        return at > 0 && tokens[at - 1].capital;
    }
    if !word.capital || inner {
        return inner;
    }
    if at > 0 && tokens[at - 1].mark != super::tokens::Mark::Stop {
        return true;
    }
    let common = [
        "s", "ing", "ness", "ity", "tion", "ment", "ance", "ence", "ics", "ship",
    ];
    let known = is_known_noun(&singular(&word.lower))
        || aspect_of(&word.lower).is_some()
        || judges(word)
        || is_social(&word.lower)
        || is_base(&word.lower);
    let closed = is_closed(word) || word.of(Class::Determiner) || word.is_adverb();
    !known && !closed && !common.iter().any(|end| word.lower.ends_with(end))
        || tokens
            .get(at + 1)
            .is_some_and(|next| next.capital && next.lower != "i")
            && !closed
}
