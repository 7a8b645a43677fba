//! Which sort of object a noun names.

use super::aspects;
use super::opinion::ObjectKind;
use crate::text::claims::KIN;
use std::collections::HashMap;
use std::sync::LazyLock;

const NOUNS: &[(ObjectKind, &str)] = &[
    (
        ObjectKind::Person,
        "friend boss colleague coworker teammate neighbour neighbor kid child son daughter baby \
         nephew niece husband wife partner boyfriend girlfriend fiance fiancee roommate teacher \
         coach mentor doctor therapist nurse manager landlord student family parent grandparent \
         waiter waitress actor actress singer author customer team crowd instructor sibling twin \
         chef barista driver manufacturer company developer designer",
    ),
    (
        ObjectKind::Animal,
        "dog cat puppy kitten pet pup bird horse fish rabbit hamster turtle snake animal cow \
         parrot spider lizard pupper bee duck",
    ),
    (
        ObjectKind::Plant,
        "plant flower tree rose garden succulent cactus orchid tulip fern bonsai sunflower",
    ),
    (
        ObjectKind::Place,
        "restaurant cafe bar hotel city town village beach park museum house home apartment flat \
         office gym school university college library shop store mall neighborhood neighbourhood \
         country island mountain lake river forest airport station hospital room kitchen studio \
         church temple club theater theatre cinema bakery pub hostel street campus trail place \
         spot view diner bistro pizzeria farm zoo stadium",
    ),
    (
        ObjectKind::Product,
        "phone iphone android laptop computer tablet camera car bike bicycle watch headphone \
         earbud speaker keyboard mouse monitor printer charger console sweater shirt dress shoe \
         sneaker jacket coat jeans bag backpack hat chair sofa desk bed mattress pillow lamp \
         blender fridge oven microwave vacuum app software website toy guitar piano perfume \
         lipstick shampoo brand device gadget machine tool bottle mug boot sandal glasses \
         sunglasses necklace ring scooter motorcycle truck van \
         model tv television drone lens processor chip system",
    ),
    (
        ObjectKind::Food,
        "food coffee tea latte espresso cappuccino beer wine cocktail juice water milk soda \
         smoothie pizza pasta burger sandwich salad soup bread cake pie cookie chocolate ice-cream \
         dessert cheese rice noodle sushi ramen curry taco steak chicken beef pork lamb bacon \
         egg fruit apple banana mango strawberry vegetable breakfast brunch lunch dinner meal \
         snack \
         dish sauce roll appetizer entree drink cuisine recipe pancake waffle donut pastry muffin \
         bagel roast stew seafood shrimp lobster tofu cream candy popcorn pepper garlic cilantro",
    ),
    (
        ObjectKind::Activity,
        "running jogging swimming hiking cooking baking reading writing painting drawing dancing \
         singing yoga meditation gardening fishing camping cycling skiing snowboarding surfing \
         climbing pottery knitting photography travel traveling travelling shopping gaming chess \
         tennis football soccer basketball baseball golf volleyball boxing exercise workout walk \
         walking run hike swim dance hobby sport volunteering driving cleaning studying sleeping \
         skating sewing crafting ballet karate judo gymnastics hockey cricket",
    ),
    (
        ObjectKind::Event,
        "party wedding concert festival trip holiday vacation birthday christmas ceremony \
         conference meeting workshop class exam test interview show performance game match race \
         tournament event date graduation funeral parade journey visit flight delay \
         exhibition retreat camp marathon christening anniversary tour weekend adventure reunion \
         fundraiser accident",
    ),
    (
        ObjectKind::Work,
        "job work career project internship promotion salary commute shift business homework \
         assignment thesis degree course deadline workload task budget presentation startup",
    ),
    (
        ObjectKind::Media,
        "movie film book novel series episode season song album music band podcast documentary \
         story poem play comic anime manga magazine article blog video channel \
         videogame artwork soundtrack poetry trilogy sequel literature jazz rock",
    ),
    (
        ObjectKind::Weather,
        "weather rain snow sun sunshine wind storm heat cold fog summer winter spring autumn fall \
         thunder cloud sunset sunrise sky humidity",
    ),
    (
        ObjectKind::Body,
        "knee back leg arm head hair skin face hand foot stomach eye ear tooth health body \
         shoulder neck headache sleep injury",
    ),
    (
        ObjectKind::Idea,
        "idea plan politics religion love life freedom law policy rule government democracy \
         philosophy theory history science math maths attitude kindness honesty \
         culture tradition language peace nature community society education art technology",
    ),
];

fn kinds() -> &'static HashMap<&'static str, ObjectKind> {
    static KINDS: LazyLock<HashMap<&str, ObjectKind>> = LazyLock::new(|| {
        let rows = NOUNS
            .iter()
            .flat_map(|(kind, list)| list.split_whitespace().map(move |noun| (noun, *kind)));
        rows.collect()
    });
    &KINDS
}

/// The kind of a canonical object.
pub(super) fn kind_of(object: &str) -> ObjectKind {
    // the first words of "trip to Japan" tell, else the last: "cashmere sweater"
    let main = object.split_once(" to ").map_or(object, |(main, _)| main);
    let last = main.rsplit(' ').next().unwrap_or(main);
    let lower = last.to_lowercase();
    let gerund = || lower.len() > 5 && lower.ends_with("ing");
    let first = || main.split(' ').next().unwrap_or(main);
    if let Some(kind) = kinds().get(lower.as_str()) {
        return *kind;
    }
    match () {
        () if KIN.contains(&lower) => ObjectKind::Person,
        () if aspects::is_food(&lower) => ObjectKind::Food,
        () if gerund() || first().ends_with("ing") => ObjectKind::Activity,
        () => ObjectKind::Other,
    }
}

/// Whether a lower-cased word is a noun of the lists.
pub(super) fn is_known_noun(word: &str) -> bool {
    kinds().contains_key(word) || KIN.contains(word) || aspects::is_food(word)
}
