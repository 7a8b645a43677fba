//! Compares block and scene boundaries with the topic boundaries of real meetings.
//!
//! Each meeting is processed alone, by a memory without a budget. Boundaries forced by a block's
//! capacity do not count as found; the paper's rule has only the capacity of five utterances, so it
//! is shown with and without them. Every second series of meetings is the development half, on
//! which the rule's parameters were chosen; the rest is held out. The transcripts have no times, so
//! the value of pauses cannot be measured here.

mod measures;

use crate::corpus::qmsum::{self, Meeting};
use crate::drive;
use crate::options::EncoderArgs;
use anyhow::Result;
use measures::{pk, window_diff, window_turns};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use weir_core::config::{BoundaryPolicy, EncoderProfile, SessionConfig};
use weir_core::driver::Driver;
use weir_core::limits;
use weir_core::memory::Kind;
use weir_core::sense::{AdaptiveRule, Cause, Level, Rule, SensingBuffer};
use weir_core::stream::{Span, Utterance};
use weir_core::talk::BufferedUtterance;
use weir_models::{CountTokens, Encode, WordPieceCounter};

/// Texts encoded at once.
const BATCH: usize = 32;
/// Drifts tried for the rule without an adaptive level; the best on the development half is shown.
const FIXED_LEVELS: [f32; 8] = [0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75];

/// Options of `segment`.
#[derive(clap::Args)]
pub(crate) struct SegmentArgs {
    /// Folder of QMSum's meetings
    meetings: PathBuf,
    /// Number of meetings, evenly spread over the folder [default: all]
    #[arg(long)]
    limit: Option<usize>,
    /// Scene thresholds to measure; each one encodes every statement
    #[arg(long, value_delimiter = ',')]
    scene_cosines: Vec<f32>,
    #[command(flatten)]
    encoder: EncoderArgs,
}

/// What encodes and counts.
struct Plan {
    encoder: Arc<dyn Encode>,
    counter: Arc<dyn CountTokens>,
}

/// A meeting as the memory's input: pieces of turns with the index of the turn.
struct Talk<'a> {
    meeting: &'a Meeting,
    held_out: bool,
    pieces: Vec<(usize, BufferedUtterance)>,
}

/// Results of one segmentation method in one half.
#[derive(Serialize)]
struct Row<'a> {
    half: &'a str,
    meetings: usize,
    rule: &'a str,
    pk: f64,
    window_diff: f64,
    found_mean: f64,
    true_mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scene_cosine: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenes_mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    topic_agreement: Option<f64>,
}

/// Boundaries found in each meeting.
type Found = Vec<Vec<bool>>;

/// Measures every rule, then the scenes, and prints a row for each half.
pub(crate) fn main(args: &SegmentArgs) -> Result<()> {
    let meetings = qmsum::read(&args.meetings, args.limit)?;
    let plan = &Plan {
        encoder: args.encoder.open()?,
        counter: Arc::new(WordPieceCounter::shared()),
    };
    let talks = talks(plan, &meetings)?;
    baselines(&talks)?;
    rules(&talks)?;
    let profile = EncoderProfile::for_encoder(&plan.encoder.identity().name);
    for &cosine in &args.scene_cosines {
        scenes(plan, &talks, &profile, cosine)?;
    }
    Ok(())
}

fn talks<'a>(plan: &Plan, meetings: &'a [Meeting]) -> Result<Vec<Talk<'a>>> {
    let series: BTreeSet<&str> = meetings.iter().map(Meeting::series).collect();
    let series: Vec<&str> = series.into_iter().collect();
    meetings
        .iter()
        .map(|meeting| {
            let place = series.iter().position(|name| *name == meeting.series());
            Ok(Talk {
                meeting,
                held_out: place.is_some_and(|place| place % 2 == 1),
                pieces: heard(plan, meeting)?,
            })
        })
        .collect()
}

