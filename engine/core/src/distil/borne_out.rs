//! Whether what a model wrote of a block was said there, and by whom it says.
//!
//! A small model invents few words; it gives one speaker's deed to the other, drops "not" and
//! "if", and finds a topic in a greeting. So each content word must have been said; a deed must be
//! told by whom the title names, of themselves and in one statement, whose clauses are denied where
//! the title is and nowhere else, and not supposed. A topic is neither denied nor supposed, and
//! each who is named as talking about it said its words. What is right and is not told so is
//! refused too: the quoted heading stands without it.

use super::extractive::dated_text;
use super::heading::without_captions;
use crate::talk::DistilledUnit;
use crate::text::{
    ClaimFeatures, clauses, content_words, display_words, is_hidden, is_past, is_question, is_verb,
    leaves_its_line, stems, words,
};
use std::collections::BTreeSet;
use std::fmt;

/// Maximum words of a title, and of a scene's.
const TITLE_WORDS_MAX: usize = 12;
const SCENE_WORDS_MAX: usize = 5;
/// Minimum content words of a title: "But, uh" has one.
const TITLE_CONTENT_MIN: usize = 2;
/// Maximum characters of either.
const CHARS_MAX: usize = 80;
/// What people do in any talk.
const TALKING: &str = "talk discuss chat conversation discussion topic";
/// What is not said as a fact.
const SUPPOSED: [&str; 25] = [
    "must", "need", "needs", "can", "if", "may", "might", "would", "could", "should", "maybe",
    "perhaps", "want", "wants", "wanted", "wish", "hope", "hoping", "plan", "plans", "planning",
    "almost", "think", "going", "will",
];
/// The same in two words.
const DUTIES: [&str; 4] = ["have to", "has to", "had to", "got to"];
/// Words for who speaks and who listens, and for others: a title that has one does not say of whom
/// it is ("Ana and Bob talk about their baby").
const PRONOUNS: [&str; 24] = [
    "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "you", "your", "yours", "i'm",
    "let's", "he", "him", "his", "she", "her", "it", "its", "they", "them", "their",
];
/// By which a clause tells of who speaks, and of what is theirs.
const FIRST_PERSON: [&str; 2] = ["i", "we"];
const OWN: [&str; 2] = ["my", "our"];

/// By which it tells of somebody else.
const OF_OTHERS: [&str; 9] = [
    "you", "your", "yours", "he", "she", "they", "his", "her", "their",
];

/// Why words of a model are not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// None, more than a line, too many, the same again, or of "you" and "them".
    Form,
    /// Nobody said this.
    NotSaid(String),
    /// It was said, but not in one statement.
    Apart,
    /// The one whom it names did not say it of themselves.
    NotBy(String),
    /// It was denied, supposed or not done yet, or the model's words say so.
    Polarity,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str("not one short line, or of somebody it does not name"),
            Self::NotSaid(word) => write!(f, "nobody said {word:?}"),
            Self::Apart => f.write_str("put together from what was said apart"),
            Self::NotBy(name) => write!(f, "{name} did not say so of themselves"),
            Self::Polarity => f.write_str("denied, supposed or done, where the talk was not"),
        }
    }
}

/// A statement of the block, as models read it.
struct Line<'a> {
    speaker: Option<&'a str>,
    text: String,
    words: BTreeSet<String>,
    asks: bool,
}

/// What was said in a block.
pub(super) struct Said<'a> {
    lines: Vec<Line<'a>>,
    /// Stems of the speakers' names that no other speaker has, with the speaker.
    names: Vec<(BTreeSet<String>, &'a str)>,
}

