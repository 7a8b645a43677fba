//! Words without content, and words that tell the topic.

use super::super::words::{is_content_word, stem};
use super::words::{Word, words_of};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Greetings, thanks and other words of small talk.
const SOCIAL: &str = "\
    hey hi hello thanks thank bye goodbye welcome wow yeah yes yep yup oh ok okay kay sure \
    good great nice cool awesome amazing sweet lovely fantastic wonderful fun glad happy sorry \
    congrats congratulations hear see talk soon later take care luck chat catch agree totally \
    absolutely definitely exactly right true know mean well sounds sound wish best hope hoping \
    going go new anything something what's it's that's how's you're i'm i'll let let's lets \
    help problem worries like love much kind day bet way alright mm hmm mm-hmm uh-huh \
    haha lol um uh er excellent perfect brilliant interesting inspiring awful sad bad crazy \
    all now back guys again doing done keep appreciate support question look looking \
    forward hm ah impressive beautiful incredible proud always never wait can't don't \
    you've you'd they're we're she's he's i've we'll one fine huh gosh god ha";

/// Whether a text is a greeting, thanks or a short reply: it has no content word apart from the
/// names of `people` (lower-cased).
pub(crate) fn is_small_talk(text: &str, people: &BTreeSet<String>) -> bool {
    words_of(text).iter().all(|word| {
        is_social(&word.lower) || !is_content_word(&word.lower) || names_one_of(word, people)
    })
}

/// Words of praise and mood, which say little about what happened.
const MOODS: &str = "\
    motivated stoked pumped supportive inspired determined positive feeling thrilled excited \
    grateful thankful ready special important best favorite stay truly forget everything";

/// Whether a word is small talk or only expresses a mood.
pub(super) fn is_mood(lower: &str) -> bool {
    is_social(lower) || MOODS.split_whitespace().any(|mood| mood == lower)
}

/// Whether a lower-cased word is small talk.
pub(in crate::text) fn is_social(lower: &str) -> bool {
    static WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| SOCIAL.split_whitespace().collect());
    WORDS.contains(lower)
}

/// Whether a word is the name of one of the people, or short for it.
pub(super) fn names_one_of(word: &Word, people: &BTreeSet<String>) -> bool {
    let lower = word.lower.strip_suffix("'s").unwrap_or(&word.lower);
    let short = |name: &String| lower.len() >= 2 && name.starts_with(lower);
    people.contains(lower) || (word.capital && people.iter().any(short))
}

/// The stems of a text's topic words: neither small talk nor common verbs.
pub(crate) fn topic_stems(text: &str) -> BTreeSet<String> {
    const COMMON: &str = "\
    go get mak lov lik feel think want tak tim thing person day look help keep work lif great \
    giv com let way need tell say see some something last next year week today photo share \
    shar more all try been don't start find much lot good really know mean put gonna back \
    other like own";
    let stems = heading_stems(text).into_iter();
    let topical = stems
        .filter(|stem| !COMMON.split_whitespace().any(|word| word == *stem) && !is_social(stem));
    topical.filter(|stem| stem.len() > 2).collect()
}

/// The stems of the content words of a heading.
pub(crate) fn heading_stems(text: &str) -> BTreeSet<String> {
    let words = words_of(text).into_iter();
    let content = words.filter(|word| is_content_word(&word.lower));
    content.map(|word| stem(&word.lower)).collect()
}
