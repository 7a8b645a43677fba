//! The terminal as a picture: what is said, what memory holds, a line for questions.
//!
//! [`state`] holds what is shown and changes with each [`state::Input`]; [`view`] draws it. Both
//! are pure. [`drive`] has the terminal and the only thread that draws: it waits for keys and never
//! for a session. Everything is bounded: 2,000 lines of talk, 400 rows of memory, 200 messages, 32
//! typed lines, 1,024 inputs that wait; what finds no place in the last is counted and shown.
//! Text from outside is made safe where it enters ([`text::clean`]).

pub(crate) mod drive;
mod entry;
mod figures;
mod keyboard;
pub(crate) mod listening;
pub(crate) mod log;
mod memory;
mod paint;
mod panes;
pub(crate) mod state;
mod talk;
#[cfg(test)]
mod tests;
mod text;
mod theme;
pub(crate) mod top;
mod view;
