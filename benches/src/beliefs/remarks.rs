//! Random remarks that express a feeling. The paper has a language model make such remarks and does
//! not say of what; here each is drawn evenly from a number of things with six sides each, words
//! of a feeling, and sentence patterns.

use weir_fixtures::Rng;

const ASPECTS: [&str; 6] = ["price", "quality", "design", "service", "size", "sound"];
const NOUNS: [&str; 25] = [
    "phone", "laptop", "camera", "hotel", "restaurant", "bakery", "bus", "train", "museum", "park",
    "gym", "office", "sofa", "lamp", "kettle", "bicycle", "jacket", "watch", "radio", "printer",
    "garden", "school", "cinema", "library", "market",
];
const COLOURS: [&str; 10] = [
    "red", "blue", "green", "black", "white", "yellow", "grey", "brown", "purple", "orange",
];
const FEELINGS: [&str; 12] = [
    "wonderful", "great", "good", "lovely", "terrible", "awful", "bad", "disappointing", "okay",
    "average", "excellent", "horrible",
];

/// A source of remarks.
pub(super) struct Remarks {
    random: Rng,
    things: usize,
}

impl Remarks {
    /// Remarks on so many things, at most 250.
    pub(super) fn new(things: usize, seed: u64) -> Self {
        Self {
            random: Rng::new(seed),
            things,
        }
    }

    pub(super) fn next(&mut self) -> String {
        let thing = self.random.below(self.things);
        let noun = NOUNS[thing % NOUNS.len()];
        // more things than nouns are told apart by their colour
        let thing = match thing / NOUNS.len() {
            0 => noun.to_owned(),
            more => format!("{} {noun}", COLOURS[more % COLOURS.len()]),
        };
        let aspect = self.random.pick(&ASPECTS);
        let feeling = self.random.pick(&FEELINGS);
        match self.random.below(3) {
            0 => format!("The {aspect} of the {thing} is {feeling}."),
            1 => format!("I think the {aspect} of the {thing} is really {feeling}."),
            _ => format!("The {thing} has a {feeling} {aspect}."),
        }
    }
}
