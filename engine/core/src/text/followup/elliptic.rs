//! Questions that leave out what the question before said: "And Bob?", "Why?"

use super::super::claim_features::is_question;
use super::super::clauses::sentences;
use super::super::sentence::Sentence;
use super::super::words::is_content_word;
use super::lists::{AUXILIARIES, CIRCUMSTANCES};
use super::mentions::{Kind, Mention, bare, bytes, mentions};
use super::turn::{Turn, WORDS_ADDED_MAX, speakers};

/// Phrases before what takes the place of something in the question before; the longest first.
const ABOUT: [&str; 5] = [
    "and what about", "and how about", "what about", "how about", "and",
];
/// Maximum number of words after them.
const WORDS_MAX: usize = 5;

/// A question without a frame of its own.
pub(super) enum Elliptic<'a> {
    /// "And Bob?": the words that are new.
    About(&'a str),
    /// "Why?"
    Circumstance(&'a str, &'a str),
}

impl<'a> Elliptic<'a> {
    /// An elliptic question; `None` for all others.
    pub(super) fn read(question: &'a str) -> Option<Self> {
        let s = Sentence::of(question);
        let word = usize::from(s.is(0, &["and", "but", "so", "ok", "okay"]));
        let rest = word + 1..s.len();
        let alone = rest
            .clone()
            .all(|at| s.is(at, &["exactly", "so", "though", "then", "that"]));
        if s.is(word, CIRCUMSTANCES) && alone && rest.len() <= 1 {
            return Some(Self::Circumstance(question, s.slice(word..word + 1)));
        }
        let phrase = ABOUT.iter().find(|phrase| s.says(0, phrase))?;
        let from = phrase.split(' ').count();
        let words = s.len().checked_sub(from)?;
        let verb = (from..s.len()).any(|at| AUXILIARIES.contains(&s.lower(at)));
        let new = (1..=WORDS_MAX).contains(&words) && !verb && !s.is(from, &["what", "why", "how"]);
        let mine = s.is(from, &["you", "me", "us", "it", "that", "this"]);
        (new && !mine && question.trim_end().ends_with('?'))
            .then(|| Self::About(s.slice(from..s.len())))
    }

    /// The question in the frame of the last one, if there is one.
    pub(super) fn completed(&self, frame: Option<&str>, turns: &[Turn<'_>]) -> Option<String> {
        match self {
            Self::About(new) => {
                let whole = exchanged(frame?, new, &speakers(turns))?;
                shortened(&whole, new.split_whitespace().count() + 1 + WORDS_ADDED_MAX)
            }
            Self::Circumstance(question, word) => {
                let whole = match frame {
                    Some(frame) => of_frame(frame, word)?,
                    None => of_statement(turns.last()?, word)?,
                };
                let words = question.split_whitespace().count();
                shortened(&whole, words + WORDS_ADDED_MAX)
            }
        }
    }
}

/// The last question of the last two turns, and the index of its turn.
pub(super) fn last_question<'a>(turns: &[Turn<'a>]) -> Option<(usize, &'a str)> {
    (0..turns.len()).rev().take(2).find_map(|at| {
        let asked = sentences(turns[at].text)
            .into_iter()
            .rfind(|it| is_question(it))?;
        Some((at, asked))
    })
}

/// The frame with the new words in the place of the mention that they agree with; `None` where none
/// or several do.
fn exchanged(frame: &str, new: &str, known: &[&str]) -> Option<String> {
    let s = Sentence::of(frame);
    let old = mentions(&s, None, known);
    let kind = kind_of(new, known);
    let named = |it: &Mention| s.capital(it.words.start);
    // a name that is no common first name: a place or a thing sooner than a person
    let unknown = is_name(new) && !matches!(kind, Some(Kind::Person(_)));
    let fits = |it: &&Mention| match (kind, it.kind) {
        (Some(Kind::Person(_)), Kind::Person(_)) => true,
        (_, old) if unknown => named(it) && !matches!(old, Kind::Person(_) | Kind::Time),
        (Some(new), old) => new == old,
        (None, _) => false,
    };
    let mut fitting: Vec<&Mention> = old.iter().filter(fits).collect();
    if fitting.is_empty() && unknown {
        let person = |it: &&Mention| named(it) && matches!(it.kind, Kind::Person(_));
        fitting = old.iter().filter(person).collect();
    }
    let first = fitting.first()?;
    let subject = named(first) && AUXILIARIES.contains(&&*first.before);
    if !subject && fitting.iter().any(|it| it.text != first.text) {
        return None;
    }
    let place = bytes(frame, s.slice(first.words.clone()));
    let last = s.lower(first.words.end - 1);
    let owner = if bare(last) == last { "" } else { "'s" };
    let mut whole = frame.to_owned();
    whole.replace_range(place, &format!("{new}{owner}"));
    Some(whole)
}

/// The kind of a phrase that stands alone.
fn kind_of(new: &str, known: &[&str]) -> Option<Kind> {
    // a word before it, since the first word of a sentence has a capital letter anyway
    let text = format!("and {new}");
    let s = Sentence::of(&text);
    match &mentions(&s, None, known)[..] {
        [one] if one.words.end == s.len() => Some(one.kind),
        _ => None,
    }
}

fn is_name(text: &str) -> bool {
    text.split_whitespace()
        .all(|word| word.starts_with(char::is_uppercase))
}

/// A question of circumstance about what the last question asked.
fn of_frame(frame: &str, word: &str) -> Option<String> {
    let s = Sentence::of(frame);
    let rest = match s.lower(0) {
        first if AUXILIARIES.contains(&first) => 0,
        first if CIRCUMSTANCES.contains(&first) && AUXILIARIES.contains(&s.lower(1)) => 1,
        _ => return None,
    };
    let rest = &frame[bytes(frame, s.slice(rest..s.len())).start..];
    Some(format!("{} {}", upper(word), lower(rest)))
}

/// A question of circumstance about what was said.
fn of_statement(turn: &Turn<'_>, word: &str) -> Option<String> {
    let sentence = sentences(turn.text).pop()?;
    let told = sentence.trim_end_matches(['.', '!', ' ']);
    let name = told.split_whitespace().next().is_some_and(|first| {
        is_content_word(&first.to_lowercase()) || first == "I" || first.starts_with("I'")
    });
    let told = if name { told.to_owned() } else { lower(told) };
    let words = told.split_whitespace().count();
    (2..=WORDS_ADDED_MAX)
        .contains(&words)
        .then(|| format!("{} {told}?", upper(word)))
}

/// A question of at most so many words: words without content go, the last first.
fn shortened(question: &str, words_max: usize) -> Option<String> {
    let mut words: Vec<&str> = question.split_whitespace().collect();
    while words.len() > words_max {
        let plain = |word: &&str| {
            let word = word
                .trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase();
            !is_content_word(&word)
        };
        let last = words.len() - 1;
        let at = words[1..last].iter().rposition(plain)? + 1;
        words.remove(at);
    }
    Some(words.join(" "))
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_lowercase().to_string());
    format!("{}{}", first.unwrap_or_default(), chars.as_str())
}

fn upper(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), chars.as_str())
}
