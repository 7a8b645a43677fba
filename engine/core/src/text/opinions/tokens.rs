//! The words of a sentence with their places, contractions taken apart: "isn't" is "is" and "not".

use crate::text::heading::is_adverb;
use crate::text::words::{display_words, is_listed, stem};

use super::lexicon::{self, Class, Classes};

/// Filler sounds.
const SOUNDS: &str = "um uh er erm eh mm hmm hm uhh umm";

/// Punctuation after a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    /// A comma, a dash, a bracket or a quotation mark.
    Part,
    /// The end of a sentence.
    Stop,
}

/// One word of a sentence.
#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// Lower-cased; contracted forms are written out: "not", "am", "are", "have", "will".
    pub(super) lower: String,
    pub(super) stem: String,
    /// The closed classes of `lower`.
    classes: Classes,
    /// Bytes of the sentence: first, and one after the last.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) mark: Mark,
    pub(super) capital: bool,
}

impl Token<'_> {
    /// Takes the word for another form of it.
    fn rewrite(&mut self, lower: &str) {
        lower.clone_into(&mut self.lower);
        self.classes = lexicon::classes_of(lower);
    }

    pub(super) fn is(&self, list: &str) -> bool {
        is_listed(list, &self.lower)
    }

    pub(super) fn of(&self, class: Class) -> bool {
        self.classes.has(class)
    }

    /// Whether it can be left out between a subject and its verb.
    pub(super) fn is_adverb(&self) -> bool {
        self.of(Class::Adverb) || !self.capital && is_adverb(&self.lower)
    }

    /// Whether an opinion may be read from it.
    pub(super) fn is_cue(&self) -> bool {
        lexicon::is_cue(self.classes, &self.stem)
    }

    pub(super) fn is_negation(&self) -> bool {
        self.of(Class::Negation)
    }

    pub(super) fn ends_part(&self) -> bool {
        self.mark != Mark::None
    }
}

/// The words of a sentence, in order. Cost: linear in the sentence.
pub(super) fn tokens(sentence: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let has_notes = sentence.contains(['{', '[']);
    for word in display_words(sentence) {
        // words are slices of the sentence, so pointer distance gives the byte offset
        let start = word.as_ptr() as usize - sentence.as_ptr() as usize;
        let sound = word.len() < 4 && is_listed(SOUNDS, &word.to_ascii_lowercase());
        if sound || has_notes && is_noted(&sentence[..start]) {
            continue;
        }
        let cut = stutter(word);
        let (word, start) = (&word[cut..], start + cut);
        match contraction(word) {
            Some(at) => {
                found.push(token(sentence, start, start + at));
                found.push(token(sentence, start + at, start + word.len()));
            }
            None => found.push(token(sentence, start, start + word.len())),
        }
    }
    for at in 1..found.len() {
        found[at - 1].mark = mark(&sentence[found[at - 1].end..found[at].start]);
        if found[at].lower == "not" && found[at].text != "not" {
            match found[at - 1].lower.as_str() {
                "ca" => found[at - 1].rewrite("can"),
                "wo" => found[at - 1].rewrite("will"),
                _ => {}
            }
        }
    }
    found
}

/// Whether a note of the transcript is open: "{pause}".
fn is_noted(before: &str) -> bool {
    let open = before.rfind(['{', '[']);
    open > before.rfind(['}', ']'])
}

/// Where the last attempt of a stutter begins: "it's-it's", "I-I".
fn stutter(word: &str) -> usize {
    let Some((first, last)) = word.rsplit_once('-') else {
        return 0;
    };
    let before = first.rsplit('-').next().unwrap_or(first).to_lowercase();
    let again = !before.is_empty() && last.to_lowercase().starts_with(&before);
    if again { first.len() + 1 } else { 0 }
}

/// Where the second half of a contraction or a possessive begins.
fn contraction(word: &str) -> Option<usize> {
    let at = word.rfind(['\'', '’'])?;
    let tail = word[at..].trim_start_matches(['\'', '’']).to_lowercase();
    let at = match tail.as_str() {
        "s" | "m" | "re" | "ve" | "d" | "ll" => at,
        "t" if word[..at].ends_with(['n', 'N']) => at - 1,
        _ => return None,
    };
    (at > 0).then_some(at)
}

fn token(sentence: &str, start: usize, end: usize) -> Token<'_> {
    let text = &sentence[start..end];
    let lower = text.to_lowercase().replace('’', "'");
    let cut = sentence[..start].ends_with(['\'', '’']);
    let bare = lower.trim_start_matches('\'');
    let lower = match bare {
        "m" if cut || bare != lower => "am".to_owned(),
        "re" if cut || bare != lower => "are".to_owned(),
        "ve" if cut || bare != lower => "have".to_owned(),
        "ll" if cut || bare != lower => "will".to_owned(),
        "s" | "d" if cut || bare != lower => format!("'{bare}"),
        "n't" | "cannot" => "not".to_owned(),
        _ => lower,
    };
    Token {
        text,
        stem: stem(&lower),
        classes: lexicon::classes_of(&lower),
        lower,
        start,
        end,
        mark: Mark::None,
        capital: text.starts_with(char::is_uppercase) || text.starts_with("iP"),
    }
}

fn mark(gap: &str) -> Mark {
    match () {
        () if gap.contains(['!', '?', ';', '…', '\n']) || gap.contains("..") => Mark::Stop,
        () if gap.contains(". ") => Mark::Stop,
        () if gap.contains([',', ':', '—', '–', '-', '(', ')', '[', ']']) => Mark::Part,
        () => Mark::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lower(text: &str) -> Vec<String> {
        tokens(text).into_iter().map(|token| token.lower).collect()
    }

    #[test]
    fn contractions_are_taken_apart() {
        assert_eq!(lower("It isn't good."), ["it", "is", "not", "good"]);
        assert_eq!(lower("I ca n't , it 's"), ["i", "can", "not", "it", "'s"]);
        assert_eq!(
            lower("Ana’s phone can't"),
            ["ana", "'s", "phone", "can", "not"]
        );
        assert_eq!(
            lower("I'm we're they've"),
            ["i", "am", "we", "are", "they", "have"]
        );
    }

    #[test]
    fn punctuation_marks_the_word_before_it() {
        let found = tokens("Well, it works - mostly; yes");
        let marks: Vec<Mark> = found.iter().map(|token| token.mark).collect();
        let (n, p, s) = (Mark::None, Mark::Part, Mark::Stop);
        assert_eq!(marks, [p, n, p, s, n]);
    }
}
