//! Parses a question: its terms and their rarity, the people it names, the kind of answer it wants.

use super::ambiguous::{ambiguous, means_nobody};
use super::asked::Asked;
use super::asked_terms::{AskedTerms, Raw, is_heard, place, places, raw};
use super::counts::Counts;
use super::language::language;
use super::spelling::{Meant, meant, unheard};
use super::when::{Days, days_asked, is_of_last_talk};
use crate::analysis::{StatementFlags, Term};
use crate::answer::Question;
use crate::memory::Lexicon;
use crate::session::Session;
use crate::text::{
    ClaimFeatures, Code, Language, codes, display_words, is_abbreviation, terms, without_possessive,
};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;

/// What an answer must contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// A number.
    Number,
    /// A day, a month or a year.
    Day,
    /// A day or a time of day.
    Time,
    /// Anything.
    Statement,
}

impl Wants {
    /// Whether a statement with these flags can be such an answer.
    pub(super) fn met_by(self, traits: StatementFlags) -> bool {
        match self {
            Self::Number => traits.number,
            Self::Day => traits.time,
            Self::Time => traits.number || traits.time,
            Self::Statement => true,
        }
    }
}

/// The slots of some units.
#[derive(Debug, Default)]
pub(super) struct Holders(Vec<bool>);

impl Holders {
    fn add(&mut self, slot: u32) {
        let slot = slot as usize;
        if self.0.len() <= slot {
            self.0.resize(slot + 1, false);
        }
        self.0[slot] = true;
    }

    pub(super) fn contains(&self, slot: u32) -> bool {
        self.0.get(slot as usize).copied().unwrap_or(false)
    }
}

/// A parsed question.
#[derive(Debug)]
pub(super) struct Query {
    /// The rarest terms with their rarity in memory, in ascending order of term.
    pub(super) weighted: Vec<(Term, f32)>,
    /// Other forms of them that memory holds, in ascending order, with the index of the term.
    forms: Vec<(Term, usize)>,
    /// Indices of the terms that say what is asked, without the names of speakers.
    pub(super) focus: Vec<usize>,
    /// Speakers that the question is about, lower-cased.
    pub(super) people: BTreeSet<String>,
    /// Indices of the words of their names, including words that the question does not hold.
    named: Vec<usize>,
    asker: Vec<Term>,
    /// The same people as the question writes them.
    pub(super) people_asked: Option<String>,
    /// Share of the names in the question that memory knows; 1 when the question names none.
    pub(super) known_share: f32,
    /// The names that memory does not know, as the question writes them.
    pub(super) unknown: Option<String>,
    /// The question's words, if nobody ever used any of them; empty if memory holds one.
    pub(super) unheard: Vec<String>,
    /// The question as it is meant: see [`meant`].
    pub(super) text: String,
    /// A misspelt name: as in the question, and as memory knows it.
    pub(super) misspelt: Option<(String, String)>,
    /// A name that several speakers share: as in the question, and the speakers.
    pub(super) ambiguous: Option<(String, Vec<String>)>,
    /// Indices of the things that the question says somebody has.
    pub(super) owned: Vec<usize>,
    /// What an answer must contain.
    pub(super) wants: Wants,
    /// The language of the question. Rules for English read no other one.
    pub(super) language: Language,
    /// Properties of the question that weigh its answers.
    pub(super) asked: Asked,
    /// Whether it asks for a past state: "where did she use to live".
    pub(super) past: bool,
    /// The days the question names.
    pub(super) days: Option<Days>,
    /// The terms with a digit that the question names.
    pub(super) codes: Vec<Code>,
    /// The time zone of days.
    pub(super) zone: TimeZone,
    /// Whether it asks about the most recent talk.
    pub(super) last_time: bool,
    /// All speakers still held, as their names are written.
    speakers: Vec<String>,
    /// Cosine at which a statement certainly concerns the question.
    pub(super) full_cosine: f32,
}

