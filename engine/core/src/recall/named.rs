//! Questions about whom and what memory knows by name: "what do you know about the library?", "who
//! does Maria know?", "what links Ana and Prague?".
//!
//! The order of words decides what is asked, and a name must be one of an entity, as it is spelt:
//! else the question is answered as any other. Talk that is not distilled yet has no entities.

use super::candidate::Candidate;
use super::found::Found;
use super::support;
use super::telling::{STATEMENTS_MAX, Told, WORDS_MAX, salience};
use crate::answer::{OverviewOf, Statement};
use crate::entities::{Entities, Entity};
use crate::memory::NodeId;
use std::collections::{BTreeMap, BTreeSet};
use weir_models::NameKind;

const LINKED: [&str; 4] = ["related", "connected", "linked", "joined"];
const LINK: [&str; 5] = ["link", "connection", "relation", "relationship", "tie"];
const LINKS: [&str; 5] = ["links", "connects", "relates", "joins", "ties"];
const BESIDE: [&str; 3] = ["and", "with", "to"];
const ABOUT: [&str; 2] = ["about", "of"];
const DOES: [&str; 4] = ["does", "do", "did", "has"];
/// What somebody does who names others.
const NAMING: [&str; 4] = ["know", "mention", "mentioned", "name"];
/// What memory has of a thing.
const KNOWING: [&str; 5] = ["know", "remember", "hear", "heard", "learn"];

/// What a question asks about names, which may be none of an entity: `words` are lower-cased.
pub(super) fn asked(words: &[&str], asker: Option<&str>) -> Option<OverviewOf> {
    let name = |words: &[&str]| name(words, asker);
    let between = |(a, b): (&[&str], &[&str])| Some(OverviewOf::Between(name(a)?, name(b)?));
    let by = |kind: NameKind, rest: &[&str]| {
        let (last, whom) = rest.split_last()?;
        let whom = name(whom).filter(|_| NAMING.contains(last))?;
        Some(OverviewOf::NamedBy { whom, kind })
    };
    match words {
        ["what" | "who", links, rest @ ..] if LINKS.contains(links) => between(apart(rest)?),
        ["what", "is", "the", link, "between", rest @ ..] if LINK.contains(link) => {
            between(apart(rest)?)
        }
        ["what", "do", rest @ .., "have", "in", "common"] => between(apart(rest)?),
        ["how", "is" | "are", rest @ .., linked] if LINKED.contains(linked) => {
            between(apart(rest)?)
        }
        ["how", "is" | "are", rest @ ..] => {
            let at = rest.iter().position(|it| LINKED.contains(it))?;
            let beside = rest.get(at + 1).filter(|it| BESIDE.contains(it));
            beside.and_then(|_| between((&rest[..at], &rest[at + 2..])))
        }
        ["who" | "whom", does, rest @ ..] if DOES.contains(does) => by(NameKind::Person, rest),
        ["what" | "which", kind, does, rest @ ..] if DOES.contains(does) => {
            by(kind_called(kind)?, rest).or_else(|| of_memory(words, name))
        }
        _ => of_memory(words, name),
    }
}

/// What a question asks memory to tell of a name: "what do you know about it?"
fn of_memory(words: &[&str], name: impl Fn(&[&str]) -> Option<String>) -> Option<OverviewOf> {
    let of = match words {
        [
            "what",
            "do" | "did" | "have",
            "i" | "you" | "we",
            know,
            about,
            of @ ..,
        ]
        | ["what", "does" | "has", "memory", know, about, of @ ..]
            if KNOWING.contains(know) && ABOUT.contains(about) =>
        {
            of
        }
        ["what", "is" | "was", "known" | "remembered", about, of @ ..] if ABOUT.contains(about) => {
            of
        }
        [
            "tell",
            "me",
            "all" | "everything" | "more",
            "about",
            of @ ..,
        ]
        | ["tell", "me", "about", of @ ..] => of,
        _ => return None,
    };
    name(of).map(OverviewOf::Named)
}

/// What a noun for names asks for.
fn kind_called(noun: &str) -> Option<NameKind> {
    Some(match noun {
        "people" | "persons" | "person" => NameKind::Person,
        "places" | "place" => NameKind::Place,
        "organisations" | "organizations" | "companies" => NameKind::Organisation,
        "things" => NameKind::Thing,
        _ => return None,
    })
}

