//! Questions about memory itself ("how long have we talked?", "what do you know about Mia?", "what
//! did we talk about yesterday?") and messages that ask nothing.
//!
//! A few English phrases identify them. Everything else is a question about what was said.

use super::candidate::{Candidate, Source};
use super::found::Found;
use super::query::Query;
use super::when::Days;
use crate::answer::{Overview, OverviewOf, Question, Statement};
use crate::text::{content_words, display_words, in_words, month_named, stands_for, weekday};
use std::collections::BTreeSet;

/// Maximum number of statements in an overview.
const STATEMENTS_MAX: usize = 6;
const WORDS_MAX: usize = 90;
/// Statements with fewer content words are too vague for an overview.
const CONTENT_MIN: usize = 3;

/// Questions; `a|b` stands for either word.
const EXTENT: &[&str] = &[
    "how long have we|you talked|listened",
    "how long have we|you been talking|listening",
    "how much have you heard",
    "how much do you know|remember",
    "how many conversations|utterances|sentences have we|you had|heard",
    "when did we first|last talk",
    "when did we|you start talking|listening",
    "when did you first hear us",
];
const KNOWN_OF: &[&str] = &[
    "what do you know|remember about|of",
    "what have you heard about",
    "tell me about",
    "tell me all|everything about",
    "who is|am",
    "who's",
];
const TALK: &[&str] = &[
    "what did we|they talk about",
    "what have we talked about",
    "what was talked about",
    "what was discussed",
    "what did you hear",
    "what have you heard",
    "what do you know|remember",
    "summarise|summarize the conversation",
    "summarise|summarize",
    "a|the summary",
];
/// Words that may follow such a phrase; any other word makes it a question about what was said.
const TALK_TAIL: &[&str] = &[
    "last", "time", "yesterday", "today", "on", "in", "the", "this", "previous", "week", "month",
    "year", "ago", "day", "days", "weeks", "so", "far",
];
const PURPOSE: &[&str] = &[
    "who|what are you", "what can you do", "what can i ask", "what can i ask you", "help",
];
const GREETINGS: &[&str] = &[
    "hi", "hello", "hey", "thanks", "thank", "you", "ok", "okay", "good", "morning", "evening",
    "there", "bye", "who", "what", "when", "where", "why", "how", "which", "yes", "no",
];

/// What a question asks about memory itself; `None` for any other question.
pub(super) fn asked(question: &Question, query: &Query) -> Option<OverviewOf> {
    let words: Vec<String> = display_words(&question.text)
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect();
    let is = |phrases: &[&str]| rest(&words, phrases).is_some_and(<[_]>::is_empty);
    if words.iter().all(|word| GREETINGS.contains(&word.as_str())) || is(PURPOSE) {
        return Some(OverviewOf::Purpose);
    }
    if is(EXTENT) {
        return Some(OverviewOf::Extent);
    }
    if let Some(whom) = rest(&words, KNOWN_OF).filter(|whom| !whom.is_empty()) {
        let whom = whom.join(" ");
        return match (whom.as_str(), &question.asked_by) {
            ("me" | "i" | "myself", Some(asker)) => Some(OverviewOf::Person(asker.clone())),
            ("me" | "i" | "myself", None) => Some(OverviewOf::Asker),
            _ => query.speaker_called(&whom).map(OverviewOf::Person),
        };
    }
    let told = rest(&words, &["give|show me"]).unwrap_or(&words);
    let tail = rest(told, TALK)?;
    let of_days = tail.iter().all(|word| is_of_days(word));
    // without a clock, no day can be resolved
    let known =
        query.days.is_some() || query.last_time || tail.is_empty() || *tail == ["so", "far"];
    (of_days && known).then_some(OverviewOf::Talk)
}

/// The words after the first of some phrases that the words begin with.
fn rest<'w>(words: &'w [String], phrases: &[&str]) -> Option<&'w [String]> {
    phrases.iter().find_map(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        let (start, rest) = words.split_at_checked(phrase.len())?;
        let mut pairs = start.iter().zip(phrase);
        pairs.all(|(word, of)| stands_for(of, word)).then_some(rest)
    })
}

/// Whether a word can be part of the name of a day, month or time.
fn is_of_days(word: &str) -> bool {
    TALK_TAIL.contains(&word)
        || word.starts_with(|first: char| first.is_ascii_digit())
        || month_named(word).is_some()
        || weekday(word).is_some()
}

