//! The kind of answer a question asks for, and the kinds a statement offers.
//!
//! English words only. Anything unmatched asks for, and offers, a thing.

use crate::text::{ClaimFeatures, display_words};

/// Kinds of answers. A question asks for one; a statement may offer several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A person.
    Person,
    /// A place.
    Place,
    /// A day, a month, a year, a time of day.
    When,
    /// How many, how much, how old, how long.
    Number,
    /// Why, what for, how come.
    Reason,
    /// Yes or no.
    Whether,
    /// How somebody feels, or what somebody thinks.
    Feeling,
    /// Anything else.
    Thing,
}

impl Kind {
    pub(super) const COUNT: usize = Self::NAMES.len();
    /// The names of all kinds, in order.
    pub(super) const NAMES: [&str; 8] = [
        "person", "place", "when", "number", "reason", "whether", "feeling", "thing",
    ];

    /// The kind of answer a question asks for.
    pub(super) fn asked(question: &str) -> Self {
        let lower = question.to_lowercase();
        let words: Vec<&str> = display_words(&lower).collect();
        let has = |word: &str| words.contains(&word);
        let says = |phrase: &str| lower.contains(phrase);
        let after = |before: &[&str], nouns: &[&str]| {
            let mut pairs = words.windows(2);
            pairs.any(|pair| before.contains(&pair[0]) && nouns.contains(&pair[1]))
        };
        let which = |nouns: &[&str]| after(&["what", "which"], nouns);
        let first = words.first().copied().unwrap_or_default();
        if has("when") || which(WHEN) || says("how long ago") {
            Self::When
        } else if after(&["how"], EXTENT) || which(&["number"]) {
            Self::Number
        } else if has("why") || REASON.iter().any(|phrase| says(phrase)) {
            Self::Reason
        } else if has("where") || which(PLACE) {
            Self::Place
        } else if words
            .iter()
            .any(|w| ["who", "whom", "whose", "who's"].contains(w))
        {
            Self::Person
        } else if FEELING.iter().any(|phrase| says(phrase)) {
            Self::Feeling
        } else if AUXILIARIES.contains(&first) {
            Self::Whether
        } else {
            Self::Thing
        }
    }

    /// Whether a statement offers each kind of answer, by `kind as usize`. `lower` is the text in
    /// lower case, `words` its words.
    pub(super) fn offered(
        text: &str,
        lower: &str,
        words: &[&str],
        marks: &ClaimFeatures,
    ) -> [bool; Self::COUNT] {
        let any = |list: &[&str]| words.iter().any(|word| list.contains(word));
        let says = |list: &[&str]| list.iter().any(|phrase| lower.contains(phrase));
        let mut offered = [false; Self::COUNT];
        for (kind, offers) in [
            (Self::Person, !marks.names.is_empty() || any(KIN)),
            (Self::Place, places(text) || any(PLACES)),
            (Self::When, !marks.times.is_empty() || year(words)),
            (Self::Number, !marks.numbers.is_empty()),
            (
                Self::Reason,
                any(BECAUSE) || says(&["so that", "in order to", "that's why"]),
            ),
            (Self::Whether, true),
            (Self::Feeling, any(FEELINGS)),
            (Self::Thing, true),
        ] {
            offered[kind as usize] = offers;
        }
        offered
    }
}

/// A preposition of place before a capitalised word: "in Boston", "near the Alps".
fn places(text: &str) -> bool {
    let words: Vec<&str> = display_words(text).collect();
    let capital = |word: &str| word.starts_with(char::is_uppercase);
    words.windows(3).any(|three| {
        let to = ["in", "at", "to", "from", "near", "around", "across"].contains(&three[0]);
        to && (capital(three[1]) || (three[1] == "the" && capital(three[2])))
    })
}

fn year(words: &[&str]) -> bool {
    let is_year =
        |word: &str| word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    words
        .iter()
        .any(|word| is_year(word) && word.bytes().all(|b| b.is_ascii_digit()))
}

