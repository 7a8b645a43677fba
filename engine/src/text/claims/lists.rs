//! The English words and phrases that claims are read by.

/// Words with blanks between them.
pub(super) struct Words(&'static str);

impl Words {
    pub(super) fn contains(&self, word: &str) -> bool {
        self.0.split_ascii_whitespace().any(|known| known == word)
    }
}

/// Words before a statement that change nothing about it.
pub(super) const OPENERS: Words = Words(
    "actually well so oh yes yeah no also and but now currently today finally recently anyway \
    okay ok right hey guess what nowadays",
);
/// Words inside a statement that change nothing about it.
pub(super) const FILLERS: Words = Words(
    "just now currently recently still actually finally really already have has am is are be \
    been",
);
/// What ends a value.
pub(super) const ENDS: Words = Words(
    "because since when while but and so which where who with now anymore any instead though \
    these until after before today right lately by if for or",
);
/// Verb phrases and the slot that they fill; the longest that fits is taken.
pub(super) const PHRASES: &[(&str, &str)] = &[
    ("live in", "home"),
    ("live at", "home"),
    ("lives in", "home"),
    ("lives at", "home"),
    ("living in", "home"),
    ("moved to", "home"),
    ("moved into", "home"),
    ("moved back to", "home"),
    ("settled in", "home"),
    ("based in", "home"),
    ("work at", "employer"),
    ("work for", "employer"),
    ("works at", "employer"),
    ("works for", "employer"),
    ("working at", "employer"),
    ("working for", "employer"),
    ("got a job at", "employer"),
    ("started at", "employer"),
    ("started working at", "employer"),
    ("joined", "employer"),
    ("work as", "job"),
    ("works as", "job"),
    ("working as", "job"),
    ("study at", "school"),
    ("studies at", "school"),
    ("studying at", "school"),
    ("drive", "car"),
    ("drives", "car"),
    ("married to", "partner"),
    ("engaged to", "partner"),
    ("dating", "partner"),
];
/// The same for what is over.
pub(super) const PHRASES_OVER: &[(&str, &str)] = &[
    ("moved out of", "home"),
    ("moved away from", "home"),
    ("quit my job at", "employer"),
    ("left my job at", "employer"),
    ("quit working at", "employer"),
    ("stopped working at", "employer"),
    ("stopped working for", "employer"),
    ("broke up with", "partner"),
    ("split up with", "partner"),
    ("got divorced from", "partner"),
];
/// Things of which somebody has one at a time: "my boss is ...".
pub(super) const ATTRIBUTES: Words = Words(
    "name surname nickname age birthday address phone number email job boss manager hometown \
    home password code doctor dentist therapist teacher landlord room seat budget salary rent \
    weight height size deadline goal husband wife partner boyfriend girlfriend",
);
/// Verbs after which a time of something stands.
pub(super) const AT_VERBS: Words =
    Words("is are starts start begins begin leaves opens closes ends happens takes");
pub(super) const MOVED_VERBS: Words = Words("moved postponed changed rescheduled shifted pushed");
/// Parts of a day, which are times and not days.
pub(super) const PARTS_OF_DAY: Words = Words("morning noon evening midnight afternoon o'clock");
