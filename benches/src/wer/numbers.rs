//! Converts numbers in words to digits: `two hundred and five dollars` to `$205`.
//!
//! Words are processed one at a time; a number grows while they fit and is written when one does
//! not. Digits spoken one by one are concatenated (`one oh one`, `nineteen ninety five`). Follows
//! the rules of Whisper's normaliser.

/// Cardinals below twenty, by value.
const ONES: [&str; 20] = [
    "", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
];
const TENS: [&str; 10] = [
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];
const MULTIPLIERS: [(&str, u128); 12] = [
    ("hundred", 100),
    ("thousand", 1_000),
    ("million", 1_000_000),
    ("billion", 1_000_000_000),
    ("trillion", 1_000_000_000_000),
    ("quadrillion", 10_u128.pow(15)),
    ("quintillion", 10_u128.pow(18)),
    ("sextillion", 10_u128.pow(21)),
    ("septillion", 10_u128.pow(24)),
    ("octillion", 10_u128.pow(27)),
    ("nonillion", 10_u128.pow(30)),
    ("decillion", 10_u128.pow(33)),
];

/// Meaning of a word for a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Zero,
    /// 1 to 19, and 20 to 90: a value, with an ending such as `th` that closes the number.
    Small(u128, &'static str),
    Tens(u128, &'static str),
    Multiplier(u128, &'static str),
    /// A sign before a number.
    Sign(char),
    /// A currency or a part of one, after a number.
    Currency(char),
    Percent,
    Per,
    And,
    Point,
    Repeat(usize),
}

fn kind(word: &str) -> Option<Kind> {
    Some(match word {
        "o" | "oh" | "zero" => Kind::Zero,
        "minus" | "negative" => Kind::Sign('-'),
        "plus" | "positive" => Kind::Sign('+'),
        "pound" | "pounds" => Kind::Currency('£'),
        "euro" | "euros" => Kind::Currency('€'),
        "dollar" | "dollars" => Kind::Currency('$'),
        "cent" | "cents" => Kind::Currency('¢'),
        "percent" => Kind::Percent,
        "per" => Kind::Per,
        "and" => Kind::And,
        "point" => Kind::Point,
        "double" => Kind::Repeat(2),
        "triple" => Kind::Repeat(3),
        "zeroth" => Kind::Small(0, "th"),
        "first" => Kind::Small(1, "st"),
        "second" => Kind::Small(2, "nd"),
        "third" => Kind::Small(3, "rd"),
        "fifth" => Kind::Small(5, "th"),
        "twelfth" => Kind::Small(12, "th"),
        "sixes" => Kind::Small(6, "s"),
        _ => return cardinal(word),
    })
}

fn cardinal(word: &str) -> Option<Kind> {
    let small = |stem: &str| ONES.iter().skip(1).position(|&known| known == stem);
    let tens = |stem: &str| TENS.iter().skip(2).position(|&known| known == stem);
    let multiplier = |stem: &str| MULTIPLIERS.iter().find(|(known, _)| *known == stem);
    if let Some(at) = small(word) {
        return Some(Kind::Small(at as u128 + 1, ""));
    }
    if let Some(at) = tens(word) {
        return Some(Kind::Tens(at as u128 * 10 + 20, ""));
    }
    if let Some((_, value)) = multiplier(word) {
        return Some(Kind::Multiplier(*value, ""));
    }
    for (ending, tens_ending, suffix) in [("th", "ieth", "th"), ("s", "ies", "s")] {
        if let Some(stem) = word.strip_suffix(tens_ending)
            && let Some(at) = tens(&format!("{stem}y"))
        {
            return Some(Kind::Tens(at as u128 * 10 + 20, suffix));
        }
        // eighth has one t, six has sixes
        let stem = match (word, suffix) {
            ("eighth", "th") => Some("eight"),
            ("eightth" | "oneth" | "twoth" | "threeth" | "fiveth" | "twelveth", "th")
            | ("sixs", "s") => None,
            _ => word.strip_suffix(ending),
        };
        let Some(stem) = stem else { continue };
        if let Some(at) = small(stem) {
            return Some(Kind::Small(at as u128 + 1, suffix));
        }
        if let Some((_, value)) = multiplier(stem) {
            return Some(Kind::Multiplier(*value, suffix));
        }
    }
    None
}

fn is_cardinal_below_twenty(word: Option<&str>) -> bool {
    matches!(word.and_then(kind), Some(Kind::Small(_, "")))
}

fn is_tens(word: Option<&str>) -> bool {
    matches!(word.and_then(kind), Some(Kind::Tens(_, "")))
}

/// Whether a word is `hundred` or larger.
pub(super) fn is_multiplier(word: &str) -> bool {
    matches!(kind(word), Some(Kind::Multiplier(_, "")))
}

/// Whether a word can stand after `point`.
pub(super) fn is_decimal(word: &str) -> bool {
    matches!(
        kind(word),
        Some(Kind::Zero | Kind::Small(_, "") | Kind::Tens(_, ""))
    )
}

/// Digits, with optional decimals.
fn is_numeral(word: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    match word.split_once('.') {
        Some((whole, decimals)) => digits(whole) && digits(decimals),
        None => digits(word),
    }
}

/// The number under construction.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Whole(u128),
    /// Digits, perhaps with a point.
    Digits(String),
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Whole(value) => value.to_string(),
            Self::Digits(digits) => digits.clone(),
        }
    }

    /// The digits before others are appended; zero gives none.
    fn beside(value: Option<&Self>) -> String {
        match value {
            None | Some(Self::Whole(0)) => String::new(),
            Some(value) => value.text(),
        }
    }

    /// Multiplies the number, if the result is whole.
    fn times(&self, multiplier: u128) -> Option<u128> {
        let text = self.text();
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let digits = format!("{whole}{decimals}");
        if !digits.chars().all(|c| c.is_ascii_digit()) {
            return None;
        }
        let scale = 10_u128.checked_pow(decimals.len() as u32)?;
        let product = digits.parse::<u128>().ok()?.checked_mul(multiplier)?;
        product.is_multiple_of(scale).then(|| product / scale)
    }
}

