//! Which facts hold and which were superseded: a pure rule, and its application to the tree.
//!
//! A later value of the same slot of the same subject supersedes an earlier one. Nothing is
//! deleted; if the later one is, the earlier holds again. The rule depends only on the statements,
//! so it is the same for mounting, editing, deleting and importing.

use super::context::TreeContext;
use super::node::{Kind, Node, NodeId, Superseded};
use super::tree::MemoryTree;
use crate::analysis::ClaimKey;

/// One statement about a slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stated<'a> {
    pub(super) id: NodeId,
    pub(super) said_ms: u64,
    pub(super) claim: &'a ClaimKey,
}

/// For each statement about one slot: when it was superseded, if it was.
///
/// In the order said: a firm statement with another value supersedes all that hold, and so does one
/// that repeats a superseded value ("I live in Rome", after a move away). Any other statement holds
/// in addition. A statement that a value is over supersedes that value and holds nothing itself.
/// Statements of the same moment do not supersede each other.
pub(super) fn standing(stated: &[Stated<'_>]) -> Vec<Option<Superseded>> {
    let mut ended: Vec<Option<Superseded>> = vec![None; stated.len()];
    let mut order: Vec<usize> = (0..stated.len()).collect();
    order.sort_by_key(|&at| (stated[at].said_ms, stated[at].id));
    for (place, &at) in order.iter().enumerate() {
        let fact = &stated[at];
        let before = || {
            order[..place]
                .iter()
                .copied()
                .filter(|&b| !stated[b].claim.over)
        };
        let again = before().any(|b| ended[b].is_some() && fact.claim.same_value(stated[b].claim));
        let known = before().any(|b| ended[b].is_none() && fact.claim.same_value(stated[b].claim));
        let ends_others = !known && (fact.claim.firm || again);
        let ends = |b: usize| {
            let same = fact.claim.same_value(stated[b].claim);
            let ends = if fact.claim.over {
                same
            } else {
                !same && ends_others
            };
            ends && ended[b].is_none() && stated[b].said_ms < fact.said_ms
        };
        let gone: Vec<usize> = before().filter(|&b| ends(b)).collect();
        for b in gone {
            ended[b] = Some(Superseded {
                at_ms: fact.said_ms,
                by: fact.id,
            });
        }
    }
    ended
}

impl MemoryTree {
    /// Applies the rule to every statement about the slot of `claim`.
    ///
    /// A statement superseded by a unit that was forgotten since stays superseded: the fact
    /// changed, even if memory no longer holds the new value. Cost: O(N).
    pub(super) fn apply_supersession(&mut self, claim: &ClaimKey, ctx: &TreeContext<'_>) {
        let stated: Vec<Stated<'_>> = self
            .of_kind(Kind::Unit)
            .filter_map(|unit| {
                let claim = unit.claim.as_ref().filter(|c| c.same_slot(claim))?;
                Some(Stated {
                    id: unit.id,
                    said_ms: unit.said_ms,
                    claim,
                })
            })
            .collect();
        let changes: Vec<(NodeId, Option<Superseded>)> = stated
            .iter()
            .zip(standing(&stated))
            .filter_map(|(fact, now)| {
                let before = self.node(fact.id)?.superseded;
                let forgotten = before.filter(|end| self.node(end.by).is_none());
                let now = now.or(forgotten);
                (before != now).then_some((fact.id, now))
            })
            .collect();
        for (id, superseded) in changes {
            self.revise(id, ctx, |node| node.superseded = superseded);
        }
    }

    /// What a unit superseded counts as superseded by the unit it was merged into.
    pub(super) fn inherit_supersession(&mut self, gone: NodeId, kept: NodeId) {
        for id in self.superseded_by(gone) {
            if let Some(end) = self.node_mut(id).and_then(|node| node.superseded.as_mut()) {
                end.by = kept;
            }
        }
    }

    /// Restores everything that a unit superseded; called before the unit is deleted.
    pub(super) fn restore_superseded_by(&mut self, id: NodeId, ctx: &TreeContext<'_>) {
        for unit in self.superseded_by(id) {
            self.revise(unit, ctx, |node| node.superseded = None);
        }
    }

    fn superseded_by(&self, id: NodeId) -> Vec<NodeId> {
        let by = |unit: &&Node| unit.superseded.is_some_and(|end| end.by == id);
        let ended = self.of_kind(Kind::Unit).filter(by);
        ended.map(|unit| unit.id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Claim;

    /// Which statements hold after `(minute, speaker, statement)` inputs.
    fn holds(said: &[(u64, &str, &str)]) -> Vec<bool> {
        let claims: Vec<Option<ClaimKey>> = said
            .iter()
            .map(|(_, speaker, text)| Some(Claim::read(text, Some(speaker))?.key()))
            .collect();
        let slot_of = |at: usize| claims[at].as_ref();
        (0..said.len())
            .map(|at| {
                let Some(own) = slot_of(at) else { return true };
                let stated: Vec<Stated<'_>> = (0..said.len())
                    .filter_map(|n| {
                        let id = NodeId {
                            slot: n as u32,
                            generation: 0,
                        };
                        let claim = slot_of(n).filter(|claim| claim.same_slot(own))?;
                        Some(Stated {
                            id,
                            said_ms: said[n].0,
                            claim,
                        })
                    })
                    .collect();
                let place = stated.iter().position(|fact| fact.id.slot == at as u32);
                let place = place.expect("it is about its own slot");
                standing(&stated)[place].is_none()
            })
            .collect()
    }

    /// One case per paragraph: minute, speaker and statement, with `+` if it holds at the end.
    const TABLE: &str = "\
        # another value, later
        - 1 Ana: I live in Rome.
        + 2 Ana: I moved to Porto.

        # the order in which they came does not matter, only when they were said
        + 2 Ana: I moved to Porto.
        - 1 Ana: I live in Rome.

        # never across subjects
        + 1 Ana: I live in Rome.
        + 2 Bob: I moved to Porto.

        # a third person's word about the same subject counts
        - 1 Ana: I live in Rome.
        + 2 Bob: Ana moved to Porto.

        # two that may both be true
        + 1 Ana: I live in Rome.
        + 2 Ana: I live in Italy.

        # but not now
        - 1 Ana: I live in Rome.
        + 2 Ana: I live in Porto now.

        # another slot
        + 1 Ana: I live in Rome.
        + 2 Ana: I work at Bosch.

        # the same value again, in more words
        + 1 Ana: I live in Rome.
        + 2 Ana: I live in Rome, Italy.

        # said to be over
        - 1 Ana: I live in Rome.
        + 2 Ana: I don't live in Rome anymore.

        # what is over supersedes no other value
        + 1 Ana: I live in Rome.
        + 2 Ana: I used to live in Berlin.

        # there and back again
        - 1 Ana: I live in Rome.
        - 2 Ana: I moved to Porto.
        + 3 Ana: I live in Rome.

        # in one breath nothing changes
        + 1 Ana: My boss is Carla.
        + 1 Ana: My boss is Dan.

        # times
        - 1 Ana: The meeting is at seven.
        + 2 Bob: The meeting was moved to eight.

        # a day is not a time
        + 1 Ana: The meeting is at seven.
        + 2 Bob: The meeting was moved to Friday.

        # what somebody likes is no slot
        + 1 Ana: I like dogs.
        + 2 Ana: I like cats.

        # things of one name that belong to two people
        + 1 Ana: My boss is Carla.
        + 2 Bob: My boss is Dan.

        # ages
        - 1 Ana: I turned 34.
        + 2 Ana: I'm 35 years old.

        # partners
        - 1 Ana: I'm dating Tom.
        + 2 Ana: I broke up with Tom.";

    #[test]
    fn a_table_of_cases() {
        let mut cases = 0;
        for case in TABLE.split("\n\n") {
            let lines: Vec<&str> = case
                .lines()
                .map(str::trim)
                .filter(|line| !line.starts_with('#'))
                .collect();
            let said: Vec<(u64, &str, &str)> = lines
                .iter()
                .map(|line| {
                    let (head, text) = line.split_once(": ").expect("speaker and text");
                    let mut head = head.split(' ').skip(1);
                    let minute = head.next().and_then(|n| n.parse().ok());
                    (
                        minute.expect("a minute"),
                        head.next().expect("a speaker"),
                        text,
                    )
                })
                .collect();
            let expected: Vec<bool> = lines.iter().map(|line| line.starts_with('+')).collect();
            assert_eq!(holds(&said), expected, "{case}");
            cases += 1;
        }
        assert_eq!(cases, 18);
    }
}
