//! `weir-bench features`: the statements and questions of streams, for training salience.
//!
//! The first line names the features. Then each stream has one line for each statement, with a row
//! of features for each moment ([`MOMENTS`]) at which it was heard, since the rarity of its words
//! changes, and one line for each question that has an answer.

use super::blocks;
use crate::method::MethodContext;
use crate::options::StreamArgs;
use crate::rarity::{Rarity, distinct};
use crate::stream::Stream;
use anyhow::Result;
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::sync::Arc;
use weir_core::analysis::Term;
use weir_core::distil::{Distil, Extractive};
use weir_core::stream::spoken_line;
use weir_core::text::{Salience, content_words, terms};
use weir_models::WordHashEncoder;

/// The moments at which rarities are taken, as parts of the talk.
const MOMENTS: [f64; 3] = [0.3, 0.6, 1.0];

/// Options of `features`.
#[derive(clap::Args)]
pub(crate) struct FeaturesArgs {
    #[command(flatten)]
    streams: StreamArgs,
}

#[derive(Serialize)]
struct Statement<'a> {
    stream: &'a str,
    utterance: &'a str,
    text: &'a str,
    words: Vec<String>,
    rows: Vec<Vec<f32>>,
}

/// Writes the features.
pub(crate) fn run(args: &FeaturesArgs) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let features: Vec<&str> = Salience::names().collect();
    writeln!(out, "{}", json!({"features": features}))?;
    for stream in args.streams.read()? {
        statements(&stream, &mut out)?;
        questions(&stream, &mut out)?;
    }
    Ok(out.flush()?)
}

fn statements(stream: &Stream, out: &mut dyn Write) -> Result<()> {
    let kit = MethodContext::plain(Arc::new(WordHashEncoder::new()), None);
    let turns: Vec<_> = stream.turns().filter(|turn| turn.has_words()).collect();
    let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
    let places = turns.iter().enumerate();
    let places: HashMap<&str, usize> = places.map(|(at, turn)| (&*turn.id, at)).collect();
    // the rarity of words up to each moment
    let moments = MOMENTS.map(|part| {
        let mut rarity = Rarity::default();
        for text in &texts[..(texts.len() as f64 * part) as usize] {
            rarity.add(&distinct(text, &[]));
        }
        rarity
    });
    let speakers = turns.iter().filter_map(|turn| turn.speaker.as_deref());
    let mut names: Vec<Term> = speakers.flat_map(terms).collect();
    names.sort_unstable();
    names.dedup();
    let mut all = Vec::new();
    for block in blocks(stream, &kit)? {
        let made = Extractive.distil(&block, kit.encoder().as_ref())?;
        all.extend(made.units.into_iter().zip(Extractive::features(&block)));
    }
    for (said, features) in all {
        let own = distinct(&said.text, &names);
        let spoken = spoken_line(said.speaker.as_deref(), &said.text);
        let tokens = kit.counter.count(&spoken) as u32;
        let utterance = said.evidence[0].utterance.as_str();
        let at = places[utterance];
        let heard = moments.iter().filter(|moment| at < moment.texts);
        let row = |moment: &Rarity| {
            let rarities = Salience::rarities(moment.mass(&own), own.len(), tokens);
            [features.as_slice(), &rarities].concat()
        };
        let line = Statement {
            stream: &stream.name,
            utterance,
            text: &said.text,
            words: content_words(&said.text).collect(),
            rows: heard.map(row).collect(),
        };
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}

/// The questions that have an answer and evidence, with the content words of both.
fn questions(stream: &Stream, out: &mut dyn Write) -> Result<()> {
    for probe in stream.probes() {
        let gold = &probe.gold;
        if gold.is_adversarial() || gold.evidence.is_empty() {
            continue;
        }
        let answer = gold.answer.as_deref().unwrap_or_default();
        let words = format!("{} {answer}", probe.question);
        let line = json!({
            "stream": stream.name,
            "question": probe.question,
            "words": content_words(&words).collect::<Vec<_>>(),
            "evidence": gold.evidence,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}
