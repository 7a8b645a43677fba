//! Texts made from turns, such as summaries or notes, and the turns whose content they keep.

use super::MethodContext;
use super::flat::Stored;
use super::matrix::Matrix;
use anyhow::Result;
use std::sync::Arc;
use weir_core::text::content_hashes;

/// Share of a turn's content words that a text must contain to keep the turn.
const CARRIED_SHARE: f64 = 0.5;

/// A text made from turns.
#[derive(Default)]
pub(crate) struct Note {
    pub(crate) text: String,
    pub(crate) tokens: usize,
    /// Numbers of the turns of which it contains at least half of the content words.
    pub(crate) carries: Vec<(usize, Arc<str>)>,
}

impl Note {
    /// A text made from these turns, given with their numbers.
    pub(crate) fn of<'a>(
        kit: &MethodContext,
        text: String,
        sources: impl IntoIterator<Item = (usize, &'a Stored)>,
    ) -> Self {
        let shown = content_hashes(&text);
        let carried = |(_, turn): &(usize, &Stored)| {
            let said = content_hashes(turn.words());
            let found = said.iter().filter(|word| shown.binary_search(word).is_ok());
            !said.is_empty() && found.count() as f64 >= CARRIED_SHARE * said.len() as f64
        };
        let carried = sources.into_iter().filter(carried);
        Self {
            carries: carried
                .map(|(number, turn)| (number, Arc::clone(&turn.id)))
                .collect(),
            tokens: kit.counter.count(&text),
            text,
        }
    }

    /// A summary of these turns with at most this many tokens.
    pub(crate) fn summary<'a>(
        kit: &MethodContext,
        sources: impl Iterator<Item = (usize, &'a Stored)> + Clone,
        tokens_max: usize,
    ) -> Result<Self> {
        let texts: Vec<&str> = sources.clone().map(|(_, turn)| &*turn.said).collect();
        let text = kit.writer.summarise(&texts, tokens_max)?;
        Ok(Self::of(kit, text, sources))
    }
}

/// Notes with their vectors, both numbered from 0 in order of creation.
pub(crate) struct Notes {
    pub(crate) notes: Vec<Note>,
    pub(crate) vectors: Matrix,
}

impl Notes {
    pub(crate) fn new(dimension: usize) -> Self {
        Self {
            notes: Vec::new(),
            vectors: Matrix::new(dimension),
        }
    }

    pub(crate) fn push(&mut self, note: Note, vector: &[f32]) {
        self.notes.push(note);
        self.vectors.push(vector);
    }

    pub(crate) fn tokens(&self) -> usize {
        self.notes.iter().map(|note| note.tokens).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{store, turn};
    use super::*;

    #[test]
    fn a_note_carries_turns_by_half_of_their_content_words() {
        let said = [
            turn(0, "Ana", "A red kite flew over Porto."),
            turn(1, "Ana", "Is it so?"),
        ];
        let flat = store(&said, None);
        let of = |text: &str| Note::of(&flat.kit, text.to_owned(), flat.turns());
        // content words: red, kite, flew, porto; the speaker's name is not one
        let ids = |note: &Note| -> Vec<String> {
            note.carries.iter().map(|(_, id)| id.to_string()).collect()
        };
        assert_eq!(ids(&of("Ana: the kite is red")), ["u0"]);
        assert_eq!(ids(&of("Ana saw Porto. Is it so?")), Vec::<String>::new());
        assert_eq!(of("red kite").tokens, 2);
    }
}
