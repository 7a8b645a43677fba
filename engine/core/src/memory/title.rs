//! Titles of nodes for people: an event is headed by what was said, a scene by its events.
//!
//! Search and contexts do not use titles.

use super::heading::{heading_unit, keys, proves, written};
use super::node::{Kind, Node};
use super::tree::MemoryTree;
use crate::distil::quote;
use crate::text::{is_question, is_small_talk};
use std::collections::{BTreeMap, BTreeSet};

/// The readable words of a unit, or of what an event's first evidence has, if available.
pub type WordsOf<'a> = dyn Fn(&Node) -> Option<String> + 'a;

/// Weight of the salience against each key word of a scene that an event has.
const SALIENCE_WEIGHT: f32 = 0.3;
/// The title of an event that tells nothing.
const SMALL_TALK: &str = "small talk";
/// Maximum key words of a scene.
const KEYS_MAX: usize = 4;
/// Maximum people named in the title of a scene.
const PEOPLE_MAX: usize = 4;

/// Makes the titles of a tree's nodes.
pub struct Titles<'t> {
    tree: &'t MemoryTree,
    words_of: &'t WordsOf<'t>,
    /// Parts of the speakers' names, lower-cased.
    people: BTreeSet<String>,
}

/// What was said, and what a model wrote of it.
fn by_model(spoken: &str, written: &str) -> String {
    format!("{spoken} (model: {written})")
}

/// The words of a unit that the tree holds.
fn held_words(node: &Node) -> Option<String> {
    (node.kind == Kind::Unit && !node.is_key()).then(|| node.text.clone())
}

impl<'t> Titles<'t> {
    /// Titles in the words that the tree holds.
    #[must_use]
    pub fn of(tree: &'t MemoryTree) -> Self {
        Self::with_words(tree, &held_words)
    }

    /// The same with the words from `words_of`.
    #[must_use]
    pub fn with_words(tree: &'t MemoryTree, words_of: &'t WordsOf<'t>) -> Self {
        let names = tree.speakers().flat_map(str::split_whitespace);
        Self {
            tree,
            words_of,
            people: names.map(str::to_lowercase).collect(),
        }
    }

    /// The title of a node. Of an event its quote and key words: "Ana: I sold the boat (harbour,
    /// Olga)". Of a scene its people, its key words, and the quote of its most telling event. What
    /// a model wrote of either stands behind it: "(model: Ana sold the boat)". Empty for a unit.
    /// Cost: linear in the words below the node.
    #[must_use]
    pub fn title(&self, node: &Node) -> String {
        match node.kind {
            Kind::Unit => String::new(),
            Kind::Event => {
                let (spoken, keys) = self.event(node);
                match (written(node), keys.is_empty()) {
                    (Some(title), _) => by_model(&spoken, title),
                    (None, true) => spoken,
                    (None, false) => format!("{spoken} ({})", keys.join(", ")),
                }
            }
            Kind::Scene if !node.text.is_empty() => by_model(&self.scene(node), &node.text),
            Kind::Scene => self.scene(node),
        }
    }

    /// The speakers of a scene's statements, who says most first.
    fn people(&self, scene: &Node) -> Vec<&'t str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for event in self.tree.children(scene.id) {
            for speaker in self
                .tree
                .children(event.id)
                .filter_map(|it| it.speaker.as_deref())
            {
                *counts.entry(speaker).or_default() += 1;
            }
        }
        let mut people: Vec<(&str, usize)> = counts.into_iter().collect();
        people.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        people
            .into_iter()
            .map(|(name, _)| name)
            .take(PEOPLE_MAX)
            .collect()
    }

    /// Whether a unit with these words is a question, a greeting, thanks or a short reply, which
    /// minutes omit. Units that are pinned, edited or answer a question are not.
    #[must_use]
    pub fn is_small_talk(&self, unit: &Node, said: &str) -> bool {
        let chosen = unit.pinned || unit.edited;
        let answers = || {
            let first = said.split(|c: char| !c.is_alphabetic()).next();
            let first = first.unwrap_or_default().to_lowercase();
            unit.asked.is_some() && ["yes", "no", "yeah", "yep", "nope", "not"].contains(&&*first)
        };
        !chosen && (is_question(said) || !answers() && is_small_talk(said, &self.people))
    }

    /// What heads an event, after its speaker, and its key words.
    fn event(&self, event: &'t Node) -> (String, Vec<&'t str>) {
        let unit = heading_unit(self.tree, event);
        let said = |node: &'t Node| {
            let speaker = match node.kind {
                Kind::Unit => node.speaker.as_deref(),
                _ => event.evidence.first()?.speaker.as_deref(),
            };
            let quote = quote(&(self.words_of)(node)?, &self.people)?;
            Some(match speaker {
                Some(speaker) => format!("{speaker}: {quote}"),
                None => quote,
            })
        };
        // a full memory may have forgotten the statement, and the transcript has it
        let first = unit.filter(|unit| proves(unit, event)).unwrap_or(event);
        let spoken = said(first).or_else(|| said(unit?));
        (spoken.unwrap_or_else(|| SMALL_TALK.to_owned()), keys(event))
    }

    /// Who speaks, the key words that most of its events have, and the quote of one that is telling
    /// and has some of them.
    fn scene(&self, scene: &Node) -> String {
        let events: Vec<&Node> = self.tree.children(scene.id).collect();
        let headed = events.iter().map(|event| (*event, self.event(event)));
        let headed: Vec<(&Node, (String, Vec<&str>))> = headed.collect();
        let mut counts: BTreeMap<String, (usize, usize, &str)> = BTreeMap::new();
        for key in headed.iter().flat_map(|(_, (_, keys))| keys) {
            let place = counts.len();
            let it = counts.entry(key.to_lowercase());
            it.or_insert((0, place, key)).0 += 1;
        }
        let mut keys: Vec<(usize, usize, &str)> = counts.into_values().collect();
        keys.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let keys: Vec<&str> = keys.into_iter().map(|it| it.2).take(KEYS_MAX).collect();
        let worth = |(event, (spoken, own)): &(&Node, (String, Vec<&str>))| {
            let lower = spoken.to_lowercase();
            let has = |key: &&&str| own.contains(key) || lower.contains(&key.to_lowercase());
            SALIENCE_WEIGHT * event.salience.clamp(-2.0, 4.0)
                + keys.iter().filter(has).count() as f32
        };
        let best = headed
            .iter()
            .reduce(|best, next| match worth(next) > worth(best) {
                true => next,
                false => best,
            });
        let spoken = best.map_or("", |(_, (spoken, _))| spoken.as_str());
        let parts = [
            self.people(scene).join(", "),
            keys.join(", "),
            spoken.to_owned(),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|it| !it.is_empty()).collect();
        parts.join(" · ")
    }
}
