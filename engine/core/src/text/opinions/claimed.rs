//! Whether a statement bears out what a generator says that it feels.
//!
//! The paper takes the reply of its extraction agent as it is (DAM-LLM, 3.3.2). Here a reply is
//! only a claim: its object must be named in the talk, and its polarity must not contradict the
//! words of the statement.

use super::aspects::{GENERAL, aspect_of};
use super::clause::is_verb;
use super::feeling::{LEANING_MIN, is_clear};
use super::kind::kind_of;
use super::opinion::{Doubt, Opinion, Said};
use super::opinions;
use super::phrase::{canonical, phrase_at};
use super::sentence::Sentence;
use super::tokens::tokens;
use crate::text::affect::{Affect, STRENGTH_MAX, Sentiment};
use crate::text::claim_features::is_question;
use crate::text::words::stems;
use std::collections::BTreeSet;

/// Least strength of an opinion whose words alone have none.
const STRENGTH_MIN: f32 = 0.3;
/// A reason of fewer words is no clause.
const REASON_WORDS_MIN: usize = 2;

/// What a generator says that a statement feels.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedOpinion {
    /// What it is about.
    pub object: String,
    /// Which side of it; any words, also none.
    pub aspect: String,
    /// Confidences of the polarities; they sum to 1.
    pub sentiment: Sentiment,
    /// Why, in words of the statement where it is to be the clause.
    pub reason: String,
}

/// The opinion that a generator claims, if the statement bears it out; `earlier` is what was said
/// before.
///
/// Refused are questions, feelings without a side, objects of which a word was not said, and a
/// polarity against that of the words. The strength is that of the words, and the doubt that of the
/// rules. Cost: linear in the texts.
#[must_use]
pub fn opinion_borne_out<'a>(
    said: &Said<'a>,
    earlier: &[&str],
    claimed: &ClaimedOpinion,
) -> Option<Opinion<'a>> {
    let leaning = claimed.sentiment.leaning();
    if is_question(said.text) || leaning.abs() < LEANING_MIN {
        return None;
    }
    let around = [said.text].into_iter().chain(earlier.iter().copied());
    let texts: Vec<&str> = around.chain(said.before).collect();
    let known: BTreeSet<String> = texts.iter().flat_map(|text| stems(text)).collect();
    let object = named(&claimed.object, &texts, &known)?;
    if said.speaker == Some(object.as_str()) {
        return None;
    }
    let clause = part_of(said.text, &claimed.reason).unwrap_or_else(|| said.text.trim());
    let whole = clause.len() == said.text.trim().len();
    let affect = Affect::of(clause, said.vector.filter(|_| whole));
    if is_clear(&affect) && affect.sentiment.leaning() * leaning < 0.0 {
        return None;
    }
    Some(Opinion {
        kind: kind_of(&object),
        aspect: aspect_in(&claimed.aspect, &object, &known),
        doubt: doubt_of(said, &object, clause),
        object,
        clause,
        affect: Affect {
            sentiment: claimed.sentiment,
            strength: affect.strength.clamp(STRENGTH_MIN, STRENGTH_MAX),
        },
    })
}

/// Whether a statement may feel something, so that a generator is worth its time.
#[must_use]
pub fn may_feel(said: &Said<'_>) -> bool {
    !is_question(said.text) && is_clear(&Affect::of(said.text, said.vector))
        || !opinions(said).is_empty()
}

/// An object in canonical form, if each of its content words was said.
fn named(object: &str, texts: &[&str], known: &BTreeSet<String>) -> Option<String> {
    if !is_said(object, known) {
        return None;
    }
    // a reply may begin with a capital letter for no reason
    let lower = object.to_lowercase();
    let plain = texts.iter().any(|text| text.contains(&lower));
    let object = if plain { &lower } else { object };
    let words = tokens(object);
    let phrase = phrase_at(&words, 0)?;
    canonical(&words, phrase.core, phrase.to)
}

/// Whether a text has content words, and all of them were said.
fn is_said(text: &str, known: &BTreeSet<String>) -> bool {
    let own = stems(text);
    !own.is_empty() && own.is_subset(known)
}

