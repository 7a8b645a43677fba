//! Settings of a diarizer, with their ranges.

use crate::SettingError;

/// Most speakers of one source.
pub const SPEAKERS_MAX: usize = 32;

/// How speakers are told apart. Times in milliseconds, distances are cosine distances (0 to 2).
///
/// Distances depend on the embedding model, on the channel and on the length of speech: calibrate
/// them for a model. In Coria et al. 2021 `new_distance` is called delta_new, and `update_ms_min`
/// rho_update.
#[derive(Debug, Clone, PartialEq)]
pub struct DiarizerConfig {
    /// From one window to the next, 100 to the length of a window; rounded to whole frames. Work
    /// grows with the inverse.
    pub hop_ms: u32,
    /// Sound heard after a frame before its speakers are stable. As long as a window or longer:
    /// once every window that covers the frame was seen, which is most accurate.
    pub latency_ms: u32,
    /// Distance to the nearest speaker above which a voice is a new speaker.
    pub new_distance: f32,
    /// Distance up to which a voice with too little speech for a new speaker belongs to the
    /// nearest one; above it the voice stays unknown. Vectors of short speech scatter more.
    pub short_distance: f32,
    /// Clean speech (while nobody else speaks) that a new speaker needs in one window.
    pub new_ms_min: u32,
    /// Clean speech that a known speaker's centroid needs in one window to be updated.
    pub update_ms_min: u32,
    /// Clean speech that the embedding model needs.
    pub embed_ms_min: u32,
    /// Clean speech given to the embedding model at most, the longest stretches first.
    pub embed_ms_max: u32,
    /// Length of the pieces that tell whether a local speaker has several voices. Shorter ones
    /// have less of a voice, longer ones rather mix two.
    pub piece_ms: u32,
    /// From one piece to the next. The embedding model runs once per piece.
    pub piece_hop_ms: u32,
    /// Clean speech that a piece needs.
    pub piece_ms_min: u32,
    /// Mean distance of two groups of pieces above which they are two people.
    pub split_distance: f32,
    /// Clean speech of a local speaker that is split off.
    pub split_ms_min: u32,
    /// Clean speech that a centroid weighs at most against a new vector. Overlapping windows count
    /// the same speech several times. Bounded so that a centroid follows a voice that changes.
    pub centroid_ms_max: u32,
    /// Most speakers, 1 to [`SPEAKERS_MAX`]; a voice beyond them becomes the nearest one.
    pub speakers_max: usize,
}

impl Default for DiarizerConfig {
    fn default() -> Self {
        Self {
            hop_ms: 1_000,
            latency_ms: 10_000,
            new_distance: 0.7,
            short_distance: 1.0,
            new_ms_min: 2_000,
            update_ms_min: 1_500,
            embed_ms_min: 400,
            embed_ms_max: 6_000,
            piece_ms: 1_500,
            piece_hop_ms: 500,
            piece_ms_min: 750,
            split_distance: 0.75,
            split_ms_min: 1_000,
            centroid_ms_max: 600_000,
            speakers_max: SPEAKERS_MAX,
        }
    }
}

impl DiarizerConfig {
    /// For a live source: twice as many windows, so that the speaker of the last words is known
    /// half a second after them.
    #[must_use]
    pub fn live() -> Self {
        Self {
            hop_ms: 500,
            ..Self::default()
        }
    }

    pub(super) fn check(&self) -> Result<(), SettingError> {
        for (setting, value) in [
            ("new_distance", self.new_distance),
            ("short_distance", self.short_distance),
            ("split_distance", self.split_distance),
        ] {
            SettingError::unless((0.0..=2.0).contains(&value), setting, &value, "0 to 2")?;
        }
        SettingError::unless(
            (1..=SPEAKERS_MAX).contains(&self.speakers_max),
            "speakers_max",
            &self.speakers_max,
            "1 to 32",
        )?;
        SettingError::unless(
            (1..=self.embed_ms_max).contains(&self.embed_ms_min),
            "embed_ms_min",
            &self.embed_ms_min,
            "1 to embed_ms_max",
        )?;
        SettingError::unless(
            (1..=self.piece_ms).contains(&self.piece_hop_ms),
            "piece_hop_ms",
            &self.piece_hop_ms,
            "1 to piece_ms",
        )?;
        SettingError::unless(
            self.centroid_ms_max > 0,
            "centroid_ms_max",
            &self.centroid_ms_max,
            "at least 1",
        )
    }
}