/// Two names that a word stands between.
fn apart<'w>(words: &'w [&'w str]) -> Option<(&'w [&'w str], &'w [&'w str])> {
    let at = words.iter().position(|it| BESIDE.contains(it))?;
    Some((&words[..at], &words[at + 1..]))
}

/// A name as entities have it: "I" is the asker, "my sister" the asker's.
fn name(words: &[&str], asker: Option<&str>) -> Option<String> {
    match words {
        [] => None,
        ["i" | "me"] => asker.map(str::to_owned),
        ["my" | "our", rest @ ..] if !rest.is_empty() => {
            asker.map(|asker| format!("{asker}'s {}", rest.join(" ")))
        }
        _ => Some(words.join(" ")),
    }
}

impl<'a> Found<'a> {
    /// What names an entity; `None` if there is none of this name. Cost of this and the others:
    /// that of [`Entities::of`].
    pub(super) fn told_of_name(&self, name: &str) -> Option<Told> {
        let all = Entities::of(self.session, self.words);
        let entity = all.find(name)?;
        let units: BTreeSet<NodeId> = entity.units.iter().copied().collect();
        let of = OverviewOf::Named(entity.name.clone());
        Some(self.told_in(of, &units))
    }

    /// Whom or what of a kind somebody names, or what names somebody: those named most often
    /// first, with a statement each as far as they fit. Cost: also the names times the statements.
    pub(super) fn named_by(&self, whom: &str, kind: NameKind) -> Option<Told> {
        let all = Entities::of(self.session, self.words);
        let (whom, own) = self.known(&all, whom)?;
        let others = all.all().iter();
        let others = others.filter(|it| it.kind == kind && it.name != whom);
        let beside = others.map(|it| (it, of_both(&own, it)));
        let mut beside: Vec<_> = beside.filter(|it| !it.1.is_empty()).collect();
        beside.sort_by_key(|it| std::cmp::Reverse(it.1.len()));
        // "Bob's friend" is whoever stands behind it, where somebody does
        let (nouns, mut others): (Vec<_>, Vec<_>) =
            beside.into_iter().partition(|it| it.0.name.contains("'s "));
        let stands_for = |units: &BTreeSet<NodeId>| {
            units
                .iter()
                .all(|it| others.iter().any(|other| other.1.contains(it)))
        };
        let bare = nouns.into_iter().filter(|it| !stands_for(&it.1));
        let bare: Vec<_> = bare.collect();
        others.extend(bare);
        let beside = others;
        let names = beside.iter().map(|it| it.0.name.clone()).collect();
        let each: Vec<BTreeSet<NodeId>> = beside.into_iter().map(|it| it.1).collect();
        let links = all.find(&whom).into_iter().flat_map(|it| all.links_of(it));
        let related: BTreeSet<NodeId> = links.map(|it| it.unit).collect();
        let bear: BTreeSet<NodeId> = each.iter().flatten().copied().collect();
        Some(Told {
            of: OverviewOf::NamedBy { whom, kind },
            names,
            statements: self.one_of_each(&each, &related),
            of_statements: bear.len(),
        })
    }

    /// What names two; where nothing does, what names a third with either.
    pub(super) fn told_between(&self, a: &str, b: &str) -> Option<Told> {
        let all = Entities::of(self.session, self.words);
        let ((a, of_a), (b, of_b)) = (self.known(&all, a)?, self.known(&all, b)?);
        if a == b {
            return None;
        }
        let of = OverviewOf::Between(a.clone(), b.clone());
        let both: BTreeSet<NodeId> = of_a.intersection(&of_b).copied().collect();
        if !both.is_empty() {
            return Some(self.told_in(of, &both));
        }
        let others = all.all().iter();
        let others = others.filter(|it| it.name != a && it.name != b);
        let joins = others.filter_map(|it| {
            let sides = [of_both(&of_a, it), of_both(&of_b, it)];
            let is_between = sides.iter().all(|side| !side.is_empty());
            // what everybody names says least of two
            is_between.then_some((it.units.len(), it, sides))
        });
        let third = joins.min_by_key(|it| it.0);
        let (names, sides) = match third {
            Some((_, it, sides)) => (vec![it.name.clone()], Vec::from(sides)),
            None => (Vec::new(), Vec::new()),
        };
        Some(Told {
            of,
            names,
            of_statements: sides.iter().map(BTreeSet::len).sum(),
            statements: self.one_of_each(&sides, &BTreeSet::new()),
        })
    }

    fn told_in(&self, of: OverviewOf, units: &BTreeSet<NodeId>) -> Told {
        let is_in = |it: &Candidate<'a>| it.node().is_some_and(|it| units.contains(&it));
        let (statements, of_statements) = self.telling(is_in);
        Told {
            of,
            names: Vec::new(),
            statements,
            of_statements,
        }
    }

    /// The entity or speaker of a name, with the units that name them and those that they said.
    fn known(&self, all: &Entities, name: &str) -> Option<(String, BTreeSet<NodeId>)> {
        let (name, mut units) = match all.find(name) {
            Some(it) => (it.name.clone(), it.units.iter().copied().collect()),
            None => {
                let speaker = self.query.speaker_called(&name.to_lowercase())?;
                (speaker, BTreeSet::new())
            }
        };
        let lower = name.to_lowercase();
        let said = self.ranked.iter().filter(|it| {
            let speaker = it.speaker().map(str::to_lowercase);
            speaker.as_ref() == Some(&lower)
        });
        units.extend(said.filter_map(Candidate::node));
        // what asks, and what cannot be shown, tells nothing
        let tell = self.ranked.iter().filter(|it| {
            let is_of = it.node().is_some_and(|it| units.contains(&it));
            is_of && !it.traits.question && !it.is_unreadable()
        });
        let units = tell.filter_map(Candidate::node).collect();
        Some((name, units))
    }

    /// A statement of each set, those in `first` before others, then the most salient; in the order
    /// said.
    fn one_of_each(&self, sets: &[BTreeSet<NodeId>], first: &BTreeSet<NodeId>) -> Vec<Statement> {
        let candidates = self.ranked.iter();
        let candidates = candidates.filter_map(|it| Some((it.node()?, it)));
        let candidates: BTreeMap<NodeId, &Candidate<'a>> = candidates.collect();
        let mut taken: BTreeMap<NodeId, &Candidate<'a>> = BTreeMap::new();
        let mut length = 0;
        for set in sets {
            if taken.len() == STATEMENTS_MAX {
                break;
            }
            if set.iter().any(|it| taken.contains_key(it)) {
                continue;
            }
            let tell = set.iter().filter_map(|id| {
                let found = candidates.get(id)?;
                let shown = found.display_text()?;
                Some((*id, *found, shown.split_whitespace().count()))
            });
            let best = tell.max_by(|(a, found_a, _), (b, found_b, _)| {
                let order = first.contains(a).cmp(&first.contains(b));
                order.then(salience(found_a).total_cmp(&salience(found_b)))
            });
            let Some((id, found, words)) = best else {
                continue;
            };
            if length + words <= WORDS_MAX {
                taken.insert(id, found);
                length += words;
            }
        }
        let mut taken: Vec<&Candidate<'a>> = taken.into_values().collect();
        taken.sort_by_key(|found| found.said_ms());
        let told = taken.into_iter();
        told.map(|found| support::answer(found, 1.0, &self.query))
            .collect()
    }
}

/// The units of a set that name an entity.
fn of_both(units: &BTreeSet<NodeId>, entity: &Entity) -> BTreeSet<NodeId> {
    let named = entity.units.iter().filter(|it| units.contains(it));
    named.copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_order_says_what_is_asked_of_names() {
        let of = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            asked(&words, Some("Ana"))
        };
        let named = |name: &str| Some(OverviewOf::Named(name.into()));
        let by = |whom: &str, kind| {
            let whom = whom.to_owned();
            Some(OverviewOf::NamedBy { whom, kind })
        };
        let between = |a: &str, b: &str| Some(OverviewOf::Between(a.into(), b.into()));
        for (text, expected) in [
            (
                "what do you know about the old library",
                named("the old library"),
            ),
            ("what have we heard about porto", named("porto")),
            ("tell me everything about my sister", named("Ana's sister")),
            ("who does carla know", by("carla", NameKind::Person)),
            ("who do i know", by("Ana", NameKind::Person)),
            ("which places did bob mention", by("bob", NameKind::Place)),
            ("what links ana and porto", between("ana", "porto")),
            (
                "how are carla reis and bob connected",
                between("carla reis", "bob"),
            ),
            ("how is carla related to bob", between("carla", "bob")),
            (
                "what is the connection between the pool and bob",
                between("the pool", "bob"),
            ),
            ("what do ana and bob have in common", between("ana", "bob")),
            ("who did carla visit in porto", None),
            ("what did you do about it yesterday", None),
            ("how are you and bob", None),
            ("what links", None),
            ("which book does ana know", None),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }
}