struct Reading<'a> {
    words: &'a [&'a str],
    out: Vec<String>,
    prefix: Option<char>,
    value: Option<Value>,
}

/// The words with numbers as digits; currency signs come first.
pub(super) fn as_digits(words: &[&str]) -> Vec<String> {
    let mut reading = Reading {
        words,
        out: Vec::new(),
        prefix: None,
        value: None,
    };
    let mut at = 0;
    while at < words.len() {
        at += reading.step(at);
    }
    reading.give_out();
    reading.out
}

impl Reading<'_> {
    fn word(&self, at: Option<usize>) -> Option<&str> {
        self.words.get(at?).copied()
    }

    /// Writes the number, if there is one.
    fn give_out(&mut self) {
        if let Some(value) = self.value.take() {
            self.put(&value.text());
        }
    }

    fn put(&mut self, text: &str) {
        let prefix = self.prefix.take();
        self.out
            .push(prefix.into_iter().chain(text.chars()).collect());
    }

    /// Reads the word at a position; returns the number of words used.
    fn step(&mut self, at: usize) -> usize {
        let word = self.words[at];
        let signed = word.strip_prefix(['-', '+', '£', '€', '$', '¢']);
        if is_numeral(signed.unwrap_or(word)) {
            self.numeral(word, signed);
            return 1;
        }
        let Some(kind) = kind(word) else {
            self.give_out();
            self.put(word);
            return 1;
        };
        let prev = at.checked_sub(1);
        match kind {
            Kind::Zero => {
                let digits = Value::beside(self.value.as_ref()) + "0";
                self.value = Some(Value::Digits(digits));
            }
            Kind::Small(value, suffix) => {
                let one_by_one = is_cardinal_below_twenty(self.word(prev));
                let after_tens = is_tens(self.word(prev)) && value < 10;
                let place = if value < 10 { 10 } else { 100 };
                self.grow(value, place, one_by_one, after_tens);
                self.close(suffix);
            }
            Kind::Tens(value, suffix) => {
                self.grow(value, 100, false, false);
                self.close(suffix);
            }
            Kind::Multiplier(value, suffix) => {
                self.multiply(value);
                self.close(suffix);
            }
            other => return self.other(other, at),
        }
        1
    }

    fn numeral(&mut self, word: &str, signed: Option<&str>) {
        if let Some(Value::Digits(digits)) = &mut self.value
            && digits.ends_with('.')
        {
            digits.push_str(word);
            return;
        }
        self.give_out();
        if signed.is_some() {
            self.prefix = word.chars().next();
        }
        let digits = signed.unwrap_or(word);
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
        let whole = whole.parse().ok();
        self.value = Some(match whole {
            Some(whole) if decimals.chars().all(|c| c == '0') => Value::Whole(whole),
            _ => Value::Digits(digits.to_owned()),
        });
    }

    /// Adds a number below a hundred if there is room, else appends it.
    fn grow(&mut self, value: u128, place: u128, one_by_one: bool, after_tens: bool) {
        self.value = Some(match self.value.take() {
            None => Value::Whole(value),
            Some(Value::Whole(sum)) if !one_by_one && sum.is_multiple_of(place) => {
                Value::Whole(sum.saturating_add(value))
            }
            Some(Value::Digits(mut digits)) if after_tens => {
                // the zero of "twenty" is replaced by the three of "twenty three"
                digits.pop();
                Value::Digits(format!("{digits}{value}"))
            }
            Some(before) => Value::Digits(format!("{}{value}", before.text())),
        });
    }

    fn multiply(&mut self, multiplier: u128) {
        let product = match &self.value {
            None => Some(multiplier),
            Some(value @ (Value::Digits(_) | Value::Whole(0))) => value.times(multiplier),
            Some(Value::Whole(sum)) => (sum % 1_000)
                .checked_mul(multiplier)
                .and_then(|product| product.checked_add(sum / 1_000 * 1_000)),
        };
        if product.is_none() {
            self.give_out();
        }
        self.value = Some(Value::Whole(product.unwrap_or(multiplier)));
    }

    /// An ending such as `th` closes the number.
    fn close(&mut self, suffix: &str) {
        if !suffix.is_empty()
            && let Some(value) = self.value.take()
        {
            self.put(&format!("{}{suffix}", value.text()));
        }
    }

    /// Words that are not numbers but belong to one.
    fn other(&mut self, kind: Kind, at: usize) -> usize {
        let (word, next) = (self.words[at], self.words.get(at + 1).copied());
        let number_next = next.is_some_and(|next| self::kind(next).is_some() || is_numeral(next));
        match kind {
            Kind::Sign(sign) => {
                self.give_out();
                if number_next {
                    self.prefix = Some(sign);
                } else {
                    self.put(word);
                }
            }
            Kind::Currency(sign) if self.value.is_some() => {
                self.prefix = Some(sign);
                self.give_out();
            }
            Kind::Percent if self.value.is_some() => self.close("%"),
            Kind::Per if self.value.is_some() && next == Some("cent") => {
                self.close("%");
                return 2;
            }
            Kind::And if number_next => {
                if !at
                    .checked_sub(1)
                    .is_some_and(|prev| is_multiplier(self.words[prev]))
                {
                    self.give_out();
                    self.put(word);
                }
            }
            Kind::Repeat(times) if next.is_some_and(repeats) => {
                let digit = match next.and_then(self::kind) {
                    Some(Kind::Small(value, _)) => value.to_string(),
                    _ => "0".to_owned(),
                };
                let digits = Value::beside(self.value.as_ref()) + &digit.repeat(times);
                self.value = Some(Value::Digits(digits));
                return 2;
            }
            Kind::Point if number_next => {
                if next.is_some_and(|next| is_decimal(next) || is_numeral(next)) {
                    let digits = Value::beside(self.value.as_ref()) + ".";
                    self.value = Some(Value::Digits(digits));
                }
            }
            _ => {
                self.give_out();
                self.put(word);
            }
        }
        1
    }
}

/// Whether a word can be doubled.
fn repeats(word: &str) -> bool {
    matches!(kind(word), Some(Kind::Zero | Kind::Small(_, "")))
}
