//! Facts told with "my": "my sister Maria is a doctor", "my favourite color is green".

use super::draft::Draft;
use super::lists::{ANIMALS, NATIONS, PARTNERS, RELATIVES, VAGUE};
use super::noun::role;
use super::sentence::Sentence;
use super::slot::FactSlot;
use super::value::{dated, free, items, named, place, says_enough, until};
use crate::text::claims::lists::{ATTRIBUTES, ENDS, KIN, NO_VALUES};
use std::ops::Range;

/// Facts of a clause that begins with "my" or "our".
pub(super) fn read(s: &Sentence<'_>, at: usize) -> Vec<Draft> {
    const ADJECTIVES: [&str; 12] = [
        "older", "younger", "little", "big", "oldest", "youngest", "elder", "twin", "beloved",
        "dear", "new", "sweet",
    ];
    if s.is(at + 1, &["favorite", "favourite", "fave"]) {
        return favourite(s, at);
    }
    let noun = at + 1 + usize::from(s.is(at + 1, &ADJECTIVES));
    if kin(s.lower(noun).trim_end_matches("'s")) {
        return relative(s, at, noun);
    }
    match s.lower(at) {
        "my" => attribute(s, at),
        _ => Vec::new(),
    }
}

/// Whether a word names a relative, a partner or an animal.
fn kin(word: &str) -> bool {
    let relative = KIN.contains(word) && !["boss", "teacher", "doctor"].contains(&word);
    relative || RELATIVES.contains(word) || PARTNERS.contains(word) || ANIMALS.contains(word)
}

/// "My favourite color is green": one favourite of a kind at a time.
fn favourite(s: &Sentence<'_>, at: usize) -> Vec<Draft> {
    let noun = at + 2;
    let copula = (noun + 1..s.len().min(noun + 5)).find(|&at| s.is(at, &["is", "are"]));
    let Some(copula) = copula.filter(|&copula| !(noun..copula + 1).any(|at| s.border(at))) else {
        return Vec::new();
    };
    let vague = s.is(
        copula - 1,
        &["memory", "moment", "memories", "scene", "aspect", "spot"],
    ) || VAGUE.contains(s.lower(copula - 1));
    let vague = vague || VAGUE.contains(s.lower(noun));
    let about = format!("favorite {}", s.key(noun..copula));
    let Some(value) = favoured(s, copula + 1).filter(|_| !vague) else {
        return Vec::new();
    };
    let parts = items(s, value);
    let end = parts.last().map_or(copula, |part| part.end);
    let start = parts.first().map_or(copula, |part| part.start);
    vec![Draft::of(s, at, FactSlot::Likes, about, start..end)]
}

fn favoured(s: &Sentence<'_>, at: usize) -> Option<Range<usize>> {
    let at = at + usize::from(s.is(at, &["probably", "definitely", "still", "actually"]));
    let title = s
        .is(at, &["the"])
        .then(|| named(s, at))
        .flatten()
        .map(|name| at..name.end);
    title.or_else(|| free(s, at))
}

/// "Blue is my favourite color".
pub(super) fn favoured_first(s: &Sentence<'_>, at: usize) -> Option<Draft> {
    let verb = (at + 1..s.len().min(at + 6)).find(|&at| s.is(at, &["is", "are"]))?;
    let mine = s.is(verb + 1, &["my"]) && s.is(verb + 2, &["favorite", "favourite"]);
    let noun = until(s, verb + 3, |at| {
        ENDS.contains(s.lower(at)) || s.is(at, &["of", "to", "in"])
    })?;
    let plain = !(at + 1..verb).any(|at| s.border(at)) && noun.len() <= 3;
    let vague = VAGUE.contains(s.lower(noun.end - 1)) || !says_enough(s, &(at..verb));
    (mine && plain && !vague).then(|| {
        let about = format!("favorite {}", s.key(noun.clone()));
        let mut draft = Draft::of(s, at, FactSlot::Likes, about, at..verb);
        draft.words.end = noun.end;
        draft
    })
}

