//! Facts told with "I am": occupation, age, diet, belief, illness, nationality, name.

use super::draft::{Before, Draft};
use super::lists::{BELIEFS, CONDITIONS, DIETS, GREETINGS, NATIONS, OCCUPATIONS};
use super::sentence::Sentence;
use super::slot::FactSlot;
use super::value::{named, organisation, until};
use crate::text::claims::lists::{ENDS, NO_NAMES};
use std::ops::Range;

/// Words that judge: "I'm a terrible cook" names no occupation.
const JUDGING: &[&str] = &[
    "best", "better", "good", "great", "terrible", "worst", "bad", "big", "huge", "decent", "only",
    "real", "slow", "fast", "natural", "born", "horrible", "awful", "amazing", "lucky", "true",
];
/// Nouns for who likes what stands before them.
const LOVERS: &[&str] = &[
    "lover", "enthusiast", "buff", "fanatic", "nerd", "addict", "aficionado", "fan", "geek",
];
const PARENTS: &[&str] = &[
    "mom", "mum", "mother", "dad", "father", "parent", "grandmother", "grandfather", "grandma",
    "grandpa",
];

/// The words of an occupation from `at` on, without article and age.
pub(super) fn role(s: &Sentence<'_>, at: usize) -> Option<Range<usize>> {
    let range = phrase(s, at)?;
    let head = s.lower(range.end - 1);
    let named = OCCUPATIONS.contains(head) || head.ends_with("ologist");
    let judged = range.clone().any(|at| s.is(at, JUDGING));
    (named && !judged && range.len() <= 6).then_some(range)
}

/// A noun phrase without article and age, up to a preposition.
fn phrase(s: &Sentence<'_>, at: usize) -> Option<Range<usize>> {
    const BEFORE: [&str; 16] = [
        "that", "who", "at", "in", "from", "of", "with", "for", "by", "to", "on", "living",
        "working", "based", "myself", "as",
    ];
    let range = until(s, at, |place| {
        place > at && (ENDS.contains(s.lower(place)) || s.is(place, &BEFORE))
    })?;
    let mut from = range.start + usize::from(s.is(range.start, &["a", "an"]));
    from += usize::from(years(s, from).is_some());
    (from < range.end).then_some(from..range.end)
}

/// "32-year-old".
fn years(s: &Sentence<'_>, at: usize) -> Option<String> {
    let years = s.lower(at).strip_suffix("-year-old")?;
    years.parse::<u8>().is_ok().then(|| years.to_owned())
}

/// The facts of "I am" before these words.
pub(super) fn read(s: &Sentence<'_>, at: usize, before: Before) -> Vec<Draft> {
    if before.many || (before.denied.is_some() && !before.ended) {
        return Vec::new();
    }
    let mut drafts = Vec::new();
    if let Some(age) = years(s, at + usize::from(s.is(at, &["a", "an"]))) {
        drafts.push(Draft {
            slot: FactSlot::Age,
            about: String::new(),
            value: age,
            words: before.start..at + 2,
            ended: false,
        });
    }
    let kind = match s.is(at, &["a", "an"]) {
        true => kind_of(s, at, before.start),
        false => quality(s, at, before),
    };
    let workplace = workplace(s, kind.as_ref(), before.start);
    drafts.extend(kind.into_iter().chain(workplace));
    for draft in &mut drafts {
        draft.ended = before.ended;
    }
    drafts
}

/// The employer named after an occupation: "a nurse at Siemens".
pub(super) fn workplace(s: &Sentence<'_>, work: Option<&Draft>, start: usize) -> Option<Draft> {
    let at = work.filter(|it| it.slot == FactSlot::Work)?.words.end;
    let name = match s.lower(at) {
        _ if s.border(at) => None,
        "at" => organisation(s, at + 1),
        "for" => named(s, at + 1),
        _ => None,
    };
    name.map(|name| Draft::of(s, start, FactSlot::Employer, "", name))
}

/// "I am a ...".
fn kind_of(s: &Sentence<'_>, at: usize, start: usize) -> Option<Draft> {
    if let Some(role) = role(s, at) {
        return Some(Draft::of(s, start, FactSlot::Work, "", role));
    }
    let range = phrase(s, at)?;
    let head = s.lower(range.end - 1);
    let slot = match head {
        "student" | "graduate" | "freshman" | "sophomore" => FactSlot::Education,
        "person" | "member" => return None,
        _ if DIETS.contains(head) && head != "diet" && head != "raw" => FactSlot::Diet,
        _ if BELIEFS.contains(head) => FactSlot::Beliefs,
        _ if CONDITIONS.contains(head) => FactSlot::Health,
        _ => return of_likes(s, range, start),
    };
    let about = match slot {
        FactSlot::Education => "student".to_owned(),
        FactSlot::Health => s.key(range.end - 1..range.end),
        _ => String::new(),
    };
    Some(Draft::of(s, start, slot, about, range))
}

