//! Splits a statement into words, normalised for a heading.

use super::super::words::display_words;

/// Filler sounds.
const SOUNDS: &[&str] = &[
    "um", "uh", "er", "erm", "mm", "hmm", "hm", "mm-hmm", "uh-huh", "haha", "hahaha", "lol", "ha",
    "ah", "huh", "ooh",
];
const MARKS: [char; 8] = [',', ';', ':', '-', '.', '!', '?', '…'];
const STOPS: [char; 6] = [';', ':', '.', '!', '?', '…'];
/// Contractions that tokenised transcripts split: the two halves and the whole.
const HALVES: &[(&str, &str, &str)] = &[
    ("gon", "na", "gonna"),
    ("wan", "na", "wanna"),
    ("got", "ta", "gotta"),
    ("can", "not", "cannot"),
];

/// One word of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// As written, without the punctuation after it.
    pub(super) text: String,
    /// Lower-cased letters and digits, with a straight apostrophe.
    pub(super) lower: String,
    /// Punctuation that ends a part of the sentence follows.
    pub(super) border: bool,
    /// That punctuation ends the sentence.
    pub(super) stop: bool,
    /// Text after it in a heading: nothing, a comma, or a bracket or quotation mark.
    pub(super) after: String,
    /// It begins with a capital letter.
    pub(super) capital: bool,
}

impl Word {
    pub(super) fn is(&self, list: &[&str]) -> bool {
        list.contains(&self.lower.as_str())
    }

    /// Whether it is one of the words of a text.
    pub(super) fn is_of(&self, text: &str) -> bool {
        text.split_whitespace().any(|word| word == self.lower)
    }
}

/// The words of a statement in order, without filler sounds, captions and false starts.
pub(super) fn words_of(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let spaced = text.replace(['—', '–'], " - ").replace("``", "\"");
    let spaced = spaced.replace("''", "\"").replace("...", ", ");
    for piece in spaced.split_whitespace() {
        if !add_to_last(&mut words, piece) {
            words.extend(word(piece));
        }
    }
    let is_sound = |word: &Word| word.is(SOUNDS);
    let mut kept: Vec<Word> = Vec::new();
    for word in words {
        if is_sound(&word) {
            if let Some(last) = kept.last_mut().filter(|_| word.border) {
                last.border = true;
                last.stop |= word.stop;
            }
        } else {
            kept.push(word);
        }
    }
    without_stutter(kept)
}

/// Appends a piece that belongs to the word before: punctuation, "n't", "'m".
fn add_to_last(words: &mut [Word], piece: &str) -> bool {
    let Some(last) = words.last_mut() else {
        return !piece.contains(char::is_alphanumeric);
    };
    if !piece.contains(char::is_alphanumeric) {
        if piece == "&" {
            return false;
        }
        let shown = if piece.starts_with([',', '-']) {
            ","
        } else {
            ""
        };
        last.border |= piece.contains(MARKS);
        last.stop |= piece.contains(STOPS);
        if last.after.is_empty() {
            shown.clone_into(&mut last.after);
        }
        return true;
    }
    let lower = piece.to_lowercase().replace('’', "'");
    if lower.starts_with("n't") || (lower.starts_with('\'') && lower.len() <= 3) {
        let Some(tail) = word(piece) else {
            return false;
        };
        if last.lower.contains('\'') {
            return true;
        }
        let joint = if lower.starts_with("n't") { "" } else { "'" };
        last.text.push_str(joint);
        last.text.push_str(&tail.text);
        last.lower.push_str(joint);
        last.lower.push_str(&tail.lower);
        (last.border, last.stop, last.after) = (tail.border, tail.stop, tail.after);
        return true;
    }
    let halves = HALVES
        .iter()
        .find(|(a, b, _)| last.lower == *a && lower.trim_matches('.') == *b);
    if let Some((_, _, whole)) = halves {
        last.text = (*whole).to_owned();
        last.lower = (*whole).to_owned();
        return true;
    }
    false
}

fn word(piece: &str) -> Option<Word> {
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '$' | '€' | '£' | '%' | '#');
    let from = piece.find(is_inner);
    let Some(from) = from else {
        return (piece == "&").then(|| Word {
            text: "&".to_owned(),
            lower: "and".to_owned(),
            border: false,
            stop: false,
            after: String::new(),
            capital: false,
        });
    };
    let last = piece.char_indices().rfind(|&(_, c)| is_inner(c))?;
    let end = last.0 + last.1.len_utf8();
    let (text, tail) = (&piece[from..end], &piece[end..]);
    let opens = if piece[..from].contains(['"', '“']) {
        "\""
    } else {
        ""
    };
    let closes = if tail.contains(['"', '”']) {
        "\""
    } else {
        ""
    };
    let comma = if tail.contains(',') { "," } else { "" };
    let lower = text.to_lowercase().replace('’', "'");
    let spelt: String = text.replace('_', "");
    // "'s" alone is the end of a word, and "p.m." keeps its full stops
    let stops = if tail.starts_with('.') && text.contains('.') {
        "."
    } else {
        ""
    };
    Some(Word {
        capital: text.starts_with(char::is_uppercase),
        text: format!("{opens}{spelt}{stops}{closes}"),
        lower: display_words(&lower).next().unwrap_or(&lower).to_owned(),
        border: tail.contains(MARKS) && stops.is_empty(),
        stop: tail.contains(STOPS) && stops.is_empty(),
        after: comma.to_owned(),
    })
}

/// Removes false starts: "I I think", "to to", "s seven" and "pro product".
fn without_stutter(words: Vec<Word>) -> Vec<Word> {
    const SHORT: &[&str] = &[
        "a", "i", "in", "to", "so", "we", "he", "is", "it", "on", "no", "do", "be", "or", "of",
        "at", "an", "as", "me", "my", "by", "up", "if", "the", "us", "go", "am", "for", "her",
        "his", "him", "she", "was", "our", "out", "not", "now", "new", "two", "one", "all", "and",
        "any", "can", "did", "had", "has", "how", "see", "too", "way", "who", "why", "you",
    ];
    const PEOPLE: &[&str] = &[
        "i", "i'm", "i'd", "i've", "i'll", "we", "we're", "we've", "we'll", "we'd", "they",
        "they're", "it's", "he", "she", "he's", "she's",
    ];
    let mut kept: Vec<Word> = Vec::new();
    for word in words {
        let again = |last: &Word| {
            let begun = last.lower.len() <= 5
                && word.lower.len() > last.lower.len()
                && word.lower.starts_with(last.lower.as_str())
                && !last.is(SHORT)
                && !last.lower.starts_with(|c: char| c.is_ascii_digit());
            last.lower == word.lower || begun || last.is(PEOPLE) && word.is(PEOPLE)
        };
        let emphasis = word.is(&["very", "really", "had", "that", "so"]);
        while kept.last().is_some_and(again) && !emphasis {
            kept.pop();
        }
        // a single letter is an unfinished word
        let letter = word.text.len() == 1
            && word.text.starts_with(|c: char| {
                c.is_ascii_lowercase() || c.is_ascii_uppercase() && kept.is_empty()
            });
        if !letter || word.is(&["a", "i"]) {
            kept.push(word);
        }
    }
    kept
}

/// Words joined into a line, with the commas between them.
pub(super) fn shown(made: &[String], words: &[Word]) -> String {
    let mut text = String::new();
    for (at, (word, marks)) in made.iter().zip(words).enumerate() {
        text.push_str(word);
        if at + 1 < words.len() {
            text.push_str(&marks.after);
            text.push(' ');
        }
    }
    text
}

pub(super) fn upper(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), chars.as_str())
}
