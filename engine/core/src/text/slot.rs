//! The headings of a profile. Builds before read values by rules and under more headings; sessions
//! still hold them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A heading of a profile. Sessions store its place in this list.
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

impl fmt::Display for FactSlot {
    /// In lower case, as it is stored in exports: `home`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
