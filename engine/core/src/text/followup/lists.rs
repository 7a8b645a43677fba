//! The English words that follow-up questions are read by.

/// Question words that ask for a circumstance and can stand before any clause.
pub(super) const CIRCUMSTANCES: &[&str] = &["why", "when", "where", "how"];
pub(super) const AUXILIARIES: &[&str] = &[
    "do", "does", "did", "is", "are", "was", "were", "can", "could", "will", "would", "should",
    "have", "has", "had", "am",
];
pub(super) const BE: &[&str] = &["is", "are", "was", "were", "be", "been", "isn't"];
/// Words after "it", in any form, that show that it stands for nothing.
pub(super) const EXPLETIVE: &[&str] = &[
    "take", "like", "rain", "snow", "hail", "drizzle", "thunder", "possible", "true", "important",
    "okay", "ok", "hard", "easy", "that", "to", "going", "feel", "sound", "seem", "mean",
];
/// Verbs before "her" as an object: "what made her choose it".
pub(super) const CAUSING: &[&str] = &[
    "made", "make", "makes", "let", "lets", "help", "helped", "helps", "gave", "give",
];
/// Verbs of going: "there" behind them is "to" a place.
pub(super) const GOING: &[&str] = &[
    "go", "goes", "going", "gone", "went", "move", "travel", "fly", "drive",
];
/// Prepositions that stand before a place where somebody is.
pub(super) const AT: &[&str] = &["in", "at", "near", "around", "on"];
/// Prepositions: what stands behind one is no object of the verb.
pub(super) const PREPOSITIONS: &[&str] = &[
    "of", "about", "with", "for", "to", "at", "on", "in", "from", "by", "near", "after", "before",
    "during", "beside", "behind", "under", "over", "between", "without", "into", "like", "around",
];
