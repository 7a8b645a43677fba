//! MAMS (Jiang et al., 2019): terms of restaurant reviews with their polarities.

use super::ours::{Measured, print};
use super::score::{Polarity, share, shares_word};
use crate::files;
use anyhow::{Context, Result};
use regex::Regex;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use weir_core::text::stems;

pub(super) struct Sentence {
    text: String,
    terms: Vec<Term>,
}

/// The stems of a term, and its polarity.
type Term = (BTreeSet<String>, Polarity);

/// Reads a part of MAMS.
pub(super) fn read(file: &Path) -> Result<Vec<Sentence>> {
    parse(&files::text(file)?).with_context(|| format!("{} cannot be read", file.display()))
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
            let places = said.char_indices().map(|(at, _)| at);
            let place = places.chain([said.len()]).nth(chars);
            place.context("a term outside of its sentence")
        };
        let terms = term.captures_iter(part).map(|found| -> Result<Term> {
            let polarity = match &found[2] {
                "positive" => Polarity::Positive,
                "negative" => Polarity::Negative,
                _ => Polarity::Neutral,
            };
            Ok((stems(&said[byte(&found[1])?..byte(&found[3])?]), polarity))
        });
        let terms = terms.collect::<Result<Vec<Term>>>()?;
        sentences.push(Sentence { text: said, terms });
    }
    Ok(sentences)
}

fn unescaped(text: &str) -> String {
    let marks = ["&lt;", "&gt;", "&quot;", "&apos;", "&amp;"].iter();
    let plain = ["<", ">", "\"", "'", "&"];
    marks
        .zip(plain)
        .fold(text.to_owned(), |text, (mark, c)| text.replace(mark, c))
}

/// Prints what is found without being given a term: the share of the opinions that are about a
/// labelled term, of those whose term is labelled positive or negative, and of those with the
/// labelled polarity; terms labelled positive or negative, and the share of them that is found.
pub(super) fn measure(said: &[Sentence], measured: &Measured, out: &mut dyn Write) -> Result<()> {
    let (mut gold, mut all, mut on_terms, mut polar, mut right) = (0, 0, 0, 0, 0);
    let (mut terms_found, mut micros) = (0, 0.0);
    for Sentence { text, terms } in said {
        let found = measured.found(text, None)?;
        micros += found.micros;
        all += found.opinions.len();
        let mut met = vec![false; terms.len()];
        for opinion in &found.opinions {
            let told = Polarity::by_sign(opinion.sentiment.leaning());
            let about = |words| [&opinion.object, &opinion.aspect].map(|it| shares_word(words, it));
            let hits = (0..terms.len()).filter(|&at| about(&terms[at].0).contains(&true));
            let hits: Vec<usize> = hits.collect();
            let best = hits.iter().find(|&&at| terms[at].1 == told);
            if let Some(&at) = best.or(hits.first()) {
                on_terms += 1;
                met[at] = true;
                let labelled = terms[at].1;
                polar += usize::from(labelled != Polarity::Neutral);
                right += usize::from(labelled == told);
            }
        }
        for ((_, polarity), met) in terms.iter().zip(met) {
            let counts = *polarity != Polarity::Neutral;
            gold += usize::from(counts);
            terms_found += usize::from(counts && met);
        }
    }
    let result = json!({
        "sentences": said.len(),
        "opinions": all,
        "on_terms": share(on_terms, all),
        "on_polar": share(polar, on_terms),
        "polarity_right": share(right, polar),
        "polar_terms": gold,
        "recall": share(terms_found, gold),
        "micros_per_sentence": micros / said.len().max(1) as f64,
    });
    print(out, "MAMS ATSA", "terms found", result)
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
        assert_eq!(read[0].terms, [(stems("tea"), Polarity::Negative)]);
    }
}
