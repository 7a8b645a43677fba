//! Attention of one query head over cached keys and values.
//!
//! Keys lie in blocks of eight positions, dimension after dimension, so that eight scores are
//! formed side by side; values lie position after position.

use pulp::NullaryFnOnce;

use super::lanes;

/// Positions that lie side by side.
pub(super) const POSITIONS: usize = 8;
/// Blocks of positions whose scores are formed together, which hides the latency of additions.
const BLOCKS: usize = 4;
/// Dimensions of the result that are kept in registers together.
const SPAN: usize = 64;

/// The keys and values of one layer.
#[derive(Debug)]
pub(super) struct LayerCache {
    /// Key-value head, block of positions, dimension, position in the block.
    keys: Vec<f32>,
    /// Key-value head, position, dimension.
    values: Vec<f32>,
    positions: usize,
    head_width: usize,
    /// Whether all that meets here is rounded to half floats, as llama.cpp does with quantised
    /// models. Kept in f32, since unpacking halves takes instructions of its own.
    is_half: bool,
}

impl LayerCache {
    /// Room for `positions`, a multiple of eight. The system hands out its pages when they are
    /// first written to.
    pub(super) fn new(heads: usize, head_width: usize, positions: usize, is_half: bool) -> Self {
        let floats = heads * head_width * positions;
        Self {
            keys: vec![0.0; floats],
            values: vec![0.0; floats],
            positions,
            head_width,
            is_half,
        }
    }

    /// Whether queries are to be rounded to half floats.
    pub(super) fn is_half(&self) -> bool {
        self.is_half
    }

    /// Writes the key and value of all heads at `position`.
    pub(super) fn set(&mut self, position: usize, key: &mut [f32], value: &mut [f32]) {
        if self.is_half {
            lanes::run(lanes::ToHalf(key));
            lanes::run(lanes::ToHalf(value));
        }
        let width = self.head_width;
        let (block, lane) = (position / POSITIONS, position % POSITIONS);
        let heads = key.chunks_exact(width).zip(value.chunks_exact(width));
        for (head, (key, value)) in heads.enumerate() {
            let first = head * self.positions * width;
            let keys = &mut self.keys[first + block * POSITIONS * width..][..POSITIONS * width];
            for (eight, x) in keys.chunks_exact_mut(POSITIONS).zip(key) {
                eight[lane] = *x;
            }
            self.values[first + position * width..][..width].copy_from_slice(value);
        }
    }

    /// What `query` finds in the first `count` positions of a head, into `out`. `scores` is
    /// working room.
    pub(super) fn attend(
        &self,
        head: usize,
        count: usize,
        query: &[f32],
        scores: &mut Vec<f32>,
        out: &mut [f32],
    ) {
        let first = head * self.positions * self.head_width;
        let padded = count.next_multiple_of(POSITIONS);
        scores.clear();
        scores.resize(padded, 0.0);
        lanes::run(Attend {
            keys: &self.keys[first..][..padded * self.head_width],
            values: &self.values[first..][..count * self.head_width],
            count,
            query,
            scores,
            out,
            is_half: self.is_half,
        });
    }

    /// Bytes of address space; those of positions never used are not in memory.
    pub(super) fn bytes_per_position(&self) -> usize {
        (self.keys.len() + self.values.len()) / self.positions.max(1) * size_of::<f32>()
    }
}

struct Attend<'a> {
    keys: &'a [f32],
    values: &'a [f32],
    count: usize,
    query: &'a [f32],
    scores: &'a mut [f32],
    out: &'a mut [f32],
    is_half: bool,
}

impl NullaryFnOnce for Attend<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let scale = 1.0 / (self.query.len() as f32).sqrt();
        score(self.query, self.keys, self.scores);
        let scores = &mut self.scores[..self.count];
        softmax(scores, scale);
        if self.is_half {
            scores.iter_mut().for_each(|x| *x = lanes::to_half(*x));
        }
        gather(scores, self.values, self.out);
    }
}

/// The products of the query with every key.
#[inline(always)]
fn score(query: &[f32], keys: &[f32], scores: &mut [f32]) {
    let block = POSITIONS * query.len();
    let (scores, _) = scores.as_chunks_mut::<POSITIONS>();
    let mut several = scores.chunks_exact_mut(BLOCKS);
    let mut keys = keys;
    for scores in &mut several {
        let (now, rest) = keys.split_at(BLOCKS * block);
        keys = rest;
        let blocks: [&[[f32; POSITIONS]]; BLOCKS] =
            std::array::from_fn(|b| now[b * block..][..block].as_chunks().0);
        let mut sums = [[0.0; POSITIONS]; BLOCKS];
        for (d, &x) in query.iter().enumerate() {
            for (sum, keys) in sums.iter_mut().zip(blocks) {
                let keys = &keys[d];
                for lane in 0..POSITIONS {
                    sum[lane] += x * keys[lane];
                }
            }
        }
        scores.copy_from_slice(&sums);
    }
    let rest = several.into_remainder().iter_mut();
    for (sum, keys) in rest.zip(keys.chunks_exact(block)) {
        *sum = [0.0; POSITIONS];
        for (keys, &x) in keys.as_chunks::<POSITIONS>().0.iter().zip(query) {
            for lane in 0..POSITIONS {
                sum[lane] += x * keys[lane];
            }
        }
    }
}

/// Turns scores, times `scale`, into shares that add up to 1.
#[inline(always)]
fn softmax(scores: &mut [f32], scale: f32) {
    let most = scores.iter().fold(
        f32::NEG_INFINITY,
        |most, &x| {
            if x > most { x } else { most }
        },
    );
    for x in scores.iter_mut() {
        *x = lanes::exp((*x - most) * scale);
    }
    let total: f32 = scores.iter().sum();
    let share = 1.0 / total;
    scores.iter_mut().for_each(|x| *x *= share);
}

/// The sum of the values by their shares.
#[inline(always)]
fn gather(shares: &[f32], values: &[f32], out: &mut [f32]) {
    let width = out.len();
    let mut from = 0;
    while from + SPAN <= width {
        let mut sums = [0.0_f32; SPAN];
        for (share, value) in shares.iter().zip(values.chunks_exact(width)) {
            let (value, _) = value[from..].split_first_chunk::<SPAN>().expect("inside");
            for (sum, x) in sums.iter_mut().zip(value) {
                *sum += share * x;
            }
        }
        out[from..from + SPAN].copy_from_slice(&sums);
        from += SPAN;
    }
    let out = &mut out[from..];
    out.fill(0.0);
    for (share, value) in shares.iter().zip(values.chunks_exact(width)) {
        for (sum, x) in out.iter_mut().zip(&value[from..]) {
            *sum += share * x;
        }
    }
}