impl Found<'_> {
    /// The answer to a question about memory itself.
    pub(super) fn overview(&self) -> Option<Overview> {
        let of = self.overview_of.clone()?;
        let mut days: Vec<_> = self.ranked.iter().filter_map(Candidate::said_on).collect();
        days.sort_unstable();
        days.dedup();
        let statements = match &of {
            OverviewOf::Person(name) => {
                let name = name.to_lowercase();
                let by = |it: &Candidate<'_>| {
                    it.speaker()
                        .is_some_and(|speaker| speaker.to_lowercase() == name)
                };
                self.telling(by)
            }
            OverviewOf::Talk => {
                let last = |days: &[jiff::civil::Date]| days.last().map(|last| *last..=*last);
                let asked: Option<Days> = match &self.query.days {
                    Some(days) => Some(days.clone()),
                    None if self.query.last_time => last(&days),
                    None => None,
                };
                let on = |it: &Candidate<'_>| match &asked {
                    Some(asked) => it.said_on().is_some_and(|day| asked.contains(&day)),
                    None => true,
                };
                self.telling(on)
            }
            OverviewOf::Extent | OverviewOf::Asker | OverviewOf::Purpose => Vec::new(),
        };
        Some(Overview {
            of,
            heard: self.session.turns(),
            session_ms: self.session.now_ms(),
            days: days
                .first()
                .zip(days.last())
                .map(|(first, last)| (in_words(*first), in_words(*last), days.len())),
            people: self.query.speakers().to_vec(),
            statements,
        })
    }

    /// The most informative of the wanted statements, one per utterance, in the order said.
    fn telling(&self, wanted: impl Fn(&Candidate<'_>) -> bool) -> Vec<Statement> {
        let tells = |found: &&Candidate<'_>| {
            let many = || {
                found
                    .said()
                    .is_some_and(|it| content_words(it).count() >= CONTENT_MIN)
            };
            wanted(found) && !found.traits.question && many()
        };
        let mut best: Vec<&Candidate<'_>> = self.ranked.iter().filter(tells).collect();
        best.sort_by(|a, b| {
            salience(b)
                .total_cmp(&salience(a))
                .then(a.said_ms().cmp(&b.said_ms()))
        });
        let (mut taken, mut length): (Vec<&Candidate<'_>>, usize) = (Vec::new(), 0);
        let mut said: BTreeSet<String> = BTreeSet::new();
        for found in best {
            let shown = found.display_text().unwrap_or_default();
            let words = shown.split_whitespace().count();
            let content: BTreeSet<String> = content_words(&shown).collect();
            let again = content.intersection(&said).count() * 2 > content.len();
            let beside = taken.iter().any(|other| other.said_with(found));
            if taken.len() < STATEMENTS_MAX && length + words <= WORDS_MAX && !again && !beside {
                taken.push(found);
                length += words;
                said.extend(content);
            }
        }
        taken.sort_by_key(|found| found.said_ms());
        taken
            .into_iter()
            .map(|found| super::support::answer(found, 1.0, &self.query))
            .collect()
    }
}

fn salience(found: &Candidate<'_>) -> f32 {
    match found.source {
        Source::Unit(unit) => unit.salience,
        Source::Raw(..) => f32::MIN,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{question, told};
    use super::{STATEMENTS_MAX, WORDS_MAX};

    /// The statements of an overview of talk with these statements of Ana.
    fn overview(said: &[String]) -> Vec<String> {
        let said: Vec<(&str, &str)> = said.iter().map(|it| ("Ana", it.as_str())).collect();
        let memory = told(&said);
        let asked = question("What did we talk about?");
        let recall = memory.session().search(&asked).assemble(400);
        let overview = recall.reading.overview.expect("it asks for an overview");
        overview.statements.into_iter().map(|it| it.text).collect()
    }

    /// A statement of this many things that no other one names.
    fn statement(n: usize, things: usize) -> String {
        let ends = ["ax", "ox", "ib", "um", "el", "or"];
        let begins = [
            "bar", "tin", "gol", "mer", "sap", "lun", "fid", "pol", "kir", "nam", "ost", "wel",
        ];
        let things = begins[..things]
            .iter()
            .map(|it| format!("the {it}{}", ends[n]));
        let things: Vec<String> = things.collect();
        format!("We carried {}.", things.join(" and "))
    }

    #[test]
    fn short_statements_are_told_up_to_their_number() {
        let said: Vec<String> = (0..6).map(|n| statement(n, 4)).collect();
        assert_eq!(overview(&said).len(), STATEMENTS_MAX);
    }

    #[test]
    fn long_statements_are_told_up_to_a_number_of_words() {
        let said: Vec<String> = (0..6).map(|n| statement(n, 12)).collect();
        let told = overview(&said);
        let words: usize = told.iter().map(|it| it.split_whitespace().count()).sum();
        assert!(words <= WORDS_MAX, "{words}");
        assert!(told.len() >= 2, "{told:?}");
    }
}
