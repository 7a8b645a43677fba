//! Opinions of a statement, made of what a language model marks in it (DAM-LLM, section 3.3.2).
//!
//! The model says which words name a thing, what is felt about it, and whether that is worth
//! keeping. What stays here is exact: the name of the thing without articles, which side belongs
//! to which thing, and why an opinion does not count as the speaker's own of today.

mod doubt;
mod opinion;

pub use doubt::Doubt;
pub use opinion::{ObjectKind, Opinion, Sentiment};

use super::words::{display_words, is_content_word, without_possessive};
use std::ops::Range;
use weir_models::{Annotation, Thing};

/// Maximum number of opinions of one statement.
pub const OPINIONS_MAX: usize = 4;
/// The largest strength of a feeling. The smallest is 0.
pub const STRENGTH_MAX: f32 = 3.0;
/// The side of an opinion about a thing as a whole.
const GENERAL: &str = "general";
/// Maximum words of a name.
const NAME_WORDS_MAX: usize = 6;
/// How many times farther a thing seems that stands behind its side.
const BEHIND: usize = 3;
/// Words before a name that are no part of it.
const DETERMINERS: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "my", "your", "his", "her", "its", "our",
    "their", "some", "any", "all", "such", "what", "of", "to",
];
/// Words that name nothing by themselves.
const NAMELESS: &[&str] = &[
    "it", "he", "she", "they", "them", "him", "i", "me", "you", "we", "us", "one", "ones", "who",
    "thing", "things", "something", "anything", "everything", "nothing", "stuff", "lot", "way",
    "being", "having", "doing", "getting", "making",
];
/// Least difference between the chances of a feeling for a thing and of one against it. It was
/// chosen on the chances as the model gives them, before they are calibrated.
const LEANING_MIN: f32 = 0.2;

/// All opinions that a model marked in a statement, in its order, at most [`OPINIONS_MAX`], whether
/// worth keeping or not. `before` is the thing that the talk was about: a side of nothing named
/// here ("the battery is bad") is one of that. Cost: linear in the text.
#[must_use]
pub fn opinions(text: &str, read: &Annotation, before: Option<&str>) -> Vec<Opinion> {
    let whole = |thing: &&Thing| thing.side < 0.5;
    let things = named_things(text, &read.things);
    let things = things.iter();
    let mut all: Vec<Opinion> = Vec::new();
    for thing in things.clone() {
        let sentiment = Sentiment::of(thing.polarity, read.least.polarity_temperature);
        let [positive, negative, _] = thing.polarity;
        let leans = (positive - negative).abs() >= LEANING_MIN;
        let felt = leans && !is_called(text, &thing.bytes);
        let Some(name) = name(text, &thing.bytes).filter(|_| felt) else {
            continue;
        };
        let owns = |it: &&Thing| {
            whole(it) && !is_called(text, &it.bytes) && !is_apart(text, &it.bytes, &thing.bytes)
        };
        let wholes = things.clone().filter(owns);
        let near = wholes.min_by_key(|it| distance(&it.bytes, &thing.bytes));
        let owner = near.and_then(|it| self::name(text, &it.bytes));
        let owner = owner.or_else(|| before.map(str::to_owned));
        let (object, aspect) = match owner.filter(|owner| !whole(&thing) && *owner != name) {
            Some(owner) => (owner, name.to_lowercase()),
            None => (name, GENERAL.to_owned()),
        };
        let known = |it: &Opinion| it.object == object && it.aspect == aspect;
        if !all.iter().any(known) {
            all.push(Opinion {
                object,
                kind: ObjectKind::Other,
                aspect,
                sentiment,
                strength: STRENGTH_MAX * (1.0 - sentiment.neutral),
                doubt: Doubt::of(text, thing.bytes.start),
                keep: thing.keep,
            });
        }
    }
    all.truncate(OPINIONS_MAX);
    all
}

