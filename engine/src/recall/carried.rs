//! Which utterances a context carries: those whose content words stand in it to at least half.

use super::rank::{Candidate, Source};
use crate::text::content_hashes;
use std::collections::HashMap;

/// Share of an utterance's content words from which a context carries it.
const CARRIED_SHARE: f32 = 0.5;

/// One utterance, by what was chosen to prove it.
struct Quoted<'a> {
    stream: &'a str,
    utterance: &'a str,
    /// Distinct content words of the whole utterance.
    whole: u16,
    /// Hashed content words of each quote.
    quotes: Vec<&'a [u32]>,
}

/// `(stream, utterance)` of what the text carries, in the order of what was chosen.
pub(super) fn carried(chosen: &[&Candidate<'_>], text: &str) -> Vec<(String, String)> {
    let raw: Vec<Vec<u32>> = chosen
        .iter()
        .map(|candidate| match candidate.source {
            Source::Unit(_) => Vec::new(),
            Source::Raw(heard, _) => content_hashes(&heard.utterance.text),
        })
        .collect();
    let present = Present::of(text);
    quoted(chosen, &raw)
        .into_iter()
        .filter(|said| {
            let shown = present.count(&said.quotes) as f32;
            said.whole > 0 && shown >= CARRIED_SHARE * f32::from(said.whole)
        })
        .map(|said| (said.stream.to_owned(), said.utterance.to_owned()))
        .collect()
}

/// The utterances behind what was chosen, `raw` being the words of those not distilled yet.
fn quoted<'a>(chosen: &[&'a Candidate<'a>], raw: &'a [Vec<u32>]) -> Vec<Quoted<'a>> {
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    let mut all: Vec<Quoted<'a>> = Vec::new();
    let mut note = |stream: &'a str, utterance: &'a str, whole, words| {
        let place = *places.entry((stream, utterance)).or_insert(all.len());
        if place == all.len() {
            all.push(Quoted {
                stream,
                utterance,
                whole,
                quotes: Vec::new(),
            });
        }
        all[place].quotes.push(words);
    };
    for (candidate, words) in chosen.iter().zip(raw) {
        match candidate.source {
            Source::Unit(node) => {
                for item in &node.evidence {
                    let words = item.quote_words();
                    note(&item.stream, &item.utterance, item.content_words, words);
                }
            }
            Source::Raw(heard, _) => {
                let said = &heard.utterance;
                let whole = words.len().min(usize::from(u16::MAX)) as u16;
                note(&said.stream, &said.id, whole, words);
            }
        }
    }
    all
}

/// The hashed content words of a text in an open table, at most half full.
struct Present {
    table: Vec<u32>,
    mask: usize,
}

impl Present {
    fn of(text: &str) -> Self {
        let words = content_hashes(text);
        let size = (words.len() * 2).next_power_of_two().max(16);
        let mut present = Self {
            table: vec![0; size],
            mask: size - 1,
        };
        for word in words {
            let at = present.place(word);
            present.table[at] = word;
        }
        present
    }

    /// Where a word is, or would be; 0 marks a free place and is no word's hash that matters.
    fn place(&self, word: u32) -> usize {
        let mut at = word as usize & self.mask;
        while self.table[at] != 0 && self.table[at] != word {
            at = (at + 1) & self.mask;
        }
        at
    }

    fn has(&self, word: u32) -> bool {
        word != 0 && self.table[self.place(word)] == word
    }

    /// How many distinct words of these quotes are there.
    fn count(&self, quotes: &[&[u32]]) -> usize {
        let shown = |words: &[u32]| words.iter().filter(|word| self.has(**word)).count();
        match quotes {
            [one] => shown(one),
            several => {
                let mut words: Vec<u32> = several.concat();
                words.sort_unstable();
                words.dedup();
                shown(&words)
            }
        }
    }
}
