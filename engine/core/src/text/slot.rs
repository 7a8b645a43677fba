//! The slots of a profile, and how a fact reads.
//!
//! A new value takes the place of the old one only in a few slots; everything else that lasts is a
//! statement, word for word. Builds before read more slots by rules, and sessions still hold them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A slot of a profile. Sessions store its place in this list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactSlot {
    /// What the speaker is called: "Ana".
    Name,
    /// In years: "34".
    Age,
    /// A date without a year, or with one: "3 May".
    Birthday,
    /// Where the speaker lives: "Lisbon".
    Home,
    /// Where the speaker comes from, or a nationality: "Spain", "Spanish".
    Origin,
    /// Occupation: "freelance graphic designer".
    Work,
    /// Who the speaker works for: "Siemens".
    Employer,
    /// Schools, subjects and degrees: "study biology".
    Education,
    /// Relatives and what they do: "Maria", "works as a nurse".
    Family,
    /// Name of the partner (`about` is empty) or marital status (`about` is `status`).
    Partner,
    /// Animals of the speaker: "a dog", "Max".
    Pets,
    /// Allergies and illnesses: "allergic to peanuts".
    Health,
    /// What the speaker eats and does not eat: "vegan", "don't eat meat".
    Diet,
    /// Likes and favourites: "jazz"; `about` is "favorite color" for a favourite colour.
    Likes,
    /// What the speaker does not like or avoids: "crowded beaches".
    Dislikes,
    /// Pastimes: "play chess".
    Hobbies,
    /// What the speaker is about to do or works on: "planning to visit Rome".
    Plans,
    /// Wishes for the future: "want to become a pilot".
    Goals,
    /// What the speaker can do or learns: "learning to code".
    Skills,
    /// Languages spoken: "French".
    Languages,
    /// Things owned: "a car".
    Possessions,
    /// How answers should be: "a witty tone".
    Style,
    /// Religion: "Catholic".
    Beliefs,
    /// What the speaker asked to remember, and single attributes such as a phone number.
    Other,
    /// The speaker's number.
    Phone,
    /// Something lasting about the speaker, as it was said.
    Statement,
}

impl FactSlot {
    /// Whether one value at a time is true. In other slots a new value supersedes only a value with
    /// the same `about`.
    #[must_use]
    pub fn single(self) -> bool {
        matches!(
            self,
            Self::Name
                | Self::Age
                | Self::Birthday
                | Self::Home
                | Self::Work
                | Self::Employer
                | Self::Partner
                | Self::Phone
        )
    }

    /// The slot that a claim fills: one of the same name, or of a word for it.
    pub(crate) fn of_claim(slot: &str) -> Option<Self> {
        Some(match slot {
            "home" | "address" => Self::Home,
            "job" => Self::Work,
            "employer" => Self::Employer,
            "age" => Self::Age,
            "phone" | "number" => Self::Phone,
            "partner" | "husband" | "wife" | "boyfriend" | "girlfriend" => Self::Partner,
            _ => return None,
        })
    }
}

impl fmt::Display for FactSlot {
    /// In lower case, as it is stored in exports: `home`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// Who speaks of whom.
#[derive(Clone, Copy)]
enum Person<'a> {
    /// The speaker: "I live in Lisbon."
    Own,
    /// Somebody of this name: "Ana lives in Lisbon."
    Of(&'a str),
    /// The listener: "You live in Lisbon."
    Yours,
}

/// A fact that holds as a sentence in the first person, the form that the paper keeps (User memory,
/// listing 1): "I live in Lisbon."
#[must_use]
pub fn fact_sentence(slot: FactSlot, about: &str, value: &str) -> String {
    sentence(Person::Own, slot, about, value, false)
}

/// A fact that ended as a sentence in the first person: "I no longer live in Lisbon."
#[must_use]
pub fn ended_fact_sentence(slot: FactSlot, about: &str, value: &str) -> String {
    sentence(Person::Own, slot, about, value, true)
}

/// A fact that holds as a sentence about its speaker, in the third person, or in the second without
/// a name: "Ana lives in Lisbon.", "You live in Lisbon."
#[must_use]
pub fn fact_about(speaker: Option<&str>, slot: FactSlot, about: &str, value: &str) -> String {
    let person = speaker.map_or(Person::Yours, Person::Of);
    sentence(person, slot, about, value, false)
}

fn sentence(person: Person<'_>, slot: FactSlot, about: &str, value: &str, ended: bool) -> String {
    let verb = |own: &str, of: &str| {
        let over = if ended { "no longer " } else { "" };
        match person {
            Person::Own => format!("I {over}{own} {value}."),
            Person::Of(name) => format!("{name} {over}{of} {value}."),
            Person::Yours => format!("You {over}{own} {value}."),
        }
    };
    let noun = |noun: &str| {
        let is = if ended { "is no longer" } else { "is" };
        match person {
            Person::Own => format!("My {noun} {is} {value}."),
            Person::Of(name) => format!("{name}'s {noun} {is} {value}."),
            Person::Yours => format!("Your {noun} {is} {value}."),
        }
    };
    match slot {
        FactSlot::Home => verb("live in", "lives in"),
        FactSlot::Employer => verb("work for", "works for"),
        FactSlot::Work => noun("job"),
        FactSlot::Phone => noun("phone number"),
        FactSlot::Name | FactSlot::Age | FactSlot::Birthday => noun(&slot.to_string()),
        FactSlot::Partner if about.is_empty() => noun("partner"),
        FactSlot::Statement if value.ends_with(['.', '!', '?']) => value.to_owned(),
        FactSlot::Statement => format!("{value}."),
        // read by rules of earlier builds: "diet: vegan", "pets, dog: Max"
        _ if about.is_empty() => format!("{slot}: {value}."),
        _ => format!("{slot}, {about}: {value}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_told_of_its_speaker() {
        let home = |speaker| fact_about(speaker, FactSlot::Home, "", "Porto");
        assert_eq!(home(Some("Ana")), "Ana lives in Porto.");
        assert_eq!(home(None), "You live in Porto.");
        let own = |slot, value| fact_sentence(slot, "", value);
        let ended = |slot, value| ended_fact_sentence(slot, "", value);
        assert_eq!(ended(FactSlot::Home, "Porto"), "I no longer live in Porto.");
        assert_eq!(own(FactSlot::Phone, "4711"), "My phone number is 4711.");
        assert_eq!(ended(FactSlot::Work, "nurse"), "My job is no longer nurse.");
        let said = "I have two dogs!";
        assert_eq!(own(FactSlot::Statement, said), said);
        let dog = fact_sentence(FactSlot::Pets, "dog", "Max");
        assert_eq!(dog, "pets, dog: Max.");
    }

    /// The order is the stored form.
    #[test]
    fn slots_of_earlier_sessions_keep_their_places() {
        let places = [
            FactSlot::Name,
            FactSlot::Home,
            FactSlot::Other,
            FactSlot::Statement,
        ];
        let stored = postcard::to_allocvec(&places).expect("stored");
        assert_eq!(stored, [0, 3, 23, 25]);
    }
}
