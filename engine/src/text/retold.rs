//! Whether a sentence only tells a clause again, with fewer of its words.
//!
//! The same words in another order, another tense or without what weakened them make another claim:
//! "Dave paid Clara", "she lived there", "I want to move". So a sentence keeps the order of the
//! clause, its tenses and helping verbs, and its doubts; it may put a speaker's name for "I", leave
//! out what stands before its subject and after its verb, and say a time at another place. English
//! only; where the rules are not sure, they say no.

use super::marks::is_number;
use super::said::{Token, base, tokens, word_stems};
use super::words::stem;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that make what follows less than a statement, in any form.
const DOUBTS: &str = "if maybe perhaps might may want hope wish plan almost nearly unless try \
    think probably suppose doubt wonder whether used guess dream consider imagine pretend say tell \
    hear heard claim believe promise ask stop quit avoid refuse fail forget forgot deny until \
    except";
/// Helping verbs that make a statement of something that is not (yet) so.
const MODALS: [&str; 5] = ["will", "would", "can", "could", "should"];
/// Small words that say which part something plays.
const PLACES: [&str; 19] = [
    "to", "from", "into", "out", "off", "by", "for", "with", "without", "as", "about", "than",
    "of", "except", "against", "near", "over", "under", "through",
];
/// Words that may stand between subject and verb and change neither.
const ADVERBS: &str = "also really just now then always often still finally recently already soon \
    so even once again actually";
const OTHERS: [&str; 6] = ["you", "he", "she", "they", "him", "them"];

/// Which part a person plays by the form of the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Subject,
    Object,
    Owner,
    /// A name does not show it.
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Speaker(Part),
    Other,
    Word { stem: String, owner: bool },
}

/// A word of content or for a person.
#[derive(Debug)]
struct Told {
    what: What,
    lower: String,
    is_name: bool,
    is_time: bool,
    /// The last of [`PLACES`] before it, after the word before.
    place: Option<String>,
}

/// A sentence in such words.
#[derive(Debug, Default)]
struct Telling {
    told: Vec<Told>,
    helpers: BTreeSet<&'static str>,
    doubts: BTreeSet<String>,
}

/// Whether `sentence` tells `clause` again, which a speaker of a name of the stems `speaker` said.
/// Words of `dates` may stand anywhere: what relative dates of the clause mean.
///
/// # Errors
/// The first word, lower-cased, that the clause has otherwise. Cost: linear in the two.
pub(crate) fn retold(
    sentence: &str,
    clause: &str,
    speaker: &BTreeSet<String>,
    dates: &BTreeSet<String>,
) -> Result<(), String> {
    let (own, said) = (Telling::of(sentence, speaker), Telling::of(clause, speaker));
    let left_out = said
        .doubts
        .iter()
        .find(|doubt| !own.doubts.contains(*doubt));
    if let Some(doubt) = left_out {
        return Err(doubt.clone());
    }
    let modal = |helper: &&&str| MODALS.contains(*helper) && !own.helpers.contains(**helper);
    let added = own
        .helpers
        .iter()
        .find(|helper| !said.helpers.contains(*helper));
    let dropped = || said.helpers.iter().find(modal);
    if let Some(helper) = added.or_else(dropped) {
        return Err((*helper).to_owned());
    }
    in_order(&own.told, &said.told, dates)
}

/// Whether the clause's weakening words are all in the sentence.
pub(crate) fn keeps_doubts(sentence: &str, clause: &str) -> bool {
    let none = BTreeSet::new();
    let (own, said) = (Telling::of(sentence, &none), Telling::of(clause, &none));
    said.doubts.is_subset(&own.doubts)
}

fn in_order(own: &[Told], said: &[Told], dates: &BTreeSet<String>) -> Result<(), String> {
    let dated = |told: &Told| match &told.what {
        What::Word { stem, .. } => dates.contains(stem),
        _ => false,
    };
    let floats = |told: &Told| told.is_time || dated(told);
    // "from Monday to Friday" is not from Friday to Monday
    let moved = |told: &&Told| {
        let mut same = said
            .iter()
            .filter(|other| other.what == told.what)
            .peekable();
        told.is_time && same.peek().is_some() && same.all(|other| other.place != told.place)
    };
    if let Some(told) = own.iter().find(moved) {
        return Err(told.lower.clone());
    }
    let own: Vec<&Told> = own.iter().filter(|told| !floats(told)).collect();
    let said: Vec<&Told> = said.iter().filter(|told| !floats(told)).collect();
    let mut from = 0;
    for (nth, told) in own.iter().enumerate() {
        let wrong = || told.lower.clone();
        let found = said[from..]
            .iter()
            .position(|other| told.is(other, nth == 0));
        let at = from + found.ok_or_else(wrong)?;
        let skipped = &said[from..at];
        let may_skip = match nth {
            0 => true,
            // nothing comes between a subject and its verb
            1 => skipped.iter().all(|other| other.is_adverb()),
            _ => !skipped.iter().any(|other| other.is_person()),
        };
        let place = said[at].place == told.place
            || (nth > 0
                && said[at].place.is_none()
                && skipped.iter().any(|o| o.place == told.place));
        if !(may_skip && place) {
            return Err(wrong());
        }
        from = at + 1;
    }
    Ok(())
}

