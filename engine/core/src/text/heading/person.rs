//! Turns the first person into the third.

use super::clause::{Clause, Subject};
use super::verbs;
use super::words::{Word, shown, upper};

/// Whether a word is a form of "I", "you" or "we".
pub(super) fn is_of_talkers(lower: &str) -> bool {
    let base = lower.split('\'').next().unwrap_or(lower);
    [
        "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves", "you", "your",
        "yours", "yourself", "let", "im",
    ]
    .contains(&base)
}

/// A first-person clause retold about its speaker; `None` when that is not certain.
pub(super) fn told_of(clause: &Clause<'_>, name: &str) -> Option<String> {
    let (first, rest) = clause.words.split_first()?;
    match clause.subject {
        Subject::I => of_i(clause, name),
        Subject::Named if first.lower == "my" => with_owner(rest, name),
        Subject::Named => {
            let about_me = clause.words.iter().any(|word| word.is(&["me", "my"]));
            about_me.then(|| of_others(clause, name)).flatten()
        }
        _ => None,
    }
}

/// "My sister gave me a ring": the speaker owns the subject.
fn with_owner(rest: &[Word], name: &str) -> Option<String> {
    let words = objects(rest, name)?;
    Some(format!("{name}'s {}", shown(&words, rest)))
}

/// "The group made me stronger".
fn of_others(clause: &Clause<'_>, name: &str) -> Option<String> {
    let words = objects(clause.words, name)?;
    Some(upper(&shown(&words, clause.words)))
}

/// The words with the name in place of "me", at most once; `None` with any other first- or
/// second-person word.
fn objects(words: &[Word], name: &str) -> Option<Vec<String>> {
    let mut named = false;
    let mut made = Vec::new();
    for word in words {
        let me = word.lower == "me" && !named;
        if is_of_talkers(&word.lower) && !me {
            return None;
        }
        named |= me;
        made.push(if me {
            name.to_owned()
        } else {
            word.text.clone()
        });
    }
    Some(made)
}

fn of_i(clause: &Clause<'_>, name: &str) -> Option<String> {
    let (words, verb) = (clause.words, clause.verb);
    let next = |from: usize| {
        let others = words.get(from..).unwrap_or_default().iter();
        let mut others = others.filter(|word| !verbs::is_adverb(&word.lower));
        others.next().map_or("", |word| word.lower.as_str())
    };
    let mut made: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
    name.clone_into(&mut made[0]);
    let mut inflected = false;
    match words[0].lower.split_once('\'') {
        Some((_, ending)) => {
            let helper = verbs::drawn_together(ending, next(1))?;
            made[0] = format!("{name} {helper}");
        }
        None => {
            let said = words[verb].lower.as_str();
            let third = verbs::third_person(said, next(verb + 1))?;
            inflected = verbs::is_base(said);
            made[verb] = third;
        }
    }
    let rest = &words[1..];
    let again = rest.windows(2).any(|pair| {
        pair[0].is(&["and", "or", "but"]) && (verbs::is_base(&pair[1].lower) || pair[1].is(&["am"]))
    });
    let free = rest.iter().any(|word| word.lower == "to");
    let others = rest.iter().any(|word| is_of_talkers(&word.lower));
    (!others && (free || !(inflected && again))).then(|| shown(&made, words))
}
