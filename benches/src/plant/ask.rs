//! Questions about a world, in all seven kinds; answers are computed from its facts.

use super::world::{ANIMALS, CITIES, Fact, PEOPLE, Says, THINGS, World, shuffle};
use crate::convert::draft::Asked;
use weir_engine::streamfile::Category;
use weir_fixtures::Rng;

/// Questions per template; each kind has three templates.
const PER_WAY: usize = 2;

/// What a fact tells, about whom, and where.
type Told<'a, T> = Vec<(&'a Fact, T)>;

/// The questions of a world: up to six of each kind, from three templates.
pub(super) fn questions(world: &World, rng: &mut Rng) -> Vec<Asked> {
    let asking = Asking { world };
    let mut questions = Vec::new();
    for way in [
        asking.names_of_pets(),
        asking.prices(),
        asking.cities_on_days(),
        asking.pets_of_others(),
        asking.things_of_others(),
        asking.trips_of_others(),
        asking.capitals(),
        asking.kinds_of_animals(),
        asking.uses_of_things(),
        asking.homes_of_known(),
        asking.pets_of_known(),
        asking.trips_of_owners(),
        asking.dearer_of_two_people(),
        asking.more_books(),
        asking.dearer_of_two_things(),
        asking.books_in_all(),
        asking.cities_visited(),
        asking.euros_in_all(),
        asking.days_of_trips(),
        asking.homes_before(),
        asking.first_of_two_trips(),
    ] {
        let mut way = way;
        shuffle(&mut way, rng);
        way.truncate(PER_WAY);
        questions.extend(way);
    }
    questions
}

fn asked(
    category: Category,
    question: String,
    answer: impl Into<Option<String>>,
    evidence: &[&Fact],
) -> Asked {
    Asked {
        question,
        answer: answer.into(),
        evidence: evidence.iter().map(|fact| fact.id.clone()).collect(),
        category: Some(category),
        asked_by: None,
    }
}

struct Asking<'a> {
    world: &'a World,
}

impl<'a> Asking<'a> {
    fn told<T>(&self, wanted: impl Fn(&'a Says) -> Option<T>) -> Told<'a, T> {
        let facts = self.world.facts.iter();
        facts
            .filter_map(|fact| Some((fact, wanted(&fact.says)?)))
            .collect()
    }

    fn name(&self, who: usize) -> &'static str {
        self.world.people[who]
    }

    fn pets(&self) -> Told<'a, (&'static str, &'static str)> {
        self.told(|says| match says {
            Says::Pet { animal, name } => Some((*animal, *name)),
            _ => None,
        })
    }