impl Telling {
    fn of(text: &str, speaker: &BTreeSet<String>) -> Self {
        let mut telling = Self::default();
        let mut place = None;
        for token in tokens(text) {
            let lower = token.lower.as_str();
            telling.helpers.extend(helpers(lower));
            if PLACES.contains(&lower) {
                place = Some(lower.to_owned());
            }
            let stem = stem(base(lower));
            if !token.is_time() && is_doubt(&stem) {
                telling.doubts.insert(stem);
            }
            for what in told(&token, speaker) {
                let again = matches!(what, What::Speaker(_))
                    && telling.told.last().is_some_and(|last| last.what == what);
                if !again {
                    telling.told.push(Told {
                        what,
                        lower: token.lower.clone(),
                        is_name: token.capital && token.at > 0,
                        is_time: token.is_time(),
                        place: place.take(),
                    });
                }
            }
        }
        telling
    }
}

fn is_doubt(stemmed: &str) -> bool {
    static STEMS: LazyLock<BTreeSet<String>> =
        LazyLock::new(|| DOUBTS.split_whitespace().map(stem).collect());
    STEMS.contains(stemmed)
}

/// What a word tells: a person, or the stems of its content.
fn told(token: &Token<'_>, speaker: &BTreeSet<String>) -> Vec<What> {
    let lower = token.lower.as_str();
    let part = match base(lower) {
        "i" | "we" => Some(Part::Subject),
        "me" | "us" | "myself" | "ourselves" if token.written != "US" => Some(Part::Object),
        "my" | "our" | "mine" | "ours" => Some(Part::Owner),
        _ => None,
    };
    if let Some(part) = part {
        return vec![What::Speaker(part)];
    }
    if OTHERS.contains(&base(lower)) {
        return vec![What::Other];
    }
    let stems = word_stems(lower);
    let owner = lower.ends_with("'s");
    if token.capital && !stems.is_empty() && stems.is_subset(speaker) {
        return vec![What::Speaker(if owner { Part::Owner } else { Part::Any })];
    }
    let word = |stem: String| What::Word { stem, owner };
    if token.stands_for_a_noun {
        return Vec::new();
    }
    stems.into_iter().map(word).collect()
}

impl Told {
    /// Whether it may stand for a word of the clause; the first of a sentence is its subject.
    fn is(&self, said: &Self, first: bool) -> bool {
        match (&self.what, &said.what) {
            (What::Speaker(own), What::Speaker(said)) => match (own, said) {
                (Part::Owner, part) | (part, Part::Owner) => *part == Part::Owner && own == said,
                (Part::Any, Part::Object) => !first,
                (Part::Any, _) | (_, Part::Any) => true,
                _ => own == said,
            },
            (What::Other, What::Other) => self.lower == said.lower,
            (What::Word { .. }, What::Word { .. }) => {
                self.what == said.what && same_tense(&self.lower, &said.lower)
            }
            _ => false,
        }
    }

    fn is_person(&self) -> bool {
        match self.what {
            What::Speaker(part) => part != Part::Owner,
            What::Other => true,
            What::Word { .. } => self.is_name,
        }
    }

    fn is_adverb(&self) -> bool {
        let known = ADVERBS.split_whitespace().any(|word| word == self.lower);
        !self.is_person() && (known || self.lower.ends_with("ly"))
    }
}

/// Whether two forms of one word are of one tense; only what cannot differ in it may differ.
fn same_tense(a: &str, b: &str) -> bool {
    let (a, b) = (base(a), base(b));
    let past = |word: &str| word.len() > 4 && word.ends_with("ed");
    let going_on = |word: &str| word.len() > 4 && word.ends_with("ing");
    // "went" and "older": no ending shows what they are
    let odd = |word: &str| {
        let figure = word.split('-').any(is_number);
        let stems: String = word_stems(word).into_iter().collect();
        let ends = |end: &&str| word.ends_with(end);
        let plain = ["s", "ed", "ing"].iter().any(ends) || word.starts_with(&stems);
        let compares = ["er", "est"]
            .iter()
            .any(|end| ends(end) && !stems.ends_with(end));
        !figure && (!plain || compares)
    };
    a == b || (past(a) == past(b) && going_on(a) == going_on(b) && !odd(a) && !odd(b))
}

