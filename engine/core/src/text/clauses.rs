//! Splits an utterance into single statements.
//!
//! It splits at sentence ends and before a caption in square brackets. It splits long sentences at
//! coordination too: a conjunction after a comma, or a bare conjunction before a new subject,
//! begins a clause that can stand alone. Every piece is a contiguous part of the text, and the
//! pieces joined are the text, so nothing is invented or lost.

/// A clause with fewer words stays with its neighbour: it rarely stands alone.
const CLAUSE_WORDS_MIN: usize = 3;

/// Words that begin a new statement after a conjunction.
const SUBJECTS: &[&str] = &[
    "i", "i'm", "i've", "i'll", "i'd", "you", "he", "she", "it", "we", "they", "my", "our", "his",
    "her", "their", "your", "the", "this", "that", "there", "then", "it's", "he's", "she's",
    "we're", "they're", "we'll", "we've", "don't", "let's",
];
const CONJUNCTIONS: &[&str] = &["and", "but", "so", "because", "although", "while", "which"];

/// Splits `text` into statements, each a trimmed slice of it, in order.
///
/// Cost: linear in the text. An empty text gives no pieces.
#[must_use]
pub fn clauses(text: &str) -> Vec<&str> {
    sentences(text)
        .into_iter()
        .flat_map(split_coordination)
        .collect()
}

/// The question in brackets before a statement that answers it, if there is one, and the statement:
/// `Where to?` and `To Rome.` of "(Where to?) To Rome."
pub(crate) fn asked_and_said(text: &str) -> (Option<&str>, &str) {
    let rest = text.strip_prefix('(');
    let end = rest.and_then(|rest| Some((rest, rest.find("?) ")?)));
    match end {
        Some((rest, end)) => (Some(&rest[..=end]), &rest[end + "?) ".len()..]),
        None => (None, text),
    }
}

/// Splits `text` into the pieces that memory keeps or forgets as one: sentences, and clauses of a
/// sentence of more than `words_max` words. A clause that is still longer is cut at that length.
///
/// Cost: linear in the text.
#[must_use]
pub(crate) fn statements(text: &str, words_max: usize) -> Vec<&str> {
    let long = |piece: &str| piece.split_whitespace().count() > words_max;
    let mut pieces = Vec::new();
    for sentence in sentences(text) {
        if !long(sentence) {
            pieces.push(sentence);
            continue;
        }
        for clause in split_coordination(sentence) {
            let words = word_bounds(clause);
            for run in words.chunks(words_max.max(1)) {
                if let (Some(first), Some(last)) = (run.first(), run.last()) {
                    pieces.push(&clause[first.0..last.1]);
                }
            }
        }
    }
    pieces
}

/// Splits `text` into sentences, each a trimmed slice of it; pieces without a letter or digit are
/// dropped.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c == '[' && text[start..at].ends_with(char::is_whitespace) && is_caption(&text[at..]) {
            pieces.push(text[start..at].trim());
            start = at;
        }
        let end = at + c.len_utf8();
        let next = chars.peek().map(|&(_, next)| next);
        if ends_sentence(&text[start..end], c, next) {
            pieces.push(text[start..end].trim());
            start = end;
        }
    }
    pieces.push(text[start..].trim());
    pieces.retain(|piece| piece.chars().any(char::is_alphanumeric));
    pieces
}

/// Whether a text begins with words in brackets that end its line: a caption, not a list in code or
/// the text of a link.
fn is_caption(text: &str) -> bool {
    text.split_once(']').is_some_and(|(_, after)| {
        let after = after.trim_start_matches(' ');
        after.is_empty() || after.starts_with('\n') || (after.starts_with('[') && is_caption(after))
    })
}

fn ends_sentence(so_far: &str, c: char, next: Option<char>) -> bool {
    match c {
        '\n' | '。' | '！' | '？' => true,
        '!' | '?' | ';' | '…' => next.is_none_or(char::is_whitespace),
        '.' => next.is_none_or(char::is_whitespace) && !is_abbreviation(so_far),
        _ => false,
    }
}

