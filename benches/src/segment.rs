//! Block and scene boundaries beside the topic boundaries of real meetings, for
//! `scripts/segmentation/score.py`.
//!
//! Each meeting is processed alone, by a memory without a budget. Boundaries forced by a block's
//! capacity do not count as found; the paper's rule has only the capacity of five utterances, so it
//! is shown with and without them. Every second series of meetings is the development half, on
//! which the rule's parameters were chosen; the rest is held out. The transcripts have no times, so
//! the value of pauses cannot be measured here.

use crate::corpus::qmsum::{self, Meeting};
use crate::drive;
use crate::method::MethodContext;
use crate::options::EncoderArgs;
use anyhow::Result;
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use weir_core::config::{BoundaryPolicy, EncoderProfile, SessionConfig};
use weir_core::driver::Driver;
use weir_core::limits;
use weir_core::memory::Kind;
use weir_core::sense::{AdaptiveRule, Cause, Rule, SensingBuffer};
use weir_core::stream::{Span, Utterance};
use weir_core::talk::{BufferedUtterance, split};

/// Whether a block that ended so counts as found.
type Ends = fn(Cause) -> bool;

/// Texts encoded at once.
const BATCH: usize = 32;

#[derive(clap::Args)]
pub(crate) struct SegmentArgs {
    /// Folder of QMSum's meetings
    meetings: PathBuf,
    /// Number of meetings, evenly spread over the folder [default: all]
    #[arg(long)]
    limit: Option<usize>,
    /// Scene thresholds to measure; each one encodes every statement
    #[arg(long, value_delimiter = ',')]
    scene_cosines: Vec<f64>,
    #[command(flatten)]
    encoder: EncoderArgs,
}

/// A meeting as the memory's input: pieces of turns with the index of the turn.
struct Talk<'a> {
    meeting: &'a Meeting,
    pieces: Vec<(usize, BufferedUtterance)>,
}

/// Prints of each meeting a row with its topics, then one for each rule and for each division into
/// scenes. In `begins` a 1 is a turn with which a part begins.
pub(crate) fn main(args: &SegmentArgs) -> Result<()> {
    let meetings = qmsum::read(&args.meetings, args.limit)?;
    let kit = &MethodContext::plain(args.encoder.open()?, None);
    let series: BTreeSet<&str> = meetings.iter().map(Meeting::series).collect();
    let mut out = std::io::stdout().lock();
    for meeting in &meetings {
        let pieces = heard(kit, meeting)?;
        let (name, talk) = (&meeting.name, Talk { meeting, pieces });
        let held_out = series.range(..meeting.series()).count() % 2 == 1;
        let half = if held_out { "held out" } else { "development" };
        let (begins, topic) = (digits(&meeting.begins), &meeting.topic);
        let row = json!({"meeting": name, "half": half, "begins": begins, "topic": topic});
        writeln!(out, "{row}")?;
        for (rule, blocks, counts) in rules() {
            let begins = digits(&found(&talk, &blocks, counts));
            let row = json!({"meeting": name, "rule": rule, "begins": begins});
            writeln!(out, "{row}")?;
        }
        for cosine in &args.scene_cosines {
            let rule = format!("scene changes, cosine {cosine}");
            let scenes = scenes(kit, &talk, *cosine)?;
            let row = json!({"meeting": name, "rule": rule, "scenes": scenes});
            writeln!(out, "{row}")?;
        }
    }
    Ok(())
}

fn digits(begins: &[bool]) -> String {
    let digits = begins.iter().map(|it| if *it { '1' } else { '0' });
    digits.collect()
}

fn heard(kit: &MethodContext, meeting: &Meeting) -> Result<Vec<(usize, BufferedUtterance)>> {
    let mut pieces = Vec::new();
    for (turn, (speaker, text)) in meeting.turns.iter().enumerate() {
        let whole = Utterance {
            id: turn.to_string(),
            stream: meeting.name.clone(),
            ..Utterance::new(speaker, text)
        };
        for mut utterance in split(whole, limits::UTTERANCE_TOKENS_MAX, kit.counter.as_ref()) {
            let n = pieces.len() as u64;
            utterance.id = format!("{turn}.{n}");
            utterance.span = Span::new(n, n + 1);
            let tokens = kit.counter.count(&utterance.rendered()) as u32;
            let heard = BufferedUtterance {
                terms: Default::default(),
                turn: n,
                analysis: Default::default(),
                new_terms: Vec::new(),
                utterance,
                vector: Vec::new(),
                tokens,
                session_ms: n,
                said_at_unix_ms: None,
            };
            pieces.push((turn, heard));
        }
    }
    for batch in pieces.chunks_mut(BATCH) {
        let texts: Vec<String> = batch.iter().map(|(_, h)| h.utterance.rendered()).collect();
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        for ((_, heard), vector) in batch.iter_mut().zip(kit.encoder().encode(&refs)?) {
            heard.vector = vector;
        }
    }
    Ok(pieces)
}

