//! Facts told with "I have": animals, relatives, illnesses, things, strong feelings.

use super::draft::{Before, Draft};
use super::lists::{AFTER_HAVE, ANIMALS, CONDITIONS, DEGREES, OWNED, PARTNERS, RELATIVES, Take};
use super::sentence::Sentence;
use super::slot::FactSlot;
use super::value::{free, items, named, until};
use crate::text::claims::lists::{ENDS, KIN};

/// Facts of the words after "have".
pub(super) fn read(s: &Sentence<'_>, at: usize, before: Before) -> Vec<Draft> {
    if before.denied.is_some() && !before.ended {
        return Vec::new();
    }
    let feeling = felt(s, at, before);
    if !feeling.is_empty() {
        return feeling;
    }
    let mut drafts = Vec::new();
    let mut at = at;
    while let Some(draft) = thing(s, at, before).filter(|_| drafts.len() < 3) {
        at = draft.words.end;
        drafts.push(draft);
        at += usize::from(s.is(at, &["and"]));
        if !s.is(at, &["a", "an", "two", "three"]) {
            break;
        }
    }
    drafts
}

/// "a strong aversion to noise", "no interest in golf", "a severe allergy to nuts".
fn felt(s: &Sentence<'_>, at: usize, before: Before) -> Vec<Draft> {
    let first = (at..s.len())
        .take_while(|&at| DEGREES.contains(s.lower(at)))
        .count();
    let starts = at..=at + first.min(4);
    let found = starts.rev().find_map(|at| {
        let here = AFTER_HAVE
            .iter()
            .filter(|(phrase, _, _)| s.says(at, phrase));
        let (phrase, slot, take) = here.max_by_key(|(phrase, _, _)| phrase.split(' ').count())?;
        Some((at, phrase.split(' ').count(), *slot, *take))
    });
    let Some((at, words, slot, take)) = found.filter(|_| !before.many) else {
        return Vec::new();
    };
    let kept = match take {
        Take::Free(kept) => kept,
        _ => 0,
    };
    let Some(tail) = free(s, at + words) else {
        return Vec::new();
    };
    let listed = matches!(slot, FactSlot::Likes | FactSlot::Dislikes);
    let parts = if listed { items(s, tail) } else { vec![tail] };
    let draft = |part: std::ops::Range<usize>| {
        let about = s.key(part.clone());
        let kept = if listed { 0 } else { kept };
        let mut draft = Draft::of(s, before.start, slot, about, part.start - kept..part.end);
        draft.ended = before.ended;
        draft
    };
    parts.into_iter().map(draft).collect()
}

/// "a dog named Max", "two sisters", "asthma", "an old car".
fn thing(s: &Sentence<'_>, at: usize, before: Before) -> Option<Draft> {
    const BEFORE: [&str; 12] = [
        "named", "called", "that", "who", "at", "in", "from", "of", "to", "on", "as", "like",
    ];
    let range = until(s, at, |place| {
        ENDS.contains(s.lower(place)) || s.is(place, &BEFORE)
    })?;
    if range.len() > 5
        || s.is(
            at,
            &["the", "no", "this", "that", "my", "your", "his", "her"],
        )
    {
        return None;
    }
    if range
        .clone()
        .any(|at| s.is(at, &["been"]) || s.lower(at).ends_with("ing"))
    {
        return None;
    }
    let last = range.end - 1;
    let head = s.lower(last);
    let slot = match head {
        _ if ANIMALS.contains(head) => FactSlot::Pets,
        _ if PARTNERS.contains(head) => FactSlot::Partner,
        _ if KIN.contains(head) && !["boss", "teacher", "doctor"].contains(&head) => {
            FactSlot::Family
        }
        _ if RELATIVES.contains(head) => FactSlot::Family,
        _ if CONDITIONS.contains(head) => FactSlot::Health,
        _ if OWNED.contains(head) => FactSlot::Possessions,
        _ => return None,
    };
    if before.many && matches!(slot, FactSlot::Health | FactSlot::Partner) {
        return None;
    }
    let mut end = range.end;
    if s.is(end, &["named", "called"]) {
        end = named(s, end + 1).map_or(end, |name| name.end);
    }
    let illness = slot == FactSlot::Health;
    let from = at + usize::from(illness && DEGREES.contains(s.lower(at)));
    let about = match slot {
        FactSlot::Partner => "status".to_owned(),
        FactSlot::Health => s.key(from..range.end),
        _ => s.key(last..last + 1),
    };
    let mut draft = Draft::of(s, before.start, slot, about, from..end);
    draft.ended = before.ended;
    Some(draft)
}

/// "I own a car", "I bought a house".
pub(super) fn owned(s: &Sentence<'_>, at: usize, before: Before) -> Option<Draft> {
    let counted = s.is(at, &["a", "an", "two", "three"]);
    let thing = thing(s, at, before).filter(|thing| counted && thing.slot != FactSlot::Family)?;
    matches!(thing.slot, FactSlot::Possessions | FactSlot::Pets).then_some(thing)
}
