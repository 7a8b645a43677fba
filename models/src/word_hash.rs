//! A sentence encoder without a model: signed feature hashing of content words.
//!
//! Texts that share words get similar vectors, across plural and tense and, a little, across
//! spelling. It cannot know that "physician" means "doctor". It is for machines without weights and
//! for tests; its identity tells so.
//!
//! Invariant: the same text gives the same bits on every machine, and so does any order of the same
//! words.

use std::collections::BTreeMap;

use crate::encode::{Encode, EncodeError, EncoderIdentity};
use crate::hash::{fnv, scramble};

/// The same as MiniLM's, so that other code does not depend on which of the two is used.
const DIMENSION: usize = 384;

/// Components that one feature touches. With four components, a collision between two words in one
/// component costs a quarter of a match instead of a whole one.
const SPREAD: usize = 4;

/// Weight of a character trigram relative to its word's 1. A word of eight letters has eight
/// trigrams, about a third of its squared length: enough to bring misspellings close without hiding
/// different words.
const TRIGRAM_WEIGHT: f32 = 0.2;

/// Must change whenever the vectors change, so that no session mixes two versions.
const VERSION: &str = "1";

/// Words without content: the stop list of the stream contract's measures.
const STOP_WORDS: &str = "a an the of to in on at for and or but is are was were be been am i you \
    he she it we they me my your his her our their its this that these those do does did have has \
    had has with as by from not no so what which who when where why how will would can could \
    should just there here about into over up out if than then them us very really too also s t m \
    re ve ll d";

/// Encodes by words alone: no weights, no synonyms, 384 components, unit length.
///
/// A text of stop words only is encoded by those; a text without any word (empty, punctuation)
/// gives the zero vector. Text of any length is read completely. Never fails. Cost: O(length).
#[derive(Debug, Clone)]
pub struct WordHashEncoder {
    identity: EncoderIdentity,
}

impl WordHashEncoder {
    /// Makes the encoder; it has no options.
    pub fn new() -> Self {
        let identity = EncoderIdentity {
            name: "word-hash".to_owned(),
            digest: format!("v{VERSION}"),
        };
        Self { identity }
    }
}

impl Default for WordHashEncoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Encode for WordHashEncoder {
    fn dimension(&self) -> usize {
        DIMENSION
    }

    fn identity(&self) -> &EncoderIdentity {
        &self.identity
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

/// The vector of one text.
fn vector(text: &str) -> Vec<f32> {
    let mut sums = vec![0.0_f32; DIMENSION];
    // Summed in hash order, so that word order does not affect rounding.
    for (hash, weight) in features(text) {
        add(&mut sums, hash, weight);
    }
    let length = sums.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        sums.iter_mut().for_each(|x| *x /= length);
    }
    sums
}

/// The weighted features of a text: each distinct stem and each distinct trigram of a stem once.
fn features(text: &str) -> BTreeMap<u64, f32> {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .collect();
    let has_content = words.iter().any(|word| !is_stop_word(word));
    let mut features = BTreeMap::new();
    for word in words
        .into_iter()
        .filter(|word| !has_content || !is_stop_word(word))
    {
        let stem = stem(word);
        features.insert(fnv("w", &stem), 1.0);
        let framed: Vec<char> = format!("^{stem}$").chars().collect();
        for trigram in framed.windows(3) {
            let trigram: String = trigram.iter().collect();
            features.insert(fnv("3", &trigram), TRIGRAM_WEIGHT);
        }
    }
    features
}

fn is_stop_word(word: &str) -> bool {
    // Contractions ("it's", "don't") are stop words if all their parts are.
    word.split('\'').all(|part| {
        STOP_WORDS.split_ascii_whitespace().any(|stop| stop == part)
            || matches!(
                part,
                "don" | "didn" | "doesn" | "isn" | "wasn" | "won" | "aren" | "couldn"
            )
    })
}

/// Adds one feature: its hash selects the components and their signs.
fn add(sums: &mut [f32], hash: u64, weight: f32) {
    let mut state = hash;
    for _ in 0..SPREAD {
        state = scramble(state);
        let at = (state >> 32) as usize % DIMENSION;
        let sign = if state & 1 == 0 { 1.0 } else { -1.0 };
        sums[at] += sign * weight;
    }
}

/// Removes the most common English endings: possessive, plural, past, progressive, final e and y.
///
/// Two forms of a word need the same stem, not a real word: "making" and "make" give "mak".
fn stem(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word).replace('\'', "");
    if !word.is_ascii() || word.len() < 4 || word.bytes().any(|b| b.is_ascii_digit()) {
        return word;
    }
    let mut stem = without_plural(&word).to_owned();
    for ending in ["ing", "ed"] {
        if let Some(rest) = stem.strip_suffix(ending)
            && rest.len() >= 3
            && rest.contains(['a', 'e', 'i', 'o', 'u', 'y'])
        {
            stem = undoubled(rest).to_owned();
            break;
        }
    }
    if stem.len() >= 4 && stem.ends_with('e') {
        stem.pop();
    }
    if stem.len() >= 3 && stem.ends_with('y') {
        stem.pop();
        stem.push('i');
    }
    stem
}

