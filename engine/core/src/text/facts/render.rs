//! How a fact reads: in a prompt ("I live in Lisbon.") and in a table ("lives in Lisbon").

use super::lists::NATIONS;
use super::slot::FactSlot;
use crate::text::heading::third_person;

/// A fact as a sentence in the first person, the form that the paper keeps (User memory, listing
/// 1): "I live in Lisbon.", "I no longer live in Lisbon."
#[must_use]
pub fn fact_sentence(slot: FactSlot, about: &str, value: &str, ended: bool) -> String {
    match shape(slot, about, value) {
        Shape::Own("am", rest) if ended => format!("I am no longer {rest}."),
        Shape::Own(verb, rest) if ended => format!("I no longer {verb} {rest}."),
        Shape::Own(verb, rest) => format!("I {verb} {rest}."),
        Shape::Of(noun, rest) if ended => format!("My {noun} no longer {rest}."),
        Shape::Of(noun, rest) => format!("My {noun} {rest}."),
        Shape::Said => format!("{}.", capitalised(value)),
    }
    .replace("  ", " ")
}

/// A fact as a predicate in the third person, for tables: "lives in Lisbon", "sister is Maria".
#[must_use]
pub fn fact_predicate(slot: FactSlot, about: &str, value: &str, ended: bool) -> String {
    match shape(slot, about, value) {
        Shape::Own("am", rest) if ended => format!("is no longer {rest}"),
        Shape::Own(verb, rest) => {
            let over = if ended { "no longer " } else { "" };
            format!("{over}{}", third(&format!("{verb} {rest}")))
        }
        Shape::Of(noun, rest) if ended => format!("{noun} no longer {rest}"),
        Shape::Of(noun, rest) => format!("{noun} {rest}"),
        Shape::Said => value.to_owned(),
    }
    .replace("  ", " ")
}

/// A fact that holds as a sentence about its speaker, in the third person, or in the second without
/// a name: "Ana lives in Lisbon.", "Your sister is called Maria."
#[must_use]
pub fn fact_about(speaker: Option<&str>, slot: FactSlot, about: &str, value: &str) -> String {
    match (speaker, shape(slot, about, value)) {
        (_, Shape::Said) => format!("{}.", capitalised(value)),
        (Some(name), Shape::Own(verb, rest)) => {
            format!("{name} {}.", third(&format!("{verb} {rest}")))
        }
        (Some(name), Shape::Of(noun, rest)) => format!("{name}'s {noun} {rest}."),
        (None, Shape::Own("am", rest)) => format!("You are {rest}."),
        (None, Shape::Own(verb, rest)) => format!("You {verb} {rest}."),
        (None, Shape::Of(noun, rest)) => format!("Your {noun} {rest}."),
    }
    .replace("  ", " ")
}

/// A predicate of "I" in the third person: "only use it" becomes "only uses it".
fn third(predicate: &str) -> String {
    let (first, rest) = predicate.split_once(' ').unwrap_or((predicate, ""));
    match third_person(first, rest) {
        Some(verb) => format!("{verb} {rest}"),
        None if is_adverb(first) => format!("{first} {}", third(rest)),
        None => predicate.to_owned(),
    }
}

fn is_adverb(word: &str) -> bool {
    ["only", "exclusively", "always", "never"].contains(&word)
}

/// Verbs that begin what is said of a relative.
const PREDICATES: &[&str] = &[
    "is", "are", "lives", "live", "works", "work", "loves", "love", "likes", "like", "enjoys",
    "enjoy", "hates", "hate",
];

/// The parts of a sentence.
enum Shape<'a> {
    /// "I", a verb in the first person, and what follows it.
    Own(&'a str, String),
    /// "My", a noun, and what is said of it.
    Of(String, String),
    /// The value is the sentence.
    Said,
}