impl Query {
    pub(super) fn read(session: &Session, question: &Question) -> Self {
        // tokenise raw talk once for all uses below
        let raw = raw(session);
        let written_names = speakers(session);
        let heard = |term: &Term| is_heard(session, &raw, *term);
        let Meant { question, misspelt } = meant(question, &written_names, |term| heard(&term));
        let question = &*question;
        let marks = ClaimFeatures::of(&question.text);
        let lower = written_names.iter().map(|name| name.to_lowercase());
        let speakers: BTreeSet<String> = lower.collect();
        let language = language(session, question);
        let first_person = language.is_first_person(&question.text);
        let first_person = first_person.unwrap_or(marks.first_person);
        let words = with_names(bare_words(&question.text), &speakers, language);
        let (people, people_asked) = people(question, &speakers, &words, first_person);
        let is_name = |word: &str| people.iter().any(|name| has_part(name, word));
        let beside = |word: &str| language.only_asks(word) || is_name(word);
        let unheard = unheard(&question.text, beside, heard, session.counter());
        // in German every noun has a capital
        let names = language
            .is_english()
            .then(|| unknown(session, &raw, &marks, &speakers));
        let unknown = names.unwrap_or_default();
        let named: BTreeSet<Term> = people.iter().flat_map(|name| terms(name)).collect();
        let AskedTerms {
            weighted,
            forms,
            focus,
        } = AskedTerms::of(session, &raw, language, &question.text, &named);
        let codes = codes_asked(&question.text, language, &people);
        Self {
            forms,
            focus: beside_codes(focus, &codes, &weighted),
            people_asked,
            known_share: 1.0 - unknown.len() as f32 / marks.names.len().max(1) as f32,
            unheard,
            unknown: written(&question.text, |word| unknown.contains(word)),
            owned: places(&weighted, owned(&question.text)),
            wants: wants(&words, &question.text),
            asked: Asked::of(question),
            language,
            past: asks_for_past(&question.text),
            days: days_asked(session, &question.text, &question.at),
            codes,
            zone: question.at.time_zone(),
            last_time: is_of_last_talk(&question.text),
            ambiguous: ambiguous(&question.text, &written_names),
            speakers: written_names,
            misspelt,
            text: question.text.clone(),
            full_cosine: session.config().profile.support_cosine,
            named: places(&weighted, named.iter().copied().collect()),
            asker: without(&named, &weighted),
            weighted,
            people,
        }
    }

    /// Count of each question term in a text.
    pub(super) fn counts(&self, words: &[Term]) -> Counts {
        let mut counts = Counts::default();
        for &word in words {
            if let Some(at) = place(&self.weighted, word) {
                counts.0[at] = counts.0[at].saturating_add(1);
            }
        }
        if self.forms.is_empty() {
            return counts;
        }
        // the same word under both terms counts once
        let mut by_form = Counts::default();
        for &word in words {
            if let Ok(at) = self.forms.binary_search_by_key(&word, |(form, _)| *form) {
                let count = &mut by_form.0[self.forms[at].1];
                *count = count.saturating_add(1);
            }
        }
        counts.or_more(&by_form)
    }

    /// The units that hold any of the question's terms, or a word of the asker's name.
    pub(super) fn holders(&self, lexicon: &Lexicon) -> Holders {
        let mut holders = Holders::default();
        let terms = self.weighted.iter().map(|(term, _)| *term);
        let forms = self.forms.iter().map(|(form, _)| *form);
        for term in terms.chain(forms).chain(self.asker.iter().copied()) {
            for &slot in lexicon.holding(term) {
                holders.add(slot);
            }
        }
        holders
    }

    /// The question's terms and their other forms, rarest first.
    pub(super) fn rarest_first(&self) -> Vec<Term> {
        let mut weighted = self.weighted.clone();
        let forms = self.forms.iter();
        weighted.extend(forms.map(|&(form, at)| (form, self.weighted[at].1)));
        weighted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        weighted.into_iter().map(|(term, _)| term).collect()
    }

    /// Weight and count of each term, for BM25.
    pub(super) fn matched(&self, counts: &Counts) -> impl Iterator<Item = (f32, u32)> {
        let counted = self.weighted.iter().zip(counts.0);
        counted.map(|((_, weight), count)| (*weight, u32::from(count)))
    }

    /// Sum of the rarities of the terms that say what is asked.
    pub(super) fn asked_rarity(&self) -> f32 {
        self.focus.iter().map(|&at| self.weighted[at].1).sum()
    }

    /// Sum of the rarities of those terms whose index `holds` accepts.
    pub(super) fn focus_where(&self, holds: impl Fn(usize) -> bool) -> f32 {
        let held = self.focus.iter().filter(|at| holds(**at));
        held.map(|&at| self.weighted[at].1).sum()
    }

    /// All speakers still held, as their names are written.
    pub(super) fn speakers(&self) -> &[String] {
        &self.speakers
    }