/// The things that a model marked, with two corrections. A comma or a dash separates two things. A
/// lone verb in -ing and its object are one thing: of "running my own shop" a model may mark
/// "running" and "own shop".
fn named_things(text: &str, things: &[Thing]) -> Vec<Thing> {
    let loose = |word: &str| DETERMINERS.contains(&word.to_lowercase().as_str());
    let mut joined: Vec<Thing> = Vec::new();
    for thing in things.iter().flat_map(|it| parted(text, it)) {
        let verb = joined.last_mut().filter(|it| {
            let word = text.get(it.bytes.clone()).unwrap_or_default();
            let between = text.get(it.bytes.end..thing.bytes.start);
            let between = between.filter(|it| !it.trim().is_empty());
            word.ends_with("ing")
                && word.chars().all(char::is_alphabetic)
                && between.is_some_and(|it| it.split_whitespace().all(loose))
        });
        match verb {
            Some(verb) => {
                verb.bytes.end = thing.bytes.end;
                verb.keep = verb.keep.max(thing.keep);
            }
            None => joined.push(thing),
        }
    }
    joined
}

/// The parts of a thing that commas, semicolons and dashes separate.
fn parted(text: &str, thing: &Thing) -> Vec<Thing> {
    let whole = text.get(thing.bytes.clone()).unwrap_or_default();
    let parts = whole.split([',', ';', '–', '—']);
    let parts = parts.flat_map(|part| part.split(" - "));
    let placed = parts.map(str::trim).filter(|part| !part.is_empty());
    let placed = placed.map(|part| {
        // parts are slices of the text
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        Thing {
            bytes: start..start + part.len(),
            ..thing.clone()
        }
    });
    placed.collect()
}

/// What a statement is about, for the statement after it: the last thing as a whole.
#[must_use]
pub fn topic(text: &str, read: &Annotation) -> Option<String> {
    let wholes = read.things.iter().rev().filter(|it| it.side < 0.5);
    wholes.filter_map(|it| name(text, &it.bytes)).next()
}

/// Whether the words call somebody: a name at an end of the text, behind or before a comma. One
/// word may open the call: "Hey Ana, ...".
fn is_called(text: &str, bytes: &Range<usize>) -> bool {
    let parts = [text.get(..bytes.start), text.get(bytes.end..)];
    let [Some(before), Some(behind)] = parts.map(|it| it.map(str::trim)) else {
        return false;
    };
    let name = text[bytes.clone()].starts_with(char::is_uppercase);
    let opens = display_words(before).count() <= 1 && behind.starts_with(',');
    let ends = before.ends_with(',') && !behind.contains(char::is_alphanumeric);
    name && (opens || ends)
}

/// Whether two things are named side by side, in a list or in two clauses: neither is then a side
/// of the other.
fn is_apart(text: &str, a: &Range<usize>, b: &Range<usize>) -> bool {
    let between = text.get(a.end.min(b.end)..a.start.max(b.start));
    between.is_some_and(|it| it.contains(',') || ["and", "or", "&"].contains(&it.trim()))
}

/// How far a thing is from a side of it, in bytes; one behind the side seems farther, since most
/// sides are named after their thing.
fn distance(thing: &Range<usize>, side: &Range<usize>) -> usize {
    let before = side.start.saturating_sub(thing.end);
    let behind = thing.start.saturating_sub(side.end);
    before.max(BEHIND * behind)
}

