//! The settings of a session, their ranges and their defaults.
//!
//! [`SessionConfig::check`] checks a [`SessionConfig`] once, when a session is created; afterwards
//! every number in it is in range. It is stored with the session and part of its digest.

use crate::limits;
use serde::{Deserialize, Serialize};

/// A setting outside its legal range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{name} is {value}; it must be between {min} and {max}")]
pub struct ConfigError {
    /// The setting's name on the command line.
    pub name: &'static str,
    /// The given value.
    pub value: f64,
    /// Smallest legal value.
    pub min: f64,
    /// Largest legal value.
    pub max: f64,
}

/// How a unit's age counts in its utility.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UtilityPolicy {
    /// ProStream eq. 1 as written: frequency and recency.
    Paper,
    /// Eq. 1 plus a third term for the unit's content.
    #[default]
    Salience,
}

/// How a unit is forgotten with time since it was last recalled or repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecencyPolicy {
    /// ProStream eq. 1: `exp(-dt / tau)`, however often it was accessed.
    #[default]
    Exponential,
    /// Ebbinghaus' curve as the Characters paper adapts it: `exp(-d dt / S)`, where each access
    /// multiplies the stability S, at first 1, by a boost b.
    Ebbinghaus,
}

/// How memory is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecallPolicy {
    /// ProStream 5.4: top scenes, their top events, their three best units by cosine times
    /// utility, beside the buffer and what is pending; nothing else.
    TopDown,
    /// Every utterance scored by vectors, terms and words together, including its neighbours.
    #[default]
    Hybrid,
    /// The same with only some of these signals, for comparisons.
    Only(Signals),
}

/// The signals of hybrid search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signals {
    /// Cosines of a sentence encoder.
    pub vectors: bool,
    /// Terms of a sparse encoder.
    pub terms: bool,
    /// BM25.
    pub words: bool,
}

impl Signals {
    /// All of them.
    pub const ALL: Self = Self {
        vectors: true,
        terms: true,
        words: true,
    };
}

/// Where a block of talk ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundaryPolicy {
    /// ProStream 5.1 as written: neighbours less alike than `tau_drift`, or five new utterances.
    Paper,
    /// Compares a window of talk with the talk before it, including speakers and pauses, by a
    /// running threshold.
    #[default]
    Adaptive,
}

/// When two statements count as one claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergePolicy {
    /// ProStream 5.3 as written: by their cosine alone.
    Paper,
    /// The speaker, numbers, times, names and polarity must agree too.
    #[default]
    Claims,
}

impl MergePolicy {
    /// What the name of a profile implied in the first exports, which did not store it.
    pub(crate) fn implied_by(profile: &EncoderProfile) -> Self {
        match profile.name.as_str() {
            "prostream-paper" => Self::Paper,
            _ => Self::Claims,
        }
    }
}

/// Thresholds for one sentence encoder: cosines mean different things in different spaces.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderProfile {
    /// Name, e.g. `minilm`.
    pub name: String,
    /// A block is cut when the cosine of neighbouring utterances falls below this (`tau_drift`).
    pub drift_cosine: f32,
    /// A unit is new only below this cosine to every other (`theta_concept`).
    pub novelty_cosine: f32,
    /// Two nodes of one kind merge above this cosine (`theta_sim`).
    pub merge_cosine: f32,
    /// A block joins the nearest scene above this cosine.
    pub scene_cosine: f32,
    /// Top-down recall reads units at or above this cosine to the question.
    pub recall_cosine: f32,
    /// Cosine at which a statement certainly concerns the question.
    pub support_cosine: f32,
}

impl EncoderProfile {
    /// For all-MiniLM-L6-v2: the median cosine of neighbouring chat turns is about 0.5, of meeting
    /// turns 0.23, so the paper's 0.7 would cut after nearly every turn. The values were fitted on
    /// public dialogues, and `support_cosine` also on 65 everyday facts with their questions.
    #[must_use]
    pub fn minilm() -> Self {
        Self {
            name: "minilm".into(),
            drift_cosine: 0.10,
            novelty_cosine: 0.90,
            merge_cosine: 0.90,
            scene_cosine: 0.45,
            recall_cosine: 0.25,
            support_cosine: 0.55,
        }
    }

    /// For multilingual-e5-small with its vectors centred: where as many pairs of turns, of blocks,
    /// and of questions with their evidence are as alike as by the thresholds of MiniLM, in the
    /// dialogues on which those were chosen.
    #[must_use]
    pub fn multilingual_e5() -> Self {
        Self {
            name: "multilingual-e5".into(),
            drift_cosine: 0.25,
            novelty_cosine: 0.92,
            merge_cosine: 0.92,
            scene_cosine: 0.70,
            recall_cosine: 0.31,
            support_cosine: 0.60,
        }
    }

    /// For hashed words, where unrelated sentences are orthogonal and only shared words count.
    #[must_use]
    pub fn word_hash() -> Self {
        Self {
            name: "word-hash".into(),
            drift_cosine: 0.02,
            novelty_cosine: 0.92,
            merge_cosine: 0.88,
            scene_cosine: 0.20,
            recall_cosine: 0.15,
            // a statement is a whole sentence, whose other words lower its cosine to a question
            support_cosine: 0.42,
        }
    }

