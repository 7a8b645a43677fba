//! Facts told with "I" and "we": "I live in Rome", "I no longer like jazz".

use super::draft::{Before, Draft};
use super::lists::{
    ADVERBS, AFTER_BE, AIMS, DIETS, ENDING, INSTRUCTED, NATIONS, OUTINGS, STYLES, Take, VERBS,
};
use super::sentence::Sentence;
use super::slot::FactSlot;
use super::value::{dated, free, items, named, organisation, place, until};
use super::{have, noun};
use crate::text::claims::lists::{FILLERS, PHRASES, PHRASES_OVER};
use std::ops::Range;

/// Words between a subject and its verb that are skipped.
const SKIPPED_MAX: usize = 7;

/// Facts of a clause that begins with a subject in the first person.
pub(super) fn read(s: &Sentence<'_>, at: usize, speaker: Option<&str>) -> Vec<Draft> {
    let (be, many) = match s.lower(at) {
        "i" | "i've" => (false, false),
        "i'm" | "im" => (true, false),
        "i'd" => return wish(s, at),
        "we" | "we've" => (false, true),
        "we're" => (true, true),
        _ => return Vec::new(),
    };
    let before = Before {
        start: at,
        be,
        many,
        denied: None,
        ended: false,
    };
    if be && let Some(name) = noun::introduced(s, at, speaker) {
        return vec![name];
    }
    predicate(s, at + 1, before)
}

/// Facts of a predicate in the first person, from `at` on.
pub(super) fn predicate(s: &Sentence<'_>, at: usize, mut before: Before) -> Vec<Draft> {
    let border = s.next_border(at);
    let other = |at: &usize| {
        s.is(*at, &["and", "but", "so"]) && s.lower(at + 1).starts_with(['i', 'w', 'd'])
    };
    let segment = at..(at..border).find(other).unwrap_or(border);
    let over = |at: usize| s.is(at, &["anymore"]) || s.says(at, "any more");
    before.ended |= segment.clone().any(over);
    let mut at = at;
    for _ in 0..SKIPPED_MAX {
        if at >= segment.end || (s.border(at) && at > before.start) {
            break;
        }
        let found = matched(s, at, before);
        if !found.is_empty() {
            return found;
        }
        let word = s.lower(at);
        if s.says(at, "used to") || s.says(at, "no longer") {
            before.ended = true;
            at += 2;
            continue;
        }
        match word {
            "don't" | "not" | "never" | "dont" | "can't" | "cannot" | "n't" => {
                before.denied.get_or_insert(at);
            }
            // "I 'm" as two words, in tokenised transcripts
            "am" | "are" | "been" | "being" | "m" | "re" => before.be = true,
            "ve" => {}
            _ if ADVERBS.contains(word) || FILLERS.contains(word) || is_adverb(word) => {}
            _ => break,
        }
        at += 1;
    }
    Vec::new()
}

fn is_adverb(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ly") && !["family", "only"].contains(&word)
}

fn matched(s: &Sentence<'_>, at: usize, before: Before) -> Vec<Draft> {
    let over = Before {
        ended: true,
        denied: None,
        ..before
    };
    // "I have like no idea"
    let have = (before.start..at).any(|at| s.is(at, &["have", "got"]));
    let table = if before.be { AFTER_BE } else { VERBS };
    if !before.be
        && let Some((phrase, slot, take)) = longest(s, at, ENDING)
    {
        return taken(s, at, phrase, slot, take, over);
    }
    if let Some((phrase, slot, take)) = longest(s, at, table) {
        let tastes = [FactSlot::Likes, FactSlot::Dislikes, FactSlot::Hobbies];
        if have && !before.be && tastes.contains(&slot) {
            return Vec::new();
        }
        return taken(s, at, phrase, slot, take, before);
    }
    if let Some((phrase, slot)) = of_claims(s, at, PHRASES_OVER, false) {
        return taken(s, at, phrase, slot, Take::Named, over);
    }
    if let Some((phrase, slot)) = of_claims(s, at, PHRASES, before.be) {
        let take = if slot == FactSlot::Work {
            Take::Role
        } else {
            Take::Named
        };
        return taken(s, at, phrase, slot, take, before);
    }
    let lost = ["quit", "left", "lost"].map(|verb| s.is(at, &[verb]) && s.says(at + 1, "my job"));
    if lost.contains(&true) && s.border(at + 3) && !before.be {
        let mut job = Draft::of(s, before.start, FactSlot::Employer, "", at + 1..at + 3);
        job.value = s.shown(at + 2..at + 3);
        job.ended = true;
        return vec![job];
    }
    if !before.be && (s.is(at, &["have"]) || (s.is(at, &["got"]) && at == before.start + 1)) {
        return have::read(s, at + 1, before);
    }
    if !before.be && s.is(at, &["turned"]) {
        return noun::aged(s, at + 1, before).into_iter().collect();
    }
    if before.be {
        return noun::read(s, at, before);
    }
    not_eaten(s, at, before).into_iter().collect()
}

