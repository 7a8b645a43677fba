//! Nouns that name an aspect, and its canonical name.
//!
//! `aspects.txt` is learned from the training parts of MAMS (`scripts/affect/aspects.py`): words of
//! the food, service, price and atmosphere of restaurants. The other words were written for Weir.

use crate::text::words::is_listed;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The aspect of an opinion on the whole object.
pub(super) const GENERAL: &str = "general";
const LEARNED: &str = include_str!("aspects.txt");

/// Canonical aspects and the nouns that name them.
const WRITTEN: &[(&str, &str)] = &[
    (
        "taste",
        "taste flavor flavour mouthfeel aftertaste seasoning sweetness bitterness",
    ),
    ("smell", "smell aroma scent fragrance odor odour"),
    ("texture", "texture crunch consistency tenderness"),
    (
        "price",
        "price cost pricing fee tuition rent value fare bill",
    ),
    (
        "service",
        "service staff waiter waitress waitstaff server reception receptionist host \
      hostess bartender hospitality customer_service support_team crew management",
    ),
    ("portion", "portion portions serving"),
    ("menu", "menu selection"),
    (
        "quality",
        "quality craftsmanship build workmanship material durability",
    ),
    ("packaging", "packaging package box wrapping packing"),
    (
        "battery",
        "battery battery_life charging endurance standby battery_capacity",
    ),
    ("camera", "camera camera_quality zoom lens photo"),
    ("screen", "screen display resolution brightness"),
    ("sound", "sound audio sound_quality bass acoustics"),
    (
        "performance",
        "performance speed processor chip lag \
      fluency configuration",
    ),
    (
        "design",
        "design appearance style look shape color colour finish",
    ),
    (
        "software",
        "software system interface ui os app_store ios operating_system",
    ),
    ("size", "size weight width thickness"),
    ("comfort", "comfort fit cushioning"),
    ("signal", "signal wifi network connection"),
    ("heat", "temperature heating overheating"),
    ("usability", "usability ease controls instructions feel"),
    ("delivery", "delivery shipping"),
    (
        "atmosphere",
        "atmosphere ambience ambiance vibe vibes decor setting interior mood",
    ),
    (
        "location",
        "location neighborhood neighbourhood parking view views scenery",
    ),
    ("cleanliness", "cleanliness hygiene bathroom toilet"),
    ("room", "room rooms bedroom bed"),
    ("food", "food cuisine breakfast cooking"),
    ("people", "people locals crowd audience community"),
    ("weather", "weather climate"),
    ("plot", "plot storyline story ending twist pacing script"),
    ("acting", "acting cast performance_of actor actress"),
    ("music", "music soundtrack score lyrics melody"),
    (
        "visuals",
        "graphics visuals effects animation cinematography",
    ),
    ("characters", "character characters protagonist villain"),
    ("salary", "salary pay wage bonus"),
    ("workload", "workload hours schedule overtime deadlines"),
    ("commute", "commute"),
    (
        "colleagues",
        "colleagues coworkers team teammates boss manager",
    ),
    (
        "personality",
        "personality smile humor humour attitude kindness temper sense_of_humor",
    ),
    ("voice", "voice accent"),
    ("experience", "experience"),
];

/// Nouns that are an aspect only of something named beside them: alone they are objects.
const ALSO_OBJECTS: &str = "music story room people community food weather team boss manager bed \
    cooking breakfast hours schedule box package host photo heat network value";

/// The canonical aspect of a noun or compound in lower case, singular or plural.
pub(super) fn aspect_of(noun: &str) -> Option<&'static str> {
    static ASPECTS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
        let learned = LEARNED.lines().filter_map(|line| line.split_once(' '));
        let mut all: HashMap<String, &'static str> = learned
            .filter(|(_, aspect)| *aspect != "food")
            .map(|(noun, aspect)| (noun.to_owned(), aspect))
            .collect();
        for (aspect, nouns) in WRITTEN {
            let nouns = nouns.split_whitespace();
            all.extend(nouns.map(|noun| (noun.replace('_', " "), *aspect)));
        }
        all
    });
    let plural = || noun.strip_suffix('s').and_then(|one| ASPECTS.get(one));
    ASPECTS.get(noun).or_else(plural).copied()
}

/// Whether a noun that names an aspect is one even without its object: "service", "battery life".
pub(super) fn is_only_aspect(noun: &str) -> bool {
    aspect_of(noun).is_some() && !is_listed(ALSO_OBJECTS, noun)
}

/// Whether a lower-cased noun is learned as food.
pub(super) fn is_food(noun: &str) -> bool {
    static FOODS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let pairs = LEARNED.lines().filter_map(|line| line.split_once(' '));
        let foods = pairs.filter(|(_, aspect)| *aspect == "food");
        foods.map(|(noun, _)| noun).collect()
    });
    // the file is sorted
    FOODS.binary_search(&noun).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_have_canonical_aspects() {
        for (noun, aspect) in [
            ("battery life", Some("battery")),
            ("waiters", Some("service")),
            ("aroma", Some("smell")),
            ("music", Some("music")),
            ("sister", None),
        ] {
            assert_eq!(aspect_of(noun), aspect, "{noun}");
        }
        assert!(is_food("steak") && !is_food("service"));
        assert!(is_only_aspect("battery life") && !is_only_aspect("music"));
    }

    #[test]
    fn the_learned_table_is_sorted() {
        let lines: Vec<&str> = LEARNED.lines().collect();
        assert!(lines.is_sorted() && lines.len() > 100, "{}", lines.len());
    }
}
