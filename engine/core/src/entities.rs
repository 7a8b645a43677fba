//! Whom and what a session names: the names of its statements, linked to one person, place or thing
//! each, and the relations between them. Only reads a session.
//!
//! Two names are of one entity if they are spelt alike (case, accents and articles aside), if "my"
//! and its noun are of the same speaker, if a noun has one name beside it in all that was said ("my
//! sister Carla"; "my friend Tom" and "my friend Lisa" join nobody), or if one is the first word of
//! the only longer name that begins with it ("Maria", "Maria Lopez"), unless both speak. Two people
//! of one name are one here. Dates name nothing that can be looked up.

use crate::memory::{Kind, Node, NodeId};
use crate::mentions::Mention;
use crate::session::Session;
use crate::text::{display_words, is_content_word, is_small_talk, unaccented};
use crate::transcript::Transcript;
use std::collections::{BTreeMap, BTreeSet};
use weir_models::NameKind;

/// Words before a name that are no part of it.
const ARTICLES: [&str; 7] = ["the", "a", "an", "this", "that", "these", "those"];
/// Words that make a noun the speaker's.
const OWN: [&str; 2] = ["my", "our"];
/// Words that make it somebody's whom the statement does not name.
const OTHERS: [&str; 6] = ["his", "her", "their", "your", "its", "whose"];

/// All people, places, organisations and things that the statements of a session name.
#[derive(Debug, Clone, Default)]
pub struct Entities {
    all: Vec<Entity>,
    links: Vec<Link>,
}

/// A person, place, organisation or thing that was named.
#[derive(Debug, Clone, PartialEq)]
pub struct Entity {
    /// Its name as it was said most often, or "Ana's sister" if it has none.
    pub name: String,
    /// Its other names.
    pub also: Vec<String>,
    /// What it was most often read as.
    pub kind: NameKind,
    /// The statements that name it, and of a speaker's those that say how the speaker stands to
    /// something; oldest first.
    pub units: Vec<NodeId>,
}

/// How one stands to another, as a statement says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The name of the first: an entity's, or a speaker's; `None` for an unknown speaker.
    pub subject: Option<String>,
    /// The words between the two.
    pub how: String,
    /// The name of the second.
    pub object: String,
    /// The statement.
    pub unit: NodeId,
}

/// A statement and its words.
struct Said<'a> {
    unit: &'a Node,
    text: String,
}

/// Names that are of one entity, while they are gathered.
#[derive(Default)]
struct Names {
    /// For each spelling the place of its entity in `gathered`.
    places: BTreeMap<String, usize>,
    gathered: Vec<Gathered>,
    /// Spellings of speakers.
    speakers: BTreeSet<String>,
    /// For the noun of a speaker's the names that stood behind it.
    beside: BTreeMap<usize, BTreeSet<usize>>,
}

#[derive(Default, Clone)]
struct Gathered {
    forms: BTreeMap<String, usize>,
    kinds: BTreeMap<NameKind, usize>,
    /// Places of statements.
    units: Vec<usize>,
    /// It was found to be the one at this place.
    same_as: Option<usize>,
}

impl Names {
    fn place(&self, mut at: usize) -> usize {
        while let Some(same) = self.gathered[at].same_as {
            at = same;
        }
        at
    }

    /// The entity of a spelling, which is made.
    fn of(&mut self, key: &str) -> usize {
        let next = self.gathered.len();
        let at = *self.places.entry(key.to_owned()).or_insert(next);
        if at == next {
            self.gathered.push(Gathered::default());
        }
        self.place(at)
    }

    fn join(&mut self, a: usize, b: usize) {
        let (kept, gone) = (self.place(a.min(b)), self.place(a.max(b)));
        if kept == gone {
            return;
        }
        let moved = std::mem::take(&mut self.gathered[gone]);
        self.gathered[gone].same_as = Some(kept);
        let into = &mut self.gathered[kept];
        for (form, count) in moved.forms {
            *into.forms.entry(form).or_default() += count;
        }
        for (kind, count) in moved.kinds {
            *into.kinds.entry(kind).or_default() += count;
        }
        into.units.extend(moved.units);
    }

    /// Joins nouns of a speaker's with the only name that stood behind them, and first names with
    /// the only longer name that begins with them.
    fn join_all(&mut self) {
        for (noun, names) in std::mem::take(&mut self.beside) {
            if let (Some(only), 1) = (names.first(), names.len()) {
                self.join(*only, noun);
            }
        }
        let person = |names: &Self, at: usize| {
            most(names.gathered[names.place(at)].kinds.iter()) == Some(NameKind::Person)
        };
        let mut same = Vec::new();
        for (key, at) in self.places.iter().filter(|it| !it.0.contains(' ')) {
            let begins = format!("{key} ");
            let behind = self.places.range(begins.clone()..);
            let mut longer = behind.take_while(|it| it.0.starts_with(&begins));
            if let (Some((whole, other)), None) = (longer.next(), longer.next())
                && person(self, *at)
                && person(self, *other)
                && !(self.speakers.contains(key) && self.speakers.contains(whole))
            {
                same.push((*at, *other));
            }
        }
        for (a, b) in same {
            self.join(a, b);
        }
    }
}

