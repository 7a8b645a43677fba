//! Terms with a digit: numbers, ids, versions, amounts. They are compared exactly, whatever the
//! spelling of spaces and hyphens. Days and times are none: they are said in many ways.

use super::{Language, month_named, weekday};

/// What a question names exactly: "QX-77", "12", "3.1", "KL 1009".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Code {
    /// As the question writes it.
    pub(crate) written: String,
    /// Its letters, in lower case, and digits.
    form: String,
}

/// A longest run of letters, or of digits with a point or a thousands separator inside.
struct Piece<'a> {
    text: &'a str,
    /// In lower case, without separators of thousands.
    form: String,
    is_number: bool,
    /// How it follows the piece before.
    gap: Gap,
}

/// What stands between two pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Nothing, a hyphen, a slash or an underscore.
    Joined,
    Blank,
    Other,
}

/// Letters of an id that stand before its number after a blank: "KL 1009".
const PREFIX_CHARS: usize = 5;
const NUMBERS: [&str; 21] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty",
];
const UNITS_OF_TIME: [&str; 22] = [
    "am", "pm", "oclock", "second", "seconds", "minute", "minutes", "min", "hour", "hours", "day",
    "days", "week", "weeks", "month", "months", "year", "years", "decades", "o", "times", "th",
];
const BEFORE_A_TIME: [&str; 12] = [
    "at", "by", "before", "after", "until", "till", "around", "past", "since", "in", "of", "during",
];

/// The terms with a digit that a question names, in their order.
pub(crate) fn codes(question: &str, language: Language) -> Vec<Code> {
    let pieces = pieces(question);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < pieces.len() {
        if !pieces[at].is_number {
            at += 1;
            continue;
        }
        let first = first_of(&pieces, at);
        if first == at && is_time(&pieces, at, language) {
            at += 1;
            continue;
        }
        let last = last_of(&pieces, at, language);
        if !is_ordinal(&pieces, at) {
            let from = pieces[first].text.as_ptr() as usize - question.as_ptr() as usize;
            let end = &pieces[last].text;
            let to = end.as_ptr() as usize - question.as_ptr() as usize + end.len();
            let forms = pieces[first..=last].iter().map(|it| it.form.as_str());
            found.push(Code {
                written: question[from..to].to_owned(),
                form: forms.collect(),
            });
        }
        at = last + 1;
    }
    found
}

impl Code {
    /// Whether a text has the term. A number up to twenty may be written in words there.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let is_small = self.form.len() <= 2 && self.form.bytes().all(|it| it.is_ascii_digit());
        let number = |piece: &Piece<'_>| match piece.is_number || !is_small {
            true => None,
            false => NUMBERS.iter().position(|it| *it == piece.form),
        };
        if !is_small && !text.bytes().any(|it| it.is_ascii_digit()) {
            return false;
        }
        let pieces = pieces(text);
        (0..pieces.len()).any(|from| {
            if number(&pieces[from]).is_some_and(|it| it.to_string() == self.form) {
                return true;
            }
            let mut rest = self.form.as_str();
            for (at, piece) in pieces[from..].iter().enumerate() {
                if at > 0 && piece.gap == Gap::Other {
                    return false;
                }
                match rest.strip_prefix(piece.form.as_str()) {
                    Some("") => return true,
                    Some(more) => rest = more,
                    None => return false,
                }
            }
            false
        })
    }
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut end = 0;
    while let Some((from, first)) = chars.next() {
        if !first.is_alphanumeric() {
            continue;
        }
        let is_number = first.is_ascii_digit();
        let mut to = from + first.len_utf8();
        while let Some(&(at, next)) = chars.peek() {
            let goes_on = match is_number {
                true => next.is_ascii_digit() || is_inside(text, at, next),
                false => next.is_alphabetic(),
            };
            if !goes_on {
                break;
            }
            to = at + next.len_utf8();
            chars.next();
        }
        let gap = match &text[end..from] {
            "" | "-" | "–" | "‑" | "/" | "_" => Gap::Joined,
            blank if blank.trim().is_empty() => Gap::Blank,
            _ => Gap::Other,
        };
        let text = &text[from..to];
        pieces.push(Piece {
            text,
            form: text.to_lowercase().replace(',', ""),
            is_number,
            gap,
        });
        end = to;
    }
    pieces
}

/// Whether a mark in a number belongs to it: a point or a colon before a digit, and a comma before
/// three.
fn is_inside(text: &str, at: usize, mark: char) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    match mark {
        '.' | ':' => digits(&text[at + 1..]) > 0,
        ',' => digits(&text[at + 1..]) == 3,
        _ => false,
    }
}

/// Where the term of a number begins: letters joined to it, or letters of an id before a blank.
fn first_of(pieces: &[Piece<'_>], at: usize) -> usize {
    let mut first = at;
    while first > 0 && pieces[first].gap == Gap::Joined {
        first -= 1;
    }
    let is_id = |it: &Piece<'_>| {
        !it.is_number
            && it.text.chars().count() <= PREFIX_CHARS
            && it.text.chars().nth(1).is_some()
            && it.text.chars().all(char::is_uppercase)
    };
    let is_shouted = pieces.iter().all(|it| it.is_number || is_id(it));
    let has_id = first == at && at > 0 && pieces[at].gap == Gap::Blank;
    match has_id && !is_shouted && is_id(&pieces[at - 1]) {
        true => at - 1,
        false => first,
    }
}

