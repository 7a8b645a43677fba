//! MAMS (Jiang et al., 2019): terms of restaurant reviews with their polarities.

use super::ours::{Found, Measured, found, print};
use super::score::{Polarity, share};
use anyhow::{Context, Result};
use regex::Regex;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use weir_core::text::{Opinion, stems};

const SET: &str = "MAMS ATSA";

pub(super) struct Sentence {
    text: String,
    terms: Vec<Term>,
}

struct Term {
    /// Bytes of the text.
    span: (usize, usize),
    polarity: Polarity,
}

/// Reads a part of MAMS.
pub(super) fn read(file: &Path) -> Result<Vec<Sentence>> {
    let name = || format!("{} cannot be read", file.display());
    let xml = std::fs::read_to_string(file).with_context(name)?;
    parse(&xml).with_context(name)
}

fn parse(xml: &str) -> Result<Vec<Sentence>> {
    let text = Regex::new(r"(?s)<text>(.*?)</text>")?;
    let term = Regex::new(r#"from="(\d+)" polarity="(\w+)" term="[^"]*" to="(\d+)""#)?;
    let mut sentences = Vec::new();
    for part in xml.split("<sentence>").skip(1) {
        let said = text.captures(part).context("a sentence without text")?;
        let said = unescaped(&said[1]);
        let byte = |chars: &str| -> Result<usize> {
            let chars: usize = chars.parse()?;
            let mut places = said.char_indices().map(|(at, _)| at);
            let all = said.chars().count();
            let end = (chars == all).then_some(said.len());
            places
                .nth(chars)
                .or(end)
                .context("a term outside of its sentence")
        };
        let terms = term.captures_iter(part).map(|found| -> Result<Term> {
            let polarity = match &found[2] {
                "positive" => Polarity::Positive,
                "negative" => Polarity::Negative,
                _ => Polarity::Neutral,
            };
            Ok(Term {
                span: (byte(&found[1])?, byte(&found[3])?),
                polarity,
            })
        });
        let terms = terms.collect::<Result<Vec<Term>>>()?;
        sentences.push(Sentence { text: said, terms });
    }
    Ok(sentences)
}

fn unescaped(text: &str) -> String {
    let marks = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    marks
        .iter()
        .fold(text.to_owned(), |text, (mark, c)| text.replace(mark, c))
}

/// What is found without being given a term.
#[derive(Serialize)]
struct Extracted {
    sentences: usize,
    opinions: usize,
    /// Share of the opinions that are about a labelled term.
    on_terms: f64,
    /// Share of those whose term is labelled positive or negative.
    on_polar: f64,
    /// Share of those with the labelled polarity.
    polarity_right: f64,
    /// Terms labelled positive or negative, and the share of them that is found.
    polar_terms: usize,
    recall: f64,
    micros_per_sentence: f64,
}

/// Prints the results.
pub(super) fn measure(
    sentences: &[Sentence],
    measured: Measured,
    out: &mut dyn Write,
) -> Result<()> {
    let extracted = extract(sentences, measured, out)?;
    print(out, SET, "terms found", extracted)
}

fn extract(sentences: &[Sentence], measured: Measured, out: &mut dyn Write) -> Result<Extracted> {
    let (mut gold, mut all, mut on_terms, mut polar, mut right) = (0, 0, 0, 0, 0);
    let (mut terms_found, mut micros) = (0, 0.0);
    for sentence in sentences {
        let Found {
            opinions,
            micros: took,
            ..
        } = found(&sentence.text, None, measured)?;
        micros += took;
        all += opinions.len();
        let wanted: Vec<_> = sentence
            .terms
            .iter()
            .map(|term| term.names(&sentence.text))
            .collect();
        let mut met = vec![false; wanted.len()];
        for opinion in &opinions {
            let told = Polarity::by_sign(opinion.sentiment.leaning());
            let hits = (0..wanted.len()).filter(|&at| is_about(opinion, &wanted[at]));
            let hits: Vec<usize> = hits.collect();
            let best = hits.iter().find(|&&at| sentence.terms[at].polarity == told);
            if let Some(&at) = best.or(hits.first()) {
                on_terms += 1;
                met[at] = true;
                let labelled = sentence.terms[at].polarity;
                polar += usize::from(labelled != Polarity::Neutral);
                right += usize::from(labelled == told);
            }
            if measured.show {
                writeln!(
                    out,
                    "{told:?} {}/{} | {}",
                    opinion.object, opinion.aspect, sentence.text
                )?;
            }
        }
        for (term, met) in sentence.terms.iter().zip(met) {
            let counts = term.polarity != Polarity::Neutral;
            gold += usize::from(counts);
            terms_found += usize::from(counts && met);
        }
    }
    Ok(Extracted {
        sentences: sentences.len(),
        opinions: all,
        on_terms: share(on_terms, all),
        on_polar: share(polar, on_terms),
        polarity_right: share(right, polar),
        polar_terms: gold,
        recall: share(terms_found, gold),
        micros_per_sentence: micros / sentences.len().max(1) as f64,
    })
}

fn is_about(opinion: &Opinion, words: &BTreeSet<String>) -> bool {
    let mut own = stems(&opinion.object);
    own.extend(stems(&opinion.aspect));
    !own.is_disjoint(words)
}

impl Term {
    /// The stems of its words.
    fn names(&self, text: &str) -> BTreeSet<String> {
        stems(&text[self.span.0..self.span.1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_read_with_its_terms() {
        let xml = "<sentences><sentence><text>The crème &amp; tea: fine</text><aspectTerms>\
            <aspectTerm from=\"12\" polarity=\"negative\" term=\"tea\" to=\"15\"/></aspectTerms>\
            </sentence></sentences>";
        let read = parse(xml).expect("a sentence");
        assert_eq!(read.len(), 1);
        let (from, to) = read[0].terms[0].span;
        assert_eq!(&read[0].text[from..to], "tea");
        assert_eq!(read[0].terms[0].polarity, Polarity::Negative);
    }
}