    /// For the vectors that SPLADE-tiny projects from its terms: two statements of one topic share
    /// few terms, and most pairs share none. Set by hand.
    #[must_use]
    pub fn splade_tiny() -> Self {
        Self {
            name: "splade-tiny".into(),
            drift_cosine: 0.02,
            novelty_cosine: 0.92,
            merge_cosine: 0.90,
            scene_cosine: 0.25,
            recall_cosine: 0.15,
            support_cosine: 0.45,
        }
    }

    /// The constants of ProStream (section 6.1, appendix B), made for its cross-encoder.
    #[must_use]
    pub fn prostream_paper() -> Self {
        Self {
            name: "prostream-paper".into(),
            drift_cosine: 0.7,
            novelty_cosine: 0.85,
            merge_cosine: 0.85,
            scene_cosine: 0.5,
            recall_cosine: 0.5,
            support_cosine: 0.5,
        }
    }

    /// The chance that a statement answers a question in another language, by their cosine; `None`
    /// for encoders with which that was not measured. With multilingual-e5-small, of 252 questions
    /// in ten languages about talk in another of them 0.72 found their fact at a chance of 0.4, and
    /// 0.13 of 90 that nothing answers were answered (`tune.tsv` of the fixtures, four bits).
    #[must_use]
    pub fn chance_across_languages(&self, cosine: f32) -> Option<f32> {
        let known = self.name == Self::multilingual_e5().name;
        known.then(|| 1.0 / (1.0 + (4.0 - 16.3 * cosine).exp()))
    }

    /// The profile calibrated for an encoder, by name; `None` for other encoders.
    #[must_use]
    pub fn calibrated(encoder: &str) -> Option<Self> {
        match encoder {
            "all-MiniLM-L6-v2" => Some(Self::minilm()),
            "multilingual-e5-small" => Some(Self::multilingual_e5()),
            "splade-tiny" => Some(Self::splade_tiny()),
            "word-hash" => Some(Self::word_hash()),
            _ => None,
        }
    }

    /// The profile calibrated for an encoder, else that of MiniLM: a guess, which the caller must
    /// report ([`Self::calibrated`]).
    #[must_use]
    pub fn for_encoder(encoder: &str) -> Self {
        Self::calibrated(encoder).unwrap_or_else(Self::minilm)
    }
}

/// Bounds of raw talk in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawLimits {
    /// All of it: leading context, waiting blocks, the open block.
    pub held: usize,
    /// One utterance, speaker included; a longer one must be split.
    pub utterance: usize,
    /// A block, unless one utterance is longer.
    pub block: usize,
    /// Leading context, which is already in the tree.
    pub leading: usize,
}

/// All settings that determine what a session does with its input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionConfig {
    /// Tokens of all text held, tree and raw talk together (`T_max`).
    pub budget_tokens: usize,
    /// Bytes of the tree's nodes, evidence, vectors and words.
    pub budget_bytes: usize,
    /// Maximum number of nodes in the tree.
    pub budget_nodes: usize,
    /// Weight of `ln(f + 1)` (`alpha`).
    pub frequency_weight: f32,
    /// Weight of `exp(-dt / tau)` (`beta`).
    pub recency_weight: f32,
    /// Time constant of recency in milliseconds of stream time (`tau`).
    pub recency_tau_ms: u64,
    /// How recency falls with time.
    pub recency: RecencyPolicy,
    /// Forgetting in an hour of stream time under [`RecencyPolicy::Ebbinghaus`] (`d`).
    pub decay_per_hour: f32,
    /// Factor of a unit's stability at each access under [`RecencyPolicy::Ebbinghaus`] (`b`).
    pub stability_boost: f32,
    /// Weight of the salience, under [`UtilityPolicy::Salience`].
    pub salience_weight: f32,
    /// Time constant of the salience's decay in milliseconds of stream time: at three times this
    /// age salience is half.
    pub salience_tau_ms: u64,
    /// How age and salience count.
    pub utility: UtilityPolicy,
    /// How memory is searched.
    pub recall: RecallPolicy,
    /// Where blocks end.
    pub boundary: BoundaryPolicy,
    /// When two statements count as one claim.
    #[serde(default)]
    pub merge: MergePolicy,
    /// Thresholds of the encoder in use.
    pub profile: EncoderProfile,
    /// Bytes of the transcript on disk; 0 keeps none. With one, units may be reduced to key words.
    pub transcript_bytes: u64,
}

impl Default for SessionConfig {
    fn default() -> Self {
        Self {
            budget_tokens: limits::BUDGET_TOKENS_DEFAULT,
            budget_bytes: limits::TREE_BYTES_DEFAULT,
            budget_nodes: limits::NODES_MAX,
            frequency_weight: 0.6,
            recency_weight: 0.4,
            recency_tau_ms: 3_600_000,
            recency: RecencyPolicy::default(),
            decay_per_hour: 1.0,
            stability_boost: 2.0,
            salience_weight: 1.0,
            salience_tau_ms: 86_400_000,
            utility: UtilityPolicy::default(),
            recall: RecallPolicy::default(),
            boundary: BoundaryPolicy::default(),
            merge: MergePolicy::default(),
            profile: EncoderProfile::minilm(),
            transcript_bytes: 0,
        }
    }
}

