//! Words, sentences and claim features of plain text, without a model.
//!
//! Everything here is a pure function of its argument. Words and sentences are found in any
//! language and script; all other rules are English and leave other text alone.

mod analyse;
mod claim_features;
mod clauses;
mod codes;
mod dates;
mod entailment;
mod facts;
mod followup;
mod language;
mod matching;
mod one_line;
mod opinions;
mod people;
mod question_in;
mod request;
mod route;
mod salience;
mod script;
mod sentence;
mod slot;
mod small_talk;
mod source_terms;
mod verbs;
mod words;

pub(crate) use analyse::figures_of;
pub use analyse::{Statement, analyse, analyse_heard, analyse_name};
pub use claim_features::{ClaimFeatures, flags, is_question};
pub(crate) use clauses::{
    asked_and_said, is_abbreviation, is_whole_sentence, sentences, statements,
};
pub use clauses::{clauses, sentence_goes_on};
pub(crate) use codes::{Code, codes};
pub(crate) use dates::{date_in_words, month_named, resolved, weekday};
pub use dates::{date_of, in_words, local_time};
pub use entailment::{SpeakerText, Verdict, entailment};
pub use facts::{Fact, fact};
pub(crate) use facts::{in_context, is_short};
pub use followup::{TURNS_MAX, Turn, WORDS_ADDED_MAX, complete_question};
pub(crate) use language::{AskedTerm, Language, forms, heard_terms, languages};
pub use one_line::{is_blank, is_hidden, leaves_its_line, one_line};
pub use opinions::{
    Doubt, OPINIONS_MAX, ObjectKind, Opinion, STRENGTH_MAX, Sentiment, opinions, topic,
};
pub use people::is_speaker;
pub use question_in::question_in;
pub use route::{Demand, Route, corrected};
pub use salience::{Around, Salience, WrongWeights};
pub use slot::FactSlot;
pub(crate) use small_talk::{is_small_talk, topic_stems};
pub(crate) use source_terms::{SourceTerms, words};
pub(crate) use verbs::{is_past, is_verb};
pub use words::{
    content_hashes, content_words, display_words, is_content_word, stem, stems, terms,
};
pub(crate) use words::{is_same_word, other_parts, unaccented, without_possessive};
