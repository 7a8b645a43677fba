//! When and where the statements below a node were said.

use crate::time::zone_here;
use jiff::civil::Date;
use weir_core::memory::{Kind, MemoryTree, Node};
use weir_core::talk::Evidence;
use weir_core::text::date_of;

/// When and where the statements below a node were said.
#[derive(Debug, Clone, Copy)]
pub struct When<'a> {
    /// First and last wall time.
    pub wall: (Option<i64>, Option<i64>),
    /// First and last session time.
    pub session_ms: (u64, u64),
    /// The first and the last statement.
    pub said: (Option<&'a Evidence>, Option<&'a Evidence>),
    /// The recording in which all of them are; `None` if they are in several.
    pub recording: Option<&'a str>,
}

impl<'a> When<'a> {
    /// Of a node, or of the statements below it.
    #[must_use]
    pub fn of(tree: &'a MemoryTree, node: &'a Node) -> Self {
        let own = || {
            let said = node.evidence.first();
            let wall = said.and_then(|item| item.said_at_unix_ms);
            Self {
                wall: (wall, wall),
                session_ms: (node.said_ms, node.said_ms),
                said: (said, said),
                recording: said.map(|item| &*item.stream),
            }
        };
        if node.kind == Kind::Unit {
            return own();
        }
        let below = tree.children(node.id).map(|child| Self::of(tree, child));
        below.reduce(Self::and).unwrap_or_else(own)
    }

    fn and(self, other: Self) -> Self {
        let (first, last) = (self.session_ms, other.session_ms);
        Self {
            wall: (
                self.wall.0.into_iter().chain(other.wall.0).min(),
                self.wall.1.max(other.wall.1),
            ),
            session_ms: (first.0.min(last.0), first.1.max(last.1)),
            said: (
                if first.0 <= last.0 {
                    self.said.0
                } else {
                    other.said.0
                },
                if first.1 >= last.1 {
                    self.said.1
                } else {
                    other.said.1
                },
            ),
            recording: self.recording.filter(|it| other.recording == Some(*it)),
        }
    }

    /// Its first and last day here; `None` when the wall time is not known.
    #[must_use]
    pub fn days(self) -> Option<(Date, Date)> {
        let zone = zone_here();
        let day = |at| date_of(at, &zone);
        Some((day(self.wall.0?)?, day(self.wall.1?)?))
    }
}