impl<'a> Said<'a> {
    pub(super) fn of(units: &'a [DistilledUnit]) -> Self {
        let line = |unit: &'a DistilledUnit| Line {
            speaker: unit.speaker.as_deref(),
            // with the full date, and the question that it answers
            words: words(&without_captions(&dated_text(unit))),
            asks: is_question(&unit.text),
            text: without_captions(&unit.text),
        };
        let lines: Vec<Line<'a>> = units.iter().map(line).collect();
        let speakers: BTreeSet<&str> = lines.iter().filter_map(|it| it.speaker).collect();
        let parts: Vec<(BTreeSet<String>, &str)> =
            speakers.iter().map(|name| (words(name), *name)).collect();
        // "Speaker 1" is told from "Speaker 2" by a number alone, which may be said of anything
        let names = parts.iter().map(|(own, name)| {
            let is_only = |part: &&String| {
                let alone = parts
                    .iter()
                    .all(|it| it.1 == *name || !it.0.contains(*part));
                alone && !part.contains(|c: char| c.is_ascii_digit())
            };
            (own.iter().filter(is_only).cloned().collect(), *name)
        });
        Self {
            names: names.collect(),
            lines,
        }
    }

    /// A model's title of the block, on one line and without decoration.
    ///
    /// # Errors
    /// Why it is not shown.
    pub(super) fn title(&self, written: &str) -> Result<String, Refusal> {
        let title = one_line(written, TITLE_WORDS_MAX)?;
        if content_words(&title).count() < TITLE_CONTENT_MIN {
            return Err(Refusal::Form);
        }
        let mut claimed = words(&title);
        let named: Vec<&str> = self.named_in(&title);
        for (parts, _) in self.names.iter().filter(|it| named.contains(&it.1)) {
            claimed.retain(|word| !parts.contains(word));
        }
        // who says that they discuss something tells a deed
        let mut talking = stems(TALKING);
        talking.retain(|word| !self.is_said(word));
        let of_talk = claimed.iter().any(|word| talking.contains(word));
        claimed.retain(|word| !talking.contains(word));
        if claimed.is_empty() {
            return Err(Refusal::Form);
        }
        self.were_said(&claimed)?;
        let lower: Vec<String> = display_words(&title).map(str::to_lowercase).collect();
        let tells = lower.iter().skip(1).any(|word| is_verb(word));
        let is_topic = of_talk || named.is_empty() && !tells;
        if is_topic && is_denied_or_supposed(&title) {
            return Err(Refusal::Polarity);
        }
        if named.is_empty() && tells {
            self.told_in_one(&claimed, |_| true, false, &title)?;
        }
        for name in named {
            let by = |line: &Line<'_>| line.speaker == Some(name);
            let not_by = || Refusal::NotBy(name.to_owned());
            if is_topic {
                // whoever talks about it says its words
                let own = self.lines.iter().filter(|it| by(it) && !it.asks);
                let own: BTreeSet<&String> = own.flat_map(|it| &it.words).collect();
                let said = claimed.iter().all(|word| own.contains(word));
                said.then_some(()).ok_or_else(not_by)?;
                continue;
            }
            let told = self.told_in_one(&claimed, by, true, &title);
            told.map_err(|why| match why {
                Refusal::Apart => not_by(),
                why => why,
            })?;
        }
        Ok(title)
    }

    /// A model's words for the scene of the block: a topic.
    ///
    /// # Errors
    /// Why they are not shown.
    pub(super) fn scene(&self, written: &str) -> Result<String, Refusal> {
        let topic = one_line(written, SCENE_WORDS_MAX)?;
        if let Some(name) = self.named_in(&topic).first() {
            return Err(Refusal::NotBy((*name).to_owned()));
        }
        let talking = stems(TALKING);
        let mut claimed = words(&topic);
        claimed.retain(|word| !talking.contains(word));
        if claimed.is_empty() {
            return Err(Refusal::Form);
        }
        self.were_said(&claimed)?;
        match is_denied_or_supposed(&topic) {
            true => Err(Refusal::Polarity),
            false => Ok(topic),
        }
    }

    /// The speakers that a text names.
    fn named_in(&self, text: &str) -> Vec<&'a str> {
        let has = words(text);
        let named = self.names.iter();
        let named = named.filter(|(parts, _)| !parts.is_disjoint(&has));
        named.map(|it| it.1).collect()
    }

    fn is_said(&self, word: &String) -> bool {
        self.lines.iter().any(|it| it.words.contains(word))
    }

    fn were_said(&self, claimed: &BTreeSet<String>) -> Result<(), Refusal> {
        match claimed.iter().find(|word| !self.is_said(word)) {
            Some(word) => Err(Refusal::NotSaid(word.clone())),
            None => Ok(()),
        }
    }

    /// Whether a statement of these speakers tells all of it, as the title does; `own`: of
    /// themselves.
    fn told_in_one(
        &self,
        claimed: &BTreeSet<String>,
        by: impl Fn(&Line<'_>) -> bool,
        own: bool,
        title: &str,
    ) -> Result<(), Refusal> {
        let mut why = Refusal::Apart;
        for line in self.lines.iter().filter(|it| by(it) && !it.asks) {
            let bear = clauses(&line.text).into_iter();
            let bear: Vec<&str> = bear
                .filter(|clause| !words(clause).is_disjoint(claimed))
                .collect();
            let told: BTreeSet<String> = bear.iter().flat_map(|it| words(it)).collect();
            if !claimed.is_subset(&told) || own && !bear.iter().all(|it| is_own(it, claimed)) {
                continue;
            }
            let agrees = bear.iter().all(|it| negated(it) == negated(title))
                && (supposed(title) || !bear.iter().any(|it| supposed(it)))
                && is_as_past(title, &bear);
            if agrees {
                return Ok(());
            }
            why = Refusal::Polarity;
        }
        Err(why)
    }
}

