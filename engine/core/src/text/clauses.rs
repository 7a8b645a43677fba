//! Splits an utterance into single statements.
//!
//! It splits at sentence ends of any script and before a caption in square brackets. It splits long
//! sentences at coordination too: a conjunction after a comma, or a bare conjunction before a new
//! subject, begins a clause that can stand alone. Every piece is a contiguous part of the text, and
//! the pieces joined are the text, so nothing is invented or lost.

use super::language::Language;
use super::script::is_unspaced;
use crate::stream::says_anything;
use std::cell::LazyCell;

/// Marks that end a sentence in scripts that need no space after them.
const STOPS: [char; 12] = [
    '。', '．', '｡', '！', '？', '।', '॥', '۔', '؟', '።', '፧', '։',
];
/// Marks of a question.
pub(super) const QUESTION_MARKS: [char; 4] = ['?', '？', '؟', '፧'];
/// Closing quotation marks and brackets, which may follow the end of a sentence.
const CLOSING: [char; 10] = ['」', '』', '）', '】', '》', '”', '’', '"', '\'', ')'];
/// Marks around words of somebody else.
const QUOTES: [(char, char); 6] = [
    ('「', '」'),
    ('『', '』'),
    ('«', '»'),
    ('»', '«'),
    ('„', '“'),
    ('“', '”'),
];
/// Bytes of a quotation that is not split.
const QUOTE_MAX: usize = 240;
/// Characters searched backwards for the end of a sentence, closing marks included.
const CLOSING_MAX: usize = 4;
/// Letters that count as one word where words are not separated, and letters after which a longer
/// word counts as the next one.
const UNSPACED_LETTERS: usize = 2;
const WORD_LETTERS_MAX: usize = 64;
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
    let ends_question =
        |&(at, _): &(usize, &str)| rest.is_some_and(|rest| rest[..at].ends_with(QUESTION_MARKS));
    let end = rest.and_then(|rest| rest.match_indices(") ").find(ends_question));
    match rest.zip(end) {
        Some((rest, (at, end))) => (Some(&rest[..at]), &rest[at + end.len()..]),
        None => (None, text),
    }
}

/// Splits `text` into the pieces that memory keeps or forgets as one: sentences, and clauses of a
/// sentence of more than `words_max` words. A clause that is still longer is cut at that length.
///
/// Cost: linear in the text.
#[must_use]
pub(crate) fn statements(text: &str, words_max: usize) -> Vec<&str> {
    let long = |piece: &str| word_bounds(piece).nth(words_max).is_some();
    let mut pieces = Vec::new();
    for sentence in sentences(text) {
        if !long(sentence) {
            pieces.push(sentence);
            continue;
        }
        for clause in split_coordination(sentence) {
            let words: Vec<_> = word_bounds(clause).collect();
            for run in words.chunks(words_max.max(1)) {
                if let (Some(first), Some(last)) = (run.first(), run.last()) {
                    pieces.push(&clause[first.0..last.1]);
                }
            }
        }
    }
    pieces
}

/// Whether the last sentence of a text goes on in the next.
#[must_use]
pub fn sentence_goes_on(text: &str, next: &str) -> bool {
    let apart = sentences(text).len() + sentences(next).len();
    sentences(&format!("{text} {next}")).len() < apart
}

