//! The outline of memory, as the picture keeps it: what is new, and what was pruned.

use super::text::clean;
use std::collections::{BTreeSet, HashMap};
use weir_api::{Outline, OutlineNode, TreeChanges};

/// Rows that are kept, the latest.
const ROWS_MAX: usize = 400;
/// How long a row is marked as new, in milliseconds.
const NEW_MS: u64 = 6_000;

/// The outline.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// The rows; their texts are clean.
    pub(crate) rows: Vec<OutlineNode>,
    pub(crate) left_out: usize,
    /// Until when rows are marked as new.
    new: HashMap<String, u64>,
    /// What happened since the picture began.
    pub(crate) changes: TreeChanges,
    /// Rows at the end that are scrolled away.
    up: usize,
    is_known: bool,
}

impl Memory {
    /// Takes the outline of this moment.
    pub(crate) fn outline(&mut self, outline: Outline, now_ms: u64) {
        let before: BTreeSet<&str> = self.rows.iter().map(|row| row.id.as_str()).collect();
        // what is there when the picture begins is not new
        if self.is_known {
            let added = outline
                .nodes
                .iter()
                .filter(|it| !before.contains(it.id.as_str()));
            let added = added.map(|it| (it.id.clone(), now_ms.saturating_add(NEW_MS)));
            self.new.extend(added.take(ROWS_MAX).collect::<Vec<_>>());
        }
        self.is_known = true;
        let before = self.rows.len();
        let skip = outline.nodes.len().saturating_sub(ROWS_MAX);
        self.left_out = outline.left_out + skip;
        let rows = outline.nodes.into_iter().skip(skip).map(|row| OutlineNode {
            text: clean(&row.text),
            speaker: row.speaker.as_deref().map(clean),
            ..row
        });
        self.rows = rows.collect();
        if self.up > 0 {
            // what is looked at stays where it is while rows come at the end
            self.up += self.rows.len().saturating_sub(before);
        }
        self.up = self.up.min(self.rows.len().saturating_sub(1));
        self.time(now_ms);
    }

    /// It is later now.
    pub(crate) fn time(&mut self, now_ms: u64) {
        self.new.retain(|_, until_ms| *until_ms > now_ms);
    }

    /// Whether a row is new.
    pub(crate) fn is_new(&self, row: &OutlineNode) -> bool {
        self.new.contains_key(&row.id)
    }

    pub(crate) fn scroll(&mut self, by: i64) {
        let up = (self.up as i64).saturating_sub(by).max(0);
        self.up = usize::try_from(up)
            .unwrap_or(usize::MAX)
            .min(self.rows.len().saturating_sub(1));
    }

    /// Shows the newest rows again; false if they are shown.
    pub(crate) fn follow(&mut self) -> bool {
        std::mem::take(&mut self.up) > 0
    }

    /// The rows up to the last one to show, and how many newer ones are hidden.
    pub(crate) fn shown(&self) -> (&[OutlineNode], usize) {
        let end = self.rows.len() - self.up.min(self.rows.len());
        (&self.rows[..end], self.up)
    }
}
