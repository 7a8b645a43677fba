//! Words, sentences and marks of meaning in plain text, without a model.
//!
//! Everything here is a pure function of its argument. English rules apply where a rule is about a
//! language; other languages pass through unharmed, only less finely cut.

mod claims;
mod clauses;
mod condense;
mod marks;
mod words;

pub use claims::Claim;
pub use clauses::clauses;
pub use condense::{Detail, condense};
pub use marks::{Marks, Traits, is_question};
pub(crate) use words::searched_words;
pub use words::{
    Term, content_hashes, content_words, display_words, is_content_word, stem, stems, terms,
};
