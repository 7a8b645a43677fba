//! The slots of a profile.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A slot of a profile.
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
}

impl FactSlot {
    /// All slots, in the order in which a profile lists them.
    pub const ALL: [Self; 24] = [
        Self::Name,
        Self::Age,
        Self::Birthday,
        Self::Home,
        Self::Origin,
        Self::Work,
        Self::Employer,
        Self::Education,
        Self::Family,
        Self::Partner,
        Self::Pets,
        Self::Health,
        Self::Diet,
        Self::Likes,
        Self::Dislikes,
        Self::Hobbies,
        Self::Plans,
        Self::Goals,
        Self::Skills,
        Self::Languages,
        Self::Possessions,
        Self::Style,
        Self::Beliefs,
        Self::Other,
    ];

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
        )
    }

    /// The value that stands for whatever the slot holds: "I quit my job".
    #[must_use]
    pub fn any_value(self) -> Option<&'static str> {
        (self == Self::Employer).then_some("job")
    }

    /// The slot in lower case, as it is stored: `home`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Age => "age",
            Self::Birthday => "birthday",
            Self::Home => "home",
            Self::Origin => "origin",
            Self::Work => "work",
            Self::Employer => "employer",
            Self::Education => "education",
            Self::Family => "family",
            Self::Partner => "partner",
            Self::Pets => "pets",
            Self::Health => "health",
            Self::Diet => "diet",
            Self::Likes => "likes",
            Self::Dislikes => "dislikes",
            Self::Hobbies => "hobbies",
            Self::Plans => "plans",
            Self::Goals => "goals",
            Self::Skills => "skills",
            Self::Languages => "languages",
            Self::Possessions => "possessions",
            Self::Style => "style",
            Self::Beliefs => "beliefs",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for FactSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
