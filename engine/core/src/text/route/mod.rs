//! Routes what a user says to an assistant: to a search of memory, or only into it.
//!
//! DAM-LLM (3.3.1, "Input Routing") asks a language model for each input whether it shall be
//! stored or memory be searched. Here every turn is stored: what tells little weighs little and is
//! the first to be forgotten. Rules read word order and a few English phrases, sentence by
//! sentence, to say what asks. Every question of substance is worth a search, also one of general
//! knowledge: memory says by itself that it holds nothing. The rules are English.

mod asking;
mod demand;
mod lists;
#[cfg(test)]
mod tests;

pub use demand::{Demand, corrected};

use super::clauses::sentences;
use asking::{asked, asks, commands};
use demand::Demanded;

/// What to do with a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Route<'a> {
    /// It asks the listener something that memory may hold. "How are you?" does not.
    pub retrieve: bool,
    /// Each of its sentences asks the listener to do something, verb first: "Turn on the light."
    pub command: bool,
    /// It asks to remember or to forget something. What is to be remembered is stored in any case;
    /// what is to be forgotten needs the user's confirmation first.
    pub demand: Option<Demand<'a>>,
}

impl<'a> Route<'a> {
    /// The route of one turn of the user. Cost: linear in the text, some tens of microseconds a
    /// sentence.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        let pieces = sentences(text);
        let demanded = Demanded::read(text, &pieces);
        let mut route = Self {
            retrieve: false,
            command: !pieces.is_empty() && pieces.iter().all(|it| commands(it)),
            demand: demanded.map(|it| it.demand),
        };
        for (at, piece) in pieces.iter().enumerate() {
            if demanded.is_some_and(|it| it.sentence == at) {
                continue;
            }
            route.retrieve |= asked(piece).is_some_and(asks);
        }
        route
    }
}
