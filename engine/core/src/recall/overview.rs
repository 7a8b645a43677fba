//! Questions about memory itself ("how long have we talked?", "what do you know about Mia?", "what
//! was said in the last ten minutes?") and messages that ask nothing.
//!
//! A question that names nothing besides talk, people and times asks about the talk as a whole.
//! Any other question is about what was said.

use super::candidate::Candidate;
use super::found::Found;
use super::named;
use super::query::Query;
use super::telling::Told;
use super::when::{Days, OCCASION, is_of_time, recent_ms};
use crate::answer::{Overview, OverviewOf, Question};
use crate::text::{content_words, display_words, in_words, stems, terms, without_possessive};

/// What people do when they talk, with any ending.
const SPEAKING: &str = "say tell mention discuss talk speak spoken";
/// The same without an object.
const TALKING: &str = "talk speak spoken";
/// What memory does, and what is wanted of it.
const REMEMBERING: &str = "hear listen remember know happen miss utterance sentence everything \
    summary summarise summarize recap overview outline topic";
const PEOPLE: &str = "people speaker voice everybody everyone";
/// Words that may stand beside them.
const BESIDE: &str = "give show list short brief main whole please start long many much first";
const PURPOSE: &[&str] = &[
    "who are you", "what are you", "what can you do", "what can i ask", "what can i ask you",
    "help",
];
const GREETINGS: &[&str] = &[
    "hi", "hello", "hey", "thanks", "thank", "you", "ok", "okay", "good", "morning", "evening",
    "there", "bye", "who", "what", "when", "where", "why", "how", "which", "yes", "no",
];
/// These refer to something said before, and the question is about that.
const REFERRING: &[&str] = &["he", "she", "him", "her", "his", "it", "its", "them"];
/// A question that begins so asks about something that was said.
const ABOUT_WHAT_WAS_SAID: &[&str] = &[
    "where", "why", "which", "is", "are", "was", "were", "did", "does", "has", "have", "had",
    "should",
];

/// What a question asks about memory itself; `None` for any other question.
pub(super) fn asked(question: &Question, query: &Query, found: &Found<'_>) -> Option<OverviewOf> {
    let words: Vec<String> = display_words(&question.text)
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect();
    let whole: Vec<&str> = words.iter().map(String::as_str).collect();
    let words: Vec<&str> = words.iter().map(|it| without_possessive(it)).collect();
    let text = words.join(" ");
    if words.iter().all(|word| GREETINGS.contains(word)) || PURPOSE.contains(&&*text) {
        return Some(OverviewOf::Purpose);
    }
    let person = match words.as_slice() {
        ["who", "is" | "am", "i" | "me"] => Some(of_asker(question)),
        ["who", "is", name @ ..] | ["who", name @ ..] if !name.is_empty() => query
            .speaker_called(&name.join(" "))
            .map(OverviewOf::Person),
        _ => None,
    };
    let of_talk = || {
        // "the last meeting" is one that memory heard, whatever people said of meetings
        let is_a_topic = !query.last_time && found.speaks_of_occasions(&words);
        of_talk(question, query, (&words, &text), is_a_topic)
    };
    let of_names = || named::asked(&whole, question.asked_by.as_deref());
    person.or_else(of_talk).or_else(of_names)
}

