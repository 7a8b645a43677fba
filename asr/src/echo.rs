//! Detects an echo: a model that was told which words may be said can write them over noise, as if
//! they were said.
//!
//! No word is changed. Invariant: the verdict depends only on those words and the transcript.

use crate::guards::{GuardsConfig, plain};
use crate::words::Transcript;

/// The words of a text in lower case, without punctuation.
pub(crate) fn plain_words(text: &str) -> Vec<String> {
    let words = text.split_whitespace().map(plain);
    words.filter(|word| !word.is_empty()).collect()
}

/// True if the transcript has only `expected` words in their order, and the model doubts the words
/// or that somebody spoke. When people do say these words, the model is surer.
pub(crate) fn is_echo(expected: &[String], transcript: &Transcript) -> bool {
    let usual = GuardsConfig::default();
    let is_sure = transcript.confidence >= usual.sure_confidence
        && transcript.no_speech < usual.max_no_speech;
    let said = plain_words(&transcript.text());
    let mut expected = expected.iter();
    !is_sure && !said.is_empty() && said.iter().all(|word| expected.any(|it| it == word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SampleSpan, Word};

    #[test]
    fn expected_words_alone_are_an_echo_unless_the_model_is_sure() {
        let expected = plain_words("Ana Brandt, Tartu - \u{2014} GH-7.");
        assert_eq!(expected, ["ana", "brandt", "tartu", "gh7"]);
        let echo = |text: &str, confidence, no_speech| {
            let word = |text: &str| Word {
                text: text.to_owned(),
                span: SampleSpan::from_ms(0, 500),
                confidence,
            };
            let transcript = Transcript {
                words: text.split(' ').map(word).collect(),
                confidence,
                no_speech,
            };
            is_echo(&expected, &transcript)
        };
        assert!(echo("Ana Brandt, Tartu, GH-7.", 0.5, 0.1));
        assert!(echo("Brandt, GH-7.", 0.9, 0.7), "nobody speaks");
        assert!(!echo("Ana Brandt.", 0.9, 0.1), "somebody says it");
        assert!(!echo("Tartu, Ana.", 0.5, 0.9), "not in this order");
        assert!(!echo("Ana was here.", 0.5, 0.9), "other words too");
        assert!(!echo("...", 0.0, 1.0), "no words");
    }
}