/// The name of a thing: its words from the first to the last with content, in lower case unless
/// they are a name. A word with a hyphen is whole.
fn name(text: &str, bytes: &Range<usize>) -> Option<String> {
    let part = |c: char| c.is_alphanumeric() || c == '-';
    let before = text.get(..bytes.start)?.trim_end_matches(part).len();
    let behind = text.get(bytes.end..)?.trim_start_matches(part).len();
    let bytes = with_initials(text, before..text.len() - behind);
    let words: Vec<&str> = display_words(text.get(bytes.clone())?).collect();
    let loose =
        |it: &&&str| DETERMINERS.contains(&it.to_lowercase().as_str()) || !is_content_word(it);
    let skipped = words.iter().take_while(loose).count();
    let rest = words.iter().skip(skipped).rev();
    let kept = &words[skipped..words.len() - rest.take_while(loose).count()];
    let named = kept
        .iter()
        .any(|it| is_content_word(it) && !NAMELESS.contains(&it.to_lowercase().as_str()));
    if !named || kept.len() > NAME_WORDS_MAX {
        return None;
    }
    // the first word of a sentence has a capital for no reason, unless the next has one too
    let capital = |word: &&str| word.starts_with(char::is_uppercase);
    let opens = !text[..bytes.start].contains(char::is_alphanumeric) && skipped == 0;
    let opens = opens && !kept.get(1).is_some_and(capital);
    let last = kept.len() - 1;
    let lowered = kept.iter().enumerate().map(|(at, word)| {
        let whole = if at == last {
            without_possessive(word)
        } else {
            word
        };
        match capital(word) && !(at == 0 && opens) {
            true => whole.to_owned(),
            false => whole.to_lowercase(),
        }
    });
    Some(lowered.collect::<Vec<_>>().join(" "))
}