/// What a question asks about the talk as a whole.
fn of_talk(
    question: &Question,
    query: &Query,
    (words, text): (&[&str], &str),
    is_a_topic: bool,
) -> Option<OverviewOf> {
    let told = stems(text);
    let any = |of: &str| !stems(of).is_disjoint(&told);
    let occasion = words.iter().any(|word| OCCASION.contains(word)) && !is_a_topic;
    let all = stems(&[SPEAKING, REMEMBERING, PEOPLE, BESIDE].join(" "));
    let names_more = |word: &&str| {
        let of_talk = !is_a_topic && OCCASION.contains(word)
            || stems(word).is_subset(&all)
            || is_of_time(word);
        content_words(word).next().is_some() && !of_talk && !query.is_part_of_person(word)
    };
    let of_me = text.contains("about me")
        || words.contains(&"i") && (any(SPEAKING) || query.days.is_some());
    let by_memory = ["you say", "you said", "you told"]
        .iter()
        .any(|it| text.contains(it));
    let refers = words.iter().any(|it| REFERRING.contains(it)) || words.ends_with(&["that"]);
    if words.iter().any(names_more) || refers || by_memory {
        return None;
    }
    // what was done on a day is what was said of it
    let is_of_talk = any(SPEAKING) || any(REMEMBERING) || occasion || query.days.is_some();
    let named = words.iter().any(|word| query.is_part_of_person(word));
    match *words.first()? {
        "who" => (any(TALKING) || occasion).then_some(OverviewOf::People),
        "how" if any(PEOPLE) => Some(OverviewOf::People),
        "how" | "when" => (is_of_talk && !named).then_some(OverviewOf::Extent),
        first if !is_of_talk || ABOUT_WHAT_WAS_SAID.contains(&first) => None,
        _ if of_me => Some(of_asker(question)),
        _ => {
            let mut named = query.speakers().iter().filter(|name| {
                let mut parts = name.split_whitespace();
                parts.any(|part| words.contains(&part.to_lowercase().as_str()))
            });
            let only = named.next().filter(|_| named.next().is_none());
            Some(only.map_or(OverviewOf::Talk, |name| OverviewOf::Person(name.clone())))
        }
    }
}

fn of_asker(question: &Question) -> OverviewOf {
    let asker = question.asked_by.clone();
    asker.map_or(OverviewOf::Asker, OverviewOf::Person)
}

