//! English words that change what a clause says, and words with one meaning or opposite ones.

use crate::text::matching::Words;
use crate::text::words::stem;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Words for the speaker, before any apostrophe.
pub(super) const FIRST_PERSON: Words = Words("i me my mine myself we our ours ourselves");
/// Words that repeat a subject.
pub(super) const REFLEXIVE: Words =
    Words("himself herself itself themselves yourself yourselves oneself own");

/// Words and stems by which a clause states nothing as a fact.
pub(super) const DOUBTS: Words = Words(
    "maybe perhaps possibly probably might may could would should ought if unless whether suppose \
    guess imagine wonder wish hope want plan try consider intend thinking pretend almost \
    nearly rumour rumor allegedly",
);
/// Words after "'d" that make it "would".
pub(super) const WISHES: Words = Words("like love prefer rather hate be go");
/// Stems of words by which something is over.
pub(super) const ENDINGS: Words = Words("stop quit sell cancel retir former resign ceas los");

/// Times of one kind exclude each other.
pub(super) const TIMES_OF_ONE_KIND: [Words; 5] = [
    Words("monday tuesday wednesday thursday friday saturday sunday"),
    Words("january february march april may june july august september october november december"),
    Words("spring summer autumn winter"),
    Words("morning noon afternoon evening midnight tonight"),
    Words("today tomorrow yesterday"),
];

/// Words with one meaning, and words with the opposite one.
const MEANINGS: &[(&str, &str)] = &[
    ("like love enjoy adore fond", "hate dislike detest loathe"),
    ("open", "close closed shut"),
    ("hot warm", "cold freezing chilly"),
    ("easy simple", "difficult hard tough"),
    ("early", "late"),
    ("cheap inexpensive", "expensive costly"),
    ("quiet silent", "loud noisy"),
    ("agree favor favour", "disagree against oppose"),
    ("accept approve", "reject refuse decline"),
    ("remember recall", "forget forgot forgotten"),
    ("full", "empty"),
    ("big large huge", "small little tiny"),
    ("long", "short"),
    ("fast quick", "slow"),
    ("clean", "dirty"),
    ("safe", "dangerous unsafe"),
    ("possible", "impossible"),
    ("healthy well", "ill sick unwell"),
    ("happy glad", "sad unhappy"),
    ("rich wealthy", "poor"),
    ("strong", "weak"),
    ("good great nice wonderful", "bad terrible awful horrible"),
    ("true", "false untrue"),
    ("same", "different"),
    ("next", "last"),
    ("win won", "lose lost"),
    ("increase rise rose", "decrease fall fell drop"),
    ("always", "never"),
    ("buy purchase", "sell sold"),
    ("married", "divorced unmarried"),
    ("mother mum mom", ""),
    ("father dad", ""),
    ("child kid children", ""),
    ("film movie", ""),
    ("photo picture", ""),
    ("flat apartment", ""),
    ("shop store", ""),
    ("car automobile", ""),
    ("bike bicycle", ""),
    ("trip journey", ""),
    ("holiday vacation", ""),
    ("job position", ""),
    ("boss manager", ""),
    ("doctor physician", ""),
    ("begin start began begun", "end finish"),
    ("repair fix mend", "break broke broken"),
    ("postpone delay", ""),
    ("choose pick select chose chosen", ""),
    ("need require", ""),
    ("talk speak", ""),
    ("reply answer", ""),
    ("evening tonight", ""),
    ("people person", ""),
];

/// The first listed word with the meaning of a stem or its opposite, and whether it is the
/// opposite; a stem that is not listed means itself.
pub(super) fn meaning(of: &str) -> (&str, bool) {
    static LISTED: LazyLock<HashMap<String, (String, bool)>> = LazyLock::new(|| {
        let mut listed = HashMap::new();
        for (alike, opposite) in MEANINGS {
            let first = alike.split(' ').next().map(stem).unwrap_or_default();
            for (words, is_opposite) in [(alike, false), (opposite, true)] {
                for word in words.split_whitespace() {
                    listed.insert(stem(word), (first.clone(), is_opposite));
                }
            }
        }
        listed
    });
    let known = LISTED.get(of);
    known.map_or((of, false), |(first, opposite)| (first, *opposite))
}
