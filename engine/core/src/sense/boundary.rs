//! Whether the talk drifts enough to end a block: ProStream's rule as written, and a rule over a
//! window of talk.
//!
//! The paper compares each utterance with the one before. That says little about real meetings:
//! most turns are a few words, and the cosine of neighbours is low everywhere. The other rule
//! compares the last [`AdaptiveRule::window_tokens`] tokens with the talk before them, and adds the
//! change of speakers and the pause at the seam. It reports a change of theme if the sum is well
//! above its running level. Its state is bounded and part of the session.

use crate::config::{BoundaryPolicy, SessionConfig};
use crate::talk::BufferedUtterance;
use crate::vectors::dot;
use serde::{Deserialize, Serialize};

/// Maximum number of speakers tracked; the least heard is dropped.
const SPEAKERS_MAX: usize = 16;
/// Pauses of this length or longer count in full.
const PAUSE_LONG_MS: f32 = 10_000.0;
/// Comparisons needed before the level is known.
const COMPARISONS_MIN: u32 = 10;
/// Number of comparisons that the level averages over: about an hour of a meeting.
const COMPARISONS_MAX: u32 = 300;

/// The rule that ends blocks, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// ProStream 5.1.
    Paper {
        /// `tau_drift`.
        drift_cosine: f32,
    },
    /// Compares a window with the talk before it.
    Adaptive(AdaptiveRule),
}

impl Rule {
    /// The rule that a session's configuration selects.
    #[must_use]
    pub fn of(config: &SessionConfig) -> Self {
        match config.boundary {
            BoundaryPolicy::Paper => Self::Paper {
                drift_cosine: config.profile.drift_cosine,
            },
            BoundaryPolicy::Adaptive => Self::Adaptive(AdaptiveRule::default()),
        }
    }
}

/// The threshold from which drift is a change of theme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Level {
    /// A number of deviations above the running mean.
    Running {
        /// Number of deviations.
        deviations: f32,
    },
    /// A fixed threshold; for measuring the benefit of the running one.
    Fixed(f32),
}

/// Parameters of the adaptive rule. The defaults were chosen on the development half of meetings
/// (`weir-bench segment`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdaptiveRule {
    /// Tokens of talk compared with the talk before; fewer are noisy, and the window must fit into
    /// a block.
    pub window_tokens: u32,
    /// Tokens over which the weight of earlier talk decays to 1/e.
    pub theme_tokens: f32,
    /// Drift added by a complete change of speakers.
    pub speaker_weight: f32,
    /// Drift added by a long pause at the seam. Set, not measured: the transcripts have no times.
    pub pause_weight: f32,
    /// Threshold for a change of theme.
    pub level: Level,
    /// Minimum number of tokens in a block before it may end.
    pub block_tokens_min: u32,
    /// Minimum number of tokens between two changes of theme.
    pub rest_tokens: u32,
}

impl Default for AdaptiveRule {
    fn default() -> Self {
        Self {
            window_tokens: 150,
            theme_tokens: 1_600.0,
            speaker_weight: 0.3,
            pause_weight: 0.2,
            level: Level::Running { deviations: 3.0 },
            block_tokens_min: 150,
            rest_tokens: 1_000,
        }
    }
}

/// A seam in the open block, given by the number of utterances after it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Seam {
    after: usize,
    drift: f32,
    /// Whether its drift is above the level.
    change: bool,
}

/// State of the adaptive rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct DriftState {
    /// Token-weighted sum of the vectors before the window, decayed.
    theme: Vec<f32>,
    /// Tokens of each speaker before the window, decayed.
    shares: Vec<(String, f32)>,
    /// Tokens before the window, decayed.
    weight: f32,
    /// Number of utterances in the window; all belong to the open block.
    window: usize,
    /// Tokens that left the window since the last change of theme.
    rested: u32,
    mean: f32,
    variance: f32,
    seen: u32,
    /// The most likely seam of the open block.
    best: Option<Seam>,
}