/// "a huge coffee lover", "a single mother of two".
fn of_likes(s: &Sentence<'_>, range: Range<usize>, start: usize) -> Option<Draft> {
    const DEGREE: [&str; 8] = [
        "huge", "big", "avid", "massive", "total", "real", "true", "bit",
    ];
    let head = range.end - 1;
    if s.is(head, LOVERS) && !(s.is(head, &["fan"]) && s.is(head + 1, &["of"])) {
        let from = range.clone().find(|&at| !s.is(at, &DEGREE))?;
        let told = from < head && head - from <= 3;
        return told.then(|| {
            let mut draft = Draft::of(s, start, FactSlot::Likes, s.key(from..head), from..head);
            draft.words.end = range.end;
            draft
        });
    }
    let of = s
        .is(range.end, &["of"])
        .then(|| until(s, range.end, |at| ENDS.contains(s.lower(at))));
    let parent = s.is(head, PARENTS) && range.len() <= 3;
    let range = range.start
        ..of.flatten()
            .map_or(range.end, |of| of.end.min(of.start + 3));
    parent.then(|| Draft::of(s, start, FactSlot::Family, "children", range))
}

/// "I am vegan", "I am 34", "I am married".
fn quality(s: &Sentence<'_>, at: usize, before: Before) -> Option<Draft> {
    if let Some(age) = aged(s, at, before) {
        return Some(age);
    }
    let closed =
        |at: usize| s.border(at) || s.is(at, &["and", "but", "so", "now", "with", "since"]);
    let end = (at..s.len().min(at + 4)).find(|&at| closed(at + 1))? + 1;
    let head = s.lower(end - 1);
    let slot = match head {
        "retired" | "unemployed" | "self-employed" => FactSlot::Work,
        "single" | "married" | "divorced" | "engaged" | "widowed" => FactSlot::Partner,
        _ if DIETS.contains(head) && head != "diet" && head != "raw" => FactSlot::Diet,
        _ if BELIEFS.contains(head) => FactSlot::Beliefs,
        _ if CONDITIONS.contains(head) && adjective(head) => FactSlot::Health,
        _ if NATIONS.contains(head) && s.capital(end - 1) => FactSlot::Origin,
        _ => return None,
    };
    // "I'm not sure I'm single": only adjectives of degree may stand before it
    let plain = (at..end - 1).all(|at| {
        let word = s.lower(at);
        word.ends_with("ly") || s.is(at, &["lactose", "gluten", "half", "a", "strict", "color"])
    });
    let from = if head == "intolerant" { at } else { end - 1 };
    let about = match slot {
        FactSlot::Partner => "status".to_owned(),
        FactSlot::Health => s.key(from..end),
        _ => String::new(),
    };
    plain.then(|| Draft::of(s, before.start, slot, about, from..end))
}

fn adjective(word: &str) -> bool {
    [
        "diabetic", "asthmatic", "dyslexic", "autistic", "epileptic", "intolerant", "celiac",
        "deaf", "colorblind", "color-blind",
    ]
    .contains(&word)
}

/// "34", "34 years old".
pub(super) fn aged(s: &Sentence<'_>, at: usize, before: Before) -> Option<Draft> {
    let years: u8 = s
        .lower(at)
        .parse()
        .ok()
        .filter(|years| (5..120).contains(years))?;
    let old = s.says(at + 1, "years old");
    let plain = !s.gap(at + 1).contains(['%', '.', ':', '/']) || s.gap(at + 1).trim() == ".";
    let closed = s.border(at + 1) || s.is(at + 1, &["and", "now", "last", "this", "today", "in"]);
    let end = if old { at + 3 } else { at + 1 };
    let mut draft = Draft::of(s, before.start, FactSlot::Age, "", at..end);
    draft.value = years.to_string();
    ((old || closed) && plain && before.denied.is_none()).then_some(draft)
}

/// "Hi, I'm Luna": a name after a greeting, or the name that the speaker goes by.
pub(super) fn introduced(s: &Sentence<'_>, at: usize, speaker: Option<&str>) -> Option<Draft> {
    let end = (at + 1..at + 4).find(|&at| s.border(at) || s.is(at, &["and"]))?;
    let name = at + 1..end;
    let capital = !name.is_empty() && name.clone().all(|at| s.capital(at));
    let word = s.lower(at + 1);
    let known = NO_NAMES.contains(word) || NATIONS.contains(word) || BELIEFS.contains(word);
    let own = speaker.is_some_and(|speaker| speaker.trim().to_lowercase().starts_with(word));
    let greeted = GREETINGS.contains(s.lower(0)) && at <= 4;
    (capital && !known && (own || greeted)).then(|| Draft::of(s, at, FactSlot::Name, "", name))
}
