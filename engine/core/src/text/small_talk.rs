//! Words without content, and words that tell the topic.

use super::words::{display_words, is_content_word, stems, without_possessive};
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
    display_words(text).all(|word| {
        let lower = word.to_lowercase().replace('’', "'");
        let name = without_possessive(&lower);
        // "Mel" is short for Melanie
        let short = |full: &String| name.len() >= 2 && full.starts_with(name);
        let named = word.starts_with(char::is_uppercase) && people.iter().any(short);
        named || people.contains(name) || is_social(&lower) || !is_content_word(&lower)
    })
}

/// Whether a lower-cased word is small talk.
pub(super) fn is_social(lower: &str) -> bool {
    static WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| SOCIAL.split_whitespace().collect());
    WORDS.contains(lower)
}

/// The stems of a text's topic words: neither small talk nor common verbs.
pub(crate) fn topic_stems(text: &str) -> BTreeSet<String> {
    const COMMON: &str = "\
    go get mak lov lik feel think want tak tim thing person day look help keep work lif great \
    giv com let way need tell say see some something last next year week today photo share \
    shar more all try been don't start find much lot good really know mean put gonna back \
    other like own";
    let mut stems = stems(text);
    stems.retain(|stem| {
        let common = COMMON.split_whitespace().any(|word| word == *stem);
        !common && !is_social(stem) && stem.len() > 2
    });
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_thanks_and_short_replies_are_small_talk() {
        let people = ["audrey", "melanie", "jon"].map(str::to_owned).into();
        for (said, small) in [
            ("Hey Mel!", true),
            ("Thanks so much, Jon!", true),
            ("Yeah, totally agree.", true),
            ("Mm-hmm .", true),
            ("Good to see you!", true),
            ("Okay, the train leaves at seven.", false),
            ("Lisbon.", false),
            ("No, my dad.", false),
            ("Я живу в Казани.", false),
        ] {
            assert_eq!(is_small_talk(said, &people), small, "{said}");
        }
    }
}