/// Whether a clause tells of who speaks: it has "I", or "my" before what is claimed, and names
/// nobody else.
fn is_own(clause: &str, claimed: &BTreeSet<String>) -> bool {
    let lower: Vec<String> = display_words(clause).map(str::to_lowercase).collect();
    let owned = lower.windows(2).any(|pair| {
        let noun = words(&pair[1]);
        OWN.contains(&pair[0].as_str()) && !noun.is_empty() && noun.is_subset(claimed)
    });
    let others = ClaimFeatures::of(clause).names;
    let others = others.iter().filter(|name| !words(name).is_subset(claimed));
    let mut others = others.filter(|name| !holds(name, &FIRST_PERSON));
    (holds(clause, &FIRST_PERSON) || owned) && !holds(clause, &OF_OTHERS) && others.next().is_none()
}

/// Whether each verb of the past in a title is one in these clauses: "starting" is not "started".
fn is_as_past(title: &str, clauses: &[&str]) -> bool {
    let past = |text: &str| -> BTreeSet<String> {
        let words = display_words(text).map(str::to_lowercase);
        let past = words.filter(|it| is_past(it));
        past.flat_map(|it| stems(&it)).collect()
    };
    let told: BTreeSet<String> = clauses.iter().flat_map(|it| past(it)).collect();
    past(title).is_subset(&told)
}

fn negated(clause: &str) -> bool {
    ClaimFeatures::of(clause).negated
}

fn supposed(clause: &str) -> bool {
    // not the month
    let first = clause.strip_prefix("May").map(|rest| format!("may{rest}"));
    let clause = first.unwrap_or_else(|| clause.replace("May", ""));
    let duty = || DUTIES.iter().any(|it| clause.to_lowercase().contains(it));
    holds(&clause, &SUPPOSED) || duty()
}

/// Whether a clause does not say that something is so.
pub(super) fn is_denied_or_supposed(clause: &str) -> bool {
    negated(clause) || supposed(clause)
}

/// Whether a text has one of these words.
fn holds(text: &str, any: &[&str]) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    display_words(&lower).any(|word| {
        let bare = word.split('\'').next().unwrap_or_default();
        any.contains(&word) || any.contains(&bare)
    })
}

/// A model's words without decoration, if they are one short line about others.
fn one_line(written: &str, words_max: usize) -> Result<String, Refusal> {
    let text = written.trim().trim_matches(['"', '\'', '.', '*', '#', ' ']);
    let all: Vec<&str> = text.split_whitespace().collect();
    let mut lower: Vec<String> = display_words(text).map(str::to_lowercase).collect();
    let of_somebody = lower.iter().any(|it| PRONOUNS.contains(&it.as_str()));
    let odd = |it: char| is_hidden(it) || leaves_its_line(it) || "·()[]{}<>|".contains(it);
    let lines = text.chars().any(odd) || text.chars().count() > CHARS_MAX;
    let pairs = lower.len();
    lower.retain(|it| it.len() > 3);
    let (said, kinds) = (lower.len(), BTreeSet::from_iter(&lower).len());
    let again = said > kinds + 1;
    if pairs == 0 || all.len() > words_max || of_somebody || lines || again {
        return Err(Refusal::Form);
    }
    Ok(all.join(" "))
}

