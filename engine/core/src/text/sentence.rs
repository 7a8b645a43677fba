//! A sentence as words with their places in the text.

use crate::text::matching::{Word, stands_for};
use crate::text::words::display_words;
use std::ops::Range;

/// The words of one sentence, in the form that is matched and as written.
pub(super) struct Sentence<'a> {
    text: &'a str,
    pub(super) words: Vec<Word>,
    written: Vec<Range<usize>>,
}

impl<'a> Sentence<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let (mut words, mut written) = (Vec::new(), Vec::new());
        for word in display_words(text) {
            // words are slices of the text, so pointer distance gives the byte offset
            let from = word.as_ptr() as usize - text.as_ptr() as usize;
            words.push(Word::of(word));
            written.push(from..from + word.len());
        }
        Self {
            text,
            words,
            written,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The word at a place in lower case; empty past the end.
    pub(super) fn lower(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.lower.as_str())
    }

    pub(super) fn is(&self, at: usize, any: &[&str]) -> bool {
        any.contains(&self.lower(at))
    }

    pub(super) fn capital(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| word.capital)
    }

    /// Whether the words of a phrase, separated by blanks, stand here without punctuation between;
    /// `a|b` stands for either word.
    pub(super) fn says(&self, at: usize, phrase: &str) -> bool {
        phrase.split(' ').enumerate().all(|(distance, word)| {
            let place = at + distance;
            place < self.len()
                && stands_for(word, self.lower(place))
                && (distance == 0 || !self.border(place))
        })
    }

    /// The text between the word before a place and the word there.
    pub(super) fn gap(&self, at: usize) -> &'a str {
        let from = at.checked_sub(1).and_then(|last| self.written.get(last));
        let from = from.map_or(0, |range| range.end);
        let to = self
            .written
            .get(at)
            .map_or(self.text.len(), |range| range.start);
        &self.text[from..to]
    }

    /// Whether punctuation that ends a phrase stands before a word; it does after the last.
    pub(super) fn border(&self, at: usize) -> bool {
        let gap = self.gap(at);
        // "virtual reality (VR) games"
        let short = |at: usize| {
            self.gap(at) == " (" && self.gap(at + 1).starts_with(')') && self.lower(at).len() <= 4
        };
        if short(at) || at > 0 && short(at - 1) && gap == ") " {
            return false;
        }
        at >= self.len()
            || gap.contains([
                ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '–', '—', '…', '\n',
            ])
            || gap.contains(" -")
            || gap.contains("- ")
            || gap.contains("--")
            || gap.contains("..")
    }

    /// The part of the text that some words take.
    pub(super) fn slice(&self, words: Range<usize>) -> &'a str {
        let from = self.written.get(words.start).map(|range| range.start);
        let to = words
            .end
            .checked_sub(1)
            .and_then(|last| self.written.get(last));
        match (from, to) {
            (Some(from), Some(to)) if from < to.end => &self.text[from..to.end],
            _ => "",
        }
    }

    /// Whether a quotation was opened before a place and not closed. A sentence that is one
    /// quotation as a whole counts as none.
    pub(super) fn quoted(&self, at: usize) -> bool {
        let to = self
            .written
            .get(at)
            .map_or(self.text.len(), |range| range.start);
        let marks = ['"', '“', '”'];
        let opened = self.text[..to].matches(marks).count();
        let after = |rest: &str| !rest.contains(char::is_alphanumeric);
        let whole = self
            .text
            .trim_start()
            .strip_prefix(marks)
            .is_some_and(|rest| rest.split_once(marks).is_none_or(|(_, rest)| after(rest)));
        opened % 2 == 1 && !whole
    }
}
