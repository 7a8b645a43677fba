//! Reads everything from a text that a session needs to know of it: see [`Analysis`].

use super::claim_features::{ClaimFeatures, flags};
use super::dates::date_in;
use super::language::{Language, inflected};
use super::words::{content_hashes, content_words, display_words, hash, is_content_word, terms};
use crate::analysis::{Analysis, Term, Word};
use jiff::tz::TimeZone;

/// A text, and what its analysis depends on beside it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Statement<'a> {
    /// The text.
    pub text: &'a str,
    /// The question that it answers, which is shown before it.
    pub asked: Option<&'a str>,
    /// Who says it.
    pub speaker: Option<&'a str>,
    /// When; `None` if unknown, or if its dates are not to be resolved.
    pub said_at_unix_ms: Option<i64>,
}

/// Everything that a session needs to know of a statement. Cost: linear in the text.
#[must_use]
pub fn analyse(said: Statement<'_>) -> Analysis {
    let Statement {
        text,
        asked,
        speaker,
        said_at_unix_ms,
    } = said;
    let mut analysis = Analysis {
        speaker: speaker.map(terms).unwrap_or_default(),
        content: content_hashes(text),
        flags: flags(text),
        figures: figures_of(text),
        date: date_in(text, said_at_unix_ms, &TimeZone::UTC),
        beside: asked.map(terms).unwrap_or_default(),
        ..Analysis::default()
    };
    if let Some(date) = &analysis.date {
        analysis.beside.extend(terms(&date.date));
    }
    analysis.beside.extend(inflected(text));
    (analysis.words, analysis.terms) = words(text);
    analysis
}

/// What a session needs to know of an utterance until its statements are distilled: its distinct
/// terms, ascending. Cost: linear in the text.
#[must_use]
pub fn analyse_heard(text: &str) -> Analysis {
    let mut terms = terms(text);
    terms.sort_unstable();
    terms.dedup();
    Analysis {
        terms,
        ..Analysis::default()
    }
}

/// What a session needs to know of a name. Cost: linear in the name.
#[must_use]
pub fn analyse_name(name: &str) -> Analysis {
    Analysis {
        speaker: terms(name),
        ..Analysis::default()
    }
}

/// The words of a statement that may become its key words, and its search terms. Key words are
/// content words; a statement without any has its first word.
fn words(text: &str) -> (Vec<Word>, Vec<Term>) {
    let (mut words, mut all) = (Vec::new(), Vec::new());
    let place = |word: &str, terms: usize| {
        // words are slices of the text, so pointer distance gives the byte offset
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        Some(Word {
            start: u32::try_from(start).ok()?,
            len: u16::try_from(word.len()).ok()?,
            terms: u16::try_from(terms).ok()?,
        })
    };
    for word in display_words(text) {
        let own = terms(word);
        if !own.is_empty() || is_content_word(&word.to_lowercase()) {
            words.extend(place(word, own.len()));
        }
        all.extend(own);
    }
    if words.is_empty() {
        words.extend(display_words(text).next().and_then(|word| place(word, 0)));
    }
    (words, all)
}

/// The same in another language than English, whose vectors an encoder may not tell apart: only
/// statements of the same words are one.
fn words_alone(text: &str) -> u32 {
    let words: Vec<String> = content_words(text).collect();
    hash(&words.join(" ")).max(1)
}

/// See [`Analysis::figures`].
pub(crate) fn figures_of(text: &str) -> u32 {
    match Language::of(text) {
        Some(Language::Other(_)) => words_alone(text),
        _ => figures(text),
    }
}

fn figures(text: &str) -> u32 {
    let ClaimFeatures {
        numbers,
        times,
        names,
        negated,
        ..
    } = ClaimFeatures::of(text);
    if !negated && numbers.is_empty() && times.is_empty() && names.is_empty() {
        return 0;
    }
    let mut parts = String::from(if negated { "not" } else { "" });
    for of in [numbers, times, names] {
        parts.push('\n');
        parts.extend(of.into_iter().flat_map(|word| [word, " ".to_owned()]));
    }
    hash(&parts).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Regression: an English encoder has one vector for most sentences of Thai or Japanese, which
    /// were merged into one statement.
    #[test]
    fn statements_of_another_language_are_one_only_by_their_words() {
        let figures = |text: &str| {
            let said = Statement {
                text,
                ..Statement::default()
            };
            analyse(said).figures
        };
        for (a, b) in [
            (
                "叔母は名古屋で暮らしています。",
                "夜は新聞を読むのが好きです。",
            ),
            ("หัวหน้ามาจากนอร์เวย์", "เค้กหมดเร็วมาก"),
            ("Ich habe gut geschlafen.", "Ich habe nicht gut geschlafen."),
        ] {
            assert_ne!(figures(a), figures(b), "{a} {b}");
            assert_eq!(figures(a), figures(&a.replace('。', "")), "{a}");
        }
        assert_eq!(
            figures("I slept well."),
            figures("We both slept quite well.")
        );
    }
}
