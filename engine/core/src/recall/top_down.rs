//! Recall through the tree as ProStream has it (5.4 and 6.1): scenes, their events, their units.
//! The context is the buffer, what is pending, and the best units; nothing else is a candidate.

use super::candidate::{Candidate, Source};
use crate::answer::Question;
use crate::memory::{Node, NodeId};
use crate::session::Session;
use crate::vectors::dot;
use std::collections::BTreeSet;

/// Maximum number of scenes, of events per scene, and of units that are found.
const SCENES_MAX: usize = 5;
const EVENTS_MAX: usize = 10;
const UNITS_MAX: usize = 3;

/// Keeps raw talk and the best units of the best events of the best scenes. A unit scores its
/// cosine times its utility, and needs the profile's least cosine; raw talk scores its cosine.
pub(super) fn select(found: &mut Vec<Candidate<'_>>, session: &Session, question: &Question) {
    let open = opened(session, question);
    let value = session.valuation();
    let least = session.config().profile.recall_cosine;
    found.retain_mut(|candidate| match candidate.source {
        Source::Unit(node) => {
            candidate.score = candidate.cosine * value.utility(node, &candidate.words);
            candidate.cosine >= least && node.parent.is_some_and(|event| open.contains(&event))
        }
        Source::Raw(..) => {
            candidate.score = candidate.cosine.max(0.0);
            true
        }
    });
    let units = found.iter().filter_map(|it| Some((it.score, it.node()?)));
    let mut units: Vec<(f32, NodeId)> = units.collect();
    units.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    units.truncate(UNITS_MAX);
    let kept = |id: NodeId| units.iter().any(|(_, unit)| *unit == id);
    found.retain(|it| it.node().is_none_or(kept));
}

/// The best events of the best scenes.
fn opened(session: &Session, question: &Question) -> BTreeSet<NodeId> {
    let tree = session.tree();
    let scenes = nearest(tree.scenes(), SCENES_MAX, session, question).into_iter();
    let events =
        scenes.flat_map(|scene| nearest(tree.children(scene.id), EVENTS_MAX, session, question));
    events.map(|event| event.id).collect()
}

/// The nodes nearest to the question.
fn nearest<'a>(
    nodes: impl Iterator<Item = &'a Node>,
    most: usize,
    session: &Session,
    question: &Question,
) -> Vec<&'a Node> {
    let cosine = |node: &Node| dot(session.tree().vector(node.id), &question.vector);
    let mut nodes: Vec<&Node> = nodes.collect();
    nodes.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)).then(a.id.cmp(&b.id)));
    nodes.truncate(most);
    nodes
}

#[cfg(test)]
mod tests {
    use super::super::testing::{question, told_by};
    use super::UNITS_MAX;
    use crate::config::RecallPolicy;

    /// Of eight statements that fit, three are in the context, and none that is far from the
    /// question.
    #[test]
    fn a_context_has_the_three_best_units() {
        let boats = [
            "red", "blue", "green", "white", "black", "brown", "pink", "grey",
        ];
        let said = boats.map(|it| format!("The {it} boat is in the harbour."));
        let mut talk: Vec<(&str, &str)> = said.iter().map(|it| ("Ana", it.as_str())).collect();
        talk.push(("Bob", "We had soup and bread."));
        let asked = question("Which boat is in the harbour?");
        let shown = |recall| {
            let memory = told_by(recall, &talk);
            let context = memory.session().search(&asked).assemble(1_300).context;
            let text = context.statements.into_iter().map(|it| it.text);
            text.collect::<Vec<_>>()
        };
        assert_eq!(shown(RecallPolicy::Hybrid).len(), talk.len());
        let found = shown(RecallPolicy::TopDown);
        assert_eq!(found.len(), UNITS_MAX, "{found:?}");
        assert!(found.iter().all(|it| it.contains("boat")), "{found:?}");
    }
}