impl DriftState {
    /// Processes the newest utterance, the last of `fresh`. Returns the number of utterances after
    /// a change of theme, once no seam nearby is more likely; the number of all fresh utterances if
    /// the change is where the block began.
    pub(super) fn hear(
        &mut self,
        fresh: &[&BufferedUtterance],
        rule: &AdaptiveRule,
    ) -> Option<usize> {
        self.window += 1;
        if let Some(best) = &mut self.best {
            best.after += 1;
        }
        self.slide(fresh, rule);
        let start = fresh.len().checked_sub(self.window)?;
        let full = tokens(&fresh[start..]) >= rule.window_tokens;
        if full && self.weight >= rule.window_tokens as f32 / 2.0 {
            self.compare(fresh, start, rule);
        }
        let best = self.best.filter(|best| best.change)?;
        let passed = tokens(&fresh[fresh.len() - best.after..start.max(fresh.len() - best.after)]);
        if passed * 2 < rule.window_tokens {
            return None;
        }
        self.best = None;
        self.rested = passed;
        Some(best.after)
    }

    /// For a full block: the number of utterances after its most likely seam. Keeps a change of
    /// theme that may still move to a later seam.
    pub(super) fn weakest(&mut self, fresh: usize) -> Option<usize> {
        self.best = self.best.filter(|best| best.change || best.after < fresh);
        let inside = self.best.filter(|best| best.after < fresh)?;
        self.best = self.best.filter(|best| best.change);
        Some(inside.after)
    }

    /// For closing the whole block: whether the theme changed at its start.
    pub(super) fn changed_at_start(&mut self, fresh: usize) -> bool {
        let at_start = |best: &Seam| best.change && best.after == fresh;
        let changed = self.best.as_ref().is_some_and(at_start);
        if changed {
            self.rested = 0;
        }
        changed
    }

    /// For a whole block that was closed: the window becomes part of the earlier talk.
    pub(super) fn cut_all(&mut self, fresh: &[&BufferedUtterance], rule: &AdaptiveRule) {
        for heard in &fresh[fresh.len() - self.window.min(fresh.len())..] {
            self.fold(heard, rule);
        }
        self.window = 0;
        self.best = None;
    }

    /// Checks that it fits a block of `fresh` utterances.
    pub(super) fn check_parts(&self, fresh: usize, dimension: usize) -> Result<(), String> {
        let numbers = self
            .theme
            .iter()
            .chain(self.shares.iter().map(|share| &share.1));
        let mut numbers = numbers.chain([&self.weight, &self.mean, &self.variance]);
        let holds = self.window <= fresh
            && self
                .best
                .is_none_or(|best| best.after <= fresh && best.drift.is_finite())
            && (self.theme.is_empty() || self.theme.len() == dimension)
            && self.shares.len() <= SPEAKERS_MAX
            && self.seen <= COMPARISONS_MAX
            && numbers.all(|x| x.is_finite());
        match holds {
            true => Ok(()),
            false => Err("the drift state does not fit its block".to_owned()),
        }
    }

    /// Drops the oldest utterances of the window while the rest is long enough.
    fn slide(&mut self, fresh: &[&BufferedUtterance], rule: &AdaptiveRule) {
        let mut start = fresh.len() - self.window;
        let mut held = tokens(&fresh[start..]);
        while self.window > 1 && held - fresh[start].tokens >= rule.window_tokens {
            held -= fresh[start].tokens;
            self.fold(fresh[start], rule);
            start += 1;
            self.window -= 1;
        }
    }

    fn fold(&mut self, heard: &BufferedUtterance, rule: &AdaptiveRule) {
        let tokens = heard.tokens as f32;
        let kept = (-tokens / rule.theme_tokens).exp();
        if self.theme.len() != heard.vector.len() {
            self.theme = vec![0.0; heard.vector.len()];
        }
        for (sum, x) in self.theme.iter_mut().zip(&heard.vector) {
            *sum = *sum * kept + tokens * x;
        }
        for share in &mut self.shares {
            share.1 *= kept;
        }
        add_share(&mut self.shares, heard);
        self.weight = self.weight * kept + tokens;
        self.rested = self.rested.saturating_add(heard.tokens);
    }

