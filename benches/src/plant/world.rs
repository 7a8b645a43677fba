//! A small world of people: homes, purchases, relations and trips.
//!
//! Every fact is said in one sentence. Names, cities, prices and days are drawn without
//! replacement, so that a question has one answer.

use anyhow::{Context, Result};
use std::collections::HashSet;
use weir_fixtures::Rng;

/// Number of people in a world.
pub(super) const PEOPLE: usize = 4;
/// Number of trips, and of months with books, per person.
const TRIPS: usize = 3;
const MONTHS_READ: usize = 3;
/// Number of distractor facts, which resemble the real ones and have no questions.
const DISTRACTORS: usize = 8;

const NAMES: [&str; 20] = [
    "Nora", "Felix", "Ida", "Marco", "Tessa", "Emil", "Paula", "Henrik", "Lotte", "Ruben", "Selma",
    "Viktor", "Astrid", "Bruno", "Carla", "Dario", "Greta", "Jonas", "Mila", "Otto",
];
/// Capitals and their countries.
pub(super) const CITIES: [(&str, &str); 28] = [
    ("Lisbon", "Portugal"),
    ("Oslo", "Norway"),
    ("Vienna", "Austria"),
    ("Prague", "Czechia"),
    ("Warsaw", "Poland"),
    ("Athens", "Greece"),
    ("Rome", "Italy"),
    ("Madrid", "Spain"),
    ("Paris", "France"),
    ("Berlin", "Germany"),
    ("Dublin", "Ireland"),
    ("Helsinki", "Finland"),
    ("Stockholm", "Sweden"),
    ("Copenhagen", "Denmark"),
    ("Budapest", "Hungary"),
    ("Bucharest", "Romania"),
    ("Sofia", "Bulgaria"),
    ("Zagreb", "Croatia"),
    ("Riga", "Latvia"),
    ("Vilnius", "Lithuania"),
    ("Tallinn", "Estonia"),
    ("Cairo", "Egypt"),
    ("Tokyo", "Japan"),
    ("Ottawa", "Canada"),
    ("Lima", "Peru"),
    ("Nairobi", "Kenya"),
    ("Reykjavik", "Iceland"),
    ("Tunis", "Tunisia"),
];
const RELATIONS: [&str; 6] = [
    "boss", "landlord", "dentist", "tutor", "barber", "neighbour",
];
/// Animals, and common knowledge about them.
pub(super) const ANIMALS: [(&str, &str); 6] = [
    ("dog", "barks"),
    ("cat", "purrs"),
    ("parrot", "has feathers"),
    ("goldfish", "lives under water"),
    ("tortoise", "carries a shell"),
    ("pony", "eats hay and can be ridden"),
];
const PET_NAMES: [&str; 12] = [
    "Biscuit", "Pepper", "Mango", "Ziggy", "Olive", "Waffle", "Pixel", "Hazel", "Rocket", "Clover",
    "Nugget", "Truffle",
];
/// Things that one person buys, and their purposes.
pub(super) const THINGS: [(&str, &str); 8] = [
    ("guitar", "to play music on"),
    ("kayak", "to paddle on a river with"),
    ("telescope", "to look at the stars with"),
    ("tent", "to sleep in outdoors"),
    ("printer", "to put letters on paper with"),
    ("freezer", "to keep food ice cold in"),
    ("wheelbarrow", "to move soil in the garden with"),
    ("microphone", "to record a voice with"),
];
/// Things that two people buy.
const SHARED: [&str; 5] = ["bicycle", "sofa", "laptop", "lamp", "carpet"];
const MONTHS: [&str; 12] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
];
const LEADS: [&str; 8] = [
    "", "By the way, ", "You know, ", "As everybody knows, ", "Funny story: ", "One more thing: ",
    "So, ", "Well, ",
];

/// A day of the year 2024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Day {
    month: usize,
    day: usize,
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} 2024", self.day, MONTHS[self.month])
    }
}

/// A fact about a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Says {
    Lives {
        city: &'static str,
    },
    Moved {
        city: &'static str,
        day: Day,
    },
    Knows {
        relation: &'static str,
        whom: usize,
    },
    Pet {
        animal: &'static str,
        name: &'static str,
    },
    Bought {
        thing: &'static str,
        euros: u32,
    },
    Visited {
        city: &'static str,
        day: Day,
    },
    Read {
        books: u32,
        month: &'static str,
    },
    /// A distractor without a question.
    Beside(String),
}