impl<'a> Found<'a> {
    /// Whether people talked of a meeting, or what else of that kind the question names: then it
    /// asks about that one, and not about their talk.
    fn speaks_of_occasions(&self, words: &[&str]) -> bool {
        let mut named = words.iter().filter(|word| OCCASION.contains(word));
        named.any(|word| {
            let terms = terms(word);
            let speaks = |found: &Candidate<'_>| {
                !found.traits.question && terms.iter().all(|it| found.words.contains(it))
            };
            self.ranked.iter().any(speaks)
        })
    }

    /// The answer to a question about memory itself.
    pub(super) fn overview(&self) -> Option<Overview> {
        let of = self.overview_of.clone()?;
        let mut days: Vec<_> = self.ranked.iter().filter_map(Candidate::said_on).collect();
        days.sort_unstable();
        days.dedup();
        let mut was_said = false;
        let plain = |(statements, of_statements)| Told {
            of: of.clone(),
            names: Vec::new(),
            statements,
            of_statements,
        };
        let told = match &of {
            OverviewOf::Person(name) => {
                let is = |speaker: &str| speaker.to_lowercase() == name.to_lowercase();
                let by = |it: &Candidate<'a>| it.speaker().is_some_and(is);
                let at = self.is_of_the_time(None);
                was_said = self.ranked.iter().any(|it| by(it) && at(it));
                plain(self.telling(|it| by(it) && at(it)))
            }
            OverviewOf::Talk => {
                let last = days.last().filter(|_| self.query.last_time);
                let last = last.map(|last| Days::one(*last..=*last));
                let named = self.query.people_asked.as_deref();
                let all = named.is_none_or(|named| named == "you");
                let by = |it: &Candidate<'a>| all || self.query.is_about(it.speaker());
                let at = self.is_of_the_time(last);
                plain(self.telling(|it| by(it) && at(it)))
            }
            OverviewOf::Named(name) => self.told_of_name(name)?,
            OverviewOf::NamedBy { whom, kind } => self.named_by(whom, *kind)?,
            OverviewOf::Between(a, b) => self.told_between(a, b)?,
            OverviewOf::Extent | OverviewOf::People | OverviewOf::Asker | OverviewOf::Purpose => {
                plain((Vec::new(), 0))
            }
        };
        Some(Overview {
            of: told.of,
            heard: self.session.turns(),
            session_ms: self.session.now_ms(),
            days: days
                .first()
                .zip(days.last())
                .map(|(first, last)| (in_words(*first), in_words(*last), days.len())),
            people: self.query.speakers().to_vec(),
            was_said,
            asked_days: self.query.days.as_ref().map(ToString::to_string),
            names: told.names,
            statements: told.statements,
            of_statements: told.of_statements,
        })
    }

    /// Tells whether a statement was made at the time that the question names, if it names one;
    /// `last` is the day of the last talk, if the question asks for that.
    fn is_of_the_time(&self, last: Option<Days>) -> impl Fn(&Candidate<'a>) -> bool {
        let recent = recent_ms(&self.query.text);
        let now = self.question.at.unix_ms.or(self.session.now_unix_ms());
        let session_ms = self.session.now_ms();
        move |found| match (recent, &last) {
            (Some(ms), _) => match now.zip(found.said_at_unix_ms()) {
                Some((now, said)) => said.saturating_add_unsigned(ms) >= now,
                None => found.said_ms().saturating_add(ms) >= session_ms,
            },
            (None, Some(last)) if self.query.days.is_none() => {
                found.said_on().is_some_and(|day| last.contains(&day))
            }
            _ => self.is_of_days(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::telling::{STATEMENTS_MAX, WORDS_MAX};
    use super::super::testing::{question, told};
    use crate::answer::OverviewOf;

    /// The statements of an overview of talk with these statements of Ana.
    fn overview(said: &[String]) -> Vec<String> {
        let said: Vec<(&str, &str)> = said.iter().map(|it| ("Ana", it.as_str())).collect();
        let memory = told(&said);
        let asked = question("What did we talk about?");
        let recall = memory.session().search(&asked).assemble(400);
        let overview = recall.reading.overview.expect("it asks for an overview");
        assert_eq!(overview.of_statements, said.len());
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
    fn the_last_talk_is_one_that_was_heard_also_if_people_speak_of_talks() {
        let memory = told(&[
            ("Ana", "A lot happened since our chat in May."),
            ("Bob", "Yes."),
        ]);
        let of = |text: &str| {
            let asked = question(text);
            let recall = memory.session().search(&asked).assemble(400);
            recall.reading.overview.map(|it| it.of)
        };
        let last = of("What was the last chat about?");
        assert_eq!(last, Some(OverviewOf::Talk));
        assert_eq!(of("What was the chat about?"), None);
    }

    #[test]
    fn questions_about_the_talk_name_nothing_else() {
        let memory = told(&[("Ana", "I sold the boat."), ("Bob", "The boat leaked.")]);
        let of = |text: &str| {
            let asked = question(text);
            let recall = memory.session().search(&asked).assemble(400);
            recall.reading.overview.map(|it| it.of)
        };
        for text in [
            "What was the meeting about?",
            "Summarise.",
            "Can you give me a short recap of today?",
            "what has been said in the last five minutes",
            "What did I miss?",
            "What was our last chat about?",
            "What happened?",
            "Tell me everything that was discussed",
            "A summary, please",
        ] {
            assert_eq!(of(text), Some(OverviewOf::Talk), "{text}");
        }
        for text in [
            "How many people spoke?",
            "Who was talking?",
            "Who was in the meeting?",
        ] {
            assert_eq!(of(text), Some(OverviewOf::People), "{text}");
        }
        for text in ["How long did we talk?", "when did we first talk"] {
            assert_eq!(of(text), Some(OverviewOf::Extent), "{text}");
        }
        for text in [
            "What did Bob say today?",
            "Tell me about Bob",
            "Who is Bob?",
        ] {
            assert_eq!(of(text), Some(OverviewOf::Person("Bob".into())), "{text}");
        }
        for text in [
            "What did Bob say about the boat?",
            "What did she say?",
            "Who said that?",
            "What else?",
            "What happened to the boat?",
            "Did Bob talk?",
            "How old is Bob?",
            "Where did we talk?",
            "Who is it?",
            "What did you say?",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
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
