//! What became of all that was said: held, going, gone; and why.

use super::transcript::transcript_line;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use weir_api::{self as api, Forgetting, Going, Gone};
use weir_core::memory::{Kind, NodeId, Standing};
use weir_core::session::Session;
use weir_core::transcript::{ScanStep, Transcript, TranscriptUtterance};

/// How memory holds an utterance, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    Key,
    Unsorted,
    Whole,
}

/// What became of all that was said, with `most` statements that go next and `most` utterances that
/// the transcript alone has. Cost: one pass over the transcript, O(N log N) in the units.
#[must_use]
pub fn forgetting(session: &Session, transcript: &dyn Transcript, most: usize) -> Forgetting {
    let held = held(session);
    let count = |as_| held.values().filter(|it| **it == as_).count() as u64;
    let mut sum = Forgetting {
        said: session.turns(),
        whole: count(Held::Whole),
        key: count(Held::Key),
        unsorted: count(Held::Unsorted),
        free_tokens: session.free_tokens(),
        ..Forgetting::default()
    };
    let (only, found) = (Cell::new(0), RefCell::new(Vec::new()));
    let mut read = |said: TranscriptUtterance| {
        if !held.contains_key(&said.found.turn) {
            only.set(only.get() + 1);
            let mut found = found.borrow_mut();
            if found.len() < most {
                found.push(gone(session, said));
            }
        }
    };
    transcript.newest_first(&mut |_| ScanStep::Read, &mut read);
    sum.transcript_only = only.get();
    sum.gone = found.into_inner();
    let somewhere = held.len() as u64 + sum.transcript_only;
    sum.nowhere = sum.said.saturating_sub(somewhere);
    let standings = session.standings();
    let of = standings.len();
    let going = standings.iter().filter(|it| it.before.is_some());
    sum.going = going
        .take(most)
        .map(|it| Going {
            id: it.id.to_string(),
            standing: wire(session, it, of),
        })
        .collect();
    sum
}

/// Where a unit stands; `None` for other nodes. Cost: O(N log N).
#[must_use]
pub fn standing(session: &Session, id: NodeId) -> Option<api::Standing> {
    let all = session.standings();
    let found = all.iter().find(|it| it.id == id)?;
    Some(wire(session, found, all.len()))
}

/// The utterances that memory holds, by number.
fn held(session: &Session) -> BTreeMap<u64, Held> {
    let mut held = BTreeMap::new();
    let mut add = |turn, as_: Held| {
        let before = held.entry(turn).or_insert(as_);
        *before = as_.max(*before);
    };
    for unit in session.tree().of_kind(Kind::Unit) {
        let as_ = if unit.is_key() {
            Held::Key
        } else {
            Held::Whole
        };
        unit.evidence.iter().for_each(|item| add(item.turn, as_));
    }
    for (heard, _) in session.buffer().unmounted() {
        add(heard.turn, Held::Unsorted);
    }
    held
}

fn wire(session: &Session, of_unit: &Standing, of: usize) -> api::Standing {
    let node = session.tree().node(of_unit.id);
    let last = node.and_then(|it| it.evidence.iter().map(|item| item.turn).max());
    api::Standing {
        chance: of_unit.chance,
        chance_now: of_unit.chance_now,
        before: of_unit.before,
        of,
        said_since: since(session, last.unwrap_or(0)),
    }
}

fn since(session: &Session, turn: u64) -> u64 {
    session.turns().saturating_sub(turn.saturating_add(1))
}

fn gone(session: &Session, said: TranscriptUtterance) -> Gone {
    let turn = said.found.turn;
    let weighed = session.weigh(&said.text, turn, said.session_ms);
    let mut line = transcript_line(said);
    // the transcript keeps the labels, so that a name can be forgotten
    let names = session.speaker_names();
    line.speaker = line.speaker.map(|it| names.current(&it).to_owned());
    Gone {
        line,
        chance: weighed.chance,
        chance_now: weighed.chance_now,
        says_little: weighed.says_little,
        said_since: since(session, turn),
    }
}
