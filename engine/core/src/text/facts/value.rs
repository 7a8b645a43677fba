//! Where the value of a fact ends, and which values say too little.

use super::lists::{
    CONNECTORS, DEICTIC, DWELLINGS, FOLLOWING_VERBS, LAST_WORDS, NEW_SUBJECTS, OTHER_OWNERS,
    REASONS, TRANSIENT, VAGUE,
};
use super::sentence::Sentence;
use crate::text::claims::lists::ENDS;
use crate::text::dates::month_named;
use crate::text::words::is_content_word;
use std::ops::Range;

/// Longest value, in words.
pub(super) const VALUE_WORDS_MAX: usize = 12;
/// Longest item of a list, in words.
const ITEM_WORDS_MAX: usize = 4;

/// The words that begin a name: "Lisbon", "the University of Porto", "Lisbon, Portugal".
pub(super) fn named(s: &Sentence<'_>, at: usize) -> Option<Range<usize>> {
    let first = at + usize::from(s.is(at, &["a", "an", "the"]) && s.capital(at + 1));
    if !s.capital(first) || s.border(first) || s.is(first, &["i", "i'm"]) {
        return None;
    }
    let mut end = first + 1;
    while end < s.len() && end - first < 6 && !s.border(end) {
        let joins = CONNECTORS.contains(s.lower(end)) && s.capital(end + 1);
        let own = s.is(end + usize::from(joins), &["i", "i'm", "i've"]);
        if !s.capital(end) && !joins || own {
            break;
        }
        end += 1 + usize::from(joins);
    }
    let region = s.gap(end).starts_with(", ") && s.capital(end) && !s.is(end, &["i", "i'm"]);
    if region && s.border(end + 1) && end < s.len() {
        end += 1;
    }
    Some(first..end)
}

/// A name, or a dwelling without one: "a small flat near the river".
pub(super) fn place(s: &Sentence<'_>, at: usize) -> Option<Range<usize>> {
    if let Some(name) = named(s, at) {
        return Some(name);
    }
    let range = until(s, at, |at| ENDS.contains(s.lower(at)))?;
    let article = s.is(at, &["a", "an"]);
    (article && range.clone().any(|at| DWELLINGS.contains(s.lower(at)))).then_some(range)
}

/// A name or something with an indefinite article: "Siemens", "a bank".
pub(super) fn organisation(s: &Sentence<'_>, at: usize) -> Option<Range<usize>> {
    if let Some(name) = named(s, at) {
        return Some(name);
    }
    let range = until(s, at, |at| {
        ENDS.contains(s.lower(at)) || s.is(at, &["in", "that", "as", "to"])
    })?;
    let plain = s.is(at, &["a", "an"]) && range.len() <= ITEM_WORDS_MAX + 1;
    let vague = s.is(
        range.end - 1,
        &["bit", "while", "lot", "time", "project", "day", "company"],
    );
    (plain && !vague).then_some(range)
}

/// "on 3 May", "in June".
pub(super) fn dated(s: &Sentence<'_>, at: usize) -> Option<Range<usize>> {
    let at = at + usize::from(s.is(at, &["on", "in", "the"]));
    let range = until(s, at, |at| ENDS.contains(s.lower(at)))?;
    let month = range.clone().any(|at| month_named(s.lower(at)).is_some());
    (month && range.len() <= 5).then_some(range)
}

/// The words up to a border or to a word that ends them, at most twelve.
pub(super) fn until(
    s: &Sentence<'_>,
    at: usize,
    ends: impl Fn(usize) -> bool,
) -> Option<Range<usize>> {
    let stop = |place: usize| place > at && s.border(place) || ends(place);
    let end = (at..s.len()).find(|&place| stop(place)).unwrap_or(s.len());
    let mut end = end.min(at + VALUE_WORDS_MAX);
    while end > at && LAST_WORDS.contains(s.lower(end - 1)) {
        end -= 1;
    }
    (end > at).then_some(at..end)
}