/// A canonical aspect, or a word that was said, or [`GENERAL`].
fn aspect_in(aspect: &str, object: &str, known: &BTreeSet<String>) -> String {
    let lower = aspect.trim().to_lowercase();
    if let Some(canonical) = aspect_of(&lower) {
        return canonical.to_owned();
    }
    let one = !lower.contains(' ') && lower != object.to_lowercase();
    match one && is_said(&lower, known) {
        true => lower,
        false => GENERAL.to_owned(),
    }
}

/// The part of a text that reads as these words, whatever the case.
fn part_of<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let words = words.trim_matches(|c: char| !c.is_alphanumeric());
    if words.split_whitespace().count() < REASON_WORDS_MIN {
        return None;
    }
    let at = text
        .to_ascii_lowercase()
        .find(&words.to_ascii_lowercase())?;
    text.get(at..at + words.len())
}

/// Why an opinion on an object may not count: what the rules say of it, or of a verb of its clause.
fn doubt_of(said: &Said<'_>, object: &str, clause: &str) -> Option<Doubt> {
    let all = opinions(said);
    if let Some(same) = all.iter().find(|opinion| opinion.object == object) {
        return same.doubt;
    }
    let sentence = Sentence::of(clause, tokens(clause), None, false);
    let verbs = (0..sentence.words.len()).filter(|&at| is_verb(&sentence.words[at]));
    let of_verb = verbs
        .map(|at| sentence.doubt(at))
        .find(Option::is_some)
        .flatten();
    of_verb.or_else(|| all.first().and_then(|first| first.doubt))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimed(object: &str, aspect: &str, positive: f32, reason: &str) -> ClaimedOpinion {
        let rest = 1.0 - positive;
        ClaimedOpinion {
            object: object.into(),
            aspect: aspect.into(),
            sentiment: Sentiment {
                positive,
                negative: 0.8 * rest,
                neutral: 0.2 * rest,
            },
            reason: reason.into(),
        }
    }

    fn checked<'a>(text: &'a str, earlier: &[&str], claim: &ClaimedOpinion) -> Option<Opinion<'a>> {
        let said = Said {
            text,
            speaker: Some("Ana"),
            vector: None,
            before: None,
        };
        opinion_borne_out(&said, earlier, claim)
    }

    #[test]
    fn what_the_words_bear_out_is_an_opinion() {
        let text = "The waiters let us wait for an hour, and the soup was cold.";
        let claim = claimed("Waiters", "service", 0.05, "let us wait for an hour");
        let made = checked(text, &[], &claim).expect("borne out");
        assert_eq!((&*made.object, &*made.aspect), ("waiter", "service"));
        assert_eq!(made.clause, "let us wait for an hour");
        assert_eq!(made.doubt, None);
        assert!(made.affect.sentiment.leaning() < -0.5, "{made:?}");
    }

    #[test]
    fn the_object_may_be_of_the_talk_before() {
        let earlier = ["We went to the new office today."];
        let claim = claimed("the new office", "", 0.9, "");
        let made = checked("I am really happy there.", &earlier, &claim).expect("borne out");
        assert_eq!((&*made.object, &*made.aspect), ("new office", GENERAL));
        assert_eq!(checked("I am really happy there.", &[], &claim), None);
    }

    #[test]
    fn what_the_words_do_not_bear_out_is_refused() {
        let text = "I love the taste of this coffee.";
        for wrong in [
            claimed("tea", "taste", 0.9, ""),
            claimed("coffee", "taste", 0.05, ""),
            claimed("coffee", "taste", 0.45, ""),
            claimed("it", "taste", 0.9, ""),
            claimed("", "", 0.9, ""),
        ] {
            assert_eq!(checked(text, &[], &wrong), None, "{wrong:?}");
        }
        let asked = claimed("coffee", "taste", 0.9, "");
        assert_eq!(checked("Do you love the coffee?", &[], &asked), None);
        let own = claimed("Ana", "", 0.9, "");
        assert_eq!(checked("Ana is great.", &[], &own), None);
    }

    #[test]
    fn the_doubt_is_that_of_the_rules() {
        let claim = claimed("coffee", "taste", 0.9, "");
        for (text, doubt) in [
            ("I used to love the coffee.", Doubt::Past),
            ("She says the coffee is great.", Doubt::Reported),
            ("The coffee would be great with milk.", Doubt::Hypothetical),
        ] {
            let made = checked(text, &[], &claim).expect("borne out");
            assert_eq!(made.doubt, Some(doubt), "{text}");
        }
    }
}