fn heard(plan: &Plan, meeting: &Meeting) -> Result<Vec<(usize, BufferedUtterance)>> {
    let mut pieces = Vec::new();
    for (turn, (speaker, text)) in meeting.turns.iter().enumerate() {
        for text in fitting(&format!("{speaker}: "), text, plan.counter.as_ref()) {
            let n = pieces.len() as u64;
            let utterance = Utterance {
                id: format!("{turn}.{n}"),
                stream: meeting.name.clone(),
                speaker: Some(speaker.clone()),
                span: Span::new(n, n + 1),
                audio: None,
                confidence: None,
                text,
            };
            let tokens = plan.counter.count(&spoken(&utterance)) as u32;
            pieces.push((
                turn,
                BufferedUtterance {
                    terms: weir_models::Terms::default(),
                    turn: n,
                    analysis: Default::default(),
                    new_terms: Vec::new(),
                    utterance,
                    vector: Vec::new(),
                    tokens,
                    session_ms: n,
                    said_at_unix_ms: None,
                },
            ));
        }
    }
    for batch in pieces.chunks_mut(BATCH) {
        let texts: Vec<String> = batch.iter().map(|(_, h)| spoken(&h.utterance)).collect();
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        for ((_, heard), vector) in batch.iter_mut().zip(plan.encoder.encode(&refs)?) {
            heard.vector = vector;
        }
    }
    Ok(pieces)
}

fn spoken(utterance: &Utterance) -> String {
    let speaker = utterance.speaker.as_deref().unwrap_or_default();
    format!("{speaker}: {}", utterance.text)
}

