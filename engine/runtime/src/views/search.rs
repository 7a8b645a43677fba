//! A search for words in all that a session holds, and in its transcript.

use super::node::words_of;
use crate::time::rfc3339;
use std::cell::{Cell, RefCell};
use weir_api::{Found, Hit, HitKind, Piece};
use weir_core::memory::{Kind, NodeId};
use weir_core::recall::TranscriptSearch;
use weir_core::session::Session;
use weir_core::talk::Evidence;
use weir_core::transcript::{ScanStep, Transcript, TranscriptUtterance};
use weir_core::window::Window;

/// Where to search.
#[derive(Debug, Clone)]
pub struct SearchWithin {
    /// The part of the talk. Sources have no speaker and no time: one that is not all leaves them
    /// out.
    pub window: Window,
    /// Most of what is held, and most utterances.
    pub most: usize,
}

/// What has all of these words; `None` for no words. Cost: one pass over all held, and over the
/// transcript until `most` utterances are found.
#[must_use]
pub fn search(
    session: &Session,
    transcript: &dyn Transcript,
    words: &str,
    within: &SearchWithin,
) -> Option<Found> {
    let search = TranscriptSearch::words(words)?;
    let mut held = held(session, &search, within);
    held.sort_by_key(|hit| std::cmp::Reverse(hit.said_ms));
    let more_held = held.len() > within.most;
    held.truncate(within.most);
    held.retain_mut(|hit| !hit.key || in_words(hit, session, transcript, &search));
    let (said, more_said) = said(session, transcript, &search, within);
    Some(Found {
        held,
        more_held,
        said,
        more_said,
    })
}

/// Shows a statement that is held as key words in the words of the transcript; returns false if it
/// has none: key words are not what anybody said.
fn in_words(
    hit: &mut Hit,
    session: &Session,
    transcript: &dyn Transcript,
    search: &TranscriptSearch,
) -> bool {
    let id = hit.id.parse::<NodeId>().ok();
    let unit = id.and_then(|id| session.tree().node(id));
    let words = unit.and_then(|unit| {
        let words = words_of(unit, transcript)?;
        Some(unit.display_text_with(&words).into_owned())
    });
    hit.pieces = pieces(search, words.as_deref().unwrap_or_default());
    words.is_some()
}

/// Something held that may be a hit.
struct Candidate<'a> {
    kind: HitKind,
    id: String,
    speaker: Option<&'a str>,
    said_ms: u64,
    text: String,
    key: bool,
    evidence: Option<&'a Evidence>,
}

impl Candidate<'_> {
    fn hit(self, search: &TranscriptSearch, within: &SearchWithin) -> Option<Hit> {
        let fits = within.window.holds(self.speaker, self.said_ms);
        if !fits || !search.matches(&self.text, self.speaker) {
            return None;
        }
        let wall = self.evidence.and_then(|it| it.said_at_unix_ms);
        Some(Hit {
            kind: self.kind,
            id: self.id,
            stream: self.evidence.map(|it| it.stream.clone()),
            turn: self.evidence.map(|it| it.turn),
            speaker: self.speaker.map(str::to_owned),
            said_ms: Some(self.said_ms),
            said_at: wall.and_then(rfc3339),
            key: self.key,
            pieces: pieces(search, &self.text),
        })
    }
}

fn held(session: &Session, search: &TranscriptSearch, within: &SearchWithin) -> Vec<Hit> {
    let units = session.tree().of_kind(Kind::Unit).map(|unit| Candidate {
        kind: HitKind::Statement,
        id: unit.id.to_string(),
        speaker: unit.speaker.as_deref(),
        said_ms: unit.said_ms,
        text: unit.display_text_with(&unit.text).into_owned(),
        key: unit.is_key(),
        evidence: unit.evidence.first(),
    });
    let facts = session.profiles().facts().iter().map(|fact| Candidate {
        kind: HitKind::Fact,
        id: fact.id.to_string(),
        speaker: fact.speaker.as_deref(),
        said_ms: fact.from_ms,
        text: fact.value.clone(),
        key: false,
        evidence: fact.evidence.first(),
    });
    let beliefs = session.beliefs().held().iter().map(|belief| Candidate {
        kind: HitKind::Belief,
        id: belief.id.to_string(),
        speaker: belief.holder.as_deref(),
        said_ms: belief.last_ms(),
        text: match &*belief.aspect {
            "general" => belief.object.clone(),
            aspect => format!("{}: {aspect}", belief.object),
        },
        key: false,
        evidence: None,
    });
    let all = units.chain(facts).chain(beliefs);
    let hits = all.filter_map(|it| it.hit(search, within));
    let passages = session
        .sources()
        .passages()
        .filter(|_| within.window == Window::default());
    let passages = passages.filter(|(_, it)| search.matches(&it.text, None));
    let passages = passages.map(|(source, it)| Hit {
        kind: HitKind::Passage,
        id: source.place(it),
        stream: None,
        turn: None,
        speaker: None,
        said_ms: None,
        said_at: None,
        key: false,
        pieces: pieces(search, &it.text),
    });
    hits.chain(passages).collect()
}

/// The utterances, newest first, and whether there are more.
fn said(
    session: &Session,
    transcript: &dyn Transcript,
    search: &TranscriptSearch,
    within: &SearchWithin,
) -> (Vec<Hit>, bool) {
    let (found, more) = (RefCell::<Vec<Hit>>::default(), Cell::new(false));
    let mut glance = |bytes: &[u8]| match more.get() {
        true => ScanStep::Stop,
        false if search.may_match(bytes) => ScanStep::Read,
        false => ScanStep::Skip,
    };
    let mut read = |said: TranscriptUtterance| {
        let names = session.speaker_names();
        let speaker = said.speaker.as_deref().map(|it| names.current(it));
        if !within.window.holds(speaker, said.session_ms) || !search.matches(&said.text, speaker) {
            return;
        }
        if found.borrow().len() == within.most {
            more.set(true);
            return;
        }
        found.borrow_mut().push(Hit {
            kind: HitKind::Utterance,
            id: said.found.utterance,
            stream: Some(said.found.stream),
            turn: Some(said.found.turn),
            speaker: speaker.map(str::to_owned),
            said_ms: Some(said.session_ms),
            said_at: said.said_at_unix_ms.and_then(rfc3339),
            key: false,
            pieces: pieces(search, &said.text),
        });
    };
    transcript.newest_first(&mut glance, &mut read);
    (found.into_inner(), more.get())
}

fn pieces(search: &TranscriptSearch, text: &str) -> Vec<Piece> {
    let marked = search.marked(text).into_iter();
    let piece = |(text, hit): (&str, bool)| Piece {
        text: text.to_owned(),
        hit,
    };
    marked.map(piece).collect()
}
