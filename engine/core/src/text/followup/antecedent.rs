//! What a pronoun stands for among the mentions of the last turns.
//!
//! The subject of the last question is what is talked of; where it asked who or what, its answer
//! is. Otherwise the last turn with a mention that agrees decides. Several that fit equally well
//! give none.

use super::super::people::{Gender, of_name};
use super::super::sentence::Sentence;
use super::lists::{AT, PREPOSITIONS};
use super::mentions::{Kind, Mention, mentions, read};
use super::turn::{Turn, speakers};

/// What a pronoun seeks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    One(Gender),
    Many,
    Thing,
    Place,
    Time,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Person,
    Thing,
}

/// One turn as it is searched.
struct Said {
    mentions: Vec<Mention>,
    asks: bool,
    /// It asks for a person, or for a thing, which the next turn names.
    wants: Option<Wanted>,
}

/// What a pronoun stands for, as it is put into the question.
pub(super) fn antecedent(sought: Sought, turns: &[Turn<'_>]) -> Option<String> {
    let known = speakers(turns);
    let said: Vec<Said> = turns.iter().map(|turn| Said::of(turn, &known)).collect();
    let order = order(sought, &said);
    for at in order {
        let fitting = said[at].fitting(sought);
        if !fitting.is_empty() {
            return picked(sought, &fitting);
        }
        if let Some(text) = beside(sought, &said[at]) {
            return Some(text);
        }
    }
    match sought {
        Sought::One(gender) => speaker(gender, turns),
        _ => None,
    }
}

impl Said {
    fn of(turn: &Turn<'_>, known: &[&str]) -> Self {
        let (sentences, asks) = read(turn);
        let speaker = turn.speaker.filter(|name| is_name(name));
        let found = sentences.iter().flat_map(|s| {
            let mut found = mentions(s, speaker, known);
            found.extend(pairs(s, &found));
            found
        });
        let last = sentences.last();
        Self {
            mentions: found.collect(),
            asks,
            wants: last.and_then(|s| match s.lower(0) {
                "who" | "whose" => Some(Wanted::Person),
                "what" | "which" => Some(Wanted::Thing),
                _ => None,
            }),
        }
    }

    /// The mentions that a pronoun may stand for, without repetitions.
    fn fitting(&self, sought: Sought) -> Vec<&Mention> {
        let fits = |it: &&Mention| match (sought, it.kind) {
            (Sought::One(gender), Kind::Person(other)) => gender.agrees(other),
            (Sought::Many, Kind::Many)
            | (Sought::Thing, Kind::Thing)
            | (Sought::Place, Kind::Place)
            | (Sought::Time, Kind::Time) => true,
            _ => false,
        };
        let mut found: Vec<&Mention> = Vec::new();
        for it in self.mentions.iter().filter(fits) {
            if !found.iter().any(|other| other.text == it.text) {
                found.push(it);
            }
        }
        found
    }
}

/// "Jon and Gina" as one mention of several people.
fn pairs(s: &Sentence<'_>, found: &[Mention]) -> Vec<Mention> {
    let person = |it: &Mention| matches!(it.kind, Kind::Person(_));
    let joined = found.windows(2).filter(|two| {
        let end = two[0].words.end;
        person(&two[0]) && person(&two[1]) && s.is(end, &["and"]) && two[1].words.start == end + 1
    });
    let pair = |two: &[Mention]| Mention {
        kind: Kind::Many,
        text: s.slice(two[0].words.start..two[1].words.end).to_owned(),
        words: two[0].words.start..two[1].words.end,
        before: two[0].before.clone(),
    };
    joined.map(pair).collect()
}

/// The turns in the order in which they are searched: the last first, but a question before the
/// answer to it, unless it asks for what the answer names.
fn order(sought: Sought, said: &[Said]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..said.len()).rev().collect();
    let wanted = match sought {
        Sought::One(_) | Sought::Many => Wanted::Person,
        _ => Wanted::Thing,
    };
    if let [answer, question, ..] = order[..]
        && said[question].asks
        && !said[answer].asks
        && said[question].wants != Some(wanted)
    {
        order.swap(0, 1);
    }
    order
}

/// The one that a pronoun stands for: the only one, or the one that is clearly talked of.
fn picked(sought: Sought, fitting: &[&Mention]) -> Option<String> {
    let one = match (fitting, sought) {
        // "with the right resources": hardly what is talked of
        ([only], Sought::Many) if only.text.starts_with("the ") && behind(only) => return None,
        ([only], _) => only,
        ([first, second, ..], Sought::One(_)) => {
            // "Jon and Tim": either
            let joined = second.before == "and" && first.words.end + 1 == second.words.start;
            Some(first).filter(|_| !behind(first) && !joined)?
        }
        (several, Sought::Thing) => {
            let object = |it: &&&Mention| !it.before.is_empty() && !behind(it);
            let mut objects = several.iter().filter(object);
            let first = objects.next()?;
            Some(first).filter(|_| objects.next().is_none())?
        }
        (several, Sought::Place) => {
            let mut at = several.iter().filter(|it| it.before != "from");
            let first = at.next()?;
            Some(first).filter(|_| at.next().is_none())?
        }
        _ => return None,
    };
    Some(match sought {
        Sought::Place => placed(one),
        _ => one.text.clone(),
    })
}

/// Whether a mention stands behind a preposition.
fn behind(it: &Mention) -> bool {
    PREPOSITIONS.contains(&it.before.as_str())
}

/// A place with a preposition.
fn placed(place: &Mention) -> String {
    let (text, before) = (&place.text, place.before.as_str());
    match (AT.contains(&before), text.starts_with("the ")) {
        (true, _) => format!("{before} {text}"),
        (false, true) => format!("at {text}"),
        (false, false) => format!("in {text}"),
    }
}

/// Second choices of a turn: a place for "it", an event or a group for "there", one person for
/// "they".
fn beside(sought: Sought, said: &Said) -> Option<String> {
    let fits = |it: &&Mention| match (sought, it.kind) {
        (Sought::Thing, Kind::Place) => true,
        (Sought::Place, Kind::Thing) => it.text.starts_with("the "),
        // "they" for one person
        (Sought::Many, Kind::Person(Gender::Any)) => true,
        _ => false,
    };
    let mut found = said.mentions.iter().filter(fits);
    let first = found.next()?;
    if found.any(|it| it.text != first.text) {
        return None;
    }
    Some(match sought {
        Sought::Place => placed(first),
        _ => first.text.clone(),
    })
}

/// Who speaks of himself in the last turn, where nobody else is named.
fn speaker(gender: Gender, turns: &[Turn<'_>]) -> Option<String> {
    let last = turns.last()?;
    let name = last.speaker.filter(|name| is_name(name))?;
    let first = name.split_whitespace().next()?.to_lowercase();
    let agrees = of_name(&first).is_some_and(|other| other.agrees(gender));
    let (sentences, asks) = read(last);
    let own = sentences
        .iter()
        .any(|s| (0..s.len()).any(|at| s.is(at, &["i", "i'm", "i've", "my", "i'd", "i'll"])));
    (agrees && own && !asks).then(|| name.to_owned())
}

/// Whether a speaker is called by a name and not by a role or a number.
fn is_name(speaker: &str) -> bool {
    const ROLES: [&str; 6] = ["user", "assistant", "you", "bot", "me", "speaker"];
    let first = speaker.split_whitespace().next().unwrap_or_default();
    !ROLES.contains(&first.to_lowercase().as_str()) && speaker.starts_with(char::is_uppercase)
}