/// The helping verbs in a word, without those that `do` makes of the present.
fn helpers(lower: &str) -> Vec<&'static str> {
    let verb = match lower.strip_suffix("n't") {
        Some("ca") => "can",
        Some("wo") => "will",
        Some(verb) => verb,
        None if lower == "cannot" => "can",
        None => lower,
    };
    let one = match verb {
        "am" | "is" | "are" => "is",
        "was" | "were" => "was",
        "have" | "has" => "has",
        "had" => "had",
        "will" => "will",
        "would" => "would",
        "can" => "can",
        "could" => "could",
        "should" => "should",
        "do" | "does" => "does",
        "did" => "did",
        _ => return drawn_together(lower),
    };
    vec![one]
}

fn drawn_together(lower: &str) -> Vec<&'static str> {
    const SMALL: [&str; 10] = [
        "she", "he", "it", "that", "there", "what", "who", "here", "where", "this",
    ];
    let Some((word, ending)) = lower.split_once('\'') else {
        return Vec::new();
    };
    match ending {
        "m" | "re" => vec!["is"],
        "ve" => vec!["has"],
        "ll" => vec!["will"],
        "d" => vec!["had", "would"],
        "s" if SMALL.contains(&word) => vec!["has", "is"],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_alice(sentence: &str, clause: &str) -> Result<(), String> {
        let alice = BTreeSet::from(["alic".to_owned()]);
        let dates = ["2025", "6"].map(str::to_owned).into();
        retold(sentence, clause, &alice, &dates)
    }

    #[test]
    fn a_clause_may_be_told_again_in_fewer_words() {
        for (clause, sentence) in [
            ("I moved to Paris in May.", "Alice moved to Paris"),
            (
                "Yesterday I moved to Paris.",
                "Alice moved to Paris on 6 March 2025",
            ),
            ("and I don't like the rain.", "Alice does not like rain"),
            ("I'm a nurse now.", "Alice is a nurse"),
            ("I really love my old cats.", "Alice loves her old cats"),
            ("My sister Clara has two cats.", "Clara has 2 cats"),
            (
                "My sister Clara has two cats.",
                "Alice's sister Clara has two cats",
            ),
            ("Clara and I went to Rome.", "Clara and Alice went to Rome"),
            (
                "I think Clara lives in Rome.",
                "Alice thinks Clara lives in Rome",
            ),
            ("She told me that she paid.", "She told Alice that she paid"),
            ("I'll call the doctor.", "Alice will call the doctor"),
        ] {
            assert_eq!(of_alice(sentence, clause), Ok(()), "{clause} / {sentence}");
        }
    }

    #[test]
    fn another_claim_of_the_same_words_is_none() {
        for (clause, sentence) in [
            ("Dave paid Clara.", "Clara paid Dave"),
            ("Dave owes me 100.", "Alice owes Dave 100"),
            ("Bob gave me two cats.", "Alice gave two cats"),
            ("My sister lives in Rome.", "Alice lives in Rome"),
            ("My sister lives in Rome, I think.", "Alice lives in Rome"),
            ("I told Clara to move to Rome.", "Alice moved to Rome"),
            ("I sold two cats.", "Alice has two cats"),
            ("I hate swimming.", "Alice swims"),
            ("I met a doctor.", "Alice is a doctor"),
            ("I was a nurse.", "Alice is a nurse"),
            ("I lived in Rome.", "Alice lives in Rome"),
            ("I used to live in Rome.", "Alice lives in Rome"),
            ("I want to live in Rome.", "Alice lives in Rome"),
            ("If I move to Rome I sell the car.", "Alice moves to Rome"),
            ("I will call the doctor.", "Alice calls the doctor"),
            ("I moved from Rome to Paris.", "Alice moved to Rome"),
            ("The dog bit Clara.", "Clara bit the dog"),
            ("Clara's brother lives in Rome.", "Clara lives in Rome"),
            ("I go to Rome.", "Alice went to Rome"),
            ("I let the dog swim.", "Alice swims"),
            (
                "I work from Monday to Friday.",
                "Alice works from Friday to Monday",
            ),
        ] {
            assert!(of_alice(sentence, clause).is_err(), "{clause} / {sentence}");
        }
    }
}
