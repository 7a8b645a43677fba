//! Words that change the feeling of the words around them.
//!
//! The weights were trained with these lists (`scripts/affect/README.md`).

/// Negate the words that follow; so does every word that ends with "n't".
pub(super) const NEGATORS: &[&str] = &[
    "not", "no", "never", "cannot", "cant", "dont", "didnt", "doesnt", "isnt", "wasnt", "arent",
    "werent", "wont", "wouldnt", "couldnt", "shouldnt", "havent", "hasnt", "hadnt", "aint",
    "hardly", "barely", "scarcely", "rarely", "seldom", "neither", "nor", "nobody", "none",
    "without", "nowhere", "nothing",
];
/// Raise the feeling of a word nearby.
pub(super) const BOOSTERS: &[&str] = &[
    "very", "really", "so", "such", "extremely", "absolutely", "totally", "completely",
    "incredibly", "utterly", "truly", "deeply", "highly", "especially", "super", "too", "much",
    "insanely", "terribly", "awfully", "fucking", "fuckin", "freaking", "damn", "bloody", "most",
    "entirely", "thoroughly", "particularly", "hugely", "exceptionally", "remarkably", "seriously",
    "unbelievably", "ever",
];
/// Lower the feeling of a word nearby.
pub(super) const DOWNTONERS: &[&str] = &[
    "slightly", "somewhat", "kinda", "sorta", "fairly", "almost", "mildly", "partly", "rather",
    "moderately", "less", "marginally", "occasionally", "sometimes",
];
/// Two words that act as one modifier.
pub(super) const BOOSTER_PAIRS: &[&str] = &["a lot"];
/// Two words that act as one modifier.
pub(super) const DOWNTONER_PAIRS: &[&str] =
    &["a bit", "a little", "little bit", "kind of", "sort of"];
/// What follows weighs more than what stands before.
pub(super) const CONTRASTS: &[&str] = &["but", "however", "yet", "nevertheless"];
/// Faces of ASCII characters, as written between spaces.
pub(super) const EMOTICONS: &[&str] = &[
    ":)", ":-)", "(:", "=)", ":D", ":-D", "xD", "XD", "=D", ";)", ";-)", ";D", ":P", ":p", ":-P",
    ":3", "<3", "^^", "^_^", ":')", ":(", ":-(", "=(", ":'(", "):", "D:", ":/", ":-/", ":\\", ":|",
    ":-|", ">:(", "-_-", "</3", "T_T", ":o", ":O", "o_O", "O_o", "\\o/",
];