/// A phrase of any words: what is liked, planned or known.
///
/// `None` where it points at something said before ("I love it", "I like that idea"), holds for
/// today only, says nothing ("I want to learn new things"), or is cut before its noun.
pub(super) fn free(s: &Sentence<'_>, at: usize) -> Option<Range<usize>> {
    let mut range = until(s, at, |place| ends_phrase(s, place))?;
    if s.border(at) {
        return None;
    }
    // "waking up with you"
    let before = [
        "with", "to", "for", "of", "by", "from", "about", "on", "at", "in", "that",
    ];
    let cut = s.is(range.end, &before) && !s.border(range.end);
    if cut && s.is(range.end + 1, PRONOUNS) && !s.border(range.end + 1) {
        return None;
    }
    if s.gap(range.end).starts_with(',') && items(s, range.clone()).len() == 1 {
        let more = over_comma(s, &range);
        if more.is_none() && adjective(s.lower(range.end - 1)) && continues(s, range.end) {
            return None;
        }
        range.end = more.unwrap_or(range.end);
    }
    // a quotation that does not end inside the phrase
    let opened = usize::from(s.gap(range.start).ends_with('"'));
    let marks = opened + s.slice(range.clone()).matches('"').count();
    if (marks + usize::from(s.gap(range.end).starts_with('"'))) % 2 == 1 {
        return None;
    }
    let that = range
        .end
        .checked_sub(2)
        .is_some_and(|at| s.is(at, &["that"]));
    (says_enough(s, &range) && !that).then_some(range)
}

const PRONOUNS: &[&str] = &[
    "i", "i'm", "i've", "i'll", "you", "he", "she", "we", "they", "it's",
];

/// The end of a phrase that goes on after a comma between adjectives: "long, harsh winters".
fn over_comma(s: &Sentence<'_>, range: &Range<usize>) -> Option<usize> {
    let at = range.end;
    let more = until(s, at, |place| ends_phrase(s, place))?;
    let clause = more.clone().any(|at| s.is(at, &["is", "was", "has"]));
    let fits = more.end - range.start <= VALUE_WORDS_MAX;
    let last = s.lower(at - 1);
    let short = range.len() <= 2
        && !last.ends_with('s')
        && ![last, s.lower(at)].iter().any(|word| word.ends_with("ing"));
    let led = adjective(last) || short || range.len() > 1 && s.is(at - 2, &["a", "an"]);
    (led && fits && !clause && continues(s, at)).then_some(more.end)
}

/// Whether words after a comma belong to the noun phrase before it.
fn continues(s: &Sentence<'_>, at: usize) -> bool {
    let word = s.lower(at);
    let apart = s.capital(at)
        || at >= s.len()
        || NOT_ADJECTIVES.contains(&word)
        || LAST_WORDS.contains(word)
        || REASONS.contains(word)
        || NEW_SUBJECTS.contains(word)
        || FOLLOWING_VERBS.contains(word)
        || DEICTIC.contains(word);
    !apart && s.gap(at) == ", "
}

/// Whether a word is an adjective, by its ending or as one of the commonest.
fn adjective(word: &str) -> bool {
    const ENDINGS: [&str; 10] = [
        "ive", "al", "ous", "ic", "ful", "less", "able", "ible", "ish", "ary",
    ];
    const NOUNS: [&str; 9] = [
        "music", "animal", "festival", "logic", "topic", "comic", "rehearsal", "classical",
        "mythical",
    ];
    const COMMON: [&str; 42] = [
        "small", "large", "dry", "loud", "modern", "unique", "quiet", "long", "simple", "intense",
        "cold", "hot", "dark", "bright", "fresh", "safe", "big", "short", "sharp", "slow", "fast",
        "crowded", "bustling", "noisy", "busy", "lengthy", "cozy", "clean", "soft", "strong",
        "high-end", "fancy", "old", "new", "warm", "cool", "bland", "raw", "plain", "concise",
        "straightforward", "clear",
    ];
    let ending = word.len() > 4 && ENDINGS.iter().any(|ending| word.ends_with(ending));
    COMMON.contains(&word) || ending && !NOUNS.contains(&word)
}

/// Words after a comma that do not go on with a list of adjectives.
const NOT_ADJECTIVES: &[&str] = &[
    "including", "especially", "particularly", "even", "such", "which", "who", "whether", "thanks",
    "man", "rather", "plus", "except", "let's", "hence", "unless",
];

fn ends_phrase(s: &Sentence<'_>, at: usize) -> bool {
    let next = s.lower(at + 1);
    let adverb = next.ends_with("ly") && FOLLOWING_VERBS.contains(s.lower(at + 2));
    let joined = s.is(at, &["and", "or", "but", "so", "as", "&"]);
    REASONS.contains(s.lower(at))
        || s.is(at, &["but", "so"])
        || joined && (NEW_SUBJECTS.contains(next) || FOLLOWING_VERBS.contains(next) || adverb)
        || s.is(
            at,
            &[
                "i", "i'm", "i've", "i'll", "you", "he", "she", "we", "they", "it's",
            ],
        )
        || s.says(at, "any more")
        || s.says(at, "these days")
        || s.says(at, "as i")
        || s.says(at, "as they")
        || s.says(at, "as it")
}

