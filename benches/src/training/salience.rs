//! `weir-bench features`: the statements and questions of streams, for training salience.
//!
//! The first line names the features. Then each stream has one line for each statement, with a row
//! of features for each moment ([`MOMENTS`]) at which it was heard, since the rarity of its words
//! changes, and one line for each question that has an answer.

use crate::drive;
use crate::method::MethodContext;
use crate::options::StreamArgs;
use crate::stream::Stream;
use anyhow::Result;
use serde::Serialize;
use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};
use weir_core::analysis::Term;
use weir_core::distil::{Distil, DistilError, Extractive};
use weir_core::limits;
use weir_core::talk::{Block, Distillate};
use weir_core::text::{Salience, content_words, terms};
use weir_models::{Encode, WordHashEncoder};

/// The moments at which rarities are taken, as parts of the talk.
const MOMENTS: [f64; 3] = [0.3, 0.6, 1.0];

/// Options of `features`.
#[derive(clap::Args)]
pub(crate) struct FeaturesArgs {
    #[command(flatten)]
    streams: StreamArgs,
}

#[derive(Serialize)]
struct Head {
    features: Vec<&'static str>,
}

#[derive(Serialize)]
struct Statement<'a> {
    stream: &'a str,
    utterance: &'a str,
    text: &'a str,
    words: Vec<String>,
    rows: Vec<Vec<f32>>,
}

#[derive(Serialize)]
struct Asked<'a> {
    stream: &'a str,
    question: &'a str,
    /// Content words of the question and its answer.
    words: Vec<String>,
    evidence: &'a [String],
}

/// A statement as it was distilled.
struct Said {
    utterance: String,
    speaker: Option<String>,
    text: String,
    features: Vec<f32>,
}

/// The extractive distiller, which keeps the features of what it distils.
struct Recording(Arc<Mutex<Vec<Said>>>);

impl Distil for Recording {
    fn name(&self) -> &str {
        "extractive"
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let made = Extractive.distil(block, encode)?;
        let said = made.units.iter().zip(Extractive::features(block));
        let said = said.map(|(unit, features)| Said {
            utterance: unit.evidence[0].utterance.clone(),
            speaker: unit.speaker.clone(),
            text: unit.text.clone(),
            features,
        });
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(said);
        Ok(made)
    }
}

/// The utterances of a stream up to a moment, and how many of them have each term.
struct Moment {
    turns: usize,
    counts: HashMap<Term, u32>,
}

impl Moment {
    fn of(texts: &[&str], part: f64) -> Self {
        let turns = (texts.len() as f64 * part) as usize;
        let mut counts = HashMap::new();
        for text in &texts[..turns] {
            for term in distinct(text, &[]) {
                *counts.entry(term).or_insert(0) += 1;
            }
        }
        Self { turns, counts }
    }

    /// The rarity of some terms in nats.
    fn mass(&self, terms: &[Term]) -> f32 {
        let count = |term: &Term| self.counts.get(term).copied().unwrap_or(0) as f32 + 0.5;
        let rarity = |term: &Term| ((self.turns as f32 + 1.0) / count(term)).ln().max(0.0);
        terms.iter().map(rarity).sum()
    }
}

fn distinct(text: &str, without: &[Term]) -> Vec<Term> {
    let mut found = terms(text);
    found.sort_unstable();
    found.dedup();
    found.retain(|term| !without.contains(term));
    found
}

/// Writes the features.
pub(crate) fn run(args: &FeaturesArgs) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let features = Salience::names().collect();
    writeln!(out, "{}", serde_json::to_string(&Head { features })?)?;
    for stream in args.streams.read()? {
        statements(&stream, &mut out)?;
        questions(&stream, &mut out)?;
    }
    Ok(out.flush()?)
}

fn statements(stream: &Stream, out: &mut dyn Write) -> Result<()> {
    let kit = MethodContext::plain(Arc::new(WordHashEncoder::new()), None);
    let all = distilled(stream, &kit)?;
    let turns: Vec<_> = stream.turns().filter(|turn| turn.has_words()).collect();
    let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
    let places = turns.iter().enumerate();
    let places: HashMap<&str, usize> = places.map(|(at, turn)| (&*turn.id, at)).collect();
    let moments = MOMENTS.map(|part| Moment::of(&texts, part));
    let speakers = turns.iter().filter_map(|turn| turn.speaker.as_deref());
    let mut names: Vec<Term> = speakers.flat_map(terms).collect();
    names.sort_unstable();
    names.dedup();
    for said in &all {
        let own = distinct(&said.text, &names);
        let spoken = match &said.speaker {
            Some(speaker) => format!("{speaker}: {}", said.text),
            None => said.text.clone(),
        };
        let tokens = kit.counter.count(&spoken) as u32;
        let at = places[said.utterance.as_str()];
        let heard = moments.iter().filter(|moment| at < moment.turns);
        let row = |moment: &Moment| {
            let rarities = Salience::rarities(moment.mass(&own), own.len(), tokens);
            [said.features.as_slice(), &rarities].concat()
        };
        let line = Statement {
            stream: &stream.name,
            utterance: &said.utterance,
            text: &said.text,
            words: content_words(&said.text).collect(),
            rows: heard.map(row).collect(),
        };
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}

/// All statements of a stream.
fn distilled(stream: &Stream, kit: &MethodContext) -> Result<Vec<Said>> {
    let all = Arc::new(Mutex::new(Vec::new()));
    let mut memory = drive::memory(limits::BUDGET_TOKENS_MAX, kit)?
        .with_distiller(Box::new(Recording(Arc::clone(&all))));
    drive::hear_stream(&mut memory, stream, kit)?;
    Ok(std::mem::take(
        &mut *all.lock().unwrap_or_else(PoisonError::into_inner),
    ))
}

/// The questions that have an answer and evidence.
fn questions(stream: &Stream, out: &mut dyn Write) -> Result<()> {
    for probe in stream.probes() {
        let gold = &probe.gold;
        if gold.is_adversarial() || gold.evidence.is_empty() {
            continue;
        }
        let answer = gold.answer.as_deref().unwrap_or_default();
        let line = Asked {
            stream: &stream.name,
            question: &probe.question,
            words: content_words(&format!("{} {answer}", probe.question)).collect(),
            evidence: &gold.evidence,
        };
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}
