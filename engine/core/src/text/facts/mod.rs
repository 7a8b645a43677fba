//! First-person facts of plain statements, as slots of a profile.
//!
//! "I live in Lisbon" fills the slot `home`; "I moved to Porto" later fills it anew. Rules only, no
//! model: the paper asks a model for each turn whether it tells a new personal fact (User memory,
//! 3.3, "Dynamic Memory Extraction"). A wrong fact in a profile is worse than a missing one, so a
//! clause must begin with "I", "we" or "my" and one of a few verb phrases. Questions, conditions,
//! jokes, quotations, the past, and what points at something said before ("I love it") make no
//! fact. English only.
//!
//! Claims ([`super::Claim`]) and facts share word lists. Claims serve the search for statements
//! that no longer hold, of any subject, and cover fewer slots.

mod asked;
mod claimed;
mod draft;
mod fact;
mod have;
mod lists;
mod noun;
mod possessed;
mod render;
pub(super) mod request;
pub(super) mod sentence;
mod slot;
mod spelling;
#[cfg(test)]
mod tests;
mod value;
mod verbal;

pub use asked::FactAsked;
pub use claimed::{facts_borne_out, may_tell_facts};
pub use fact::Fact;
pub use render::{fact_about, fact_predicate, fact_sentence};
pub use slot::FactSlot;
pub(crate) use spelling::is_same_thing;

use super::claim_features::is_question;
use super::claims::lists::OPENERS;
use super::claims::tells_of_the_past;
use super::clauses::{asked_and_said, sentences};
use super::words::display_words;
use draft::{Before, Draft};
use lists::{CLAUSE_STARTS, GREETINGS, JOKES, UNSURE};
use sentence::Sentence;
use value::VALUE_WORDS_MAX;

/// Maximum number of facts of one sentence.
const FACTS_MAX: usize = 4;

/// The facts that a text tells about who says it, in the order of the text, at most four a
/// sentence.
///
/// `speaker` is the name of who says it, if known: "I'm Ana" is a name where it is Ana's. A leading
/// question in brackets, which the statement answers, is skipped. Cost: linear in the text, some
/// tens of microseconds a sentence.
#[must_use]
pub fn facts<'a>(text: &'a str, speaker: Option<&str>) -> Vec<Fact<'a>> {
    let (_, text) = asked_and_said(text);
    let own = sentences(text)
        .into_iter()
        .filter(|sentence| may_tell(sentence));
    let own = own.map(Sentence::of);
    let told: Vec<Fact<'a>> = own.flat_map(|it| of_sentence(&it, speaker)).collect();
    let joke = |word: &str| JOKES.contains(&word.to_lowercase());
    match !told.is_empty() && display_words(text).any(joke) {
        true => Vec::new(),
        false => told,
    }
}

/// Whether a sentence has a word without which it tells nothing of its speaker.
fn may_tell(sentence: &str) -> bool {
    const OWN: [&str; 12] = [
        "i", "im", "we", "my", "our", "me", "always", "never", "remember", "forget", "note", "mind",
    ];
    display_words(sentence).any(|word| {
        let word = word.split(['\'', '’']).next().unwrap_or(word);
        OWN.iter().any(|own| own.eq_ignore_ascii_case(word))
    })
}

fn of_sentence<'a>(s: &Sentence<'a>, speaker: Option<&str>) -> Vec<Fact<'a>> {
    let whole = s.slice(0..s.len());
    let request = request::requested(s);
    let asks = is_question(whole) || s.gap(s.len()).contains('?');
    if asks && request.is_none() {
        return Vec::new();
    }
    let from = request.unwrap_or(0);
    let mut drafts = drafts(s, from, speaker);
    if let (true, Some(at)) = (drafts.is_empty(), request) {
        drafts.extend(request::noted(s, at));
    }
    drafts.truncate(FACTS_MAX);
    let facts = drafts.into_iter().filter_map(|draft| {
        let words = draft.value.split(' ').count();
        let clause = s.slice(draft.words);
        let held = !draft.value.is_empty() && words <= VALUE_WORDS_MAX && !clause.is_empty();
        held.then_some(Fact {
            slot: draft.slot,
            about: draft.about,
            value: draft.value,
            clause,
            ended: draft.ended,
            wanted: request.is_some(),
        })
    });
    facts.collect()
}

fn drafts(s: &Sentence<'_>, from: usize, speaker: Option<&str>) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut at = from;
    while at < s.len() && drafts.len() < FACTS_MAX {
        let start = match at == from || s.border(at) || CLAUSE_STARTS.contains(s.lower(at)) {
            true => opened(s, at),
            false => {
                at += 1;
                continue;
            }
        };
        let read = if sure(s, from, start) {
            clause(s, start, speaker)
        } else {
            Vec::new()
        };
        let Some(end) = read.iter().map(|draft| draft.words.end).max() else {
            at += 1;
            continue;
        };
        let own = s.lower(start).starts_with('i') && s.lower(start) != "in";
        drafts.extend(read);
        at = end.max(at + 1);
        while own && drafts.len() < FACTS_MAX {
            let more = second(s, at);
            let Some(end) = more.iter().map(|draft| draft.words.end).max() else {
                break;
            };
            drafts.extend(more);
            at = end.max(at + 1);
        }
    }
    drafts
}

/// The first word of a clause after words that do not change its meaning.
fn opened(s: &Sentence<'_>, at: usize) -> usize {
    let skipped = |at: &usize| {
        let word = s.lower(*at);
        OPENERS.contains(word) || GREETINGS.contains(word) || CLAUSE_STARTS.contains(word)
    };
    at + (at..s.len()).take_while(skipped).count()
}

/// Whether nothing before or after a clause makes it a condition, a report, a quotation or past.
fn sure(s: &Sentence<'_>, from: usize, at: usize) -> bool {
    let unsure = (from..at).any(|at| UNSURE.contains(s.lower(at)));
    let birth = s.says(at, "i was born") || s.is(at + 1, &["birthday", "graduated"]);
    let past = !birth && tells_of_the_past(s.words.get(at..).unwrap_or_default());
    !unsure && !past && !s.quoted(at)
}

fn clause(s: &Sentence<'_>, at: usize, speaker: Option<&str>) -> Vec<Draft> {
    if let Some(draft) = verbal::instructed(s, at) {
        return vec![draft];
    }
    let facts = match s.lower(at) {
        "my" | "our" => possessed::read(s, at),
        _ => verbal::read(s, at, speaker),
    };
    match facts.is_empty() {
        true => possessed::favoured_first(s, at).into_iter().collect(),
        false => facts,
    }
}

/// A second predicate of the same "I": "... and work as a nurse".
fn second(s: &Sentence<'_>, at: usize) -> Vec<Draft> {
    if !s.is(at, &["and", "but"]) {
        return Vec::new();
    }
    let before = Before {
        start: at + 1,
        be: false,
        many: false,
        denied: None,
        ended: false,
    };
    verbal::predicate(s, at + 1, before)
}