/// "I don't eat meat"; with "any more" the fact is over.
fn not_eaten(s: &Sentence<'_>, at: usize, before: Before) -> Option<Draft> {
    let denied = before.denied?;
    if !s.is(at, &["eat", "drink", "consume"]) {
        return None;
    }
    let tail = free(s, at + 1)?;
    let from = if s.lower(denied) == "not" && denied > 0 {
        denied - 1
    } else {
        denied
    };
    let from = if before.ended { at } else { from };
    let about = s.key(tail.clone());
    let mut draft = Draft::of(s, before.start, FactSlot::Diet, about, from..tail.end);
    draft.ended = before.ended;
    Some(draft)
}

/// The longest phrase of a table that stands here.
pub(super) fn longest(
    s: &Sentence<'_>,
    at: usize,
    table: &[(&'static str, FactSlot, Take)],
) -> Option<(usize, FactSlot, Take)> {
    let here = table.iter().filter(|(phrase, _, _)| s.says(at, phrase));
    let counted = here.map(|(phrase, slot, take)| (phrase.split(' ').count(), *slot, *take));
    counted.max_by_key(|(words, _, _)| *words)
}

/// The longest phrase of a table of claims that stands here, as a slot of a profile.
fn of_claims(
    s: &Sentence<'_>,
    at: usize,
    table: &[(&'static str, &str, bool)],
    be: bool,
) -> Option<(usize, FactSlot)> {
    let after_be = |phrase: &str| {
        let first = phrase.split(' ').next().unwrap_or(phrase);
        first.ends_with("ing") || ["based", "married|engaged"].contains(&first)
    };
    let here = table
        .iter()
        .filter(|(phrase, _, _)| after_be(phrase) == be && s.says(at, phrase));
    let counted = here.map(|(phrase, slot, _)| (phrase.split(' ').count(), slot));
    let (words, slot) = counted.max_by_key(|(words, _)| *words)?;
    let named = !s.border(at + words);
    let words = words + usize::from(s.is(at + words, &["at", "with"]));
    let slot = match *slot {
        "home" => FactSlot::Home,
        "employer" => FactSlot::Employer,
        "job" => FactSlot::Work,
        "school" => FactSlot::Education,
        "partner" => FactSlot::Partner,
        _ => return None,
    };
    named.then_some((words, slot))
}

/// The facts of a verb phrase of some words at `at` with what follows it.
pub(super) fn taken(
    s: &Sentence<'_>,
    at: usize,
    phrase: usize,
    slot: FactSlot,
    take: Take,
    before: Before,
) -> Vec<Draft> {
    let Some(slot) = allowed(slot, before) else {
        return Vec::new();
    };
    let after = at + phrase;
    if s.border(after) && !matches!(take, Take::Free(2)) {
        return Vec::new();
    }
    let one = |range: Option<Range<usize>>| -> Vec<Draft> {
        let range = range.into_iter();
        range
            .map(|range| Draft::of(s, before.start, slot, "", range))
            .collect()
    };
    let mut drafts = match take {
        Take::Named if slot == FactSlot::Origin || slot == FactSlot::Education => {
            let kept = if slot == FactSlot::Education {
                at
            } else {
                after
            };
            let name = named(s, after).map(|name| kept..name.end);
            let of_month = name.as_ref().is_some_and(|_| s.words[after].figure);
            one(name.filter(|_| !of_month))
        }
        Take::Named => one(named(s, after)),
        Take::Place => one(place(s, after)),
        Take::Organisation => one(organisation(s, after)),
        Take::Role => {
            let mut work = one(noun::role(s, after));
            work.extend(noun::workplace(s, work.first(), before.start));
            work
        }
        Take::Date => one(dated(s, after)),
        Take::Diet => one(diet(s, after)).into_iter().collect(),
        Take::Languages => languages(s, after, before.start),
        Take::Owned => have::owned(s, after, before).into_iter().collect(),
        Take::Business => one(business(s, at, after)),
        Take::Free(kept) => phrases(s, at, (after, kept), slot, before),
    };
    for draft in &mut drafts {
        draft.ended = before.ended;
        if slot == FactSlot::Education {
            draft.about = s.key(after..draft.words.end);
        }
    }
    drafts
}

/// The slot of a phrase that may be denied: "I don't like jazz" is a dislike, "I don't live in
/// Rome" says nothing certain.
fn allowed(slot: FactSlot, before: Before) -> Option<FactSlot> {
    let shared = [
        FactSlot::Home,
        FactSlot::Pets,
        FactSlot::Plans,
        FactSlot::Family,
        FactSlot::Possessions,
    ];
    if before.many && !shared.contains(&slot) {
        return None;
    }
    match before.denied {
        Some(_) if before.ended => Some(slot),
        Some(_) if slot == FactSlot::Likes => Some(FactSlot::Dislikes),
        Some(_) => None,
        None => Some(slot),
    }
}

/// The facts of a verb phrase that any phrase may follow.
fn phrases(
    s: &Sentence<'_>,
    at: usize,
    (after, kept): (usize, usize),
    slot: FactSlot,
    before: Before,
) -> Vec<Draft> {
    if kept == 2 && s.border(after) && slot == FactSlot::Hobbies {
        let about = s.key(after - 1..after);
        return vec![Draft::of(s, before.start, slot, about, at..after)];
    }
    if slot == FactSlot::Likes && !before.ended && s.is(after, &["your"]) {
        let style = style(s, after, before.start);
        return style.into_iter().collect();
    }
    let from =
        after + usize::from(s.says(at, "working on") && s.is(after, &["a", "an", "my", "the"]));
    let Some(tail) = free(s, from).filter(|tail| fits(s, at, after, tail)) else {
        return Vec::new();
    };
    let together = tail.clone().any(|at| OUTINGS.contains(s.lower(at)));
    if before.many && slot == FactSlot::Plans && !together {
        return Vec::new();
    }
    let listed = matches!(
        slot,
        FactSlot::Likes | FactSlot::Dislikes | FactSlot::Hobbies
    );
    let parts = if listed { items(s, tail) } else { vec![tail] };
    let of_style = |part: &Range<usize>| part.clone().any(|at| STYLES.contains(s.lower(at)));
    let mut drafts = Vec::new();
    for (number, part) in parts.into_iter().enumerate() {
        let styled = slot == FactSlot::Likes && of_style(&part);
        let slot = if styled { FactSlot::Style } else { slot };
        // "play chess, tennis": the verb is said once
        let start = if number == 0 {
            after - kept
        } else {
            part.start
        };
        let (about, end) = (s.key(part.clone()), part.end);
        let mut draft = Draft::of(s, before.start, slot, about, start..end);
        if number > 0 && kept > 0 {
            draft.value = format!("{} {}", s.shown(after - kept..after), draft.value);
        }
        drafts.push(draft);
    }
    drafts
}

/// What a phrase needs of the words after it.
fn fits(s: &Sentence<'_>, at: usize, after: usize, tail: &Range<usize>) -> bool {
    let first = s.lower(after);
    match s.lower(at) {
        "want" | "hope" | "aim" | "aspire" | "trying" | "hoping" | "always" => {
            let of_talk = ["by", "with", "from", "on", "off", "out"];
            let lone = ["travel", "quit", "retire", "graduate"].contains(&first);
            AIMS.contains(first)
                && (first != "be" || s.is(after + 1, &["a", "an"]))
                && (first != "go" || s.is(after + 1, &["to"]))
                && (tail.len() > 1 || lone)
                && !s.is(after + 1, &of_talk)
        }
        "dream" | "thinking" => first.ends_with("ing") && first != "talking",
        "planning" => ["a", "an", "to", "on"].contains(&first),
        "play" | "playing" => !["a", "an", "around", "in", "at", "on", "along"].contains(&first),
        "learning" => first != "about" && first != "from",
        "like" => first != "a" || tail.len() > 2,
        "afraid" | "scared" | "terrified" => !first.ends_with("ing"),
        "avoid" | "refuse" => tail.len() > 1 || first.len() > 3,
        _ => true,
    }
}

/// "I prefer your answers short".
fn style(s: &Sentence<'_>, at: usize, start: usize) -> Option<Draft> {
    let range = until(s, at, |_| false)?;
    let about = s.key(at + 1..at + 2);
    let styled = STYLES.contains(s.lower(at + 1)) && range.len() > 2;
    styled.then(|| Draft::of(s, start, FactSlot::Style, about, range))
}

/// "I'd prefer short answers", "I'd love to visit Japan".
fn wish(s: &Sentence<'_>, at: usize) -> Vec<Draft> {
    let before = Before {
        start: at,
        be: false,
        many: false,
        denied: None,
        ended: false,
    };
    if ["love to", "like to"]
        .iter()
        .any(|wish| s.says(at + 1, wish))
        && AIMS.contains(s.lower(at + 3))
    {
        let tail =
            free(s, at + 3).filter(|_| !s.is(at + 3, &["be", "go", "start", "move", "write"]));
        let draft = tail.map(|tail| {
            Draft::of(
                s,
                at,
                FactSlot::Goals,
                s.key(tail.clone()),
                at + 2..tail.end,
            )
        });
        return draft.into_iter().collect();
    }
    if !s.is(at + 1, &["prefer", "like"]) || s.is(at + 2, &["to"]) {
        return Vec::new();
    }
    let mut drafts = taken(s, at + 1, 1, FactSlot::Likes, Take::Free(0), before);
    drafts.retain(|draft| draft.slot == FactSlot::Style);
    drafts
}

fn diet(s: &Sentence<'_>, at: usize) -> Option<Range<usize>> {
    let range = until(s, at, |at| {
        s.is(at, &["and", "because", "for", "that", "which"])
    })?;
    let names = |at: usize| DIETS.contains(s.lower(at)) && s.lower(at) != "raw";
    let comma = s.is(range.end + 1, &["diet"]) && s.gap(range.end) == ", ";
    let range = range.start..range.end + if comma { 2 } else { 0 };
    let from = range.start + usize::from(s.is(range.start, &["a", "an", "the"]));
    let end = range
        .clone()
        .find(|&at| s.is(at, &["diet"]))
        .map(|at| at + 1)?;
    ((from..end).any(names) && end > from + 1).then_some(from..end)
}

fn business(s: &Sentence<'_>, at: usize, after: usize) -> Option<Range<usize>> {
    let owned = s.is(after, &["a", "an", "my"]) || s.is(after - 1, &["a", "own"]);
    let range = until(s, after, |at| {
        s.is(at, &["in", "with", "and", "for", "that", "called"])
    })?;
    let last = super::lists::BUSINESSES.contains(s.lower(range.end - 1));
    (owned && last && range.len() <= 5).then_some(at..range.end)
}

/// "French", "French and a little Dutch".
fn languages(s: &Sentence<'_>, at: usize, start: usize) -> Vec<Draft> {
    let end = (at..s.len().min(at + 10)).find(|&at| s.is(at, &["but", "with", "to", "because"]));
    let range = at..end.unwrap_or(s.len().min(at + 10));
    let spoken = range.filter(|&at| s.capital(at) && NATIONS.contains(s.lower(at)));
    spoken
        .map(|at| {
            let about = s.key(at..at + 1);
            Draft::of(s, start, FactSlot::Languages, about, at..at + 1)
        })
        .collect()
}

/// Standing instructions: "always answer in French", "call me Al".
pub(super) fn instructed(s: &Sentence<'_>, at: usize) -> Option<Draft> {
    let name = [
        "call me", "you can call me", "just call me", "people call me", "friends call me",
    ];
    if let Some(phrase) = name.iter().find(|phrase| s.says(at, phrase)) {
        let from = at + phrase.split(' ').count();
        let name = named(s, from).filter(|name| name.len() <= 2 && s.border(name.end))?;
        return Some(Draft::of(s, at, FactSlot::Name, "", name));
    }
    let standing = s.is(at, &["always", "never"]);
    let verb = at + if standing { 1 } else { 0 };
    let asked = standing && INSTRUCTED.contains(s.lower(verb)) && !s.says(verb, "give up");
    let range = until(s, at, |_| false).filter(|range| asked && range.len() > 2)?;
    let of_answers = s.is(verb, &["answer", "reply", "respond", "explain"])
        || range
            .clone()
            .any(|at| STYLES.contains(s.lower(at)) || s.lower(at) == "me");
    of_answers.then(|| Draft::of(s, at, FactSlot::Style, s.key(verb..range.end), range))
}
