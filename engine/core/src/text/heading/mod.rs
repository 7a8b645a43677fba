//! A heading for a statement, in its own words.
//!
//! The most informative clause of the statement is used, without openers ("Oh, well, Mel,"). "I"
//! becomes the speaker's name if the grammar is certain: "I adopted a puppy" by Audrey is "Audrey
//! adopted a puppy". Otherwise the words stay as said, after "Audrey:". Only names, helping verbs
//! and endings are added. The rules are English; other languages keep their words.

mod clause;
mod person;
mod small_talk;
#[cfg(test)]
mod tests;
mod verbs;
mod words;

use super::claim_features::{is_number, is_question, is_time};
use super::words::is_content_word;
use clause::{Clause, Subject, WORDS_MAX, clauses_of};
use person::{is_of_talkers, told_of};
pub(super) use small_talk::is_social;
use small_talk::{is_mood, names_one_of};
pub(crate) use small_talk::{is_small_talk, topic_stems};
use std::collections::BTreeSet;
pub(super) use verbs::{is_adverb, is_base, is_finite, is_past};
use words::{Word, shown, upper, words_of};

/// Words that open a statement and add nothing to it.
const OPENERS: &str = "\
    oh well yeah yes yep yup hey hi hello wow ok okay 'kay so and but thanks btw anyway \
    actually also plus honestly gosh woah whoa cool right sure sorry alright look anyways \
    because 'cause cause then now definitely nice great awesome man god basically luckily no \
    totally absolutely congrats yay woohoo kay mostly first lately guess exactly or although \
    though while since seriously obviously recently unfortunately speaking aww";
/// Openers only when punctuation follows: otherwise they have a meaning.
const OPEN_BEFORE_MARK: &str = "\
    cool nice great awesome man god look no right sure first now then guess sorry thanks \
    congrats speaking lately recently actually definitely exactly or";
/// Words after punctuation that add nothing.
const TAGS: &[&str] = &[
    "right", "though", "man", "dude", "guys", "yeah", "yes", "okay", "ok", "huh", "anyway", "sure",
];
const LEADS: &[&[&str]] = &[
    &["you", "know"],
    &["i", "mean"],
    &["by", "the", "way"],
    &["guess", "what"],
    &["of", "course"],
    &["no", "problem"],
    &["for", "sure"],
];
/// A heading and its quality score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heading {
    pub(crate) text: String,
    pub(crate) worth: f32,
}

/// The best heading for a statement; `None` if it is a question or says nothing by itself.
///
/// `people` are parts of the speakers' names, lower-cased. Cost: linear in its words, which are
/// few.
pub(crate) fn heading(
    said: &str,
    speaker: Option<&str>,
    people: &BTreeSet<String>,
) -> Option<Heading> {
    if let Some(shown) = beside_the_words(said) {
        return caption(shown, speaker);
    }
    if is_question(said) || is_small_talk(said, people) {
        return None;
    }
    let all = words_of(said);
    let words = without_address(&all, people);
    let parts = clauses_of(words);
    let made = parts.iter().filter_map(|part| of_clause(part, speaker));
    made.max_by(|a, b| a.worth.total_cmp(&b.worth))
}

/// The first words of a statement, for statements without a heading clause; never empty for a text
/// that has words.
pub(crate) fn opening(said: &str, speaker: Option<&str>, people: &BTreeSet<String>) -> String {
    let all = words_of(said);
    let words = without_address(&all, people);
    let words = if words.is_empty() { &all[..] } else { words };
    let whole = words.len() <= WORDS_MAX;
    let mut text = after_name(&joined(&words[..words.len().min(WORDS_MAX)]), speaker);
    if !whole {
        text.push_str(" …");
    } else if said.trim_end().ends_with('?') {
        text.push('?');
    }
    text
}

/// Words in brackets: a caption or an action.
fn beside_the_words(said: &str) -> Option<&str> {
    let said = said.trim();
    let inner = |open, close| said.strip_prefix(open)?.strip_suffix(close);
    inner('[', ']').or_else(|| inner('(', ')')).map(str::trim)
}

fn caption(shown: &str, speaker: Option<&str>) -> Option<Heading> {
    let words = words_of(shown);
    let shares = words.first()?.is(&["shares", "shows", "shared"]);
    let shared = shares.then_some(Clause {
        time: &[],
        words: &words,
        subject: Subject::Named,
        verb: 0,
        broken: false,
    });
    let parts = match shared {
        Some(_) => Vec::new(),
        None => clauses_of(&words),
    };
    if let Some(part) = parts.into_iter().find(|part| !part.broken) {
        let text = sentence(part.words.iter().map(|word| word.text.clone()), part.words);
        return Some(Heading { text, worth: 0.9 });
    }
    let whole = clause::cut_picture(&words);
    let text = match speaker.filter(|_| shared.is_some()) {
        Some(name) => format!("{name} {}", joined(whole)),
        None => upper(&joined(whole)),
    };
    Some(Heading { text, worth: -0.4 })
}

