//! Which turns of the 50 of the User memory paper tell a fact, and which ask for an earlier one.
//!
//! Labelled by hand from the turns alone, without the persona above them; turn numbers and key
//! words only, in our own choice. A fact counts as found where one text holds the stems of all its
//! key words. Turns that ask what the assistant said are not labelled, since its answers are not in
//! the data; nor are two turns that ask for what no turn tells.

/// A fact told in a turn.
pub(super) struct Told {
    /// What it is about, for tables.
    pub(super) name: &'static str,
    /// Words that a text with the fact holds.
    pub(super) keys: &'static str,
    /// Later turns that ask for it (7, 8, 33, 34, 39, 46) or go on from it (29, 30).
    pub(super) needed: &'static [u32],
}

const fn told(name: &'static str, keys: &'static str, needed: &'static [u32]) -> Told {
    Told { name, keys, needed }
}

/// Every fact about the speaker, the partner and their projects that a turn tells.
pub(super) const TOLD: &[Told] = &[
    told("trip", "trip", &[]),
    told("colour", "orange", &[8, 39]),
    told("name of the partner", "partner jamie", &[7]),
    told("interest of the partner", "history", &[34]),
    told("season of the trip", "spring", &[]),
    told("food of the partner", "seafood", &[]),
    told("pastime of a friend", "friend gardening", &[]),
    told("bread", "sourdough", &[]),
    told("no programmer", "programmer", &[]),
    told("aim in the kitchen", "italian meal", &[29, 30]),
    told("dish", "lasagna", &[33]),
    told("field of work", "design", &[]),
    told("logo", "logo coffee", &[]),
    told("theme of the logo", "cosmic comfort", &[46]),
    told("next project", "herb garden", &[]),
];
