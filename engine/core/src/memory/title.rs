//! Titles of nodes for people, computed on each request.
//!
//! Titles are not stored: a title cannot outlive its source, and costs no tokens of the budget.
//! Search and contexts do not use titles.

use super::node::{Kind, Node};
use super::tree::MemoryTree;
use crate::distil::headline;
use crate::text::{is_question, is_small_talk, topic_stems};
use crate::vectors::dot;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// Weight of the salience.
const SALIENCE_WEIGHT: f32 = 0.3;
/// Weight of the nearness to the centre of an event.
const CENTRAL_WEIGHT: f32 = 0.8;
/// Penalty for questions and small talk: they are headings only if there is nothing else.
const SAYS_NOTHING_COST: f32 = 10.0;
/// Weight of the words of a scene's heading that are said often in this scene and in few others.
const TOPIC_WEIGHT: f32 = 3.0;
/// Number of events named in a scene's heading.
const SCENE_EVENTS: usize = 2;
/// Bonus if the second heading of a scene is about another person.
const OTHER_PERSON_WORTH: f32 = 0.4;
/// Maximum words of a heading in a pair.
const PAIRED_WORDS_MAX: usize = 9;

/// The first words of a statement as they were said, and their quality score.
struct Heading {
    text: String,
    worth: f32,
}

/// The readable words of a unit, if available.
pub type WordsOf<'a> = dyn Fn(&Node) -> Option<String> + 'a;

/// Makes the titles of a tree's nodes.
pub struct Titles<'t> {
    tree: &'t MemoryTree,
    words_of: &'t WordsOf<'t>,
    /// Parts of the speakers' names, lower-cased.
    people: BTreeSet<String>,
    /// Number of scenes, and of those that have each topic word; counted when the first is named.
    scenes: OnceCell<(usize, BTreeMap<String, usize>)>,
}

/// The words of a unit that the tree holds.
fn held_words(unit: &Node) -> Option<String> {
    (!unit.is_key()).then(|| unit.text.clone())
}

impl<'t> Titles<'t> {
    /// Titles in the words that the tree holds.
    #[must_use]
    pub fn of(tree: &'t MemoryTree) -> Self {
        Self::with_words(tree, &held_words)
    }

    /// The same with the words of units from `words_of`.
    #[must_use]
    pub fn with_words(tree: &'t MemoryTree, words_of: &'t WordsOf<'t>) -> Self {
        let names = tree.speakers().flat_map(str::split_whitespace);
        Self {
            tree,
            words_of,
            people: names.map(str::to_lowercase).collect(),
            scenes: OnceCell::new(),
        }
    }