/// A fact of the world, in spoken order.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    /// Id of the turn that says it.
    pub(super) id: String,
    /// The person it is about.
    pub(super) who: usize,
    /// Speaker.
    pub(super) speaker: usize,
    /// The fact.
    pub(super) says: Says,
    /// Its sentence.
    pub(super) text: String,
}

/// People and the facts about them.
#[derive(Debug, Clone)]
pub(super) struct World {
    pub(super) people: Vec<&'static str>,
    pub(super) facts: Vec<Fact>,
}

impl World {
    /// A world whose names and cities do not occur in the dialogue; facts have no ids yet.
    pub(super) fn make(rng: &mut Rng, used: &HashSet<String>) -> Result<Self> {
        let free = |word: &str| !used.contains(&word.to_lowercase());
        let mut names: Vec<&str> = NAMES.into_iter().filter(|name| free(name)).collect();
        let mut cities: Vec<&str> = CITIES
            .iter()
            .map(|city| city.0)
            .filter(|c| free(c))
            .collect();
        shuffle(&mut names, rng);
        shuffle(&mut cities, rng);
        let people: Vec<&str> = names.into_iter().take(PEOPLE).collect();
        // homes, moves, trips, and two for the other facts
        let needed = PEOPLE + PEOPLE / 2 + PEOPLE * TRIPS + 2;
        let enough = people.len() == PEOPLE && cities.len() >= needed;
        enough.then_some(()).with_context(|| {
            format!(
                "the talk names too many people or cities: {PEOPLE} of {} names and {needed} of \
                 {} capitals have to be free; take other talk",
                NAMES.len(),
                CITIES.len()
            )
        })?;
        let mut said = lives(rng, &mut cities);
        said.extend(buys(rng));
        said.extend(reads(rng));
        said.extend(beside(rng, &people, &cities));
        shuffle(&mut said, rng);
        home_first(&mut said);
        let facts = said.into_iter().map(|(who, says)| {
            let own = rng.chance(0.7);
            let speaker = if own {
                who
            } else {
                (who + 1 + rng.below(PEOPLE - 1)) % PEOPLE
            };
            let text = sentence(&says, people[who], own, &people, rng);
            Fact {
                id: String::new(),
                who,
                speaker,
                says,
                text,
            }
        });
        let facts = facts.collect();
        Ok(Self { people, facts })
    }
}

pub(super) fn shuffle<T>(all: &mut [T], rng: &mut Rng) {
    for last in (1..all.len()).rev() {
        all.swap(last, rng.below(last + 1));
    }
}

/// Homes, moves, trips, pets and relations.
fn lives(rng: &mut Rng, cities: &mut Vec<&'static str>) -> Vec<(usize, Says)> {
    let mut days: Vec<Day> = (0..12)
        .flat_map(|month| (1..=28).map(move |day| Day { month, day }))
        .collect();
    shuffle(&mut days, rng);
    let (mut relations, mut animals, mut names) = (RELATIONS, ANIMALS, PET_NAMES);
    shuffle(&mut relations, rng);
    shuffle(&mut animals, rng);
    shuffle(&mut names, rng);
    let (mut cities, mut days) = (cities.drain(..PEOPLE * 4 + PEOPLE / 2), days.into_iter());
    let mut said = Vec::new();
    for who in 0..PEOPLE {
        let whom = (who + 1) % PEOPLE;
        let relation = relations[who];
        said.push((who, Says::Knows { relation, whom }));
        let (animal, name) = (animals[who].0, names[who]);
        said.push((who, Says::Pet { animal, name }));
        said.extend(cities.next().map(|city| (who, Says::Lives { city })));
        let trips = cities.by_ref().zip(days.by_ref()).take(TRIPS);
        said.extend(trips.map(|(city, day)| (who, Says::Visited { city, day })));
    }
    let moves = cities.zip(days).enumerate();
    said.extend(moves.map(|(who, (city, day))| (who, Says::Moved { city, day })));
    said
}