/// Facts about a relative, a partner or an animal: the name, and what is said of them.
///
/// A name and a description are two facts, since one changes without the other. The name is part of
/// the qualifier, so that two sisters do not supersede each other.
fn relative(s: &Sentence<'_>, at: usize, noun: usize) -> Vec<Draft> {
    let word = s.lower(noun).trim_end_matches("'s").to_owned();
    let verb = noun + 1;
    let only_name = if s.lower(noun).ends_with("'s") {
        Some(s.says(verb, "name is").then(|| named(s, verb + 2)))
    } else if s.is(verb, &["is", "are"]) && s.is(verb + 1, &["named", "called"]) {
        Some(Some(named(s, verb + 2)))
    } else if s.is(verb, &["is"]) && s.capital(verb + 1) && PARTNERS.contains(&word) {
        let name = named(s, verb + 1);
        Some(Some(name.filter(|name| s.border(name.end))))
    } else {
        None
    };
    if let Some(name) = only_name {
        let name = name.flatten().filter(short).into_iter();
        return name.map(|name| name_of(s, at, &word, name)).collect();
    }
    let (mut drafts, mut verb, mut person) = (Vec::new(), verb, word.clone());
    let apart = s.gap(verb).trim_end() == ",";
    if s.capital(verb) && (apart || !s.border(verb)) && !s.is(verb, &["i", "i'm"]) {
        let end = verb + 1 + usize::from(s.capital(verb + 1) && !s.border(verb + 1));
        if !apart || s.border(end) {
            drafts.push(name_of(s, at, &word, verb..end));
            person = format!("{word} {}", s.shown(verb..end));
            verb = end;
        }
    }
    let animal = ANIMALS.contains(&word);
    if animal && (s.is(verb, &["died"]) || s.says(verb, "passed away")) {
        let mut gone = Draft::of(s, at, FactSlot::Pets, person, noun..verb);
        gone.ended = true;
        gone.words.end = verb + 1;
        return vec![gone];
    }
    drafts.extend(told(s, at, verb, &person).map(|mut draft| {
        draft.slot = if animal {
            FactSlot::Pets
        } else {
            FactSlot::Family
        };
        draft
    }));
    drafts
}

/// The name of a relative, a partner or an animal.
fn name_of(s: &Sentence<'_>, at: usize, word: &str, name: Range<usize>) -> Draft {
    let named = format!("{word} {}", s.shown(name.clone()));
    let (slot, about) = match word {
        _ if PARTNERS.contains(word) => (FactSlot::Partner, String::new()),
        _ if ANIMALS.contains(word) => (FactSlot::Pets, named),
        _ => (FactSlot::Family, named),
    };
    Draft::of(s, at, slot, about, name)
}

fn short(name: &Range<usize>) -> bool {
    name.len() <= 3
}

/// What is said of a relative; the last word of `about` says of what kind it is.
fn told(s: &Sentence<'_>, at: usize, verb: usize, person: &str) -> Option<Draft> {
    let verb = verb + usize::from(s.is(verb, &["who", "also", "currently", "now"]));
    let after = verb + 1;
    let (kind, value) = match s.lower(verb) {
        "is" | "are" => described(s, after)?,
        "lives" | "live" if s.is(after, &["in"]) => ("home", place(s, after + 1)?),
        "works" | "work" if s.is(after, &["at", "for"]) => ("employer", named(s, after + 1)?),
        "works" | "work" if s.is(after, &["as"]) => ("work", role(s, after + 1)?),
        "loves" | "likes" | "enjoys" | "love" | "like" | "enjoy" | "hates" | "hate" => {
            let value = free(s, after)?;
            return Some(of_person(s, at, verb, person, ("likes", value)));
        }
        _ => return None,
    };
    Some(of_person(s, at, verb, person, (kind, value)))
}

fn of_person(
    s: &Sentence<'_>,
    at: usize,
    verb: usize,
    person: &str,
    (kind, value): (&str, Range<usize>),
) -> Draft {
    let about = match kind {
        // whoever likes two things likes both
        "likes" => format!("{person} {}", s.key(value.clone()).replace(' ', "-")),
        _ => format!("{person} {kind}"),
    };
    Draft::of(s, at, FactSlot::Family, about, verb..value.end)
}