/// Nouns after "what" and "which".
const WHEN: &[&str] = &[
    "day", "days", "date", "dates", "month", "months", "year", "years", "time", "times",
];
const PLACE: &[&str] = &[
    "city", "cities", "country", "countries", "place", "places", "state", "states", "town", "towns",
];
/// Words after "how".
const EXTENT: &[&str] = &["many", "much", "old", "long", "often", "far", "big", "tall"];
const REASON: &[&str] = &["what for", "how come", "reason", "what made", "what led"];
const FEELING: &[&str] = &[
    " feel", "think of", "think about", "opinion", "how was", "how did it go", "like about",
    "attitude", "react",
];
const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "will",
    "would", "should", "may", "might", "isn't", "aren't", "doesn't", "didn't", "hasn't", "won't",
];
const KIN: &[&str] = &[
    "mom", "mum", "mother", "dad", "father", "parents", "son", "daughter", "kids", "kid",
    "brother", "sister", "wife", "husband", "girlfriend", "boyfriend", "partner", "grandma",
    "grandpa", "grandmother", "grandfather", "aunt", "uncle", "cousin", "nephew", "niece",
    "family", "friend", "friends", "colleague", "colleagues", "boss", "teammates", "team",
    "neighbour", "neighbor", "roommate", "coach", "teacher", "doctor", "mentor",
];
const PLACES: &[&str] = &[
    "home", "house", "park", "beach", "school", "museum", "hospital", "shelter", "city", "country",
    "town", "village", "store", "shop", "restaurant", "cafe", "studio", "gym", "office", "church",
    "lake", "mountain", "mountains", "river", "forest", "garden", "kitchen", "street", "airport",
    "station", "hotel", "island", "coast", "library", "center", "centre", "here", "there",
    "closet", "room", "theater", "theatre", "club", "bar", "abroad", "campsite", "trail",
    "university",
];
const BECAUSE: &[&str] = &[
    "because", "since", "cause", "'cause", "cuz", "reason", "due", "why",
];
const FEELINGS: &[&str] = &[
    "love", "loved", "loves", "like", "liked", "hate", "hated", "happy", "sad", "excited", "proud",
    "scared", "afraid", "nervous", "grateful", "thankful", "glad", "amazing", "awesome", "great",
    "awful", "terrible", "upset", "angry", "worried", "anxious", "tired", "fun", "enjoy",
    "enjoyed", "feel", "felt", "feeling", "think", "favorite", "favourite", "special", "wonderful",
    "tough", "hard", "overwhelmed", "relieved", "stressed", "joy", "peace", "calm", "free",
    "inspired", "nice", "cool", "beautiful", "rewarding", "motivated", "heartbroken", "devastated",
    "pumped",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_ask_for_one_kind() {
        for (question, kind) in [
            ("Who fixed the bike?", Kind::Person),
            ("where's the cabin", Kind::Thing),
            ("Where is the cabin?", Kind::Place),
            ("Which cities has Jon been to?", Kind::Place),
            ("When did she leave?", Kind::When),
            ("what year was that", Kind::When),
            ("How many dogs does he have?", Kind::Number),
            ("Why did they move?", Kind::Reason),
            ("Has Ana ever been to Rome?", Kind::Whether),
            ("How does Ben feel about the trip?", Kind::Feeling),
            ("What breed is Toby?", Kind::Thing),
        ] {
            assert_eq!(Kind::asked(question), kind, "{question}");
        }
    }

    #[test]
    fn statements_offer_several() {
        let offers = |text: &str, kind: Kind| {
            let lower = text.to_lowercase();
            let words: Vec<&str> = display_words(&lower).collect();
            Kind::offered(text, &lower, &words, &ClaimFeatures::of(text))[kind as usize]
        };
        let text = "My brother moved to Rotterdam in 2019 because of work.";
        for kind in [
            Kind::Person,
            Kind::Place,
            Kind::When,
            Kind::Number,
            Kind::Reason,
        ] {
            assert!(offers(text, kind), "{kind:?}");
        }
        for kind in [
            Kind::Place,
            Kind::When,
            Kind::Number,
            Kind::Reason,
            Kind::Feeling,
        ] {
            assert!(!offers("It was a red bike.", kind), "{kind:?}");
        }
        assert!(offers("I loved it!", Kind::Feeling));
    }
}
