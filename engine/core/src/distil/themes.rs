//! Words that a model's label of a scene may use even if nobody said them.

use crate::text::stem;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Themes of everyday and working talk, and words that indicate them.
const THEMES: &str = "\
    travel trip flight fly train station airport hotel visit ticket passport suitcase tour \
    vacation holiday beach journey luggage food cook eat dinner lunch breakfast recipe \
    restaurant bake soup bread coffee tea cheese fruit kitchen meal pizza cake hungry taste \
    family brother sister mother father son daughter wife husband uncle aunt cousin \
    grandmother grandfather parent baby child work job office boss colleague meeting project \
    report deadline client manager budget presentation interview team health doctor hospital \
    sick medicine headache pain fever allergy dentist nurse appointment cold injury sleep home \
    house apartment room garden furniture rent neighbor move door window roof floor school \
    class teacher student exam lesson university study homework course learn degree sport game \
    play football tennis run swim hike climb gym race match training ski music song guitar \
    piano violin concert band sing choir instrument arts paint painting draw museum book read \
    write poem movie film theater photo camera gallery pets dog cat rabbit parrot hamster \
    horse puppy kitten pet vet feed money dollar pay price cost buy sell bank cheap expensive \
    loan save plans tomorrow weekend plan meet party birthday wedding invite celebrate \
    schedule remind weather rain snow sunny wind storm warm hot temperature feelings happy sad \
    tired excited nervous angry worried lonely proud afraid stressed love technology computer \
    phone software website laptop code data screen battery internet app design shopping shop \
    store market dress shoe jacket gift present order supermarket";

/// Kinds of talk.
const KINDS: &str = "\
    talk chat conversation discussion session update planning sharing social casual personal \
    general daily life friends friendship learning education support emotional advice news \
    story memories experience activity hobby leisure relationship entertainment event \
    celebration decision problem solving interaction catch introduction greeting farewell \
    reflection achievement career community environment lifestyle wellness";

/// Whether a stem is a word for a kind or a theme of talk.
pub(super) fn is_kind_of_talk(stemmed: &str) -> bool {
    static WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let words = [THEMES, KINDS].into_iter().flat_map(str::split_whitespace);
        words.map(stem).collect()
    });
    WORDS.contains(stemmed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_talk_are_known_and_names_of_things_are_not() {
        for (word, known) in [("travel", true), ("discussions", true), ("berlin", false)] {
            assert_eq!(is_kind_of_talk(&stem(word)), known, "{word}");
        }
    }
}
