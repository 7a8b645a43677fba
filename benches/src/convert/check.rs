//! Checks the rule of streams: the evidence of an answer comes before its question.

use crate::stream::{Item, Stream};
use anyhow::{Result, ensure};
use std::collections::HashSet;

/// Checks that every probe's evidence comes before it.
pub(crate) fn no_look_ahead(stream: &Stream) -> Result<()> {
    let mut heard = HashSet::new();
    for item in &stream.items {
        match item {
            Item::Turn(turn) => {
                heard.insert(turn.id.as_str());
            }
            Item::Break { .. } => {}
            Item::Probe(probe) => {
                let ahead = probe.gold.evidence.iter();
                let ahead = ahead.filter(|id| !heard.contains(id.as_str())).min();
                ensure!(
                    ahead.is_none(),
                    "{}: probe `{}` stands above its evidence `{}`; move it below",
                    stream.name,
                    probe.id,
                    ahead.map_or("", |id| id)
                );
            }
        }
    }
    Ok(())
}