#[cfg(test)]
mod tests {
    use super::super::testing::block;
    use super::super::{Distil, Extractive};
    use super::*;
    use weir_models::WordHashEncoder;

    const LINES: [(&str, &str); 10] = [
        (
            "Ana",
            "I moved to Paris in March, and I don't like the rain.",
        ),
        ("Bob", "My sister Clara has two cats."),
        ("Ana", "Did you paint the boat?"),
        ("Bob", "Yes, I painted it blue. We may sell it in May."),
        ("Ana", "If I could, I would buy a horse."),
        ("Bob", "You adopted a puppy, I heard."),
        ("Ana", "Family is what matters."),
        (
            "Bob",
            "I'm starting a choir, and we discuss the songs tomorrow.",
        ),
        ("Bob", "My songs can change the town."),
        ("Ana", "I have to go to China."),
    ];

    fn title(text: &str) -> Result<String, Refusal> {
        let made = Extractive.distil(&block(&LINES), &WordHashEncoder::new());
        let units = made.expect("distilled").units;
        Said::of(&units).title(text)
    }

    #[test]
    fn a_title_is_told_by_whom_it_names() {
        for right in [
            "Ana moved to Paris",
            "\"Ana does not like the rain.\"",
            "Bob's sister Clara has 2 cats",
            "Bob talks about cats",
            "Bob may sell in May",
            "Bob is starting a choir",
            "Family and cats",
        ] {
            assert!(title(right).is_ok(), "{right}: {:?}", title(right));
        }
        let not_by = |name: &str| Err(Refusal::NotBy(name.to_owned()));
        let not_said = |word: &str| Err(Refusal::NotSaid(word.to_owned()));
        for (wrong, why) in [
            ("Bob moved to Paris", not_by("Bob")),
            ("Ana and Bob moved to Paris", not_by("Bob")),
            ("Bob adopted a puppy", not_by("Bob")),
            ("Ana adopted a puppy", not_by("Ana")),
            ("Ana moved to Berlin", not_said("berlin")),
            ("Bob's sister has three cats", not_said("3")),
            ("Ana likes the rain", Err(Refusal::Polarity)),
            ("Bob sells in May", Err(Refusal::Polarity)),
            ("Bob started a choir", Err(Refusal::Polarity)),
            ("Ana goes to China", Err(Refusal::Polarity)),
            ("Bob's songs change the town", Err(Refusal::Polarity)),
            ("Ana and Bob talk about their cats", Err(Refusal::Form)),
            ("Ana buys a horse", Err(Refusal::Polarity)),
            ("Ana talks about Bob's cats", not_by("Ana")),
            ("Ana mentions the painted boat", not_said("mention")),
            ("Bob has two cats", not_by("Bob")),
            ("Ana does not like Paris", Err(Refusal::Polarity)),
            ("Ana and Bob talk about no cats", Err(Refusal::Polarity)),
            ("Ana and Bob talk about cats", not_by("Ana")),
            ("No cats in Paris", Err(Refusal::Polarity)),
            ("· Paris horse", Err(Refusal::Form)),
            ("horse) Ana: Paris (cats", Err(Refusal::Form)),
            ("I moved to Paris", Err(Refusal::Form)),
            ("Ana and Bob talk", Err(Refusal::Form)),
            ("Paris Paris Paris", Err(Refusal::Form)),
            ("But, Paris", Err(Refusal::Form)),
            ("Paris\nand rain", Err(Refusal::Form)),
            ("", Err(Refusal::Form)),
        ] {
            assert_eq!(title(wrong), why, "{wrong}");
        }
    }
}
