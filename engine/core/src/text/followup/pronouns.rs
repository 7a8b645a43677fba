//! The pronouns of a question that point out of it, and the question with their antecedents.

use super::super::people::Gender;
use super::super::sentence::Sentence;
use super::super::words::stem;
use super::antecedent::{Sought, antecedent};
use super::lists::{AUXILIARIES, BE, CAUSING, EXPLETIVE, GOING, PREPOSITIONS};
use super::mentions::{Kind, Mention, bytes, mentions};
use super::turn::{Turn, speakers};
use std::ops::Range;

/// A pronoun in a question.
struct Pronoun {
    at: usize,
    sought: Sought,
    /// It says whose: "her brother".
    owner: bool,
}

/// The question with its open pronouns completed; `None` if there are none that can be.
pub(super) fn completed(question: &str, turns: &[Turn<'_>]) -> Option<String> {
    let s = Sentence::of(question);
    let known = speakers(turns);
    let own = mentions(&s, None, &known);
    let mut done: Vec<Sought> = Vec::new();
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    for at in 0..s.len() {
        let Some(pronoun) = pronoun(&s, at) else {
            continue;
        };
        if done.contains(&pronoun.sought) || stands_alone(&s, &pronoun, &own) {
            continue;
        }
        done.push(pronoun.sought);
        if let Some(text) = antecedent(pronoun.sought, turns) {
            changes.push((
                bytes(question, s.slice(at..at + 1)),
                spelt(&s, &pronoun, text),
            ));
        }
    }
    let mut whole = question.to_owned();
    for (range, text) in changes.iter().rev() {
        whole.replace_range(range.clone(), text);
    }
    (!changes.is_empty()).then_some(whole)
}

/// The antecedent with the ending of its pronoun.
fn spelt(s: &Sentence<'_>, pronoun: &Pronoun, text: String) -> String {
    let drawn = s.lower(pronoun.at).ends_with("'s");
    if pronoun.sought == Sought::Place && s.is(pronoun.at - 1, GOING) {
        let place = text
            .split_once(' ')
            .map_or(text.as_str(), |(_, place)| place);
        return format!("to {place}");
    }
    match pronoun.owner || drawn {
        true => format!("{text}'s"),
        false => text,
    }
}

fn pronoun(s: &Sentence<'_>, at: usize) -> Option<Pronoun> {
    let last = at + 1 == s.len() || s.border(at + 1);
    let after = s.lower(at + 1);
    let before = if at > 0 { s.lower(at - 1) } else { "" };
    let (sought, owner) = match s.lower(at) {
        "he" | "him" | "he's" => (Sought::One(Gender::He), false),
        "she" | "she's" => (Sought::One(Gender::She), false),
        "his" => (Sought::One(Gender::He), true),
        "hers" => (Sought::One(Gender::She), true),
        "her" => {
            let owner = !last && !is_object(after) && !CAUSING.contains(&before);
            (Sought::One(Gender::She), owner)
        }
        "they" | "them" => (Sought::Many, false),
        "their" | "theirs" => (Sought::Many, true),
        "its" => (Sought::Thing, true),
        "it" | "it's" if !is_expletive(s, at) => (Sought::Thing, false),
        "that" | "this" | "those" if last && PREPOSITIONS.contains(&before) => {
            (Sought::Thing, false)
        }
        "there" if at > 0 && !BE.contains(&before) && !BE.contains(&after) => {
            (Sought::Place, false)
        }
        "then" if last && at > 1 => (Sought::Time, false),
        _ => return None,
    };
    Some(Pronoun { at, sought, owner })
}

/// Whether "her" before this word is an object: "did Bob give her in May".
fn is_object(after: &str) -> bool {
    let joined = [
        "and", "or", "when", "while", "after", "before", "during", "by", "as", "the", "a",
    ];
    PREPOSITIONS.contains(&after) || BE.contains(&after) || joined.contains(&after)
}

fn is_expletive(s: &Sentence<'_>, at: usize) -> bool {
    let make = at > 0 && s.is(at - 1, &["make", "made", "time"]);
    let next = stem(s.lower(at + 1));
    let impersonal = EXPLETIVE.iter().any(|word| stem(word) == next);
    make || impersonal || at >= 2 && s.is(at - 1, &["is"]) && s.is(at - 2, &["time"])
}

/// Whether the question itself says before a pronoun what it stands for.
fn stands_alone(s: &Sentence<'_>, pronoun: &Pronoun, own: &[Mention]) -> bool {
    let mut earlier = own.iter().filter(|it| it.words.end <= pronoun.at);
    match pronoun.sought {
        Sought::One(gender) => earlier.any(|it| match it.kind {
            Kind::Person(other) => gender.agrees(other),
            // a name of unknown kind
            Kind::Thing => {
                let start = it.words.start;
                let asked = start > 0 && s.is(start - 1, &["what", "which"]);
                s.capital(start) && !asked && !s.quoted(start)
            }
            _ => false,
        }),
        Sought::Many => earlier.any(|it| it.kind != Kind::Time),
        Sought::Thing => {
            let asked = (0..pronoun.at).any(|at| {
                s.is(at, &["what", "which", "whose"])
                    && !s.is(
                        at + 1,
                        &["did", "does", "do", "is", "was", "are", "were", "about"],
                    )
            });
            // "make ice cream and share it"
            let joined = (1..pronoun.at).any(|at| s.is(at, &["and"]));
            let thing = |it: &Mention| matches!(it.kind, Kind::Thing | Kind::Place);
            // "when did her family buy it": a subject is not what something is done to
            let subject = |it: &Mention| AUXILIARIES.contains(&&*it.before);
            asked || joined || earlier.any(|it| thing(it) && !subject(it))
        }
        Sought::Place => earlier.any(|it| it.kind == Kind::Place),
        Sought::Time => earlier.any(|it| it.kind == Kind::Time),
    }
}