/// Whether the text ends in an abbreviation: "Dr.", "p.m." or a single letter with a full stop.
fn is_abbreviation(so_far: &str) -> bool {
    let last = so_far
        .trim_end_matches('.')
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or("");
    let single = last.chars().count() == 1 && last != "I" && last.chars().all(char::is_alphabetic);
    single
        || last.contains('.')
        || ["mr", "mrs", "ms", "dr", "st", "vs", "etc", "no"]
            .contains(&last.to_lowercase().as_str())
}

fn split_coordination(sentence: &str) -> Vec<&str> {
    let words = word_bounds(sentence);
    let mut pieces = Vec::new();
    let mut first = 0;
    for at in 1..words.len() {
        let left = at - first;
        if left >= CLAUSE_WORDS_MIN
            && words.len() - at > CLAUSE_WORDS_MIN
            && begins_clause(sentence, &words, at)
        {
            pieces.push(sentence[words[first].0..words[at].0].trim());
            first = at;
        }
    }
    if let Some(&(from, _)) = words.get(first) {
        pieces.push(sentence[from..].trim());
    }
    pieces
}

fn begins_clause(sentence: &str, words: &[(usize, usize)], at: usize) -> bool {
    let word = |i: usize| {
        words.get(i).map(|&(from, to)| {
            sentence[from..to]
                .trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
        })
    };
    let Some(here) = word(at) else { return false };
    if !CONJUNCTIONS.contains(&here.as_str()) {
        return false;
    }
    let after_comma = sentence[..words[at].0].trim_end().ends_with(',');
    let new_subject = word(at + 1).is_some_and(|next| SUBJECTS.contains(&next.as_str()));
    new_subject || (after_comma && here != "and")
}

fn word_bounds(text: &str) -> Vec<(usize, usize)> {
    let mut bounds = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        match (c.is_whitespace(), start) {
            (true, Some(from)) => {
                bounds.push((from, at));
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    if let Some(from) = start {
        bounds.push((from, text.len()));
    }
    bounds
}

/// Whether these words end a sentence; a closing quotation mark or bracket may follow the end.
pub(crate) fn is_whole_sentence(text: &str) -> bool {
    text.trim_end()
        .trim_end_matches(['"', '”', '’', '\''])
        .ends_with(['.', '!', '?', '…', ')', ']'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sentences_and_coordination_are_cut() {
        assert_eq!(
            clauses("I live in Oslo. My sister moved to Rome, and she works as a nurse."),
            [
                "I live in Oslo.",
                "My sister moved to Rome,",
                "and she works as a nurse."
            ]
        );
        assert_eq!(
            clauses("We met at 5 p.m. on Friday."),
            ["We met at 5 p.m. on Friday."]
        );
        assert_eq!(clauses("I like red and blue."), ["I like red and blue."]);
        assert_eq!(
            clauses("Dr. Lee is late? Yes!"),
            ["Dr. Lee is late?", "Yes!"]
        );
        assert!(clauses("  ... ").is_empty());
    }

    #[test]
    fn what_is_shown_beside_the_words_is_a_piece_of_its_own() {
        assert_eq!(
            clauses("Look at this [shares a photo of a dog]"),
            ["Look at this", "[shares a photo of a dog]"]
        );
        let code = "Set app.config['SECRET_KEY'] to a long one.";
        assert_eq!(clauses(code), [code]);
    }

    proptest! {
        #[test]
        fn no_letter_is_lost(text in "[A-Za-z ,.?!']{0,120}") {
            let kept: String = clauses(&text).concat();
            let letters = |s: &str| s.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&kept), letters(&text));
        }

        #[test]
        fn any_text_is_taken(text in "\\PC{0,80}") {
            for piece in clauses(&text) {
                prop_assert!(text.contains(piece));
            }
        }
    }
}
