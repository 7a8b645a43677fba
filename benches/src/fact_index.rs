//! The index of large profiles against the exact scan, at growing numbers of facts, and questions
//! while it is built.
//!
//! User memory (3.3) switches from a flat search to a graph at 1,024 facts. The facts here are
//! "I like W1 W2" with pairs of content words of real talk, all of one speaker; the questions ask
//! for other pairs. Caveat: random pairs lie farther apart than what a person says of themselves.

use crate::drive;
use crate::encoder::EncoderArgs;
use crate::run::read_streams;
use crate::timing::{Times, us};
use anyhow::{Context, Result, ensure};
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Instant;
use weir_core::distil::{Distil, DistilError, Extractive};
use weir_core::driver::Driver;
use weir_core::limits;
use weir_core::profile::{FactId, NearestFacts, Profiles};
use weir_core::stream::{Span, Utterance};
use weir_core::talk::{Block, Distillate, DistilledFact};
use weir_core::text::{FactSlot, content_words, fact_sentence};
use weir_engine::index::FactIndex;
use weir_fixtures::Rng;
use weir_models::{Encode, SpaceCounter};

const NEAREST: usize = 10;
const QUESTIONS: usize = 200;
const SPEAKER: &str = "Ana";
/// Facts at which a row is printed.
const MARKS: [usize; 9] = [
    500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 75_000, 100_000,
];

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct FactIndexArgs {
    /// Stream files whose words the facts are made of, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Facts to reach
    #[arg(long, default_value_t = 100_000)]
    facts: usize,
    #[command(flatten)]
    encoder: EncoderArgs,
}

#[derive(Serialize)]
struct Row {
    facts: usize,
    build_s: f64,
    scan_us_p50: f64,
    scan_us_p95: f64,
    index_us_p50: f64,
    index_us_p95: f64,
    recall_at_10: f64,
    /// Scans on one thread while another builds the index.
    building_us_p50: f64,
    building_us_max: f64,
}

/// Distils one utterance of each block into facts that are given.
struct Facts(Vec<(String, Vec<f32>)>);

impl Distil for Facts {
    fn name(&self) -> &str {
        "facts"
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let mut made = Extractive.distil(block, encode)?;
        let Some(unit) = made.units.first() else {
            return Ok(made);
        };
        let facts = std::mem::take(&mut self.0).into_iter();
        made.facts = facts
            .map(|(value, vector)| DistilledFact {
                speaker: Some(SPEAKER.to_owned()),
                slot: FactSlot::Likes,
                about: String::new(),
                value,
                ended: false,
                changed: false,
                wanted: false,
                evidence: unit.evidence[0].clone(),
                said_ms: unit.said_ms,
                vector,
            })
            .collect();
        Ok(made)
    }
}

/// Runs the command.
pub(crate) fn run(args: &FactIndexArgs) -> Result<()> {
    let encoder = args.encoder.open()?;
    let mut pairs = Pairs::of(&args.streams, args.facts + QUESTIONS)?;
    let questions = pairs.vectors(QUESTIONS, encoder.as_ref())?;
    let config = drive::config(limits::BUDGET_TOKENS_MAX, encoder.as_ref());
    let mut memory = Driver::new(config, Arc::clone(&encoder), Arc::new(SpaceCounter))?;
    memory.begin(drive::begin("facts", None))?;
    let (mut held, mut blocks) = (0, 0);
    for mark in MARKS.into_iter().filter(|mark| *mark <= args.facts) {
        let facts = pairs.vectors(mark - held, encoder.as_ref())?;
        memory = memory.with_distiller(Box::new(Facts(facts)));
        blocks += 1;
        memory.hear(Utterance {
            id: format!("u{blocks}"),
            stream: "facts".to_owned(),
            span: Span::new(blocks * 1_000, blocks * 1_000 + 500),
            ..Utterance::new(SPEAKER, format!("This is block number {blocks}."))
        })?;
        memory.flush()?;
        let profiles = memory.session().profiles();
        held = profiles.facts().len();
        ensure!(
            held == mark,
            "{held} facts of {mark}: two had the same words"
        );
        let questions: Vec<&[f32]> = questions.iter().map(|it| &it.1[..]).collect();
        let row = measured(profiles, &questions)?;
        writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
    }
    Ok(())
}

fn measured(profiles: &Profiles, questions: &[&[f32]]) -> Result<Row> {
    let began = Instant::now();
    let mut building = Times::default();
    let scan = |vector: &[f32]| profiles.find(Some(SPEAKER), vector, NEAREST);
    let index = thread::scope(|scope| {
        let built = scope.spawn(|| FactIndex::of(profiles, 0, &|| false));
        for vector in questions.iter().cycle() {
            if built.is_finished() {
                break;
            }
            let before = Instant::now();
            scan(vector);
            building.add(us(before));
        }
        built.join().ok().flatten()
    });
    let index = index.context("the index was not built")?;
    let build_s = began.elapsed().as_secs_f64();
    let (mut scans, mut searches, mut found) = (Times::default(), Times::default(), 0);
    for vector in questions {
        let before = Instant::now();
        let exact = scan(vector);
        scans.add(us(before));
        let before = Instant::now();
        let quick = index.nearest(profiles, Some(SPEAKER), vector, NEAREST);
        searches.add(us(before));
        let exact: HashSet<FactId> = exact.iter().map(|(fact, _)| fact.id).collect();
        found += quick
            .iter()
            .filter(|(fact, _)| exact.contains(&fact.id))
            .count();
    }
    Ok(Row {
        facts: profiles.facts().len(),
        build_s,
        scan_us_p50: scans.percentile(50),
        scan_us_p95: scans.percentile(95),
        index_us_p50: searches.percentile(50),
        index_us_p95: searches.percentile(95),
        recall_at_10: found as f64 / (NEAREST * questions.len()) as f64,
        building_us_p50: building.percentile(50),
        building_us_max: building.percentile(100),
    })
}

/// Distinct pairs of words, in random order.
struct Pairs(Vec<String>);

impl Pairs {
    fn of(streams: &[PathBuf], count: usize) -> Result<Self> {
        let mut words = BTreeSet::new();
        for (stream, _) in read_streams(streams)? {
            for said in stream.turns() {
                words.extend(content_words(&said.text).filter(|word| word.len() > 3));
            }
        }
        let words: Vec<String> = words.into_iter().collect();
        ensure!(
            words.len() * words.len() > 2 * count,
            "the streams have {} words; give longer ones",
            words.len()
        );
        let (mut rng, mut pairs) = (Rng::new(1), BTreeSet::new());
        let mut ordered = Vec::new();
        while ordered.len() < count {
            let word = |rng: &mut Rng| words[rng.below(words.len())].clone();
            let pair = format!("{} {}", word(&mut rng), word(&mut rng));
            if pairs.insert(pair.clone()) {
                ordered.push(pair);
            }
        }
        Ok(Self(ordered))
    }

    /// The next pairs, with the vectors of their sentences.
    fn vectors(&mut self, count: usize, encoder: &dyn Encode) -> Result<Vec<(String, Vec<f32>)>> {
        let values = self.0.split_off(self.0.len() - count);
        let mut made = Vec::with_capacity(count);
        for values in values.chunks(256) {
            let said = |value: &String| fact_sentence(FactSlot::Likes, "", value, false);
            let texts: Vec<String> = values.iter().map(said).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            made.extend(values.iter().cloned().zip(encoder.encode(&texts)?));
        }
        Ok(made)
    }
}