/// Splits `text` into sentences, each a trimmed slice of it; pieces without a letter or digit are
/// dropped. A text of emoji alone is one piece.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    if says_anything(text) && !text.contains(char::is_alphanumeric) {
        return vec![text.trim()];
    }
    let language = LazyCell::new(|| Language::of(text));
    let mut pieces = Vec::new();
    let (mut start, mut quoted) = (0, 0);
    for (at, c) in text.char_indices() {
        if at < quoted {
            continue;
        }
        if let Some(length) = quotation(c, &text[at..]) {
            quoted = at + length;
            continue;
        }
        if c == '[' && text[start..at].ends_with(char::is_whitespace) && is_caption(&text[at..]) {
            pieces.push(text[start..at].trim());
            start = at;
        }
        let end = at + c.len_utf8();
        let begins_line = text[..start].trim_end_matches(' ').ends_with('\n') || start == 0;
        if begins_line && is_number_of_a_list(&text[start..end]) {
            continue;
        }
        if ends_sentence(&text[start..end], c, &text[end..], &language) {
            pieces.push(text[start..end].trim());
            start = end;
        }
    }
    pieces.push(text[start..].trim());
    pieces.retain(|piece| piece.chars().any(char::is_alphanumeric));
    pieces
}

/// Whether the beginning of a line is the number of a list: "1.", "12)".
fn is_number_of_a_list(so_far: &str) -> bool {
    let number = so_far.trim().trim_end_matches(['.', ')']);
    number.len() < so_far.trim().len()
        && (1..=3).contains(&number.len())
        && number.bytes().all(|it| it.is_ascii_digit())
}

/// Bytes of the quotation that `c` opens at the start of a text, without its last mark: sentences
/// in it are no statements of the speaker.
fn quotation(c: char, text: &str) -> Option<usize> {
    let (_, close) = QUOTES.iter().find(|it| it.0 == c)?;
    let text = &text[..text.floor_char_boundary(QUOTE_MAX)];
    let rest = text.strip_prefix(c)?;
    Some(c.len_utf8() + rest.find(*close)?)
}

/// Whether a text begins with words in brackets that end its line: a caption, not a list in code or
/// the text of a link.
fn is_caption(text: &str) -> bool {
    text.split_once(']').is_some_and(|(_, after)| {
        let after = after.trim_start_matches(' ');
        after.is_empty() || after.starts_with('\n') || (after.starts_with('[') && is_caption(after))
    })
}

/// Whether the text so far, which ends with this character, is a sentence before the rest.
fn ends_sentence(
    so_far: &str,
    c: char,
    rest: &str,
    language: &LazyCell<Option<Language>, impl FnOnce() -> Option<Language>>,
) -> bool {
    let spaced = || rest.is_empty() || rest.starts_with(char::is_whitespace);
    match c {
        '\n' => true,
        '!' | '?' | ';' | '…' | '؛' => spaced(),
        '.' => {
            let goes_on = || goes_on(so_far, rest.trim_start(), **language);
            spaced() && !is_abbreviation(so_far) && !goes_on()
        }
        // a sentence goes on after a quotation: 「…」と言った
        '」' | '』' if rest.starts_with(is_hiragana) => false,
        _ => {
            let mut last = so_far.chars().rev().take(CLOSING_MAX);
            let stop = last.find(|c| !CLOSING.contains(c));
            stop.is_some_and(|c| STOPS.contains(&c))
                && !rest.starts_with(CLOSING)
                && !rest.starts_with(STOPS)
        }
    }
}

fn is_hiragana(c: char) -> bool {
    ('\u{3041}'..='\u{309f}').contains(&c)
}

/// Whether a sentence goes on after a full stop, as in "3. August", "usw. und" or "Nr. 5". English
/// writes no such ordinals, and recognised speech may lack capitals.
fn goes_on(so_far: &str, rest: &str, language: Option<Language>) -> bool {
    let number = so_far
        .trim_end_matches('.')
        .rsplit(|c: char| !c.is_ascii_digit())
        .next();
    let ordinal = number.is_some_and(|digits| (1..=2).contains(&digits.len()));
    let small = rest.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit());
    match language {
        Some(Language::English) => false,
        Some(Language::Other(_)) => !rest.is_empty() && (ordinal || small),
        None => !rest.is_empty() && ordinal,
    }
}

