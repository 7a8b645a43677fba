//! The language that a question is asked in.

use crate::answer::Question;
use crate::memory::{Kind, Node};
use crate::session::Session;
use crate::text::{Language, languages};
use std::cmp::Reverse;

/// Statements read for the language of the talk.
const TALK_READ_MAX: usize = 16;

/// The language of a question. One that is too short to tell is in that of the asker's latest talk,
/// or of anybody's if the asker said nothing.
pub(super) fn language(session: &Session, question: &Question) -> Language {
    if let Some(language) = Language::of(&question.text) {
        return language;
    }
    // key words are no sentence of any language
    let units = session.tree().of_kind(Kind::Unit);
    let mut units: Vec<&Node> = units.filter(|unit| !unit.is_key()).collect();
    units.sort_unstable_by_key(|unit| Reverse((unit.said_ms, unit.id)));
    let units = units.into_iter().take(TALK_READ_MAX).rev();
    let told = units.map(|unit| (unit.speaker.as_deref(), unit.text.as_str()));
    let raw = session.buffer().raw().map(|heard| &heard.utterance);
    let heard = raw.map(|it| (it.speaker.as_deref(), it.text.as_str()));
    let talk: Vec<_> = told.chain(heard).collect();
    let asker = question.asked_by.as_deref();
    let asker = asker.filter(|asker| talk.iter().any(|it| it.0 == Some(asker)));
    let said = talk
        .into_iter()
        .filter(|it| asker.is_none() || it.0 == asker);
    let said = said.chain([(asker, question.text.as_str())]);
    // one voice: what counts is what was said last
    let all = languages(said.map(|(_, text)| (None, text)));
    all.last().copied().unwrap_or(Language::English)
}
