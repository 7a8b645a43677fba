//! The speakers of a session as clients read them.

use super::node::words_of;
use weir_api::{SoundOf, Speaker, Voice};
use weir_core::memory::Kind;
use weir_core::session::Session;
use weir_core::stream::{label_number, speaker_label};
use weir_core::talk::Evidence;
use weir_core::text::is_speaker;
use weir_core::transcript::Transcript;

/// Longest quote in a list, in characters.
const QUOTE_CHARS_MAX: usize = 80;

/// The speaker meant: letters of either case will do, and a number that is nobody's name is a
/// label.
#[must_use]
pub fn resolve_speaker(session: &Session, given: &str) -> String {
    let given = given.trim();
    let known = session.speakers();
    let same = |name: &str| {
        let exactly = known.iter().find(|speaker| *speaker == name);
        exactly.or_else(|| known.iter().find(|it| is_speaker(Some(name), Some(it))))
    };
    let label = given.parse().ok().map(speaker_label);
    let label = label.unwrap_or_else(|| given.to_owned());
    same(given)
        .or_else(|| same(&label))
        .unwrap_or(&label)
        .clone()
}

/// The statement to know a speaker by: one with sound, else any; of these the longest that fits in
/// a line.
#[must_use]
pub fn speaker_sample(
    session: &Session,
    transcript: &dyn Transcript,
    speaker: &str,
) -> Option<(String, Evidence)> {
    let is = |it: &Option<String>| it.as_deref() == Some(speaker);
    let units = session.tree().of_kind(Kind::Unit);
    let units = units.filter(|unit| is(&unit.speaker)).filter_map(|unit| {
        let said = unit.evidence.iter().find(|item| is(&item.speaker))?;
        Some((words_of(unit, transcript)?, said.clone()))
    });
    let raw = session.buffer().unmounted().map(|(heard, _)| heard);
    let raw = raw.filter(|it| is(&it.utterance.speaker)).map(|heard| {
        let text = &heard.utterance.text;
        (text.clone(), Evidence::of(heard, text))
    });
    units.chain(raw).max_by_key(|(words, said)| {
        let chars = words.chars().count();
        let fits = chars <= QUOTE_CHARS_MAX;
        (said.audio.is_some(), fits, if fits { chars } else { 0 })
    })
}

/// Who was heard, in the order of their labels. `clip` says how to get the sound of a speaker.
#[must_use]
pub fn speakers(
    session: &Session,
    transcript: &dyn Transcript,
    enrolled: &[Voice],
    clip: &dyn Fn(&str) -> String,
) -> Vec<Speaker> {
    let names = session.speaker_names().named();
    let of = |name: String| {
        let units = session.tree().of_kind(Kind::Unit);
        let own = units.filter(|unit| unit.speaker.as_deref() == Some(&name[..]));
        let raw = session.buffer().unmounted().map(|(heard, _)| heard);
        let raw = raw.filter(|it| it.utterance.speaker.as_deref() == Some(&name[..]));
        let times: Vec<u64> = own
            .map(|unit| unit.said_ms)
            .chain(raw.map(|it| it.session_ms))
            .collect();
        let named = names.iter().find(|it| it.name == name);
        let sample = speaker_sample(session, transcript, &name);
        let said = sample.as_ref().map(|(_, said)| said);
        let heard = said.filter(|said| said.audio.is_some());
        Speaker {
            clip: heard.map(|_| clip(&name)),
            sound: heard.map(|said| SoundOf {
                stream: said.stream.clone(),
                utterance: said.utterance.clone(),
            }),
            quote: sample.map(|(words, _)| words),
            heard_as: named.map(|it| it.heard_as.clone()).unwrap_or_default(),
            statements: times.len(),
            last_ms: times.iter().copied().max(),
            enrolled: enrolled.iter().any(|it| it.name == name),
            name,
        }
    };
    let mut all: Vec<Speaker> = session.speakers().into_iter().map(of).collect();
    all.sort_by_key(|it| label_number(&it.name));
    all
}