/// Whether the text ends in an abbreviation: "Dr.", "p.m." or a single letter with a full stop.
pub(crate) fn is_abbreviation(so_far: &str) -> bool {
    let last = so_far
        .trim_end_matches('.')
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or("");
    let single = last.chars().count() == 1 && last != "I" && last.chars().all(char::is_alphabetic);
    single
        || last.contains('.')
        || ["mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "no"]
            .contains(&last.to_lowercase().as_str())
}

fn split_coordination(sentence: &str) -> Vec<&str> {
    let words: Vec<_> = word_bounds(sentence).collect();
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

/// Where the words of a text begin and end. Letters of scripts without spaces count as words too,
/// and a word that is too long as several, so that no text is too long to be cut.
fn word_bounds(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..].find(|c: char| !c.is_whitespace())?;
        let (start, unspaced) = (at, text[at..].starts_with(is_unspaced));
        let most = match unspaced {
            true => UNSPACED_LETTERS,
            false => WORD_LETTERS_MAX,
        };
        let word = text[at..].char_indices().enumerate();
        let end = word.skip(1).find(|(nth, (_, c))| {
            c.is_whitespace() || is_unspaced(*c) != unspaced && c.is_alphanumeric() || *nth == most
        });
        at = end.map_or(text.len(), |(_, (end, _))| start + end);
        Some((start, at))
    })
}

/// Whether these words end a sentence; a closing quotation mark or bracket may follow the end.
pub(crate) fn is_whole_sentence(text: &str) -> bool {
    text.trim_end()
        .trim_end_matches(['"', '”', '’', '\'', '」', '』'])
        .ends_with(|c| ['.', '!', '?', '…', ')', ']'].contains(&c) || STOPS.contains(&c))
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
    fn sentences_of_other_languages_end_at_their_own_marks() {
        for (text, expected) in [
            ("Wir fliegen am 3. August nach Rom. Das ist schön.", 2),
            ("Nimm z. B. Brot, Käse usw. mit. Danke dir sehr.", 2),
            ("Am 3. August.", 1),
            ("Ich war bei Dr. Weber. Er hat Zeit.", 2),
            ("Улица Мира, д. 5, во дворе. Позвони мне.", 2),
            ("今日は雨です。明日は晴れますか？はい！", 3),
            ("「行きます。」と言った。", 1),
            ("「ごめん。もうしません。」って。よかった。", 2),
            (
                "Er sagte: „Das ist leicht. Man muss nur klicken.“ Dann ging er.",
                1,
            ),
            ("Она сказала: «Приходи. Я жду». Я пришёл.", 2),
            ("我住在成都。你呢？", 2),
            ("मैं घर जाता हूँ। तुम कहाँ हो?", 2),
            ("أين تسكن؟ أسكن في طنجة.", 2),
            ("I have 3. He has 4.", 2),
            ("🎉🎉 🎂!", 1),
        ] {
            let found = sentences(text);
            assert_eq!(found.len(), expected, "{found:?}");
        }
        assert!(sentences("... !?").is_empty());
    }

    #[test]
    fn the_number_of_a_list_is_no_sentence() {
        let list = "Here is the plan:\n1. Buy flour.\n2) Call Bob.\n- Rest.";
        let expected = [
            "Here is the plan:", "1. Buy flour.", "2) Call Bob.", "- Rest.",
        ];
        assert_eq!(sentences(list), expected);
        assert_eq!(sentences("3. August war es."), ["3. August war es."]);
        assert_eq!(
            sentences("How many? 12. Great!"),
            ["How many?", "12.", "Great!"]
        );
    }

    #[test]
    fn a_text_without_spaces_is_cut() {
        for text in [
            "住んでいます".repeat(500),
            "x".repeat(9_000),
            "สวัสดี".repeat(600),
        ] {
            let pieces = statements(&text, 40);
            assert_eq!(pieces.concat(), text);
            let longest = pieces.iter().map(|it| it.chars().count()).max();
            assert!(longest <= Some(40 * WORD_LETTERS_MAX), "{longest:?}");
            assert!(pieces.len() > 2, "{}", pieces.len());
        }
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
