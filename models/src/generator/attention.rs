//! Attention of one query head over cached keys and values.
//!
//! Keys are stored in blocks of eight positions, dimension by dimension, so that eight scores are
//! computed together; values are stored position by position. Sums are added in llama.cpp's order
//! for a prompt with AVX2.

use pulp::NullaryFnOnce;

use super::lanes;

/// Positions stored together.
pub(super) const POSITIONS: usize = 8;
/// Dimensions of the result that are kept in registers together.
const SPAN: usize = 32;

/// The keys and values of one layer.
#[derive(Debug)]
pub(super) struct LayerCache {
    /// Key-value head, block of positions, dimension, position in the block.
    keys: Vec<f32>,
    /// Key-value head, position, dimension.
    values: Vec<f32>,
    positions: usize,
    head_width: usize,
    /// Whether queries, keys and values are rounded to half floats, as llama.cpp does with
    /// quantised models. They are stored in f32, since unpacking halves takes extra instructions.
    is_half: bool,
}

impl LayerCache {
    /// Memory for `positions`, a multiple of eight. The system provides pages when they are first
    /// written.
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

    /// Whether queries are rounded to half floats.
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

    /// The attention output of `query` over the first `count` positions of a head, into `out`.
    /// `scores` is scratch memory.
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

    /// Bytes of address space; pages of unused positions are not in memory.
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
        self.scores[self.count..].fill(f32::NEG_INFINITY);
        softmax(self.scores, self.count, scale);
        if self.is_half {
            self.scores.iter_mut().for_each(|x| *x = lanes::to_half(*x));
        }
        gather(&self.scores[..self.count], self.values, self.out);
    }
}

/// The products of the query with every key. Every eighth dimension goes into one of eight sums,
/// which are added up as `lanes::sum` does.
#[inline(always)]
fn score(query: &[f32], keys: &[f32], scores: &mut [f32]) {
    let (scores, _) = scores.as_chunks_mut::<POSITIONS>();
    let (eights, rest) = query.as_chunks::<8>();
    for (score, keys) in scores
        .iter_mut()
        .zip(keys.chunks_exact(POSITIONS * query.len()))
    {
        let (whole, last) = keys.as_chunks::<POSITIONS>().0.as_chunks::<8>();
        let mut sums = [[0.0_f32; POSITIONS]; 8];
        for (eight, keys) in eights.iter().zip(whole) {
            for lane in 0..8 {
                add_times(&mut sums[lane], eight[lane], &keys[lane]);
            }
        }
        for ((sum, x), keys) in sums.iter_mut().zip(rest).zip(last) {
            add_times(sum, *x, keys);
        }
        *score = lanes::sum_of_eight(&sums);
    }
}

/// `sum` plus `x` times `what`, rounded once.
#[inline(always)]
fn add_times<const N: usize>(sum: &mut [f32; N], x: f32, what: &[f32; N]) {
    for i in 0..N {
        sum[i] = x.mul_add(what[i], sum[i]);
    }
}

/// Softmax of the scores times `scale`. Those from `count` on, which pad the last eight, become 0.
#[inline(always)]
fn softmax(scores: &mut [f32], count: usize, scale: f32) {
    let mut most = f32::NEG_INFINITY;
    for x in scores.iter_mut() {
        *x *= scale;
        most = if *x > most { *x } else { most };
    }
    for x in scores.iter_mut() {
        *x = lanes::exp(*x - most);
    }
    scores[count..].fill(0.0);
    let (eights, _) = scores.as_chunks::<8>();
    let total: f64 = eights
        .iter()
        .map(|eight| f64::from(lanes::sum(eight)))
        .sum();
    let share = (1.0 / total) as f32;
    scores.iter_mut().for_each(|x| *x *= share);
}

/// The sum of the values weighted by their softmax shares.
#[inline(always)]
fn gather(shares: &[f32], values: &[f32], out: &mut [f32]) {
    let width = out.len();
    let (spans, rest) = out.as_chunks_mut::<SPAN>();
    let from = width - rest.len();
    for (at, out) in spans.iter_mut().enumerate() {
        *out = gather_span(shares, values, width, at * SPAN);
    }
    for (at, out) in rest.iter_mut().enumerate() {
        [*out] = gather_span(shares, values, width, from + at);
    }
}

/// `S` dimensions of that sum. Every eighth position goes into one of eight sums, which are added
/// up as `lanes::sum` does.
#[inline(always)]
fn gather_span<const S: usize>(
    shares: &[f32],
    values: &[f32],
    width: usize,
    from: usize,
) -> [f32; S] {
    let mut pairs = [[0.0_f32; S]; 4];
    for (lane, pair) in pairs.iter_mut().enumerate() {
        let (mut left, mut right) = ([0.0_f32; S], [0.0_f32; S]);
        let mut position = lane;
        while position + 4 < shares.len() {
            add_times(
                &mut left,
                shares[position],
                part(values, position * width + from),
            );
            position += 4;
            add_times(
                &mut right,
                shares[position],
                part(values, position * width + from),
            );
            position += 4;
        }
        if position < shares.len() {
            add_times(
                &mut left,
                shares[position],
                part(values, position * width + from),
            );
        }
        for i in 0..S {
            pair[i] = left[i] + right[i];
        }
    }
    let [a, b, c, d] = pairs;
    std::array::from_fn(|i| (a[i] + c[i]) + (b[i] + d[i]))
}

#[inline(always)]
fn part<const S: usize>(values: &[f32], from: usize) -> &[f32; S] {
    values[from..].first_chunk().expect("inside")
}
