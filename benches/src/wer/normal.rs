//! English text as plain words: case, punctuation, contractions, titles and numbers do not count.
//!
//! Follows Whisper's normaliser (Radford et al. 2022, appendix C) rule by rule, so that figures are
//! comparable with published ones, except for its list of British spellings: `colour` and `color`
//! are two words here. Golden values of the original check the rest.

use super::numbers;
use regex::{Captures, Regex};
use std::sync::LazyLock;
use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

/// The words of a text.
pub(crate) fn words(text: &str) -> Vec<String> {
    let rules = &*RULES;
    let mut text = text.to_lowercase();
    for (pattern, by) in &rules.before {
        text = pattern.replace_all(&text, *by).into_owned();
    }
    let text = rules.number(&unmarked(&text));
    let text = rules.stray_sign.replace_all(&text, " $1");
    let text = rules.stray_percent.replace_all(&text, "$1 ");
    text.split_whitespace().map(str::to_owned).collect()
}

/// Replacements of contractions and titles.
const SPOKEN: [(&str, &str); 55] = [
    (r"\bwon't\b", "will not"),
    (r"\bcan't\b", "can not"),
    (r"\blet's\b", "let us"),
    (r"\bain't\b", "aint"),
    (r"\by'all\b", "you all"),
    (r"\bwanna\b", "want to"),
    (r"\bkinda\b", "kind of"),
    (r"\bsorta\b", "sort of"),
    (r"\bdunno\b", "do not know"),
    (r"\bgotta\b", "got to"),
    (r"\bgonna\b", "going to"),
    (r"\bi'ma\b", "i am going to"),
    (r"\bimma\b", "i am going to"),
    (r"\bwoulda\b", "would have"),
    (r"\bcoulda\b", "could have"),
    (r"\bshoulda\b", "should have"),
    (r"\bcause\b", "because"),
    (r"\bma'am\b", "madam"),
    (r"\bmr\b", "mister "),
    (r"\bmrs\b", "missus "),
    (r"\bst\b", "saint "),
    (r"\bdr\b", "doctor "),
    (r"\bprof\b", "professor "),
    (r"\bcapt\b", "captain "),
    (r"\bgov\b", "governor "),
    (r"\bald\b", "alderman "),
    (r"\bgen\b", "general "),
    (r"\bsen\b", "senator "),
    (r"\brep\b", "representative "),
    (r"\bpres\b", "president "),
    (r"\brev\b", "reverend "),
    (r"\bhon\b", "honorable "),
    (r"\basst\b", "assistant "),
    (r"\bassoc\b", "associate "),
    (r"\blt\b", "lieutenant "),
    (r"\bcol\b", "colonel "),
    (r"\bjr\b", "junior "),
    (r"\bsr\b", "senior "),
    (r"\besq\b", "esquire "),
    // perfect tenses, before 's and 'd are expanded to is and would
    (r"'d been\b", " had been"),
    (r"'s been\b", " has been"),
    (r"'d gone\b", " had gone"),
    (r"'s gone\b", " has gone"),
    (r"'d done\b", " had done"),
    (r"'s got\b", " has got"),
    (r"n't\b", " not"),
    (r"'re\b", " are"),
    (r"'s\b", " is"),
    (r"'d\b", " would"),
    (r"'ll\b", " will"),
    (r"'t\b", " not"),
    (r"'ve\b", " have"),
    (r"'m\b", " am"),
    // commas inside numbers, then points outside numbers
    (r"(\d),(\d)", "${1}${2}"),
    (r"\.([^0-9]|$)", " ${1}"),
];

/// Unspoken text, removed first.
const UNSAID: [(&str, &str); 4] = [
    (r"[<\[][^>\]]*[>\]]", ""),
    (r"\(([^)]+?)\)", ""),
    (r"\b(?:hmm|mm|mhm|mmm|uh|um)\b", ""),
    (r"\s+'", "'"),
];

struct Rules {
    before: Vec<(Regex, &'static str)>,
    half: Regex,
    letter_digit: Regex,
    digit_letter: Regex,
    digit_suffix: Regex,
    cents: Regex,
    only_cents: Regex,
    one: Regex,
    stray_sign: Regex,
    stray_percent: Regex,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let of = |pattern: &str| Regex::new(pattern).expect("patterns are fixed and tested");
    let before = UNSAID.iter().chain(&SPOKEN);
    Rules {
        before: before.map(|(pattern, by)| (of(pattern), *by)).collect(),
        half: of(r"\band\s+a\s+half\b"),
        letter_digit: of("([a-z])([0-9])"),
        digit_letter: of("([0-9])([a-z])"),
        digit_suffix: of(r"([0-9])\s+(st|nd|rd|th|s)\b"),
        cents: of(r"([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})\b"),
        only_cents: of(r"[€£$]0.([0-9]{1,2})\b"),
        one: of(r"\b1(s?)\b"),
        stray_sign: of("[.$¢€£]([^0-9])"),
        stray_percent: of("([^0-9])%"),
    }
});

impl Rules {
    /// Numbers in words as digits, and digits separated from letters.
    fn number(&self, text: &str) -> String {
        let text = self.halves(text);
        let text = self.letter_digit.replace_all(&text, "$1 $2");
        let text = self.digit_letter.replace_all(&text, "$1 $2");
        let text = self.digit_suffix.replace_all(&text, "$1$2");
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = numbers::as_digits(&words).join(" ");
        let two_digits = |found: &Captures<'_>| {
            let cents: u8 = found[3].parse().unwrap_or(0);
            format!("{}{}.{cents:02}", &found[1], &found[2])
        };
        let text = self.cents.replace_all(&text, two_digits);
        let cents = |found: &Captures<'_>| {
            let cents: u8 = found[1].parse().unwrap_or(0);
            format!("¢{cents}")
        };
        let text = self.only_cents.replace_all(&text, cents);
        self.one.replace_all(&text, "one$1").into_owned()
    }

    /// `two and a half` as `two point five`.
    fn halves(&self, text: &str) -> String {
        let parts: Vec<&str> = self.half.split(text).collect();
        let Some((last, firsts)) = parts.split_last() else {
            return String::new();
        };
        let mut out = Vec::new();
        for part in firsts {
            let Some(word) = part.split_whitespace().last() else {
                continue;
            };
            let half = if numbers::is_decimal(word) || numbers::is_multiplier(word) {
                "point five"
            } else {
                "and a half"
            };
            out.extend([*part, half]);
        }
        if !last.trim().is_empty() {
            out.push(last);
        }
        out.join(" ")
    }
}

/// Text without accents; other marks become spaces, except signs of numbers.
fn unmarked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (c, _) in text.nfkd() {
        match c {
            '.' | '%' | '$' | '¢' | '€' | '£' => out.push(c),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'æ' => out.push_str("ae"),
            'ß' => out.push_str("ss"),
            'đ' | 'ð' => out.push('d'),
            'þ' => out.push_str("th"),
            'ł' => out.push('l'),
            c if c.is_mark_nonspacing() => {}
            c if is_mark(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn is_mark(c: char) -> bool {
    c.is_mark() || c.is_symbol() || c.is_punctuation()
}