    /// Whether a lower-cased word is part of the name of one of the people in question.
    pub(super) fn is_part_of_person(&self, word: &str) -> bool {
        self.people.iter().any(|name| has_part(name, word))
    }

    /// The only speaker with this name or name part, as the name is written.
    pub(super) fn speaker_called(&self, name: &str) -> Option<String> {
        let is = |speaker: &&String| {
            let lower = speaker.to_lowercase();
            lower == name || has_part(&lower, name)
        };
        let mut called = self.speakers.iter().filter(is);
        let first = called.next()?;
        called.next().is_none().then(|| first.clone())
    }

    /// Whether the speaker is one of the people in question; true when the question names nobody.
    pub(super) fn is_about(&self, speaker: Option<&str>) -> bool {
        let is = |name: &str| {
            speaker.is_some_and(|speaker| {
                speaker.eq_ignore_ascii_case(name)
                    || (!speaker.is_ascii() && speaker.to_lowercase() == name)
            })
        };
        self.people.is_empty() || self.people.iter().any(|name| is(name))
    }

    /// Whether something was said on the days in question; false when the question names none, and
    /// then the closure is not called.
    pub(super) fn is_of_the_days(&self, said_on: impl FnOnce() -> Option<Date>) -> bool {
        let days = self.days.as_ref();
        days.is_some_and(|days| said_on().is_some_and(|said| days.contains(&said)))
    }

    /// Whether a text names one of the people in question.
    pub(super) fn is_named(&self, words: &[Term], counts: &Counts) -> bool {
        self.named.iter().any(|at| counts.has(*at))
            || self.asker.iter().any(|term| words.contains(term))
    }
}

/// The terms that have no place among those of the question.
fn without(terms: &BTreeSet<Term>, weighted: &[(Term, f32)]) -> Vec<Term> {
    let absent = terms
        .iter()
        .filter(|term| place(weighted, **term).is_none());
    absent.copied().collect()
}

/// The terms with a digit that a question names; none is a part of a name, as in "Speaker 2".
fn codes_asked(question: &str, language: Language, people: &BTreeSet<String>) -> Vec<Code> {
    let mut codes = codes(question, language);
    codes.retain(|code| !people.iter().any(|name| code.is_in(name)));
    codes
}

/// The words that tell statements with a code apart: all but the code, if there are others. Only
/// statements with it are admitted.
fn beside_codes(focus: Vec<usize>, codes: &[Code], weighted: &[(Term, f32)]) -> Vec<usize> {
    let of_codes = codes.iter().flat_map(|it| terms(&it.written));
    let of_codes = places(weighted, of_codes.collect());
    let beside = focus.iter().copied().filter(|at| !of_codes.contains(at));
    let beside: Vec<usize> = beside.collect();
    if beside.is_empty() { focus } else { beside }
}

/// The lower-cased words of a question, without a possessive ending.
fn bare_words(text: &str) -> BTreeSet<String> {
    display_words(text)
        .map(|word| without_possessive(word).to_lowercase())
        .collect()
}

/// The words, and the parts of names of which they are a case: "Дмитрию" is Дмитрий. English has
/// none.
fn with_names(
    mut words: BTreeSet<String>,
    speakers: &BTreeSet<String>,
    language: Language,
) -> BTreeSet<String> {
    if language.is_english() {
        return words;
    }
    let stems: BTreeSet<Term> = words.iter().flat_map(|word| terms(word)).collect();
    let parts = speakers.iter().flat_map(|name| name.split_whitespace());
    let meant = parts.filter(|part| terms(part).iter().all(|term| stems.contains(term)));
    let meant: Vec<String> = meant.map(str::to_owned).collect();
    words.extend(meant);
    words
}

/// Speakers that a question is about, lower-cased, and as the question writes them.
fn people(
    question: &Question,
    speakers: &BTreeSet<String>,
    words: &BTreeSet<String>,
    first_person: bool,
) -> (BTreeSet<String>, Option<String>) {
    let parts = |name: &str| -> BTreeSet<String> {
        let named = name.split_whitespace().filter(|part| words.contains(*part));
        named
            .filter(|it| !means_nobody(it))
            .map(str::to_owned)
            .collect()
    };
    // "Anna Berg" is not about Anna Ames
    let is_named = |name: &&String| {
        let named = parts(name);
        let fuller = |other: &String| {
            let other = parts(other);
            named.is_subset(&other) && named != other
        };
        !named.is_empty() && !speakers.iter().any(fuller)
    };
    let mut people: BTreeSet<String> = speakers.iter().filter(is_named).cloned().collect();
    let is_person = |word: &str| people.iter().any(|name| has_part(name, word));
    let mut asked = written(&question.text, is_person);
    if let Some(asker) = question.asked_by.as_ref().filter(|_| first_person) {
        people.insert(asker.to_lowercase());
        asked.get_or_insert_with(|| "you".to_owned());
    }
    (people, asked)
}