/// The words without openers, and without the addressee's name at either end.
fn without_address<'a>(words: &'a [Word], people: &BTreeSet<String>) -> &'a [Word] {
    let mut rest = words;
    loop {
        let led = LEADS.iter().find(|lead| {
            let same = |(word, lead): (&Word, &&str)| word.lower == **lead;
            rest.len() > lead.len() && rest.iter().zip(lead.iter()).all(same)
        });
        let Some(first) = rest.first() else {
            return rest;
        };
        let named = first.capital && first.border && names_one_of(first, people);
        let opens = first.is_of(OPENERS) && (first.border || !first.is_of(OPEN_BEFORE_MARK));
        rest = match led {
            Some(lead) => &rest[lead.len()..],
            None if named || opens => &rest[1..],
            None => break,
        };
    }
    while let [start @ .., before, last] = rest {
        let named = last.capital && before.border && names_one_of(last, people);
        let tag = before.border && last.is(TAGS);
        if !(named || tag || last.lower == "too") || start.is_empty() {
            break;
        }
        rest = &rest[..rest.len() - 1];
    }
    rest
}

fn of_clause(clause: &Clause<'_>, speaker: Option<&str>) -> Option<Heading> {
    let content = clause
        .words
        .iter()
        .filter(|word| is_content_word(&word.lower) && !is_mood(&word.lower))
        .filter(|word| !is_adverb(&word.lower));
    let content = content.count();
    if content < 2 {
        return None;
    }
    let told = speaker.and_then(|name| told_of(clause, name));
    let plain = || {
        let person = clause.words.iter().any(|word| is_of_talkers(&word.lower));
        let named = clause.subject == Subject::Named && !person;
        named.then(|| {
            sentence(
                clause.words.iter().map(|word| word.text.clone()),
                clause.words,
            )
        })
    };
    let (mut text, form) = match told.or_else(plain) {
        Some(text) if clause.time.is_empty() => (text, 0.8),
        Some(text) => (format!("{} {text}", upper(&joined(clause.time))), 0.8),
        None => (quoted(clause, speaker), 0.0),
    };
    if clause.broken {
        text.push_str(" …");
    }
    let worth = form + worth(clause, content);
    Some(Heading { text, worth })
}

/// How well a clause serves as a heading, regardless of its form.
fn worth(clause: &Clause<'_>, content: usize) -> f32 {
    const VAGUE: &str = "\
    it this that these those here there them him her he she they something things stuff thing \
    it's that's one you your";
    let count = |is: &dyn Fn(&Word) -> bool| clause.words.iter().filter(|word| is(word)).count();
    let verb = clause.words[clause.verb].lower.as_str();
    let after = clause.words.get(clause.verb + 1);
    let mind = verbs::is_of_mind(verb) || after.is_some_and(|next| verbs::is_of_mind(&next.lower));
    let kind = match clause.subject {
        Subject::Named if is_general(clause, verb) => -0.5,
        Subject::I => 0.4,
        Subject::Named => 0.2,
        Subject::We => 0.1,
        Subject::Other => -0.6,
        Subject::Left => -0.9,
        Subject::You => -1.2,
        Subject::It => -1.4,
    };
    let done = match (mind, is_past(verb)) {
        (true, _) => -0.7,
        (false, true) => 0.5,
        (false, false) => 0.0,
    };
    let vague = count(&|word| word.is_of(VAGUE)).min(3) as f32;
    let praise = count(&|word| is_mood(&word.lower) && is_content_word(&word.lower)).min(2) as f32;
    let state = ["is", "was", "are", "were"].contains(&verb) && clause.subject == Subject::Named;
    let thin = f32::from(u8::from(content < 3)) + f32::from(u8::from(state));
    let names = count(&|word| word.capital && word.lower != "i" && is_content_word(&word.lower));
    let figures = count(&|word| is_number(&word.lower) || is_time(&word.lower, word.capital));
    let broken = if clause.broken { 1.2 } else { 0.0 };
    kind + done + 0.25 * content.min(5) as f32 - 0.45 * vague - 0.2 * praise - 0.5 * thin - broken
        + 0.25 * names.min(2) as f32
        + 0.2 * figures.min(1) as f32
}

/// Whether a clause is a general statement: "pets bring joy", "life can be tough".
fn is_general(clause: &Clause<'_>, verb: &str) -> bool {
    const DEFINITE: &[&str] = &["my", "the", "his", "her", "our", "their"];
    let named = |word: &Word| word.capital && word.lower != "i";
    let mut rest = clause.words.iter().skip(1);
    !is_past(verb) && !clause.words[0].is(DEFINITE) && !rest.any(named)
}

fn quoted(clause: &Clause<'_>, speaker: Option<&str>) -> String {
    let words = joined(clause.words);
    let text = match clause.time {
        [] => words,
        time => format!("{} {words}", joined(time)),
    };
    after_name(&text, speaker)
}

fn after_name(text: &str, speaker: Option<&str>) -> String {
    let text = upper(text);
    match speaker {
        Some(name) => format!("{name}: {text}"),
        None => text,
    }
}

fn sentence(made: impl Iterator<Item = String>, words: &[Word]) -> String {
    upper(&shown(&made.collect::<Vec<_>>(), words))
}

fn joined(words: &[Word]) -> String {
    shown(
        &words
            .iter()
            .map(|word| word.text.clone())
            .collect::<Vec<_>>(),
        words,
    )
}
