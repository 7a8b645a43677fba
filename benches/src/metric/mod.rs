//! Scores of answers, of contexts and of stored memory.

mod bert;
mod bleu;
mod facts;
#[cfg(test)]
mod golden;
mod rouge;
mod scores;
mod similarity;
mod words;

pub(crate) use bert::bert_score;
pub(crate) use bleu::sentence as bleu4;
pub(crate) use facts::fact_recall;
pub(crate) use rouge::rouge_l;
pub(crate) use scores::{Case, Scores, score};
pub(crate) use words::{answers_right, containment, names_key_entities};
