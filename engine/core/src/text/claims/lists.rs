//! The English words and phrases that identify claims.

use crate::text::words::is_listed;

/// Words with one blank between each.
pub(in crate::text) struct Words(pub(in crate::text) &'static str);

impl Words {
    pub(in crate::text) fn contains(&self, word: &str) -> bool {
        is_listed(self.0, word)
    }
}

/// Words before a statement that do not change its meaning.
pub(in crate::text) const OPENERS: Words = Words(
    "actually well so oh yes yeah no also and but now currently today finally recently anyway \
    okay ok right hey guess what nowadays",
);
/// Words inside a statement that do not change its meaning.
pub(in crate::text) const FILLERS: Words = Words(
    "just now currently recently still actually finally really already have has am is are be \
    been",
);
/// Words that end a value.
pub(in crate::text) const ENDS: Words = Words(
    "because since when while but and so which where who with now anymore any instead though \
    these until after before today right lately by if for or",
);
/// Verb phrases, the slot that they fill, and whether they supersede earlier values; the longest
/// match is used. `a|b` stands for either word.
pub(in crate::text) const PHRASES: &[(&str, &str, bool)] = &[
    ("live|lives in|at", "home", false),
    ("living in|at", "home", false),
    ("based in", "home", false),
    ("moved to|into", "home", true),
    ("moved back to", "home", true),
    ("settled in", "home", true),
    ("work|works at|for", "employer", true),
    ("working at|for", "employer", true),
    ("got a job at", "employer", true),
    ("started working at|for", "employer", true),
    ("work|works as a|an", "job", false),
    ("working as a|an", "job", false),
    ("study|studies at", "school", true),
    ("studying at", "school", true),
    ("married|engaged to", "partner", true),
    ("dating", "partner", true),
];
/// The same for values that no longer hold.
pub(in crate::text) const PHRASES_OVER: &[(&str, &str, bool)] = &[
    ("moved out of", "home", true),
    ("moved away from", "home", true),
    ("quit|left|lost my job", "employer", true),
    ("quit|stopped working at|for", "employer", true),
    ("broke|split up with", "partner", true),
];
/// Words that express a change.
pub(in crate::text) const CHANGES: Words = Words("now currently nowadays instead anymore");
/// Words that cannot begin an attribute's value.
pub(in crate::text) const NO_VALUES: Words = Words(
    "not no in at on so very really too still up down done gone great good bad hard one that this \
    what when where how to",
);
/// Capitalised words at the start of a sentence that name nobody.
pub(in crate::text) const NO_NAMES: Words = Words(
    "he she it they this that there someone somebody everybody everyone nobody people let what who \
    today tomorrow yesterday then here thanks thank hi hello sorry please maybe dad's",
);
/// People who are identified only by who speaks of them.
pub(in crate::text) const KIN: Words = Words(
    "mom mum mommy mummy dad daddy mother father grandma grandpa granny grandmother grandfather \
    aunt uncle sister brother cousin wife husband boss teacher doctor",
);
/// Attributes with one value at a time: "my boss is ...".
pub(in crate::text) const ATTRIBUTES: Words = Words(
    "name surname nickname age birthday address phone number email job boss manager hometown \
    home password code doctor dentist therapist teacher landlord room seat budget salary rent \
    weight height size deadline goal husband wife partner boyfriend girlfriend",
);
/// Verbs that a time follows.
pub(in crate::text) const AT_VERBS: Words =
    Words("is are starts start begins begin leaves opens closes ends happens takes");
pub(in crate::text) const MOVED_VERBS: Words =
    Words("moved postponed changed rescheduled shifted pushed");
/// Parts of a day: times, not days.
pub(in crate::text) const PARTS_OF_DAY: Words =
    Words("morning noon evening midnight afternoon o'clock");
