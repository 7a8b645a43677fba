//! Words, sentences and claim features of plain text, without a model.
//!
//! Everything here is a pure function of its argument. Language rules are English; text in other
//! languages passes through unchanged, but is split less finely.

mod affect;
mod analyse;
mod claim_features;
mod claims;
mod clauses;
mod dates;
mod entailment;
mod facts;
mod feeling;
mod followup;
mod heading;
mod opinions;
mod people;
mod route;
mod salience;
mod source_terms;
mod words;

pub use affect::{Affect, STRENGTH_MAX, Sentiment};
pub use analyse::{Statement, analyse, analyse_heard, analyse_name};
pub use claim_features::{ClaimFeatures, flags, is_question};
pub use claims::Claim;
pub(crate) use claims::matching::stands_for;
pub use clauses::clauses;
pub(crate) use clauses::{asked_and_said, is_whole_sentence, sentences, statements};
pub use dates::{date_of, in_words, local_time};
pub(crate) use dates::{month_named, resolved, weekday};
pub use entailment::{Spoken, Verdict, entailment};
pub(crate) use facts::is_same_thing;
pub use facts::{
    Fact, FactAsked, FactSlot, fact_about, fact_predicate, fact_sentence, facts, facts_borne_out,
    may_tell_facts,
};
pub use feeling::FeelingAsked;
pub use followup::{TURNS_MAX, Turn, WORDS_ADDED_MAX, completed};
pub(crate) use heading::{Heading, heading, is_small_talk, opening, topic_stems};
pub use opinions::{
    ClaimedOpinion, Doubt, OPINIONS_MAX, ObjectKind, Opinion, Said, may_feel, opinion_borne_out,
    opinions,
};
pub use route::{Demand, Route};
pub(crate) use salience::named;
pub use salience::{Around, Salience, WrongWeights};
pub(crate) use source_terms::{SourceTerms, words};
pub use words::{
    content_hashes, content_words, display_words, is_content_word, stem, stems, terms,
};
pub(crate) use words::{is_same_word, other_parts, without_possessive};