/// The rules of blocks, each with the causes that count as found.
fn rules() -> Vec<(&'static str, Rule, Ends)> {
    let paper = |drift_cosine| Rule::Paper { drift_cosine };
    let own = EncoderProfile::minilm().drift_cosine;
    let full = AdaptiveRule::default();
    let both: Ends = |cause| cause != Cause::Start;
    let drift: Ends = |cause| cause == Cause::Drift;
    let (mut silent, mut restless) = (full, full);
    silent.speaker_weight = 0.0;
    restless.rest_tokens = 0;
    let rules = [
        ("paper, 0.7", paper(0.7), both),
        ("paper, 0.7, drift alone", paper(0.7), drift),
        ("paper, profile's", paper(own), both),
        ("paper, profile's, drift alone", paper(own), drift),
        ("adaptive", Rule::Adaptive(full), drift),
        ("adaptive without speakers", Rule::Adaptive(silent), drift),
        ("adaptive without rest", Rule::Adaptive(restless), drift),
    ];
    rules.into()
}

/// Settings without forgetting and with this block rule.
fn everything_kept(rule: &Rule) -> SessionConfig {
    SessionConfig {
        budget_tokens: limits::BUDGET_TOKENS_MAX,
        boundary: match rule {
            Rule::Paper { .. } => BoundaryPolicy::Paper,
            Rule::Adaptive(_) => BoundaryPolicy::Adaptive,
        },
        ..SessionConfig::default()
    }
}

/// Turns at which a block was cut, for a cause that counts.
fn found(talk: &Talk<'_>, rule: &Rule, counts: Ends) -> Vec<bool> {
    let limits = everything_kept(rule).raw_limits();
    let mut buffer = SensingBuffer::default();
    let mut found = vec![false; talk.meeting.turns.len()];
    let mut at = 0;
    let mut take = |buffer: &mut SensingBuffer| {
        while let (Some(block), Some(cause)) = (buffer.next_block(), buffer.next_cause()) {
            let turn = talk.pieces[at].0;
            // a cut inside a long turn is not a boundary between turns
            if counts(cause) && at > 0 && talk.pieces[at - 1].0 != turn {
                found[turn] = true;
            }
            at += block.fresh.len();
            buffer.release(&limits);
        }
    };
    for (_, heard) in &talk.pieces {
        buffer.push(Arc::new(heard.clone()), rule, &limits);
        take(&mut buffer);
    }
    buffer.cut(rule);
    take(&mut buffer);
    found
}

/// The scene in which each turn ended; a turn without an event keeps the previous scene.
fn scenes(kit: &MethodContext, talk: &Talk<'_>, cosine: f64) -> Result<Vec<usize>> {
    let encoder = Arc::clone(kit.encoder());
    let config = SessionConfig {
        profile: EncoderProfile {
            scene_cosine: cosine as f32,
            ..EncoderProfile::for_encoder(&encoder.identity().name)
        },
        ..everything_kept(&Rule::Adaptive(AdaptiveRule::default()))
    };
    let mut memory = Driver::new(config, encoder, Arc::clone(&kit.counter))?;
    memory.begin(drive::begin(&talk.meeting.name, None))?;
    for (_, heard) in &talk.pieces {
        memory.hear(heard.utterance.clone())?;
    }
    memory.flush()?;
    let (mut numbers, mut starts) = (HashMap::new(), HashMap::new());
    for event in memory.session().tree().of_kind(Kind::Event) {
        let next = numbers.len();
        if let (Some(scene), Some(first)) = (event.parent, event.evidence.first()) {
            let scene = *numbers.entry(scene).or_insert(next);
            starts.insert(first.utterance.clone(), scene);
        }
    }
    let mut scenes = vec![None; talk.meeting.turns.len()];
    let mut now = None;
    for (turn, heard) in &talk.pieces {
        now = starts.get(&heard.utterance.id).copied().or(now);
        scenes[*turn] = now;
    }
    let mut now = scenes.iter().flatten().next().copied().unwrap_or(0);
    let mut of = |scene: Option<usize>| {
        now = scene.unwrap_or(now);
        now
    };
    Ok(scenes.into_iter().map(&mut of).collect())
}