/// The words of a name to compare, whatever their case and accents.
fn folded_words(name: &str) -> Vec<String> {
    let folded = unaccented(name).replace('’', "'");
    let words = folded.split(|it: char| !it.is_alphanumeric() && it != '\'');
    let words = words.map(|it| it.trim_matches('\''));
    words
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The name to compare, whatever its case and accents.
fn key_of(name: &str) -> String {
    folded_words(name).join(" ")
}

/// The most frequent one, the first of equal ones.
fn most<'a, T: Clone + 'a>(
    counts: impl DoubleEndedIterator<Item = (&'a T, &'a usize)>,
) -> Option<T> {
    let best = counts.rev().max_by_key(|(_, count)| **count);
    best.map(|(it, _)| it.clone())
}

/// The name among forms that is said most often; a noun such as "Ana's sister" only where there is
/// none.
fn name_of(forms: &BTreeMap<String, usize>) -> Option<String> {
    let names = forms.iter().filter(|(form, _)| !form.contains("'s "));
    most(names).or_else(|| most(forms.iter()))
}

/// How a name is listed, and its spelling to compare: a noun of the speaker's with the speaker.
/// `None` for a noun of somebody whom the statement does not name.
fn known_as(words: &str, speaker: Option<&str>) -> Option<(String, String)> {
    let all: Vec<&str> = words.split_whitespace().collect();
    let (first, rest) = all.split_first()?;
    let first = first.to_lowercase();
    let named = match first.as_str() {
        it if OTHERS.contains(&it) => return None,
        it if OWN.contains(&it) || ARTICLES.contains(&it) => rest.join(" "),
        _ => all.join(" "),
    };
    let named = named.trim_matches(|it: char| !it.is_alphanumeric());
    let tells = display_words(named).any(|it| is_content_word(&it.to_lowercase()));
    let form = match OWN.contains(&first.as_str()) {
        true => format!("{}'s {named}", speaker?),
        false => named.to_owned(),
    };
    let key = key_of(&form);
    tells.then_some((form, key))
}

impl Entities {
    /// The entities of a session. Statements that memory holds as key words are read from the
    /// transcript; without one they name nothing. Cost: linear in the names, and one look into the
    /// transcript for each statement that is read from it.
    #[must_use]
    pub fn of(session: &Session, transcript: Option<&dyn Transcript>) -> Self {
        let mut units: Vec<&Node> = session.tree().of_kind(Kind::Unit).collect();
        units.retain(|unit| !unit.analysis.mentions.is_empty());
        units.sort_by_key(|unit| (unit.said_ms, unit.id));
        let said = units.into_iter().filter_map(|unit| {
            let text = match unit.is_key() {
                false => unit.text.clone(),
                // the transcript has the words as heard
                true if unit.edited => return None,
                true => transcript?.quote(unit.evidence.first()?)?,
            };
            Some(Said { unit, text })
        });
        let said: Vec<Said<'_>> = said.collect();
        let mut names = Names::default();
        for speaker in session.speakers() {
            let key = key_of(&speaker);
            let at = names.of(&key);
            names.speakers.insert(key);
            let own = &mut names.gathered[at];
            // a speaker's name goes before any other form
            *own.forms.entry(speaker).or_default() += said.len() + 1;
            *own.kinds.entry(NameKind::Person).or_default() += said.len() + 1;
        }
        for (place, said) in said.iter().enumerate() {
            said.gather(place, &mut names);
        }
        names.join_all();
        let links = said.iter().flat_map(|said| said.links(&names)).collect();
        let made = names.gathered.iter().filter_map(|it| entity(it, &said));
        let mut all: Vec<Entity> = made.collect();
        all.sort_by(|a, b| b.units.len().cmp(&a.units.len()).then(a.name.cmp(&b.name)));
        Self { all, links }
    }

    /// The entities that a statement names, those most often named first.
    #[must_use]
    pub fn all(&self) -> &[Entity] {
        &self.all
    }

    /// The entity of this name: as it is spelt, else the only one with all these words.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Entity> {
        let mut asked = folded_words(name);
        if asked.len() > 1 && ARTICLES.contains(&asked[0].as_str()) {
            asked.remove(0);
        }
        let forms = |it: &Entity| {
            let all = [&it.name].into_iter().chain(&it.also);
            all.map(|form| folded_words(form)).collect::<Vec<_>>()
        };
        let mut named = self.all.iter().filter(|it| forms(it).contains(&asked));
        if let Some(found) = named.next() {
            return Some(found);
        }
        let has = |form: &Vec<String>| asked.iter().all(|word| form.contains(word));
        let mut part = self.all.iter().filter(|it| forms(it).iter().any(has));
        match (part.next(), part.next()) {
            (Some(only), None) if !asked.is_empty() => Some(only),
            _ => None,
        }
    }

    /// The relations of an entity, oldest first.
    pub fn links_of<'a>(&'a self, entity: &'a Entity) -> impl Iterator<Item = &'a Link> {
        let is = |it: &&Link| {
            it.object == entity.name || it.subject.as_deref() == Some(entity.name.as_str())
        };
        self.links.iter().filter(is)
    }

    /// The others that are named in the same statements, and in how many, most often first.
    #[must_use]
    pub fn beside<'a>(&'a self, entity: &Entity) -> Vec<(&'a Entity, usize)> {
        let own: BTreeSet<NodeId> = entity.units.iter().copied().collect();
        let others = self.all.iter().filter(|it| it.name != entity.name);
        let together = others.map(|it| {
            let both = it.units.iter().filter(|unit| own.contains(unit));
            (it, both.count())
        });
        let mut together: Vec<_> = together.filter(|it| it.1 > 0).collect();
        together.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.name.cmp(&b.0.name)));
        together
    }
}