impl SessionConfig {
    /// The defaults of a session with a transcript of at most so many bytes; 0 keeps none. Beside
    /// a transcript a smaller budget serves as well.
    #[must_use]
    pub fn with_transcript(transcript_bytes: u64) -> Self {
        Self {
            transcript_bytes,
            budget_tokens: match transcript_bytes {
                0 => limits::BUDGET_TOKENS_DEFAULT,
                _ => limits::BUDGET_TOKENS_TRANSCRIPT_DEFAULT,
            },
            ..Self::default()
        }
    }

    /// Whether a transcript is kept on disk.
    #[must_use]
    pub fn keeps_transcript(&self) -> bool {
        self.transcript_bytes > 0
    }

    /// The bounds of raw talk, which shares the budget with the tree.
    #[must_use]
    pub fn raw_limits(&self) -> RawLimits {
        let held = limits::RAW_TOKENS_MAX.min(self.budget_tokens / limits::RAW_PART);
        let block = match self.boundary {
            BoundaryPolicy::Paper => limits::BLOCK_TOKENS_MAX,
            BoundaryPolicy::Adaptive => limits::ADAPTIVE_BLOCK_TOKENS_MAX,
        };
        RawLimits {
            held,
            utterance: limits::UTTERANCE_TOKENS_MAX.min(held / 2),
            block: block.min(held / 2),
            leading: held.min(self.budget_tokens / limits::LEADING_PART),
        }
    }

    /// Tokens of the budget reserved for raw talk: an open block with its leading context. Without
    /// this, each utterance would prune the tree and each mount would free space again.
    #[must_use]
    pub fn raw_reserve(&self) -> usize {
        let raw = self.raw_limits();
        raw.leading + raw.block
    }

    /// The same session under the rules of ProStream as written: its utility, its top-down recall,
    /// its block rule, its merging by cosine alone (sections 5.1 to 5.4), and no transcript. The
    /// thresholds stay those of the encoder. For comparisons; the default keeps and finds more.
    #[must_use]
    pub fn by_the_paper(self) -> Self {
        Self {
            utility: UtilityPolicy::Paper,
            recall: RecallPolicy::TopDown,
            boundary: BoundaryPolicy::Paper,
            merge: MergePolicy::Paper,
            transcript_bytes: 0,
            ..self
        }
    }

    /// Whether it is under the rules of ProStream as written.
    #[must_use]
    pub fn is_by_the_paper(&self) -> bool {
        *self == self.clone().by_the_paper()
    }

    /// ProStream as written, with the constants of its own encoder (section 6.1, appendix B).
    #[must_use]
    pub fn prostream_paper() -> Self {
        Self {
            profile: EncoderProfile::prostream_paper(),
            ..Self::default().by_the_paper()
        }
    }

    /// Checks every number against its range.
    ///
    /// # Errors
    /// The first setting out of range, with its name, value and range.
    pub fn check(&self) -> Result<(), ConfigError> {
        let range = |name, value: f64, min: f64, max: f64| {
            if value.is_finite() && (min..=max).contains(&value) {
                Ok(())
            } else {
                Err(ConfigError {
                    name,
                    value,
                    min,
                    max,
                })
            }
        };
        for (name, budget, min, max) in [
            (
                "budget-tokens",
                self.budget_tokens,
                limits::BUDGET_TOKENS_MIN,
                limits::BUDGET_TOKENS_MAX,
            ),
            (
                "budget-bytes",
                self.budget_bytes,
                limits::TREE_BYTES_MIN,
                limits::TREE_BYTES_MAX,
            ),
            (
                "budget-nodes",
                self.budget_nodes,
                limits::NODES_MIN,
                limits::NODES_MAX,
            ),
        ] {
            range(name, budget as f64, min as f64, max as f64)?;
        }
        for (name, weight) in [
            ("frequency-weight", self.frequency_weight),
            ("recency-weight", self.recency_weight),
            ("salience-weight", self.salience_weight),
            ("decay-per-hour", self.decay_per_hour),
        ] {
            range(name, f64::from(weight), 0.0, 1_000.0)?;
        }
        let boost = f64::from(self.stability_boost);
        range("stability-boost", boost, 1.0, 10.0)?;
        range("recency-tau-ms", self.recency_tau_ms as f64, 1.0, 1e15)?;
        range("salience-tau-ms", self.salience_tau_ms as f64, 1.0, 1e15)?;
        let profile = &self.profile;
        for (name, cosine) in [
            ("drift-cosine", profile.drift_cosine),
            ("novelty-cosine", profile.novelty_cosine),
            ("merge-cosine", profile.merge_cosine),
            ("scene-cosine", profile.scene_cosine),
            ("recall-cosine", profile.recall_cosine),
            ("support-cosine", profile.support_cosine),
        ] {
            range(name, f64::from(cosine), -1.0, 1.0)?;
        }
        Ok(())
    }
}