/// "a doctor", "34", "a huge history buff".
fn described(s: &Sentence<'_>, at: usize) -> Option<(&'static str, Range<usize>)> {
    const JUDGED: [&str; 12] = [
        "best", "great", "good", "big", "such", "bit", "mess", "total", "blessing", "joy", "lot",
        "part",
    ];
    let at = at + usize::from(s.is(at, &["also", "currently", "now"]));
    let years = s.lower(at).parse::<u8>().is_ok();
    if years && (s.border(at + 1) || s.says(at + 1, "years old")) {
        return Some(("age", at..at + 1));
    }
    if s.is(at, &["allergic"]) && s.is(at + 1, &["to"]) {
        return free(s, at + 2).map(|value| ("health", at..value.end));
    }
    if !s.is(at, &["a", "an"]) {
        return None;
    }
    if let Some(role) = role(s, at) {
        return Some(("work", at..role.end));
    }
    let value = free(s, at)?;
    let lover = s.is(value.end - 1, &["buff", "lover", "fan", "enthusiast"]);
    let breed = ANIMALS.contains(s.lower(value.end - 1));
    let judged = value.clone().any(|at| s.is(at, &JUDGED)) && !lover;
    ((lover || breed) && !judged).then_some((if lover { "taste" } else { "breed" }, value))
}

/// "My name is Ana", "my goal is to run a marathon", "my phone number is 555 1234".
fn attribute(s: &Sentence<'_>, at: usize) -> Vec<Draft> {
    let nouns = at + 1..s.len().min(at + 5);
    let Some(copula) = nouns
        .clone()
        .find(|&at| s.is(at, &["is", "are", "include"]))
    else {
        return Vec::new();
    };
    let plain = !(at + 1..copula + 1).any(|at| s.border(at)) && copula > at + 1;
    let value = copula + 1 + usize::from(s.is(copula + 1, &["also", "still", "currently"]));
    if !plain || s.border(value) {
        return Vec::new();
    }
    let one = |slot: FactSlot, about: &str, range: Option<Range<usize>>| -> Vec<Draft> {
        let range = range.into_iter();
        range
            .map(|range| Draft::of(s, at, slot, about, range))
            .collect()
    };
    let head = s.lower(copula - 1);
    let full = s.key(at + 1..copula);
    match head {
        // "my friend's name is Joey" names another
        "name" if s.lower(at + 1).ends_with("'s") => Vec::new(),
        "name" if copula - at == 2 || s.is(at + 1, &["full", "first", "last", "real"]) => {
            one(FactSlot::Name, "", named(s, value).filter(short))
        }
        "birthday" => one(FactSlot::Birthday, "", dated(s, value)),
        "hometown" => one(FactSlot::Origin, "", named(s, value)),
        "job" | "profession" | "occupation" => one(FactSlot::Work, "", role(s, value)),
        "goal" | "dream" | "ambition" => aim(s, at, value, FactSlot::Goals),
        "project" | "plan" => aim(s, at, value, FactSlot::Plans),
        "hobby" | "hobbies" => free(s, value).map_or_else(Vec::new, |range| {
            let hobby =
                |part: Range<usize>| Draft::of(s, at, FactSlot::Hobbies, s.key(part.clone()), part);
            items(s, range).into_iter().map(hobby).collect()
        }),
        "language" | "tongue" => {
            let spoken = NATIONS.contains(s.lower(value)) && s.capital(value);
            one(
                FactSlot::Languages,
                &full,
                spoken.then_some(value..value + 1),
            )
        }
        _ if ATTRIBUTES.contains(head) => one(FactSlot::Other, &full, single(s, value)),
        _ => Vec::new(),
    }
}

/// The value of an attribute: a name or a number.
fn single(s: &Sentence<'_>, at: usize) -> Option<Range<usize>> {
    let telling = s.words.get(at)?;
    let sure = (telling.capital || telling.figure) && !NO_VALUES.contains(&telling.lower);
    let range = until(s, at, |at| ENDS.contains(s.lower(at)))?;
    (sure && range.len() <= 6).then_some(range)
}

/// "to cook a full meal", "a herb garden".
fn aim(s: &Sentence<'_>, at: usize, value: usize, slot: FactSlot) -> Vec<Draft> {
    let from = value + usize::from(s.is(value, &["to"]));
    let tail = until(s, value, |at| {
        ENDS.contains(s.lower(at)) && !s.is(at, &["and", "with", "for"])
    });
    let Some(tail) = tail.filter(|tail| tail.len() > 2) else {
        return Vec::new();
    };
    let rest = from..tail.end;
    let sure =
        says_enough(s, &rest) || s.is(from, &["be"]) && says_enough(s, &(from + 1..tail.end));
    let told = sure && (s.is(value, &["to"]) || s.is(value, &["a", "an"]));
    let draft = || Draft::of(s, at, slot, s.key(rest.clone()), tail.clone());
    told.then(draft).into_iter().collect()
}
