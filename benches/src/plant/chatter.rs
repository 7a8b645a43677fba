//! Small talk that no question asks about.

use weir_fixtures::Rng;

/// `{a}` to `{c}` are filled from the lists in that order.
const SENTENCES: [&str; 12] = [
    "The {a} in the {b} made that {c} noise again.",
    "Did you hear the {c} song about the {a} on the radio?",
    "I could not find the {a} anywhere, not even in the {b}.",
    "Somebody left the {b} open, and the {a} got wet.",
    "My grandmother used to say a {c} {a} brings luck.",
    "Can you hand me the {a}? It is behind the {b}.",
    "This {c} weather makes me want to stay in the {b}.",
    "They are painting the {b} in a {c} green.",
    "What a {c} morning, and then the {a} broke.",
    "I dreamt of a {c} {a} that talked to the {b}.",
    "Please do not put the {a} on top of the {b}.",
    "We should clean the {b} before that {c} {a} falls over.",
];
const OBJECTS: [&str; 20] = [
    "kettle", "ladder", "umbrella", "clock", "bucket", "window", "drawer", "curtain", "pillow",
    "toaster", "broom", "candle", "mirror", "basket", "bottle", "fence", "doorbell", "jacket",
    "spoon", "plant",
];
const PLACES: [&str; 14] = [
    "kitchen", "cellar", "attic", "garage", "hallway", "staircase", "balcony", "office", "shed",
    "cupboard", "yard", "lift", "workshop", "library",
];
const KINDS: [&str; 14] = [
    "strange", "quiet", "dreadful", "lovely", "long", "silly", "gentle", "rusty", "sudden",
    "famous", "sleepy", "crooked", "bright", "plain",
];

/// One sentence.
pub(super) fn sentence(rng: &mut Rng) -> String {
    let text = *rng.pick(&SENTENCES);
    let (a, b, c) = (*rng.pick(&OBJECTS), *rng.pick(&PLACES), *rng.pick(&KINDS));
    text.replace("{a}", a).replace("{b}", b).replace("{c}", c)
}
