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
/// match is used.
pub(in crate::text) const PHRASES: &[(&str, &str, bool)] = &[
    ("live in", "home", false),
    ("live at", "home", false),
    ("lives in", "home", false),
    ("lives at", "home", false),
    ("living in", "home", false),
    ("based in", "home", false),
    ("moved to", "home", true),
    ("moved into", "home", true),
    ("moved back to", "home", true),
    ("settled in", "home", true),
    ("work at", "employer", true),
    ("work for", "employer", true),
    ("works at", "employer", true),
    ("works for", "employer", true),
    ("working at", "employer", true),
    ("working for", "employer", true),
    ("got a job at", "employer", true),
    ("started working at", "employer", true),
    ("work as a", "job", false),
    ("work as an", "job", false),
    ("works as a", "job", false),
    ("works as an", "job", false),
    ("working as a", "job", false),
    ("working as an", "job", false),
    ("study at", "school", true),
    ("studies at", "school", true),
    ("studying at", "school", true),
    ("married to", "partner", true),
    ("engaged to", "partner", true),
    ("dating", "partner", true),
];
/// The same for values that no longer hold.
pub(in crate::text) const PHRASES_OVER: &[(&str, &str, bool)] = &[
    ("moved out of", "home", true),
    ("moved away from", "home", true),
    ("quit my job at", "employer", true),
    ("left my job at", "employer", true),
    ("quit working at", "employer", true),
    ("stopped working at", "employer", true),
    ("stopped working for", "employer", true),
    ("broke up with", "partner", true),
    ("split up with", "partner", true),
    ("got divorced from", "partner", true),
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