fn shape<'a>(slot: FactSlot, about: &str, value: &'a str) -> Shape<'a> {
    let own = |verb: &'a str| Shape::Own(verb, value.to_owned());
    let of = |noun: &str| Shape::Of(noun.to_owned(), format!("is {value}"));
    let lower = value.split(' ').next().unwrap_or(value).to_lowercase();
    let lower = lower.replace('’', "'");
    match slot {
        FactSlot::Name => of("name"),
        FactSlot::Age => Shape::Own("am", format!("{value} years old")),
        FactSlot::Birthday => of("birthday"),
        FactSlot::Home => own("live in"),
        FactSlot::Origin if NATIONS.contains(&lower) => own("am"),
        FactSlot::Origin => own("come from"),
        FactSlot::Languages => own("speak"),
        FactSlot::Employer if value == "job" => Shape::Own("have", "my job".to_owned()),
        FactSlot::Employer => own("work for"),
        FactSlot::Partner if about != "status" => of("partner"),
        FactSlot::Partner if value.contains(' ') => own("have"),
        FactSlot::Partner => own("am"),
        FactSlot::Likes if about.starts_with("favorite") => {
            let verb = if about.ends_with('s') { "are" } else { "is" };
            Shape::Of(about.to_owned(), format!("{verb} {value}"))
        }
        FactSlot::Likes if is_adverb(&lower) && leads_verb(value) => predicate(slot, value, &lower),
        FactSlot::Style if is_adverb(&lower) => Shape::Said,
        FactSlot::Likes | FactSlot::Style => own("like"),
        FactSlot::Dislikes => own("do not like"),
        FactSlot::Possessions => own("have"),
        FactSlot::Family if about == "children" => Shape::Own("am", format!("a {value}")),
        FactSlot::Family | FactSlot::Pets => of_others(about, value),
        FactSlot::Goals if lower == "to" => of("goal"),
        FactSlot::Plans if lower == "to" => of("plan"),
        FactSlot::Other if about_is_clause(about, value) => Shape::Said,
        FactSlot::Other => of(about),
        _ => predicate(slot, value, &lower),
    }
}

/// Whether an adverb and then a verb begin a value: "only use Linux", not "only large dogs".
fn leads_verb(value: &str) -> bool {
    let verb = value.split(' ').nth(1).unwrap_or("");
    third_person(verb, "").is_some() || ["dine", "consume"].contains(&verb)
}

/// A value that may begin with a verb of its own: "allergic to nuts", "play chess", "vegan".
fn predicate<'a>(slot: FactSlot, value: &'a str, lower: &str) -> Shape<'a> {
    let (first, rest) = value.split_once(' ').unwrap_or((value, ""));
    let own = first.starts_with(char::is_lowercase);
    let verb = own && third_person(lower, rest).is_some();
    match slot {
        FactSlot::Health if ["fear", "phobia", "allergy"].contains(&lower) => {
            Shape::Own("have", with_article(value, lower))
        }
        FactSlot::Education if ["degree", "master's", "bachelor's", "phd"].contains(&lower) => {
            let student = value.ends_with("student");
            Shape::Own(if student { "am" } else { "have" }, format!("a {value}"))
        }
        _ if lower.ends_with("ing") || is_quality(lower, value) => {
            Shape::Own("am", value.to_owned())
        }
        _ if verb || is_adverb(lower) || ["can", "know"].contains(&lower) => {
            Shape::Own(first, rest.to_owned())
        }
        FactSlot::Health | FactSlot::Education => Shape::Own("have", value.to_owned()),
        FactSlot::Diet if value.ends_with("diet") => Shape::Own("follow", format!("a {value}")),
        FactSlot::Hobbies => Shape::Own("like", value.to_owned()),
        _ => Shape::Own("am", with_article(value, lower)),
    }
}

/// Whether a value of `Other` is a clause by itself: its qualifier is then made of its own words.
fn about_is_clause(about: &str, value: &str) -> bool {
    let lower = value.to_lowercase();
    value.contains(' ') && about.split(' ').all(|word| lower.contains(word))
}

fn is_quality(lower: &str, value: &str) -> bool {
    [
        "allergic", "intolerant", "lactose", "gluten", "diagnosed", "diabetic", "asthmatic",
        "dyslexic", "autistic", "epileptic", "celiac", "deaf", "sensitive", "colorblind",
    ]
    .contains(&lower)
        && !value.ends_with("disease")
        || value.ends_with("student")
}

fn with_article(value: &str, lower: &str) -> String {
    let single = ![
        "retired", "unemployed", "self-employed", "vegan", "vegetarian", "good",
    ]
    .contains(&lower);
    let capital = value.starts_with(char::is_uppercase) && !value.contains(' ');
    let noun = single && !capital && !["gluten-free", "dairy-free", "pescatarian"].contains(&lower);
    let article = if lower.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    match noun && !["a", "an", "the"].contains(&lower) {
        true => format!("{article} {value}"),
        false => value.to_owned(),
    }
}

/// What is said of a relative or an animal: its name, a predicate, or how many there are.
fn of_others<'a>(about: &str, value: &'a str) -> Shape<'a> {
    let (person, last) = about.rsplit_once(' ').unwrap_or((about, ""));
    let first = value.split(' ').next().unwrap_or(value);
    if value == about {
        return Shape::Own("have", format!("my {value}"));
    }
    if about.ends_with(value) && !last.is_empty() {
        return Shape::Of(person.to_owned(), format!("is called {value}"));
    }
    match PREDICATES.contains(&first) && !last.is_empty() {
        true => Shape::Of(person.to_owned(), value.to_owned()),
        false => Shape::Own("have", value.to_owned()),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), chars.as_str())
}