/// Purchases: one unique thing each, and two things that two people buy.
fn buys(rng: &mut Rng) -> Vec<(usize, Says)> {
    let (mut things, mut shared) = (THINGS, SHARED);
    shuffle(&mut things, rng);
    shuffle(&mut shared, rng);
    let mut prices: Vec<u32> = (21..400).collect();
    shuffle(&mut prices, rng);
    let own = things.iter().map(|thing| thing.0).take(PEOPLE).enumerate();
    let twice = (0..PEOPLE).map(|who| (who, shared[who / 2]));
    let all = own.chain(twice).zip(prices);
    all.map(|((who, thing), euros)| (who, Says::Bought { thing, euros }))
        .collect()
}

/// Books read per month; no two people have the same number in a month.
fn reads(rng: &mut Rng) -> Vec<(usize, Says)> {
    let mut months = MONTHS;
    shuffle(&mut months, rng);
    let mut said = Vec::new();
    for month in months.into_iter().take(MONTHS_READ) {
        let mut counts: Vec<u32> = (2..12).collect();
        shuffle(&mut counts, rng);
        let read = counts.into_iter().take(PEOPLE).enumerate();
        said.extend(read.map(|(who, books)| (who, Says::Read { books, month })));
    }
    said
}

/// Distractors.
fn beside(rng: &mut Rng, people: &[&str], cities: &[&'static str]) -> Vec<(usize, Says)> {
    let said = (0..DISTRACTORS).map(|n| {
        let who = n % PEOPLE;
        let thing = SHARED[rng.below(SHARED.len())];
        let city = cities[rng.below(cities.len())];
        let other = people[(who + 1) % PEOPLE];
        let euros = 400 + rng.below(500);
        let text = match n % 4 {
            0 => format!("A {thing} for {euros} euros was too much for me, so I left it there."),
            1 => format!("One day I would like to see {city} with {other}."),
            2 => format!("A cousin of mine lives in {city} and never writes."),
            _ => format!("The shop wanted {euros} euros for a {thing}, can you believe it?"),
        };
        (who, Says::Beside(text))
    });
    said.collect()
}

/// A move comes after the home.
fn home_first(said: &mut [(usize, Says)]) {
    for who in 0..PEOPLE {
        let at = |wanted: fn(&Says) -> bool| {
            let mut facts = said.iter();
            facts.position(|(whose, says)| *whose == who && wanted(says))
        };
        let home = at(|says| matches!(says, Says::Lives { .. }));
        let moved = at(|says| matches!(says, Says::Moved { .. }));
        if let (Some(home), Some(moved)) = (home, moved)
            && moved < home
        {
            said.swap(home, moved);
        }
    }
}

/// The sentence of a fact, told by the person or by another.
fn sentence(says: &Says, name: &str, own: bool, people: &[&str], rng: &mut Rng) -> String {
    let subject = if own { "I" } else { name };
    // a name with 's would be a different word
    let whose = |what: &str| match own {
        true => format!("my {what}"),
        false => format!("the {what} of {name}"),
    };
    let s = if own { "" } else { "s" };
    let other_way = rng.chance(0.5);
    let text = match says {
        // in the first person for any speaker
        Says::Beside(text) => return text.clone(),
        Says::Lives { city } if other_way => format!("{city} is where {subject} live{s}."),
        Says::Lives { city } => format!("{subject} live{s} in {city}."),
        Says::Moved { city, day } => format!("{subject} moved to {city} on {day}."),
        Says::Knows { relation, whom } => format!("{} is {}.", whose(relation), people[*whom]),
        Says::Pet { animal, name } => format!("{} is called {name}.", whose(animal)),
        Says::Bought { thing, euros } if other_way => {
            format!("{subject} paid {euros} euros for a {thing}.")
        }
        Says::Bought { thing, euros } => format!("{subject} bought a {thing} for {euros} euros."),
        Says::Visited { city, day } if other_way => {
            format!("on {day} {subject} went to visit {city}.")
        }
        Says::Visited { city, day } => format!("{subject} visited {city} on {day}."),
        Says::Read { books, month } => format!("{subject} read {books} books in {month}."),
    };
    let lead = rng.pick(&LEADS);
    if lead.is_empty() {
        let mut letters = text.chars();
        let first = letters.next().map(char::to_uppercase);
        return first.into_iter().flatten().chain(letters).collect();
    }
    format!("{lead}{text}")
}
