//! Which turns of the 50 of the User memory paper tell a fact, and which ask for an earlier one.
//!
//! Labelled by hand from the turns alone, without the persona above them; turn numbers and key
//! words only, in our own choice. A fact counts as found where one text holds the stems of all its
//! key words. Turns that ask what the assistant said are not labelled, since its answers are not in
//! the data; nor are two turns that ask for what no turn tells.

/// A fact told in a turn.
pub(crate) struct Told {
    /// The turn, from 1.
    pub(crate) turn: u32,
    /// What it is about, for tables.
    pub(crate) name: &'static str,
    /// Words that a text with the fact holds.
    pub(crate) keys: &'static str,
    /// Later turns that ask for it (7, 8, 33, 34, 39, 46) or go on from it (29, 30).
    pub(crate) needed: &'static [u32],
}

const fn told(turn: u32, name: &'static str, keys: &'static str, needed: &'static [u32]) -> Told {
    Told {
        turn,
        name,
        keys,
        needed,
    }
}

/// Every fact about the speaker, the partner and their projects that a turn tells.
pub(crate) const TOLD: &[Told] = &[
    told(1, "trip", "trip", &[]),
    told(1, "colour", "orange", &[8, 39]),
    told(2, "name of the partner", "partner jamie", &[7]),
    told(2, "interest of the partner", "history", &[34]),
    told(3, "season of the trip", "spring", &[]),
    told(4, "food of the partner", "seafood", &[]),
    told(11, "pastime of a friend", "friend gardening", &[]),
    told(13, "bread", "sourdough", &[]),
    told(26, "no programmer", "programmer", &[]),
    told(27, "aim in the kitchen", "italian meal", &[29, 30]),
    told(27, "dish", "lasagna", &[33]),
    told(38, "field of work", "design", &[]),
    told(38, "logo", "logo coffee", &[]),
    told(38, "theme of the logo", "cosmic comfort", &[46]),
    told(50, "next project", "herb garden", &[]),
];
