//! A text made from turns, such as a summary or note, and the turns whose content it keeps.

use super::MethodContext;
use super::flat::Stored;
use std::sync::Arc;
use weir_core::text::content_hashes;

/// Share of a turn's content words that a text must contain to keep the turn.
const CARRIED_SHARE: f64 = 0.5;

/// A text made from turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its words.
    pub text: String,
    /// Their tokens.
    pub tokens: usize,
    /// Numbers of the turns of which it contains at least half of the content words.
    pub carries: Vec<(usize, Arc<str>)>,
    /// Number of the newest source turn.
    pub newest: usize,
}

impl Note {
    /// A text made from these turns, given with their numbers.
    pub fn of<'a>(
        kit: &MethodContext,
        text: String,
        sources: impl IntoIterator<Item = (usize, &'a Stored)>,
    ) -> Self {
        let shown = content_hashes(&text);
        let mut newest = 0;
        let mut carries = Vec::new();
        for (number, turn) in sources {
            newest = newest.max(number);
            if is_carried(&shown, &content_hashes(turn.words())) {
                carries.push((number, Arc::clone(&turn.id)));
            }
        }
        Self {
            tokens: kit.counter.count(&text),
            text,
            carries,
            newest,
        }
    }

    /// Bytes of the text and the turn list.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let links = self.carries.len() * (size_of::<usize>() + size_of::<Arc<str>>());
        self.text.len() + links
    }
}

/// Whether sorted words contain at least half of a turn's distinct content words.
#[must_use]
pub fn is_carried(shown: &[u32], said: &[u32]) -> bool {
    let found = said.iter().filter(|word| shown.binary_search(word).is_ok());
    !said.is_empty() && found.count() as f64 >= CARRIED_SHARE * said.len() as f64
}

/// Ids of the turns in a store or kept by a note; `None` if the store forgot none.
#[must_use]
pub fn held<'a>(
    flat: &super::flat::Flat,
    notes: impl IntoIterator<Item = &'a Note>,
) -> Option<Vec<String>> {
    let mut ids = flat.held()?;
    let mut earlier: Vec<(usize, &Arc<str>)> = notes
        .into_iter()
        .flat_map(|note| note.carries.iter())
        .filter(|(number, _)| *number < flat.first())
        .map(|(number, id)| (*number, id))
        .collect();
    earlier.sort_unstable();
    earlier.dedup();
    ids.splice(0..0, earlier.into_iter().map(|(_, id)| id.to_string()));
    Some(ids)
}

#[cfg(test)]
mod tests {
    use super::super::HeardTurn;
    use super::super::flat::Flat;
    use super::super::testing::{kit, turn};
    use super::*;

    /// A store of two turns with room for only the second.
    fn store() -> Flat {
        let said = ["A red kite flew over Porto.", "Is it so?"];
        let mut flat = Flat::new(kit(Some(8)));
        for (index, text) in said.into_iter().enumerate() {
            let turn = turn(index, "Ana", text);
            flat.push(HeardTurn {
                turn: &turn,
                said: &turn.said(),
                at_unix_ms: None,
            });
        }
        flat
    }

    #[test]
    fn a_note_carries_turns_by_half_of_their_content_words() {
        let flat = store();
        let of = |text: &str| Note::of(flat.kit(), text.to_owned(), flat.turns());
        // content words: red, kite, flew, porto; the speaker's name is not one
        let ids = |note: &Note| -> Vec<String> {
            note.carries.iter().map(|(_, id)| id.to_string()).collect()
        };
        assert_eq!(ids(&of("Ana: the kite is red")), ["u0"]);
        assert_eq!(ids(&of("Ana saw Porto. Is it so?")), Vec::<String>::new());
        assert_eq!((of("red").newest, of("red kite").tokens), (1, 2));
    }

    #[test]
    fn a_forgotten_turn_is_held_while_a_note_carries_it() {
        let mut flat = store();
        let note = Note::of(flat.kit(), "red kite".to_owned(), flat.turns());
        assert_eq!(held(&flat, [&note]), None);
        let mut forgotten = Vec::new();
        flat.forget_to_fit(|number, turn| forgotten.push((number, turn.tokens)));
        assert_eq!(forgotten, [(0, 9)]);
        assert_eq!((flat.first(), flat.end(), flat.tokens()), (1, 2, 6));
        assert!(flat.turn(0).is_none() && flat.turn(1).is_some() && flat.turn(2).is_none());
        assert_eq!(held(&flat, [&note]).unwrap_or_default(), ["u0", "u1"]);
        assert_eq!(held(&flat, []).unwrap_or_default(), ["u1"]);
    }
}