/// A name with all its initials: of "J.K. Rowling" a model may mark one part. One initial is none:
/// "plan B. Porto is ...".
fn with_initials(text: &str, bytes: Range<usize>) -> Range<usize> {
    let word = |c: char| c.is_alphanumeric();
    let initial = |it: &str| it.chars().count() == 1 && it.starts_with(char::is_uppercase);
    let (mut whole, mut initials) = (bytes.clone(), 0);
    while let Some(before) = text[..whole.start].trim_end().strip_suffix('.') {
        let first = before.trim_end_matches(word).len();
        if !initial(&before[first..]) {
            break;
        }
        whole.start = first;
        initials += 1;
    }
    loop {
        let last = text[..whole.end].trim_end_matches(word).len();
        if !initial(&text[last..whole.end]) {
            break;
        }
        initials += 1;
        let behind = text[whole.end..].strip_prefix('.').map(str::trim_start);
        let Some(behind) = behind.filter(|it| it.starts_with(char::is_uppercase)) else {
            break;
        };
        whole.end = text.len() - behind.trim_start_matches(word).len();
    }
    match initials >= 2 && text[bytes.start..].starts_with(char::is_uppercase) {
        true => whole,
        false => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::Least;

    #[test]
    fn a_name_has_its_initials_its_capitals_and_no_ending() {
        let of = |text: &str, words: &str| {
            let start = text.find(words).expect("words of the text");
            name(text, &(start..start + words.len()))
        };
        let writer = "J.K. Rowling is such an inspiring writer.";
        for part in ["J", "K", "Rowling"] {
            assert_eq!(of(writer, part).as_deref(), Some("J K Rowling"), "{part}");
        }
        let plan = "So much for plan B. Porto is great.";
        assert_eq!(of(plan, "plan").as_deref(), Some("plan"));
        assert_eq!(of(plan, "Porto").as_deref(), Some("Porto"));
        assert_eq!(
            of("Harry Potter is my favorite.", "Harry Potter").as_deref(),
            Some("Harry Potter")
        );
        assert_eq!(of("Yoga's my favorite.", "Yoga's").as_deref(), Some("yoga"));
        assert_eq!(of("I met U. S. envoys.", "U").as_deref(), Some("U S"));
    }

    /// A thing of these words, with the chance of a feeling for it and of one against it.
    fn thing(text: &str, words: &str, side: f32, [positive, negative]: [f32; 2]) -> Thing {
        let start = text.find(words).expect("words of the text");
        Thing {
            bytes: start..start + words.len(),
            side,
            polarity: [positive, negative, 1.0 - positive - negative],
            keep: 0.9,
        }
    }

    fn read(text: &str, things: &[(&str, f32, [f32; 2])], before: Option<&str>) -> Vec<Opinion> {
        let things = things.iter().map(|it| thing(text, it.0, it.1, it.2));
        let read = Annotation {
            things: things.collect(),
            least: Least {
                polarity_temperature: 1.0,
                ..Least::default()
            },
            ..Annotation::default()
        };
        opinions(text, &read, before)
    }

    #[test]
    fn a_side_belongs_to_the_nearest_thing() {
        let text = "My new phone has a bad battery, the Lumia a great screen.";
        let things = [
            ("My new phone", 0.1, [0.1, 0.1]),
            ("battery", 0.9, [0.0, 0.9]),
            ("Lumia", 0.1, [0.1, 0.0]),
            ("screen", 0.9, [0.8, 0.1]),
        ];
        let all = read(text, &things, None);
        let named: Vec<_> = all.iter().map(|it| (&*it.object, &*it.aspect)).collect();
        assert_eq!(named, [("new phone", "battery"), ("Lumia", "screen")]);
        assert!(all[0].sentiment.leaning() < 0.0 && all[0].strength > 2.5);
    }

    #[test]
    fn a_side_alone_is_of_what_was_said_before_or_a_thing() {
        let things = [("The battery", 0.9, [0.0, 0.9])];
        let of = |before| read("The battery is bad.", &things, before).remove(0);
        let phone = of(Some("phone"));
        assert_eq!((&*phone.object, &*phone.aspect), ("phone", "battery"));
        let alone = of(None);
        assert_eq!((&*alone.object, &*alone.aspect), ("battery", GENERAL));
    }

    #[test]
    fn things_of_a_list_are_no_sides_of_each_other() {
        let things = [("tea", 0.1, [0.9, 0.0]), ("red wine", 0.9, [0.9, 0.0])];
        let all = read("I love tea and red wine.", &things, None);
        let named: Vec<_> = all.iter().map(|it| (&*it.object, &*it.aspect)).collect();
        assert_eq!(named, [("tea", GENERAL), ("red wine", GENERAL)]);
    }

    #[test]
    fn things_are_parted_at_commas_and_a_verb_keeps_what_it_is_done_to() {
        let felt = [0.9, 0.0];
        let things = [("running", 0.1, felt), ("own shop", 0.1, felt)];
        let all = read("I love running my own shop.", &things, None);
        let named: Vec<_> = all.iter().map(|it| it.object.as_str()).collect();
        assert_eq!(named, ["running my own shop"]);
        let things = [("running", 0.1, felt), ("tea", 0.1, felt)];
        let all = read("I love running and tea.", &things, None);
        assert_eq!(all.len(), 2);
        let text = "I love chocolate, raspberry and mint - best ice cream.";
        let things = [
            ("chocolate, raspberry", 0.1, felt),
            ("mint - best ice cream", 0.1, felt),
        ];
        let all = read(text, &things, None);
        let named: Vec<_> = all.iter().map(|it| it.object.as_str()).collect();
        assert_eq!(named, ["chocolate", "raspberry", "mint", "best ice cream"]);
        let alone = [("Being", 0.1, felt)];
        assert!(read("Being with them is great.", &alone, None).is_empty());
    }

    #[test]
    fn a_name_has_whole_words_and_ends_in_one_with_content() {
        let text = "I love the dairy-free cake of my aunt.";
        let name = |words| {
            read(text, &[(words, 0.1, [0.9, 0.0])], None)
                .remove(0)
                .object
        };
        assert_eq!(name("dairy"), "dairy-free");
        assert_eq!(name("free cake of my"), "dairy-free cake");
    }

    #[test]
    fn what_is_nameless_or_felt_nothing_about_gives_none() {
        assert!(read("It is great.", &[("It", 0.1, [0.9, 0.0])], None).is_empty());
        assert!(
            read(
                "The thing is great.",
                &[("The thing", 0.1, [0.9, 0.0])],
                None
            )
            .is_empty()
        );
        assert!(read("I saw Rome.", &[("Rome", 0.1, [0.15, 0.0])], None).is_empty());
        let called = [
            "That's awesome, Ana!", "Ana, that's awesome!", "Hey Ana, wow!",
        ];
        for text in called {
            assert!(read(text, &[("Ana", 0.1, [0.9, 0.0])], None).is_empty());
        }
        assert!(read("Rome is odd.", &[("Rome", 0.1, [0.5, 0.45])], None).is_empty());
    }
}
