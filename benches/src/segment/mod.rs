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
use serde_json::{Value, json};
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
    scene_cosines: Vec<f64>,
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
    for (rule, found) in baselines(&talks).into_iter().chain(rules(&talks)) {
        for held_out in [false, true] {
            writeln!(std::io::stdout(), "{}", row(&talks, rule, &found, held_out))?;
        }
    }
    let profile = EncoderProfile::for_encoder(&plan.encoder.identity().name);
    for &cosine in &args.scene_cosines {
        scenes(plan, &talks, &profile, cosine)?;
    }
    Ok(())
}

fn talks<'a>(plan: &Plan, meetings: &'a [Meeting]) -> Result<Vec<Talk<'a>>> {
    let series: BTreeSet<&str> = meetings.iter().map(Meeting::series).collect();
    let series: Vec<&str> = series.into_iter().collect();
    let talk = |meeting: &'a Meeting| {
        let place = series.iter().position(|name| *name == meeting.series());
        Ok(Talk {
            meeting,
            held_out: place.is_some_and(|place| place % 2 == 1),
            pieces: heard(plan, meeting)?,
        })
    };
    meetings.iter().map(talk).collect()
}

fn heard(plan: &Plan, meeting: &Meeting) -> Result<Vec<(usize, BufferedUtterance)>> {
    let mut pieces = Vec::new();
    for (turn, (speaker, text)) in meeting.turns.iter().enumerate() {
        for text in fitting(&format!("{speaker}: "), text, plan.counter.as_ref()) {
            let n = pieces.len() as u64;
            let utterance = Utterance {
                id: format!("{turn}.{n}"),
                stream: meeting.name.clone(),
                span: Span::new(n, n + 1),
                ..Utterance::new(speaker, text)
            };
            let tokens = plan.counter.count(&utterance.rendered()) as u32;
            let heard = BufferedUtterance {
                terms: weir_models::Terms::default(),
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
        for ((_, heard), vector) in batch.iter_mut().zip(plan.encoder.encode(&refs)?) {
            heard.vector = vector;
        }
    }
    Ok(pieces)
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

fn baselines(talks: &[Talk<'_>]) -> [(&'static str, Found); 3] {
    let uniform = |talk: &Talk<'_>| {
        let (turns, segments) = (talk.meeting.turns.len(), 1 + count(&talk.meeting.begins));
        let starts: BTreeSet<usize> = (1..segments).map(|n| n * turns / segments).collect();
        (0..turns).map(|turn| starts.contains(&turn)).collect()
    };
    let none = |talk: &Talk<'_>| vec![false; talk.meeting.turns.len()];
    [
        ("no boundary", each(talks, none)),
        ("uniform at the true mean length", each(talks, uniform)),
        ("random, as many as true", each(talks, random)),
    ]
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

fn rules(talks: &[Talk<'_>]) -> Vec<(&'static str, Found)> {
    let paper = |drift_cosine| Rule::Paper { drift_cosine };
    let own = EncoderProfile::minilm().drift_cosine;
    let full = AdaptiveRule::default();
    let both: fn(Cause) -> bool = |cause| cause != Cause::Start;
    let drift: fn(Cause) -> bool = |cause| cause == Cause::Drift;
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
    let fixed = FIXED_LEVELS.map(|level| {
        let level = Level::Fixed(level);
        let rule = Rule::Adaptive(AdaptiveRule { level, ..full });
        found(talks, &rule, drift)
    });
    let loss = |found: &Found| {
        let (pk, window_diff, _) = mean(talks, found, false);
        pk + window_diff
    };
    let best = fixed.into_iter().min_by(|a, b| loss(a).total_cmp(&loss(b)));
    let rules = rules.map(|(name, rule, counts)| (name, found(talks, &rule, counts)));
    let best = best.map(|best| ("adaptive with a fixed level", best));
    rules.into_iter().chain(best).collect()
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

fn scenes(plan: &Plan, talks: &[Talk<'_>], profile: &EncoderProfile, cosine: f64) -> Result<()> {
    let config = SessionConfig {
        profile: EncoderProfile {
            scene_cosine: cosine as f32,
            ..profile.clone()
        },
        ..everything_kept(&Rule::Adaptive(AdaptiveRule::default()))
    };
    let scenes = talks.iter().map(|talk| scene_of_turns(plan, talk, &config));
    let scenes = scenes.collect::<Result<Vec<Vec<usize>>>>()?;
    let changes = |scene: &Vec<usize>| {
        let changed = scene.windows(2).map(|pair| pair[0] != pair[1]);
        std::iter::once(false).chain(changed).collect()
    };
    let found: Found = scenes.iter().map(changes).collect();
    for held_out in [false, true] {
        let mut row = row(talks, "scene changes", &found, held_out);
        let all = || talks.iter().zip(&scenes);
        let half = || all().filter(|(talk, _)| talk.held_out == held_out);
        let many = half().count().max(1) as f64;
        let distinct = |scene: &[usize]| scene.iter().collect::<BTreeSet<_>>().len() as f64;
        row["scene_cosine"] = json!(cosine);
        row["scenes_mean"] = json!(half().map(|(_, scene)| distinct(scene)).sum::<f64>() / many);
        let agreement = half().map(|(talk, scene)| agreement(&talk.meeting.topic, scene));
        row["topic_agreement"] = json!(agreement.sum::<f64>() / many);
        writeln!(std::io::stdout(), "{row}")?;
    }
    Ok(())
}

/// The scene in which each turn ended; a turn without an event keeps the previous scene.
fn scene_of_turns(plan: &Plan, talk: &Talk<'_>, config: &SessionConfig) -> Result<Vec<usize>> {
    let (encoder, counter) = (Arc::clone(&plan.encoder), Arc::clone(&plan.counter));
    let mut memory = Driver::new(config.clone(), encoder, counter)?;
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

/// Results of one segmentation method in one half.
fn row(talks: &[Talk<'_>], rule: &str, found: &Found, held_out: bool) -> Value {
    let (pk, window_diff, found_mean) = mean(talks, found, held_out);
    let truth = each(talks, |talk| talk.meeting.begins.clone());
    json!({
        "half": if held_out { "held out" } else { "development" },
        "meetings": talks.iter().filter(|t| t.held_out == held_out).count(),
        "rule": rule,
        "pk": pk,
        "window_diff": window_diff,
        "found_mean": found_mean,
        "true_mean": mean(talks, &truth, held_out).2,
    })
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
        for piece in &pieces {
            assert!(counter.count(&format!("A: {piece}")) <= limits::UTTERANCE_TOKENS_MAX);
        }
    }
}
