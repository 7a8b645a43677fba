//! A session at a glance, for a list of sessions.

use super::node::words_of;
use super::when::When;
use crate::time::rfc3339;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use weir_api::About;
use weir_core::memory::{Kind, Node, Titles};
use weir_core::session::Session;
use weir_core::transcript::Transcript;

/// What a session is about: the heading of its largest scene, its days, who spoke.
#[must_use]
pub fn about(session: &Session, transcript: &dyn Transcript) -> About {
    let (tree, stats) = (session.tree(), session.stats());
    let units = |scene: &&Node| -> usize {
        let events = tree.children(scene.id);
        events.map(|event| event.children.len()).sum()
    };
    // of equal ones the latest
    let largest = tree.scenes().max_by_key(units);
    let words = |unit: &Node| words_of(unit, transcript);
    let titles = Titles::with_words(tree, &words);
    let title = largest.map(|scene| titles.title(scene));
    let days = tree.scenes().map(|scene| When::of(tree, scene).wall);
    let raw = session.buffer().unmounted().map(|(heard, _)| {
        let at = heard.said_at_unix_ms;
        (at, at)
    });
    let (firsts, lasts): (Vec<_>, Vec<_>) = days.chain(raw).unzip();
    let mut held: BTreeMap<String, usize> = BTreeMap::new();
    for unit in tree.of_kind(Kind::Unit) {
        *held
            .entry(unit.speaker.clone().unwrap_or_default())
            .or_default() += 1;
    }
    let mut people = session.speakers();
    people.sort_by_key(|name| Reverse(held.get(name).copied().unwrap_or(0)));
    About {
        title: title.filter(|it| !it.is_empty()),
        first_at: firsts.into_iter().flatten().min().and_then(rfc3339),
        last_at: lasts.into_iter().flatten().max().and_then(rfc3339),
        people,
        turns: stats.turns,
        stream_ms: stats.stream_ms,
        text_tokens: stats.memory.text_tokens,
        budget_tokens: stats.memory.budget_tokens,
        statements: stats.memory.amus,
    }
}