    /// Compares the window, which begins at `start`, with the talk before it.
    fn compare(&mut self, fresh: &[&BufferedUtterance], start: usize, rule: &AdaptiveRule) {
        let window = &fresh[start..];
        let drift = self.drift(window)
            + rule.speaker_weight * self.speakers_changed(window)
            + rule.pause_weight * pause(fresh, start);
        let level = match rule.level {
            Level::Fixed(level) => level,
            Level::Running { .. } if self.seen < COMPARISONS_MIN => f32::INFINITY,
            Level::Running { deviations } => self.mean + deviations * self.variance.sqrt(),
        };
        let change = drift > level && self.rested >= rule.rest_tokens;
        let long = start > 0 && tokens(&fresh[..start]) >= rule.block_tokens_min;
        if (long || change) && self.best.is_none_or(|best| drift > best.drift) {
            self.best = Some(Seam {
                after: window.len(),
                drift,
                change,
            });
        }
        self.seen = (self.seen + 1).min(COMPARISONS_MAX);
        let off = drift - self.mean;
        self.mean += off / self.seen as f32;
        self.variance += (off * (drift - self.mean) - self.variance) / self.seen as f32;
    }

    /// One minus the cosine of the window and the talk before it.
    fn drift(&self, window: &[&BufferedUtterance]) -> f32 {
        let mut sum = vec![0.0; self.theme.len()];
        for heard in window {
            for (sum, x) in sum.iter_mut().zip(&heard.vector) {
                *sum += heard.tokens as f32 * x;
            }
        }
        let lengths = (dot(&sum, &sum) * dot(&self.theme, &self.theme)).sqrt();
        if lengths > f32::EPSILON {
            1.0 - dot(&sum, &self.theme) / lengths
        } else {
            0.0
        }
    }

    /// Gives a speaker another name; the shares of two who become one are added.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let Some(at) = self.shares.iter().position(|share| share.0 == from) else {
            return;
        };
        let (_, tokens) = self.shares.remove(at);
        match self.shares.iter_mut().find(|share| share.0 == to) {
            Some(known) => known.1 += tokens,
            None => self.shares.push((to.to_owned(), tokens)),
        }
    }

    /// Change of speaker shares: 0 when everybody speaks as much as before, 1 when nobody who spoke
    /// before speaks now.
    fn speakers_changed(&self, window: &[&BufferedUtterance]) -> f32 {
        let mut now = Vec::new();
        for heard in window {
            add_share(&mut now, heard);
        }
        let total = |shares: &[(String, f32)]| -> f32 {
            shares
                .iter()
                .map(|share| share.1)
                .sum::<f32>()
                .max(f32::EPSILON)
        };
        let (now_total, before_total) = (total(&now), total(&self.shares));
        let common: f32 = now
            .iter()
            .map(|(name, tokens)| {
                let before = self.shares.iter().find(|share| share.0 == *name);
                (tokens / now_total).min(before.map_or(0.0, |share| share.1 / before_total))
            })
            .sum();
        (1.0 - common).max(0.0)
    }
}

fn add_share(shares: &mut Vec<(String, f32)>, heard: &BufferedUtterance) {
    let name = heard.utterance.speaker.as_deref().unwrap_or_default();
    let tokens = heard.tokens as f32;
    if let Some(share) = shares.iter_mut().find(|share| share.0 == name) {
        share.1 += tokens;
        return;
    }
    if shares.len() == SPEAKERS_MAX {
        let least = (0..shares.len()).min_by(|a, b| shares[*a].1.total_cmp(&shares[*b].1));
        shares.swap_remove(least.unwrap_or(0));
    }
    shares.push((name.to_owned(), tokens));
}

/// Length of the silence before `fresh[start]`, scaled to 0..1.
fn pause(fresh: &[&BufferedUtterance], start: usize) -> f32 {
    let Some(before) = start.checked_sub(1).map(|at| fresh[at]) else {
        return 0.0;
    };
    let span = before.utterance.span;
    let ended_ms = before.session_ms + span.end_ms.saturating_sub(span.start_ms);
    let silent_ms = fresh[start].session_ms.saturating_sub(ended_ms);
    (silent_ms as f32 / PAUSE_LONG_MS).min(1.0)
}

fn tokens(heard: &[&BufferedUtterance]) -> u32 {
    heard.iter().map(|heard| heard.tokens).sum()
}