    /// The title of a node: its own words, or, for an event or scene without any, a heading in the
    /// words of statements below it. Cost: linear in the words below the node.
    #[must_use]
    pub fn title(&self, node: &Node) -> String {
        match node.kind {
            _ if !node.text.is_empty() => node.text.clone(),
            Kind::Unit => String::new(),
            Kind::Event => self.heading_of(node, &BTreeMap::new()).text,
            Kind::Scene => self.scene_heading(node),
        }
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

    /// The heading of an event; `topics` are the words that count more, with their weights.
    fn heading_of(&self, event: &Node, topics: &BTreeMap<String, f32>) -> Heading {
        if !event.text.is_empty() {
            let text = event.text.clone();
            return Heading { text, worth: 0.0 };
        }
        let middle = self.tree.vector(event.id);
        let of = |unit: &Node| {
            let said = (self.words_of)(unit);
            let said = said.map_or(Cow::Borrowed(unit.text.as_str()), Cow::Owned);
            let mut worth = SALIENCE_WEIGHT * unit.salience.clamp(-2.0, 4.0)
                + CENTRAL_WEIGHT * dot(middle, self.tree.vector(unit.id));
            if self.is_small_talk(unit, &said) {
                worth -= SAYS_NOTHING_COST;
            }
            let first = headline(said.trim_end_matches(['.', '。']));
            worth += TOPIC_WEIGHT * topic_worth(&first, topics);
            let text = match &unit.speaker {
                Some(speaker) => format!("{speaker}: {first}"),
                None => first,
            };
            Heading { text, worth }
        };
        let made = self.tree.children(event.id).map(of);
        let best = made.reduce(|best, next| if next.worth > best.worth { next } else { best });
        best.unwrap_or_else(|| Heading {
            text: String::new(),
            worth: -SAYS_NOTHING_COST,
        })
    }

    /// The headings of the two most informative events, in their order.
    fn scene_heading(&self, scene: &Node) -> String {
        let topics = self.topics(scene);
        let events = self.tree.children(scene.id).enumerate();
        let mut made: Vec<(usize, Heading, BTreeSet<String>)> = events
            .map(|(at, event)| {
                let heading = self.heading_of(event, &topics);
                let stems = topic_stems(&heading.text);
                (at, heading, stems)
            })
            .collect();
        made.sort_by(|a, b| b.1.worth.total_cmp(&a.1.worth).then(a.0.cmp(&b.0)));
        let mut taken: Vec<(usize, Heading, BTreeSet<String>)> = Vec::new();
        // prefer a second heading about another person
        if let Some((_, first, _)) = made.first() {
            let about = first.text.split(' ').next().unwrap_or_default().to_owned();
            for (_, next, _) in made.iter_mut().skip(1) {
                if !next.text.starts_with(&about) {
                    next.worth += OTHER_PERSON_WORTH;
                }
            }
            made[1..].sort_by(|a, b| b.1.worth.total_cmp(&a.1.worth).then(a.0.cmp(&b.0)));
        }
        for next in made {
            let new = taken.iter().all(|(.., stems)| next.2.is_disjoint(stems));
            let fits = taken.is_empty() || next.1.text.split(' ').count() <= PAIRED_WORDS_MAX;
            if new && fits && taken.len() < SCENE_EVENTS {
                taken.push(next);
            }
        }
        taken.sort_by_key(|(at, ..)| *at);
        let texts: Vec<String> = taken
            .into_iter()
            .map(|(_, heading, _)| heading.text)
            .collect();
        texts.join("; ")
    }

    /// The topic words of a scene that several of its statements have. Each weighs the more, up to
    /// 1, the more of them have it, and the fewer other scenes do.
    fn topics(&self, scene: &Node) -> BTreeMap<String, f32> {
        let (scenes, scenes_with) = self.scenes.get_or_init(|| {
            let (mut scenes, mut scenes_with) = (0, BTreeMap::new());
            for scene in self.tree.of_kind(Kind::Scene) {
                scenes += 1;
                for stem in self.counts(scene).into_keys() {
                    *scenes_with.entry(stem).or_default() += 1;
                }
            }
            (scenes, scenes_with)
        });
        let rarity = |stem: &str| {
            let with = scenes_with.get(stem).copied().unwrap_or(1) as f32;
            match *scenes {
                0 | 1 => 1.0,
                scenes => 1.0 - with.ln() / (scenes as f32).ln(),
            }
        };
        let counts = self.counts(scene).into_iter();
        counts
            .filter(|(_, count)| *count > 1)
            .map(|(stem, count)| {
                let weight = rarity(&stem) * (1.0 - 1.0 / count as f32);
                (stem, weight)
            })
            .collect()
    }

    /// For every topic word, the number of a scene's statements that have it.
    fn counts(&self, scene: &Node) -> BTreeMap<String, u16> {
        let mut counts: BTreeMap<String, u16> = BTreeMap::new();
        for event in self.tree.children(scene.id) {
            for said in self.tree.children(event.id).filter_map(self.words_of) {
                let stems = topic_stems(&said).into_iter();
                for stem in stems.filter(|stem| !self.people.contains(stem)) {
                    let count = counts.entry(stem).or_default();
                    *count = count.saturating_add(1);
                }
            }
        }
        counts
    }
}

/// The weights of the two weightiest topic words of a text.
fn topic_worth(text: &str, topics: &BTreeMap<String, f32>) -> f32 {
    if topics.is_empty() {
        return 0.0;
    }
    let weights = topic_stems(text).into_iter();
    let mut weights: Vec<f32> = weights
        .filter_map(|stem| topics.get(&stem).copied())
        .collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    weights.iter().take(2).sum()
}

#[cfg(test)]
mod tests {
    use super::super::worked_examples::node;
    use super::*;

    /// The title of an event of two statements of the same form: the boat in the direction of the
    /// event, the lamp at a right angle to it, with this salience.
    fn title(lamp_salience: f32) -> String {
        let mut tree = MemoryTree::new(2);
        let scene = tree.insert(node(Kind::Scene, None, ""), &[1.0, 0.0]);
        let event = tree.insert(node(Kind::Event, Some(scene), ""), &[1.0, 0.0]);
        for (text, salience, vector) in [
            ("I sold the boat.", 0.0, [1.0, 0.0]),
            ("I sold the lamp.", lamp_salience, [0.0, 1.0]),
        ] {
            let mut unit = node(Kind::Unit, Some(event), text);
            (unit.speaker, unit.salience) = (Some("Ana".into()), salience);
            tree.insert(unit, &vector);
        }
        Titles::of(&tree).title(tree.node(event).expect("it was added"))
    }

    /// The boat has 0.8 for its cosine of 1; the lamp has 0.3 of its salience, at most 0.3 * 4.
    #[test]
    fn a_heading_is_central_or_more_salient_than_that() {
        assert_eq!(title(0.0), "Ana: I sold the boat");
        assert_eq!(title(2.5), "Ana: I sold the boat", "0.8 > 0.3 * 2.5 = 0.75");
        assert_eq!(title(3.0), "Ana: I sold the lamp", "0.8 < 0.3 * 3 = 0.9");
    }
}
