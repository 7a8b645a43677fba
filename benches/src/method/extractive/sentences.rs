//! Sentences with their speakers, and selection of the most central ones.

use crate::rarity::distinct;
use std::collections::{BTreeMap, HashMap};

/// Most candidate sentences of a summary.
const SENTENCES_MAX: usize = 192;
/// Longest speaker name before a colon, in bytes.
const SPEAKER_BYTES_MAX: usize = 40;
/// The usual damping of PageRank and TextRank.
const DAMPING: f32 = 0.85;
const ITERATIONS: usize = 20;
/// Weight of centrality relative to novelty in maximal marginal relevance.
const RELEVANCE_WEIGHT: f32 = 0.7;
/// Sentences with fewer terms are selected last.
const TERMS_MIN: usize = 2;

#[derive(Clone)]
pub(super) struct Sentence<'a> {
    /// Speaker, if the text gives one.
    pub(super) speaker: Option<&'a str>,
    pub(super) text: &'a str,
    /// Distinct search terms, ascending.
    terms: Vec<u32>,
}

/// The sentences of texts in order; if there are too many, the first ones of each text.
pub(super) fn sentences<'a>(texts: &[&'a str]) -> Vec<Sentence<'a>> {
    let of_texts: Vec<Vec<Sentence<'a>>> = texts.iter().map(|text| of_text(text)).collect();
    let total: usize = of_texts.iter().map(Vec::len).sum();
    if total <= SENTENCES_MAX {
        return of_texts.into_iter().flatten().collect();
    }
    let each = (SENTENCES_MAX / texts.len().max(1)).max(1);
    let step = texts.len().div_ceil(SENTENCES_MAX);
    let cut = of_texts.into_iter().step_by(step.max(1));
    cut.flat_map(|text| text.into_iter().take(each)).collect()
}

fn of_text(text: &str) -> Vec<Sentence<'_>> {
    let mut speaker = None;
    let mut found = Vec::new();
    for sentence in split(text) {
        let (named, words) = without_speaker(sentence);
        speaker = named.or(speaker);
        let terms = distinct(words, &[]);
        if !words.is_empty() {
            found.push(Sentence {
                speaker,
                text: words,
                terms,
            });
        }
    }
    found
}

/// Splits off the speaker of `Ana: We moved.`; a name is short and capitalised.
fn without_speaker(sentence: &str) -> (Option<&str>, &str) {
    match sentence.split_once(": ") {
        Some((name, words)) if is_name(name) => (Some(name), words.trim()),
        _ => (None, sentence),
    }
}

fn is_name(name: &str) -> bool {
    let capital = name.chars().next().is_some_and(|c| !c.is_lowercase());
    capital && name.len() <= SPEAKER_BYTES_MAX && name.split(' ').count() <= 4
}

/// Splits after `.`, `!` and `?` before white space, and at line ends.
fn split(text: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut ended = false;
    for (at, c) in text.char_indices() {
        if c == '\n' || (ended && c.is_whitespace()) {
            cuts.push(at);
        }
        ended = matches!(c, '.' | '!' | '?');
    }
    cuts.push(text.len());
    let pieces = cuts.windows(2).map(|cut| text[cut[0]..cut[1]].trim());
    pieces.filter(|piece| !piece.is_empty()).collect()
}

/// Indices of the sentences of a summary with a token limit, ascending.
pub(super) fn central(all: &[Sentence<'_>], costs: &[usize], tokens_max: usize) -> Vec<usize> {
    let total: usize = costs.iter().sum();
    if total <= tokens_max {
        return (0..all.len()).collect();
    }
    let likeness = likeness(all);
    let ranks = ranks(&likeness);
    let top = ranks.iter().copied().fold(f32::EPSILON, f32::max);
    let mut repeated = vec![0.0_f32; all.len()];
    let mut open: Vec<usize> = (0..all.len()).collect();
    let mut picked = Vec::new();
    let mut left = tokens_max;
    loop {
        open.retain(|at| costs[*at] <= left);
        let worth = |at: usize| {
            let slight = f32::from(all[at].terms.len() < TERMS_MIN);
            let new = RELEVANCE_WEIGHT * ranks[at] / top;
            new - (1.0 - RELEVANCE_WEIGHT) * repeated[at] - slight
        };
        let order = |a: &usize, b: &usize| worth(*a).total_cmp(&worth(*b)).then(b.cmp(a));
        let Some(best) = open.iter().copied().max_by(order) else {
            break;
        };
        left -= costs[best];
        picked.push(best);
        open.retain(|at| *at != best);
        for (at, alike) in &likeness[best] {
            repeated[*at] = repeated[*at].max(*alike);
        }
    }
    picked.sort_unstable();
    picked
}

type Likeness = Vec<Vec<(usize, f32)>>;

/// Cosine of the term sets, for sentences that share a term.
fn likeness(all: &[Sentence<'_>]) -> Likeness {
    let mut with: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut rows: Likeness = vec![Vec::new(); all.len()];
    for (at, sentence) in all.iter().enumerate() {
        let mut shared: BTreeMap<usize, u32> = BTreeMap::new();
        for term in &sentence.terms {
            let earlier = with.entry(*term).or_default();
            for other in earlier.iter() {
                *shared.entry(*other).or_default() += 1;
            }
            earlier.push(at);
        }
        for (other, shared) in shared {
            let sizes = (sentence.terms.len() * all[other].terms.len()) as f32;
            let alike = shared as f32 / sizes.sqrt();
            rows[at].push((other, alike));
            rows[other].push((at, alike));
        }
    }
    rows
}

/// PageRank of the sentences by similarity.
fn ranks(likeness: &Likeness) -> Vec<f32> {
    let sum = |row: &Vec<(usize, f32)>| row.iter().map(|(_, alike)| alike).sum::<f32>();
    let totals: Vec<f32> = likeness.iter().map(sum).collect();
    let mut ranks = vec![1.0_f32; likeness.len()];
    for _ in 0..ITERATIONS {
        let from = |other: &(usize, f32)| ranks[other.0] * other.1 / totals[other.0];
        let of = |row: &Vec<(usize, f32)>| row.iter().map(from).sum::<f32>();
        let next = likeness.iter().map(|row| 1.0 - DAMPING + DAMPING * of(row));
        ranks = next.collect();
    }
    ranks
}

/// Sentences as running text; a speaker is named at each change.
pub(super) fn joined<'a>(sentences: impl IntoIterator<Item = &'a Sentence<'a>>) -> String {
    let mut text = String::new();
    let mut last = None;
    for sentence in sentences {
        if !text.is_empty() {
            text.push(' ');
        }
        if let Some(speaker) = sentence.speaker
            && sentence.speaker != last
        {
            text.push_str(speaker);
            text.push_str(": ");
        }
        text.push_str(sentence.text);
        last = sentence.speaker;
    }
    text
}