/// Where it ends: with what is joined to it, or the last group of a long number.
fn last_of(pieces: &[Piece<'_>], at: usize, language: Language) -> usize {
    let goes_on = |last: usize| {
        let next = pieces.get(last + 1);
        next.is_some_and(|next| {
            let long = next.text.len() + pieces[last].text.len() > 4;
            let is_group = next.is_number && pieces[last].is_number && long;
            let is_group = is_group && !is_time(pieces, last + 1, language);
            next.gap == Gap::Joined || next.gap == Gap::Blank && is_group
        })
    };
    (at..).find(|last| !goes_on(*last)).unwrap_or(at)
}

/// "3rd", "5th"; texts write it in words as well.
fn is_ordinal(pieces: &[Piece<'_>], at: usize) -> bool {
    let next = pieces.get(at + 1).filter(|it| it.gap == Gap::Joined);
    next.is_some_and(|it| matches!(it.form.as_str(), "st" | "nd" | "rd" | "th"))
}

/// Whether a number is a day, a year, a time of day or a length of time.
fn is_time(pieces: &[Piece<'_>], at: usize, language: Language) -> bool {
    let number = &pieces[at].form;
    let word = |at: Option<usize>| at.and_then(|at| pieces.get(at)).map(|it| it.form.as_str());
    let before = word(at.checked_sub(1)).unwrap_or_default();
    let after = word(Some(at + 1)).unwrap_or_default();
    let beyond = word(Some(at + 2)).unwrap_or_default();
    let month = |word: &str| month_named(word).is_some();
    let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    number.contains(':')
        || !language.is_english() && (number.len() <= 2 || is_year)
        || is_year && !joins(pieces, at)
        || month(before)
        || month(after)
        || after == "of" && month(beyond)
        || weekday(before).is_some()
        || UNITS_OF_TIME.contains(&after)
        || number.len() <= 2 && BEFORE_A_TIME.contains(&before)
        // "between 3 and 5 June"
        || matches!(after, "and" | "or" | "to" | "until" | "till")
            && pieces.get(at + 2).is_some_and(|it| it.is_number)
            && is_time(pieces, at + 2, language)
}

/// Whether a piece is joined to one beside it: "2023-118".
fn joins(pieces: &[Piece<'_>], at: usize) -> bool {
    let next = pieces.get(at + 1);
    at > 0 && pieces[at].gap == Gap::Joined || next.is_some_and(|it| it.gap == Gap::Joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(question: &str) -> Vec<String> {
        let all = codes(question, Language::English);
        all.into_iter().map(|it| it.written).collect()
    }

    #[test]
    fn what_a_question_names_exactly() {
        for (question, expected) in [
            ("Who owns ticket QX-77?", &["QX-77"][..]),
            ("Who sits in office 12?", &["12"]),
            ("When does KL 1009 land?", &["KL 1009"]),
            ("What changed in release 3.1.4?", &["3.1.4"]),
            ("Whose number is 0171 555 019?", &["0171 555 019"]),
            ("Who owes me 1,250 euros?", &["1,250"]),
            ("What did we say on 3 June?", &[]),
            ("What did we say on June 3rd, 2024?", &[]),
            ("What happened in 2022?", &[]),
            ("What happened between August 11 and August 15 2023?", &[]),
            ("What did we do between 3 and 5 June?", &[]),
            ("Who paid invoice 2023-118?", &["2023-118"]),
            ("Where was he in summer 2021?", &[]),
            ("What was said in the last 20 minutes?", &[]),
            ("Who comes at 5?", &[]),
            ("Who comes at 17:30?", &[]),
            ("Who lives on the 3rd floor?", &[]),
        ] {
            assert_eq!(of(question), expected, "{question}");
        }
        let german = codes("Was war am 3. Juni mit Zimmer 1209?", Language::Other("de"));
        assert_eq!(german.len(), 1);
        assert_eq!(german[0].written, "1209");
    }

    #[test]
    fn spaces_and_hyphens_do_not_matter_and_digits_do() {
        for (asked, text, there) in [
            ("QX-77", "qx 77 is late", true),
            ("QX-77", "Ticket QX77.", true),
            ("QX-77", "Ticket QX-78, and 77 more", false),
            ("QX-77", "QX-771", false),
            ("512", "Desk 511 and desk 5120", false),
            ("512", "Desk 512.", true),
            ("3.6", "Releases 3.6.1 and 36", false),
            ("3.6", "v3.6", true),
            ("1,250", "It cost 1250 euros", true),
            ("0171 555 019", "Call +49 0171/555-019", true),
            ("2", "My two dogs", true),
            ("2", "My twelve dogs", false),
            ("KL 1009", "flight KL1009", true),
            ("KL 1009", "flight BA 1009", false),
        ] {
            let question = format!("What about {asked}?");
            let code = codes(&question, Language::English).remove(0);
            assert_eq!(code.is_in(text), there, "{asked} in {text}");
        }
    }
}