/// A turn in pieces that a session accepts, halved as often as needed; empty for a turn without
/// words.
fn fitting(label: &str, text: &str, counter: &dyn CountTokens) -> Vec<String> {
    if !text.contains(char::is_alphanumeric) {
        return Vec::new();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let fits = counter.count(&format!("{label}{text}")) <= limits::UTTERANCE_TOKENS_MAX;
    if fits || words.len() < 2 {
        return vec![text.to_owned()];
    }
    let (head, tail) = words.split_at(words.len() / 2);
    let mut pieces = fitting(label, &head.join(" "), counter);
    pieces.extend(fitting(label, &tail.join(" "), counter));
    pieces
}

fn baselines(talks: &[Talk<'_>]) -> Result<()> {
    print(
        talks,
        "no boundary",
        &each(talks, |talk| vec![false; talk.meeting.turns.len()]),
    )?;
    print(
        talks,
        "uniform at the true mean length",
        &each(talks, |talk| {
            let (turns, segments) = (talk.meeting.turns.len(), 1 + count(&talk.meeting.begins));
            let starts: BTreeSet<usize> = (1..segments).map(|n| n * turns / segments).collect();
            (0..turns).map(|turn| starts.contains(&turn)).collect()
        }),
    )?;
    print(talks, "random, as many as true", &each(talks, random))
}

/// As many boundaries as topics, drawn by a small random generator.
fn random(talk: &Talk<'_>) -> Vec<bool> {
    let turns = talk.meeting.turns.len();
    let mut state = talk.meeting.name.bytes().fold(20_u64, |state, byte| {
        state.wrapping_mul(1_099_511_628_211) ^ u64::from(byte)
    });
    let mut found = vec![false; turns];
    let wanted = count(&talk.meeting.begins).min(turns.saturating_sub(1));
    while count(&found) < wanted {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        found[1 + (state >> 33) as usize % (turns - 1)] = true;
    }
    found
}

fn rules(talks: &[Talk<'_>]) -> Result<()> {
    let paper = |drift_cosine| Rule::Paper { drift_cosine };
    let own = EncoderProfile::minilm().drift_cosine;
    let full = AdaptiveRule::default();
    let both = |cause| cause != Cause::Start;
    let drift = |cause| cause == Cause::Drift;
    print(talks, "paper, 0.7", &found(talks, &paper(0.7), both))?;
    print(
        talks,
        "paper, 0.7, drift alone",
        &found(talks, &paper(0.7), drift),
    )?;
    print(talks, "paper, profile's", &found(talks, &paper(own), both))?;
    print(
        talks,
        "paper, profile's, drift alone",
        &found(talks, &paper(own), drift),
    )?;
    print(
        talks,
        "adaptive",
        &found(talks, &Rule::Adaptive(full), drift),
    )?;
    let ablated = AdaptiveRule {
        speaker_weight: 0.0,
        ..full
    };
    let ablated = found(talks, &Rule::Adaptive(ablated), drift);
    print(talks, "adaptive without speakers", &ablated)?;
    let ablated = AdaptiveRule {
        rest_tokens: 0,
        ..full
    };
    let ablated = found(talks, &Rule::Adaptive(ablated), drift);
    print(talks, "adaptive without rest", &ablated)?;
    let fixed = FIXED_LEVELS.map(|level| {
        let level = Level::Fixed(level);
        found(
            talks,
            &Rule::Adaptive(AdaptiveRule { level, ..full }),
            drift,
        )
    });
    let loss = |found: &Found| {
        let (pk, window_diff, _) = mean(talks, found, false);
        pk + window_diff
    };
    let best = fixed.iter().min_by(|a, b| loss(a).total_cmp(&loss(b)));
    best.map_or(Ok(()), |best| {
        print(talks, "adaptive with a fixed level", best)
    })
}

fn each(talks: &[Talk<'_>], find: impl Fn(&Talk<'_>) -> Vec<bool>) -> Found {
    talks.iter().map(find).collect()
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
fn found(talks: &[Talk<'_>], rule: &Rule, counts: impl Fn(Cause) -> bool) -> Found {
    each(talks, |talk| {
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
    })
}

fn scenes(plan: &Plan, talks: &[Talk<'_>], profile: &EncoderProfile, cosine: f32) -> Result<()> {
    let config = SessionConfig {
        profile: EncoderProfile {
            scene_cosine: cosine,
            ..profile.clone()
        },
        ..everything_kept(&Rule::Adaptive(AdaptiveRule::default()))
    };
    let scenes: Vec<Vec<usize>> = talks
        .iter()
        .map(|talk| scene_of_turns(plan, talk, &config))
        .collect::<Result<_>>()?;
    let found: Found = scenes
        .iter()
        .map(|scene| {
            let changed = scene.windows(2).map(|pair| pair[0] != pair[1]);
            std::iter::once(false).chain(changed).collect()
        })
        .collect();
    for held_out in [false, true] {
        let mut row = row(talks, "scene changes", &found, held_out);
        let half = || {
            talks
                .iter()
                .zip(&scenes)
                .filter(|(t, _)| t.held_out == held_out)
        };
        let many = row.meetings.max(1) as f64;
        let distinct = |scene: &[usize]| scene.iter().collect::<BTreeSet<_>>().len() as f64;
        row.scene_cosine = Some(cosine);
        row.scenes_mean = Some(half().map(|(_, scene)| distinct(scene)).sum::<f64>() / many);
        let agreement = half().map(|(talk, scene)| agreement(&talk.meeting.topic, scene));
        row.topic_agreement = Some(agreement.sum::<f64>() / many);
        write(&row)?;
    }
    Ok(())
}

/// The scene in which each turn ended; a turn without an event keeps the previous scene.
fn scene_of_turns(plan: &Plan, talk: &Talk<'_>, config: &SessionConfig) -> Result<Vec<usize>> {
    let mut memory = Driver::new(
        config.clone(),
        Arc::clone(&plan.encoder),
        Arc::clone(&plan.counter),
    )?;
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
    for scene in &mut scenes {
        now = scene.unwrap_or(now);
        *scene = Some(now);
    }
    Ok(scenes.into_iter().flatten().collect())
}

/// Adjusted Rand index of topics and scenes over the turns with a topic: 1 for the same partition,
/// 0 for agreement by chance.
fn agreement(topic: &[Option<usize>], scene: &[usize]) -> f64 {
    let pairs = |n: usize| (n * n.saturating_sub(1)) as f64 / 2.0;
    let (mut both, mut topics, mut scenes) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut turns = 0;
    for (topic, scene) in topic.iter().zip(scene) {
        if let Some(topic) = topic {
            *both.entry((topic, scene)).or_insert(0_usize) += 1;
            *topics.entry(topic).or_insert(0_usize) += 1;
            *scenes.entry(scene).or_insert(0_usize) += 1;
            turns += 1;
        }
    }
    let together: f64 = both.values().map(|n| pairs(*n)).sum();
    let in_topics: f64 = topics.values().map(|n| pairs(*n)).sum();
    let in_scenes: f64 = scenes.values().map(|n| pairs(*n)).sum();
    let chance = in_topics * in_scenes / pairs(turns).max(1.0);
    let most = f64::midpoint(in_topics, in_scenes);
    if (most - chance).abs() < f64::EPSILON {
        return 1.0;
    }
    (together - chance) / (most - chance)
}

fn count(begins: &[bool]) -> usize {
    begins.iter().filter(|begins| **begins).count()
}

/// Pk, WindowDiff and number of boundaries, means over the meetings of a half.
fn mean(talks: &[Talk<'_>], found: &Found, held_out: bool) -> (f64, f64, f64) {
    let (mut sums, mut many) = ((0.0, 0.0, 0.0), 0_usize);
    for (talk, found) in talks.iter().zip(found) {
        if talk.held_out == held_out {
            let truth = &talk.meeting.begins;
            let k = window_turns(truth);
            sums.0 += pk(truth, found, k);
            sums.1 += window_diff(truth, found, k);
            sums.2 += count(found) as f64;
            many += 1;
        }
    }
    let many = many.max(1) as f64;
    (sums.0 / many, sums.1 / many, sums.2 / many)
}

fn row<'a>(talks: &[Talk<'_>], rule: &'a str, found: &Found, held_out: bool) -> Row<'a> {
    let (pk, window_diff, found_mean) = mean(talks, found, held_out);
    let truth: Found = talks
        .iter()
        .map(|talk| talk.meeting.begins.clone())
        .collect();
    Row {
        half: if held_out { "held out" } else { "development" },
        meetings: talks.iter().filter(|t| t.held_out == held_out).count(),
        rule,
        pk,
        window_diff,
        found_mean,
        true_mean: mean(talks, &truth, held_out).2,
        scene_cosine: None,
        scenes_mean: None,
        topic_agreement: None,
    }
}

fn print(talks: &[Talk<'_>], rule: &str, found: &Found) -> Result<()> {
    for held_out in [false, true] {
        write(&row(talks, rule, found, held_out))?;
    }
    Ok(())
}

fn write(row: &Row<'_>) -> Result<()> {
    writeln!(std::io::stdout(), "{}", serde_json::to_string(row)?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_one_for_the_same_division_and_none_for_one_scene() {
        let topic: Vec<Option<usize>> = [0, 0, 1, 1, 2, 2].map(Some).to_vec();
        assert!((agreement(&topic, &[5, 5, 3, 3, 9, 9]) - 1.0).abs() < 1e-12);
        assert!(agreement(&topic, &[1; 6]).abs() < 1e-12);
        // 1 pair together of 3 and 6 by hand: chance 3 * 6 / 15, most 4.5
        let halves = agreement(&topic, &[0, 0, 0, 1, 1, 1]);
        assert!((halves - (2.0 - 1.2) / (4.5 - 1.2)).abs() < 1e-12);
    }

    #[test]
    fn a_long_turn_loses_no_word() {
        let text = "words are said ".repeat(400);
        let counter = WordPieceCounter::shared();
        let pieces = fitting("A: ", &text, &counter);
        assert!(pieces.len() > 1);
        let joined = pieces.join(" ");
        assert!(joined.split_whitespace().eq(text.split_whitespace()));
        let most = |piece: &String| counter.count(&format!("A: {piece}"));
        assert!(
            pieces
                .iter()
                .map(most)
                .all(|n| n <= limits::UTTERANCE_TOKENS_MAX)
        );
    }
}
