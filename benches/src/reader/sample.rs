//! A fixed sample of questions, spread over streams and categories.

use crate::stream::{Category, Probe, Stream};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

pub(crate) struct Task<'a> {
    pub(crate) stream: &'a Stream,
    pub(crate) probe: &'a Probe,
}

impl Task<'_> {
    /// Whether the stream has no answer to it.
    pub(crate) fn is_adversarial(&self) -> bool {
        self.probe.gold.is_adversarial()
    }
}

/// A stream and a kind of question.
type Group<'a> = (&'a str, Option<Category>);
/// A question with its hash.
type Hashed<'a> = ([u8; 32], Task<'a>);

/// Selects a number of questions: proportional over streams and categories, and in the order of a
/// fixed hash within each. A larger sample contains the smaller one, so a reading can be extended.
pub(crate) fn spread(tasks: Vec<Task<'_>>, questions: usize) -> Vec<Task<'_>> {
    let mut groups: HashMap<Group<'_>, Vec<Hashed<'_>>> = HashMap::new();
    for task in tasks {
        let group = (task.stream.name.as_str(), task.probe.gold.category);
        let hash = Sha256::digest(format!("{}\n{}", task.stream.name, task.probe.id)).into();
        groups.entry(group).or_default().push((hash, task));
    }
    let mut placed = Vec::new();
    for mut group in groups.into_values() {
        group.sort_by_key(|(hash, _)| *hash);
        let size = group.len() as f64;
        let ranked = group.into_iter().enumerate();
        placed.extend(ranked.map(|(rank, (hash, task))| ((rank as f64 + 0.5) / size, hash, task)));
    }
    placed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    placed.truncate(questions);
    placed.into_iter().map(|(_, _, task)| task).collect()
}