impl Said<'_> {
    /// The words of a name by its number, if the statement says something of it.
    fn words(&self, number: u16) -> Option<&str> {
        let name = self.unit.analysis.mentions.names.get(usize::from(number))?;
        let words = name.at.of_text(&self.text);
        words.filter(|_| !self.is_address(name))
    }

    /// Whether a statement speaks to whom it names: "Wow, Ana!", "Hey Ana, are you there?"
    fn is_address(&self, name: &Mention) -> bool {
        let bytes = name.at.bytes();
        let before = self.text.get(..bytes.start).unwrap_or_default();
        let behind = self.text.get(bytes.end..).unwrap_or_default();
        let ends = behind.is_empty() || behind.starts_with([',', '.', '!', '?']);
        let before = before.trim_end();
        let all = &self.unit.analysis.mentions.names;
        // "my sister, Carla.", "Ana, Bob and Carla came."
        let lists = all.iter().any(|it| it.at.bytes().end + 1 == before.len())
            && before.ends_with(',')
            || behind.starts_with(',') && all.len() > 1;
        let begins = match before.split_whitespace().count() {
            0 => behind.starts_with(','),
            _ if before.ends_with([',', '.', '!', '?']) => true,
            1 => is_small_talk(before, &BTreeSet::new()),
            _ => false,
        };
        name.kind == NameKind::Person && begins && ends && !lists
    }

    /// Takes in what the statement, which has this place among all, names.
    fn gather(&self, place: usize, names: &mut Names) {
        let mentions = &self.unit.analysis.mentions;
        let speaker = self.unit.speaker.as_deref();
        if let Some(speaker) = speaker
            && mentions.relations.iter().any(|it| it.subject.is_none())
        {
            let at = names.of(&key_of(speaker));
            names.gathered[at].units.push(place);
        }
        // a noun of the speaker's, and the byte behind it
        let mut before: Option<(usize, usize)> = None;
        for mention in &mentions.names {
            let words = mention.at.of_text(&self.text);
            // a statement says nothing of whom it speaks to
            let told = mention.kind != NameKind::Date && !self.is_address(mention);
            let known = words.filter(|_| told).and_then(|it| known_as(it, speaker));
            let Some((form, key)) = known else {
                before = None;
                continue;
            };
            let at = names.of(&key);
            let own = &mut names.gathered[at];
            *own.forms.entry(form).or_default() += 1;
            *own.kinds.entry(mention.kind).or_default() += 1;
            own.units.push(place);
            let bytes = mention.at.bytes();
            let is_person = mention.kind == NameKind::Person;
            if let Some((noun, end)) = before.filter(|_| is_person)
                && self.text.get(end..bytes.start) == Some(" ")
            {
                names.beside.entry(noun).or_default().insert(at);
            }
            let is_own = words.is_some_and(|it| {
                let first = it.split_whitespace().next().unwrap_or_default();
                OWN.contains(&first.to_lowercase().as_str())
            });
            before = (is_person && is_own).then_some((at, bytes.end));
        }
    }

    /// Its relations.
    fn links(&self, names: &Names) -> Vec<Link> {
        let speaker = self.unit.speaker.as_deref();
        let called = |key: &str| {
            let at = names.places.get(key).map(|at| names.place(*at))?;
            name_of(&names.gathered[at].forms)
        };
        let name = |number: u16| {
            let (form, key) = known_as(self.words(number)?, speaker)?;
            called(&key).or(Some(form))
        };
        let links = self.unit.analysis.mentions.relations.iter();
        let links = links.filter_map(|it| {
            let subject = match it.subject {
                None => speaker.and_then(|it| called(&key_of(it))),
                Some(number) => Some(name(number)?),
            };
            Some(Link {
                subject,
                how: it.how.of_text(&self.text)?.to_owned(),
                object: name(it.object)?,
                unit: self.unit.id,
            })
        });
        links.collect()
    }
}

fn entity(of: &Gathered, said: &[Said<'_>]) -> Option<Entity> {
    let (name, kind) = (name_of(&of.forms)?, most(of.kinds.iter())?);
    let places: BTreeSet<usize> = of.units.iter().copied().collect();
    let units: Vec<NodeId> = places.into_iter().map(|it| said[it].unit.id).collect();
    let also = of.forms.keys().filter(|it| **it != name).cloned().collect();
    (!units.is_empty()).then_some(Entity {
        also,
        name,
        kind,
        units,
    })
}