/// All speakers still held, in order.
fn speakers(session: &Session) -> Vec<String> {
    let held = session.tree().speakers();
    let raw = session
        .buffer()
        .raw()
        .filter_map(|heard| heard.utterance.speaker.as_deref());
    let speakers: BTreeSet<&str> = held.chain(raw).collect();
    speakers.into_iter().map(str::to_owned).collect()
}

/// Whether this word is part of a name of several words.
fn has_part(name: &str, word: &str) -> bool {
    !means_nobody(word) && name.split_whitespace().any(|part| part == word)
}

/// The words of a question that `is_meant` accepts, as written, without a possessive ending.
/// Adjacent words form one name.
fn written(text: &str, is_meant: impl Fn(&str) -> bool) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    // end of the last accepted word
    let mut end = None;
    for word in display_words(text) {
        let bare = without_possessive(word);
        // words are slices of the text, so pointer distance gives the byte offset
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let beside = end.is_some_and(|end: usize| text[end..at].trim().is_empty());
        end = None;
        if !is_meant(&bare.to_lowercase()) {
            continue;
        }
        match names.last_mut().filter(|_| beside) {
            Some(name) => *name = format!("{name} {bare}"),
            None => names.push(bare.to_owned()),
        }
        if bare == word {
            end = Some(at + word.len());
        }
    }
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    (!distinct.is_empty()).then(|| distinct.join(" and "))
}

/// Names that memory never met; they make any answer doubtful.
fn unknown(
    session: &Session,
    raw: &Raw,
    marks: &ClaimFeatures,
    speakers: &BTreeSet<String>,
) -> BTreeSet<String> {
    marks
        .names
        .iter()
        .filter(|name| {
            let parts = terms(name);
            // "Dr" names nobody
            !(is_abbreviation(name)
                || speakers.iter().any(|speaker| has_part(speaker, name))
                || parts.iter().all(|term| is_heard(session, raw, *term)))
        })
        .cloned()
        .collect()
}

/// The things that the question says somebody has: "Maria's parrot", "his piano".
fn owned(text: &str) -> Vec<Term> {
    const OWNERS: [&str; 6] = ["his", "her", "my", "your", "their", "our"];
    let words: Vec<String> = display_words(text)
        .map(|word| word.to_lowercase())
        .collect();
    words
        .windows(2)
        .filter(|pair| pair[0].ends_with("'s") || OWNERS.contains(&pair[0].as_str()))
        .flat_map(|pair| terms(&pair[1]))
        .collect()
}

fn asks_for_past(text: &str) -> bool {
    const MARKS: [&str; 9] = [
        "used to", "use to", "previous", "former", "originally", "at first", "in the past",
        "no longer", "anymore",
    ];
    let lower = text.to_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark))
}

fn wants(words: &BTreeSet<String>, text: &str) -> Wants {
    let lower = text.to_lowercase();
    let asks = |starts: &[&str]| starts.iter().any(|start| lower.contains(start));
    if asks(&[
        "which day", "what day", "what date", "which date", "what month", "which month",
        "what year", "which year",
    ]) {
        Wants::Day
    } else if words.contains("when") || asks(&["what time", "which time"]) {
        Wants::Time
    } else if asks(&["how many", "how much", "how old", "how long"]) {
        Wants::Number
    } else {
        Wants::Statement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_several_words_are_one() {
        let all = |word: &str| ["san", "francisco", "mary", "ann", "bob", "zoë"].contains(&word);
        let written = |text| written(text, all);
        assert_eq!(
            written("Did Bob fly to San Francisco?").as_deref(),
            Some("Bob and San Francisco")
        );
        assert_eq!(
            written("Where is Mary Ann's sister, Zoë?").as_deref(),
            Some("Mary Ann and Zoë")
        );
        assert_eq!(
            written("Mary, Ann and Mary’s Bob?").as_deref(),
            Some("Mary and Ann and Bob")
        );
        assert_eq!(written("Who is there?"), None);
    }
}