    fn bought(&self) -> Told<'a, (&'static str, u32)> {
        self.told(|says| match says {
            Says::Bought { thing, euros } => Some((*thing, *euros)),
            _ => None,
        })
    }

    fn visited(&self) -> Told<'a, (&'static str, super::world::Day)> {
        self.told(|says| match says {
            Says::Visited { city, day } => Some((*city, *day)),
            _ => None,
        })
    }

    fn read(&self) -> Told<'a, (u32, &'static str)> {
        self.told(|says| match says {
            Says::Read { books, month } => Some((*books, *month)),
            _ => None,
        })
    }

    fn known(&self) -> Told<'a, (&'static str, usize)> {
        self.told(|says| match says {
            Says::Knows { relation, whom } => Some((*relation, *whom)),
            _ => None,
        })
    }

    /// Where each person lives now: a move replaces a home.
    fn homes(&self) -> Told<'a, &'static str> {
        let told = self.told(|says| match says {
            Says::Lives { city } | Says::Moved { city, .. } => Some(*city),
            _ => None,
        });
        // homes come before moves, so the last one is valid
        (0..PEOPLE)
            .filter_map(|who| told.iter().rfind(|(fact, _)| fact.who == who).copied())
            .collect()
    }

    fn names_of_pets(&self) -> Vec<Asked> {
        let ask = |(fact, (animal, name)): (&'a Fact, (&str, &str))| {
            let question = format!("What is the name of {}'s {animal}?", self.name(fact.who));
            asked(Category::SingleHop, question, name.to_owned(), &[fact])
        };
        self.pets().into_iter().map(ask).collect()
    }

    fn prices(&self) -> Vec<Asked> {
        let ask = |(fact, (thing, euros)): (&'a Fact, (&str, u32))| {
            let who = self.name(fact.who);
            let question = format!("How many euros did {who} pay for the {thing}?");
            asked(
                Category::SingleHop,
                question,
                format!("{euros} euros"),
                &[fact],
            )
        };
        self.bought().into_iter().map(ask).collect()
    }

    fn cities_on_days(&self) -> Vec<Asked> {
        let ask = |(fact, (city, day)): (&'a Fact, (&str, _))| {
            let question = format!("Which city did {} visit on {day}?", self.name(fact.who));
            asked(Category::SingleHop, question, city.to_owned(), &[fact])
        };
        self.visited().into_iter().map(ask).collect()
    }

    /// Everyone who lacks something that somebody else has.
    fn others<T: Copy + PartialEq>(&self, of: &Told<'a, T>) -> Vec<(usize, T)> {
        let has = |who, what: T| of.iter().any(|(fact, own)| fact.who == who && *own == what);
        let pairs = (0..PEOPLE).flat_map(|who| of.iter().map(move |(_, what)| (who, *what)));
        pairs.filter(|(who, what)| !has(*who, *what)).collect()
    }

    /// Asks people about facts that only others have.
    fn of_others<T>(
        &self,
        told: Told<'a, (&'static str, T)>,
        question: impl Fn(&str, &str) -> String,
    ) -> Vec<Asked> {
        let things = told.into_iter().map(|(fact, (thing, _))| (fact, thing));
        let ask = |(who, thing): (usize, &str)| {
            let question = question(self.name(who), thing);
            asked(Category::Adversarial, question, None, &[])
        };
        self.others(&things.collect())
            .into_iter()
            .map(ask)
            .collect()
    }

    fn pets_of_others(&self) -> Vec<Asked> {
        self.of_others(self.pets(), |who, animal| {
            format!("What is the name of {who}'s {animal}?")
        })
    }

    fn things_of_others(&self) -> Vec<Asked> {
        self.of_others(self.bought(), |who, thing| {
            format!("How many euros did {who} pay for the {thing}?")
        })
    }

    fn trips_of_others(&self) -> Vec<Asked> {
        self.of_others(self.visited(), |who, city| {
            format!("When did {who} visit {city}?")
        })
    }

    /// A question that describes a thing by common knowledge without naming it.
    fn by_knowledge(
        &self,
        fact: &Fact,
        table: &[(&str, &str)],
        what: &str,
        ask: impl Fn(&str) -> String,
    ) -> Option<Asked> {
        let (_, known) = table.iter().find(|(thing, _)| *thing == what)?;
        let who = self.name(fact.who).to_owned();
        Some(asked(Category::OpenDomain, ask(known), who, &[fact]))
    }

    fn capitals(&self) -> Vec<Asked> {
        let ask = |country: &str| format!("Who lives in the capital of {country} now?");
        let homes = self.homes().into_iter();
        homes
            .filter_map(|(fact, city)| self.by_knowledge(fact, &CITIES, city, ask))
            .collect()
    }

    fn kinds_of_animals(&self) -> Vec<Asked> {
        let ask = |does: &str| format!("Who has a pet that {does}?");
        let pets = self.pets().into_iter();
        pets.filter_map(|(fact, pet)| self.by_knowledge(fact, &ANIMALS, pet.0, ask))
            .collect()
    }

    fn uses_of_things(&self) -> Vec<Asked> {
        let ask = |used: &str| format!("Who bought something {used}?");
        let bought = self.bought().into_iter();
        bought
            .filter_map(|(fact, own)| self.by_knowledge(fact, &THINGS, own.0, ask))
            .collect()
    }

    fn homes_of_known(&self) -> Vec<Asked> {
        let homes = self.homes();
        let ask = |(fact, (relation, whom)): (&'a Fact, (&str, usize))| {
            let (home, city) = homes.iter().find(|(home, _)| home.who == whom)?;
            let who = self.name(fact.who);
            let question = format!("In which city does {who}'s {relation} live now?");
            let proof = [fact, home];
            Some(asked(
                Category::MultiHop,
                question,
                (*city).to_owned(),
                &proof,
            ))
        };
        self.known().into_iter().filter_map(ask).collect()
    }

    fn pets_of_known(&self) -> Vec<Asked> {
        let pets = self.pets();
        let ask = |(fact, (relation, whom)): (&'a Fact, (&str, usize))| {
            let (pet, (_, name)) = pets.iter().find(|(pet, _)| pet.who == whom)?;
            let who = self.name(fact.who);
            let question = format!("What is the pet of {who}'s {relation} called?");
            let proof = [fact, pet];
            Some(asked(
                Category::MultiHop,
                question,
                (*name).to_owned(),
                &proof,
            ))
        };
        self.known().into_iter().filter_map(ask).collect()
    }

    fn trips_of_owners(&self) -> Vec<Asked> {
        let pets = self.pets();
        let ask = |(fact, (city, day)): (&'a Fact, (&str, _))| {
            let (pet, (animal, _)) = pets.iter().find(|(pet, _)| pet.who == fact.who)?;
            let question = format!("Which city did the owner of the {animal} visit on {day}?");
            Some(asked(
                Category::MultiHop,
                question,
                city.to_owned(),
                &[pet, fact],
            ))
        };
        self.visited().into_iter().filter_map(ask).collect()
    }

    /// Pairs of facts, the earlier one first.
    fn pairs<T: Copy>(of: &Told<'a, T>) -> Vec<[(&'a Fact, T); 2]> {
        let firsts = of.iter().enumerate();
        let pairs = firsts.flat_map(|(n, a)| of[n + 1..].iter().map(|b| [*a, *b]));
        pairs.collect()
    }

    fn dearer_of_two_people(&self) -> Vec<Asked> {
        let mut pairs = Self::pairs(&self.bought());
        pairs.retain(|[(_, a), (_, b)]| a.0 == b.0);
        let ask = |[(one, (thing, a)), (other, (_, b))]: [(&'a Fact, (&str, u32)); 2]| {
            let (first, second) = (self.name(one.who), self.name(other.who));
            let question = format!("Who paid more for the {thing}, {first} or {second}?");
            let answer = if a > b { first } else { second };
            asked(
                Category::Comparative,
                question,
                answer.to_owned(),
                &[one, other],
            )
        };
        pairs.into_iter().map(ask).collect()
    }

    fn more_books(&self) -> Vec<Asked> {
        let mut pairs = Self::pairs(&self.read());
        pairs.retain(|[(_, a), (_, b)]| a.1 == b.1);
        let ask = |[(one, (a, month)), (other, (b, _))]: [(&'a Fact, (u32, &str)); 2]| {
            let (first, second) = (self.name(one.who), self.name(other.who));
            let question = format!("Who read more books in {month}, {first} or {second}?");
            let answer = if a > b { first } else { second };
            asked(
                Category::Comparative,
                question,
                answer.to_owned(),
                &[one, other],
            )
        };
        pairs.into_iter().map(ask).collect()
    }

    fn dearer_of_two_things(&self) -> Vec<Asked> {
        let mut pairs = Self::pairs(&self.bought());
        pairs.retain(|[(one, _), (other, _)]| one.who == other.who);
        let ask = |[(one, (first, a)), (other, (second, b))]: [(&'a Fact, (&str, u32)); 2]| {
            let who = self.name(one.who);
            let question = format!("Which cost {who} more, the {first} or the {second}?");
            let answer = if a > b { first } else { second };
            asked(
                Category::Comparative,
                question,
                answer.to_owned(),
                &[one, other],
            )
        };
        pairs.into_iter().map(ask).collect()
    }

    /// One question for each person about all facts of a kind.
    fn collected<T: Copy>(
        &self,
        told: &Told<'a, T>,
        ask: impl Fn(&str) -> String,
        answer: impl Fn(Vec<T>) -> String,
    ) -> Vec<Asked> {
        let of = |who| {
            let own = told.iter().filter(move |(fact, _)| fact.who == who);
            let (proof, values): (Vec<&Fact>, Vec<T>) = own.copied().unzip();
            asked(
                Category::Aggregative,
                ask(self.name(who)),
                answer(values),
                &proof,
            )
        };
        (0..PEOPLE).map(of).collect()
    }

    fn books_in_all(&self) -> Vec<Asked> {
        let ask = |who: &str| format!("How many books did {who} read in all?");
        let sum = |read: Vec<(u32, _)>| read.iter().map(|read| read.0).sum::<u32>().to_string();
        self.collected(&self.read(), ask, sum)
    }

    fn cities_visited(&self) -> Vec<Asked> {
        let ask = |who: &str| format!("Which cities did {who} visit?");
        let list = |trips: Vec<(&str, _)>| {
            let cities: Vec<&str> = trips.iter().map(|trip| trip.0).collect();
            cities.join(", ")
        };
        self.collected(&self.visited(), ask, list)
    }

    fn euros_in_all(&self) -> Vec<Asked> {
        let ask = |who: &str| format!("How many euros did {who} spend on things in all?");
        let sum = |own: Vec<(_, u32)>| own.iter().map(|own| own.1).sum::<u32>().to_string();
        self.collected(&self.bought(), ask, sum)
    }

    fn days_of_trips(&self) -> Vec<Asked> {
        let ask = |(fact, (city, day)): (&'a Fact, (&str, super::world::Day))| {
            let question = format!("When did {} visit {city}?", self.name(fact.who));
            asked(Category::Temporal, question, day.to_string(), &[fact])
        };
        self.visited().into_iter().map(ask).collect()
    }

    fn homes_before(&self) -> Vec<Asked> {
        let lived = self.told(|says| match says {
            Says::Lives { city } => Some(*city),
            _ => None,
        });
        let moved = self.told(|says| match says {
            Says::Moved { city, .. } => Some(*city),
            _ => None,
        });
        let ask = |(fact, to): (&'a Fact, &str)| {
            let (home, from) = lived.iter().find(|(home, _)| home.who == fact.who)?;
            let who = self.name(fact.who);
            let question = format!("Where did {who} live before moving to {to}?");
            let proof = [home, fact];
            Some(asked(
                Category::Temporal,
                question,
                (*from).to_owned(),
                &proof,
            ))
        };
        moved.into_iter().filter_map(ask).collect()
    }

    fn first_of_two_trips(&self) -> Vec<Asked> {
        let mut pairs = Self::pairs(&self.visited());
        pairs.retain(|[(one, _), (other, _)]| one.who == other.who);
        let ask = |[(one, (first, a)), (other, (second, b))]: [(&'a Fact, (&str, _)); 2]| {
            let who = self.name(one.who);
            let question = format!("Which city did {who} visit first, {first} or {second}?");
            let answer = if a < b { first } else { second };
            asked(
                Category::Temporal,
                question,
                answer.to_owned(),
                &[one, other],
            )
        };
        pairs.into_iter().map(ask).collect()
    }
}