fn without_plural(word: &str) -> &str {
    if word.ends_with("ies") {
        // "ies" and a final y both end as i.
        &word[..word.len() - 2]
    } else if ["sses", "shes", "ches", "xes", "zes"]
        .iter()
        .any(|ending| word.ends_with(ending))
    {
        &word[..word.len() - 2]
    } else if word.ends_with('s') && !["ss", "us", "is"].iter().any(|e| word.ends_with(e)) {
        &word[..word.len() - 1]
    } else {
        word
    }
}

/// Removes a doubled consonant: "runn" and "plann" become "run" and "plan"; "fall" and "pass" keep
/// both letters.
fn undoubled(stem: &str) -> &str {
    let tail = &stem.as_bytes()[stem.len() - 2..];
    let doubled = tail[0] == tail[1] && !b"aeioulsz".contains(&tail[0]);
    if doubled {
        &stem[..stem.len() - 1]
    } else {
        stem
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(a: &str, b: &str) -> f32 {
        let vectors = WordHashEncoder::new().encode(&[a, b]).unwrap();
        vectors[0].iter().zip(&vectors[1]).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        let same = [
            ["walks", "walked", "walking"],
            ["make", "makes", "making"],
            ["city", "cities", "city's"],
            ["plan", "planned", "planning"],
            ["box", "boxes", "boxed"],
            ["study", "studies", "studying"],
        ];
        for forms in same {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(
                stems.iter().all(|s| *s == stems[0]),
                "{forms:?} gave {stems:?}"
            );
        }
        assert_ne!(stem("bus"), stem("bu"));
        assert_eq!(stem("king"), "king");
    }

    #[test]
    fn shared_words_bring_texts_near_and_stop_words_do_not() {
        let near = cosine(
            "Anna moved to Lisbon in May.",
            "When did Anna move to Lisbon?",
        );
        assert!(near > 0.7, "{near}");
        let far = cosine("Anna moved to Lisbon in May.", "The cat is in the garden.");
        assert!(far.abs() < 0.25, "{far}");
        assert!(cosine("Is it in the garden?", "It is what it is.").abs() < 0.3);
    }

    #[test]
    fn length_is_one_or_nought_and_order_of_words_is_nothing() {
        let encoder = WordHashEncoder::new();
        let texts = [
            "red green blue", "blue red green", "it is", "don't", "Привет", "?!", "",
        ];
        let vectors = encoder.encode(&texts).unwrap();
        assert_eq!(vectors[0], vectors[1]);
        for (text, vector) in texts.iter().zip(&vectors) {
            assert_eq!(vector.len(), encoder.dimension());
            let length: f32 = vector.iter().map(|x| x * x).sum();
            let expected = if matches!(*text, "?!" | "") { 0.0 } else { 1.0 };
            assert!(
                (length - expected).abs() < 1e-5,
                "{text:?} has length {length}"
            );
        }
    }

    #[test]
    fn vectors_are_the_same_on_every_machine() {
        // Guards VERSION: if this fails because the algorithm changed, raise VERSION.
        let vector = vector("a small boat");
        let touched: Vec<usize> = (0..DIMENSION).filter(|&i| vector[i].abs() > 0.3).collect();
        assert_eq!(touched, [15, 29, 45, 189, 199, 210, 234, 363]);
    }
}