pub(super) fn says_enough(s: &Sentence<'_>, range: &Range<usize>) -> bool {
    let first = s.lower(range.start);
    let second = s.lower(range.start + 1);
    let of_talk = |at: usize| OTHER_OWNERS.contains(s.lower(at)) || TRANSIENT.contains(s.lower(at));
    let definite = ["the", "my", "our"].contains(&first) && !DWELLINGS.contains(second);
    let sensed = ["taste", "sound", "smell", "texture", "sight", "noise"].contains(&second)
        && s.is(range.start + 2, &["of"]);
    let known = definite && (sensed || KNOWN_THINGS.contains(&second) && range.len() == 2);
    let general = first == "anything" && ["involving", "with", "that"].contains(&second)
        || first == "having" && second == "to";
    let to_talk = first == "to" && DEICTIC.contains(second);
    let content = range
        .clone()
        .filter(|&at| is_content_word(s.lower(at)) && !VAGUE.contains(s.lower(at)))
        .count();
    let long = range.len() > 1 || s.lower(range.start).len() > 2;
    let pointing = DEICTIC.contains(first) && !general || to_talk;
    !pointing && (known || !definite) && !range.clone().any(of_talk) && content > 0 && long
}

/// Things that an article makes general, not one that was spoken of.
const KNOWN_THINGS: &[&str] = &[
    "beach", "ocean", "sea", "outdoors", "mountains", "snow", "rain", "sun", "piano", "guitar",
    "violin", "drums", "cello", "flute", "theatre", "theater", "cinema", "arts", "cold", "heat",
    "countryside", "gym", "saxophone", "trumpet", "ukulele", "clarinet", "banjo", "harp",
];

/// The items of a list with commas ("painting, chess and tea tasting") or of two alike ("tea and
/// coffee"); the phrase as a whole where it is no list.
///
/// A list goes on over commas, so items may end after `range`.
pub(super) fn items(s: &Sentence<'_>, range: Range<usize>) -> Vec<Range<usize>> {
    let is_and = |at: &usize| s.is(*at, &["and", "or"]);
    let mut items = vec![range.clone()];
    let mut at = range.end;
    let list = range.len() <= ITEM_WORDS_MAX && !adjective(s.lower(range.end - 1));
    while list && s.gap(at).trim_end() == "," && items.len() < 6 {
        let from = at + usize::from(is_and(&at));
        let next = until(s, from, |place| ends_phrase(s, place));
        // "shooting near beaches, mountains": the mountains are near, too
        let of_place = range
            .clone()
            .any(|at| s.is(at, &["near", "in", "at", "on", "of", "with"]));
        let apart = !of_place || s.lower(from).ends_with("ing");
        let Some(next) = next.filter(|next| apart && item(s, next)) else {
            break;
        };
        at = next.end;
        items.push(next);
    }
    let many = items.len() > 1;
    let Some(last) = items.pop() else {
        return items;
    };
    // the last comma may stand before "and": then the item before it is whole
    let led = last.start.checked_sub(1).is_some_and(|at| is_and(&at));
    let split = last
        .clone()
        .find(is_and)
        .filter(|&at| at > last.start && at + 1 < last.end);
    let alike = |at: usize| {
        let gerunds = s.lower(last.start).ends_with("ing") && s.lower(at + 1).ends_with("ing");
        let single = at - last.start == 1 && last.end - at == 2;
        many || single || gerunds
    };
    let parts = |at: usize| [last.start..at, at + 1..last.end];
    match split.filter(|&at| alike(at) && !led) {
        Some(at) if parts(at).iter().all(|part| item(s, part)) => items.extend(parts(at)),
        // commas without a last "and" separate clauses as often as items
        _ if many && !led => items.truncate(1),
        _ => items.push(last),
    }
    items
}

fn item(s: &Sentence<'_>, range: &Range<usize>) -> bool {
    let split = range.clone().find(|&at| s.is(at, &["and", "or"]));
    if let Some(at) = split.filter(|&at| at > range.start && at + 1 < range.end) {
        return item(s, &(range.start..at)) && item(s, &(at + 1..range.end));
    }
    range.len() <= ITEM_WORDS_MAX
        && says_enough(s, range)
        && !FOLLOWING_VERBS.contains(s.lower(range.start))
        && !NEW_SUBJECTS.contains(s.lower(range.start))
        && !range
            .clone()
            .any(|at| s.is(at, &["is", "are", "was", "has", "who", "which"]))
}
