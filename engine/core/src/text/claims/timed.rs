//! Claims about the time of something: "the meeting is at seven", "the party was moved to Sunday".

use super::claim::Claim;
use super::lists::{AT_VERBS, MOVED_VERBS, PARTS_OF_DAY};
use super::matching::{Word, article, value};
use crate::text::ClaimFeatures;

/// Extracts a claim about a time or day. It supersedes an earlier one only if the statement says
/// that something moved: there may be two trains.
pub(super) fn read(words: &[Word], speaker: Option<&str>) -> Option<Claim> {
    let owner = match words.first()?.lower.as_str() {
        "the" => None,
        "my" | "our" => Some(speaker?),
        _ => return None,
    };
    let denied = |word: &Word| word.lower == "not" || word.lower.ends_with("n't");
    if words.iter().any(denied) {
        return None;
    }
    let verb = words.iter().position(|word| {
        AT_VERBS.contains(&word.lower)
            || MOVED_VERBS.contains(&word.lower)
            || word.is(&["was", "has", "got"])
    })?;
    let noun = words
        .get(1..verb)
        .filter(|noun| (1..=3).contains(&noun.len()))?;
    let (rest, moved) = place_of_time(&words[verb..])?;
    let kind = kind_of_time(rest.first()?)?;
    let plain = moved || words[verb].is(&["is", "are"]);
    let slot = if plain {
        kind.to_owned()
    } else {
        format!("{} {kind}", words[verb].lower.trim_end_matches('s'))
    };
    let noun: Vec<&str> = noun.iter().map(|word| word.lower.as_str()).collect();
    let noun = noun.join(" ");
    let (subject, slot) = match owner {
        Some(owner) => (owner.to_owned(), format!("{noun} {slot}")),
        None => (format!("the {noun}"), slot),
    };
    Some(Claim {
        subject,
        slot,
        value: value(rest),
        over: false,
        firm: moved,
    })
}

/// The words from the time on, after "starts at", "is on", "was moved to"; and whether it was
/// moved.
fn place_of_time(rest: &[Word]) -> Option<(&[Word], bool)> {
    let after = |from: usize, within: usize, any: &[&str]| {
        let at = rest[from..]
            .iter()
            .take(within)
            .position(|word| word.is(any))?;
        Some(article(&rest[from + at + 1..]))
    };
    let moved = rest
        .iter()
        .take(3)
        .position(|word| MOVED_VERBS.contains(&word.lower));
    match moved {
        Some(moved) => after(moved + 1, usize::MAX, &["to"]).map(|rest| (rest, true)),
        None if AT_VERBS.contains(&rest.first()?.lower) => {
            after(0, 3, &["at", "on"]).map(|rest| (rest, false))
        }
        None => None,
    }
}

/// Whether a word is a clock time or a day; `None` for neither.
fn kind_of_time(word: &Word) -> Option<&'static str> {
    let marks = ClaimFeatures::of(&word.lower);
    if PARTS_OF_DAY.contains(&word.lower) || !marks.numbers.is_empty() {
        return Some("time");
    }
    // `may` is a month only when capitalised, and a place is no day
    let day = word.figure || !marks.times.is_empty();
    day.then_some("day")
}
