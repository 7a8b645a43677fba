//! Disentangled attention (He et al. 2021): the attention between two tokens depends on both and on
//! their distance, in buckets that widen.
//!
//! On the CPU it is one pass over the products, on other devices a few candle operations.

use candle_core::{CpuStorage, CustomOp3, Device, Layout, Result, Shape, Tensor, bail};
use candle_nn::ops::softmax_last_dim;

use super::config::Encoder;

/// The buckets of all distances in a text.
#[derive(Debug)]
pub(super) struct Positions {
    /// Half the rows of the table of positions.
    span: usize,
    buckets: Option<usize>,
    positions: usize,
}

/// The rows of the table needed for texts of one length.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    /// The first row.
    pub(super) first: usize,
    /// Number of consecutive rows.
    pub(super) count: usize,
    /// For each distance from `1 - tokens` to `tokens - 1`, its row counted from the first.
    rows: Vec<u32>,
    /// Index tables for devices other than the CPU.
    places: Option<Places>,
}

/// For each pair of tokens, the index of its value in a head's products with the positions,
/// `[tokens * count]`: in those of the queries, and in those of the keys. A device can look values
/// up only by an index list; it is the same for all heads and layers.
#[derive(Debug, Clone)]
struct Places {
    queries: Tensor,
    keys: Tensor,
}

impl Positions {
    pub(super) fn new(config: &Encoder) -> Self {
        Self {
            span: config.span(),
            buckets: config.buckets(),
            positions: config.positions(),
        }
    }

    /// The rows for `tokens` tokens, at least one.
    pub(super) fn reach(&self, tokens: usize) -> Reach {
        let far = tokens as i64 - 1;
        let span = self.span as i64;
        let row = |distance| (self.bucket(distance) + span).clamp(0, 2 * span - 1);
        let rows: Vec<i64> = (-far..=far).map(row).collect();
        // Row numbers grow with the distance.
        let (first, last) = (rows[0], rows[rows.len() - 1]);
        Reach {
            first: first as usize,
            count: (last - first) as usize + 1,
            rows: rows.into_iter().map(|row| (row - first) as u32).collect(),
            places: None,
        }
    }

    /// The bucket of a distance: small ones have one each, the others grow with its logarithm.
    fn bucket(&self, distance: i64) -> i64 {
        let Some(buckets) = self.buckets else {
            return distance;
        };
        let middle = buckets as i64 / 2;
        if distance.abs() <= middle {
            return distance;
        }
        // In f32 and in this order, to round like the reference.
        let ratio = (distance.abs() as f32 / middle as f32).ln();
        let whole = ((self.positions as f64 - 1.0) / middle as f64) as f32;
        let steps = (ratio / whole.ln() * (middle - 1) as f32).ceil() as i64;
        (steps + middle) * distance.signum()
    }
}

/// The attention weights, `[heads, tokens, tokens]`, from the products of queries with keys, of
/// queries with positions and of keys with positions; the last two are `[heads, tokens, count]`.
pub(super) fn weights(
    reach: &Reach,
    content: &Tensor,
    to_position: &Tensor,
    from_position: &Tensor,
) -> Result<Tensor> {
    match &reach.places {
        None => content.apply_op3_no_bwd(to_position, from_position, reach),
        Some(places) => places.weights(content, to_position, from_position),
    }
}

impl CustomOp3 for Reach {
    fn name(&self) -> &'static str {
        "disentangled-attention"
    }

    fn cpu_fwd(
        &self,
        content: &CpuStorage,
        content_layout: &Layout,
        to: &CpuStorage,
        to_layout: &Layout,
        from: &CpuStorage,
        from_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (heads, tokens, _) = content_layout.shape().dims3()?;
        let content = whole(content, content_layout)?;
        let (to, from) = (whole(to, to_layout)?, whole(from, from_layout)?);
        if self.rows.len() + 1 != 2 * tokens
            || to.len() != heads * tokens * self.count
            || from.len() != to.len()
            || content.len() != heads * tokens * tokens
        {
            bail!("attention to positions of another number of tokens");
        }
        let mut weights = content.to_vec();
        let texts = weights.chunks_exact_mut(tokens * tokens);
        let sides = to
            .chunks_exact(tokens * self.count)
            .zip(from.chunks_exact(tokens * self.count));
        for (head, (to, from)) in texts.zip(sides) {
            self.one_head(head, to, from);
        }
        Ok((CpuStorage::F32(weights), content_layout.shape().clone()))
    }
}

impl Reach {
    /// The same for attention on `device`. O(tokens^2) unless that is the CPU.
    pub(super) fn on(self, device: &Device) -> Result<Self> {
        if device.is_cpu() {
            return Ok(self);
        }
        let places = Some(self.places(device)?);
        Ok(Self { places, ..self })
    }

    fn places(&self, device: &Device) -> Result<Places> {
        let tokens = self.rows.len() / 2 + 1;
        let list = |of: fn(usize, usize) -> usize| {
            let pairs = (0..tokens).flat_map(|query| (0..tokens).map(move |key| (query, key)));
            let place = |(query, key)| {
                let row = self.rows[query + tokens - 1 - key];
                (of(query, key) * self.count) as u32 + row
            };
            Tensor::from_vec(pairs.map(place).collect(), tokens * tokens, device)
        };
        Ok(Places {
            queries: list(|query, _| query)?,
            keys: list(|_, key| key)?,
        })
    }

    fn one_head(&self, head: &mut [f32], to: &[f32], from: &[f32]) {
        let tokens = self.rows.len() / 2 + 1;
        for (query, row) in head.chunks_exact_mut(tokens).enumerate() {
            // The distance falls as the key index rises.
            let rows = self.rows[query..query + tokens].iter().rev();
            let to = &to[query * self.count..][..self.count];
            let keys = from.chunks_exact(self.count);
            for ((value, at), from) in row.iter_mut().zip(rows).zip(keys) {
                let at = *at as usize;
                *value += to[at] + from[at];
            }
            softmax(row);
        }
    }
}

impl Places {
    /// [`weights`] on the CPU.
    fn weights(&self, content: &Tensor, to: &Tensor, from: &Tensor) -> Result<Tensor> {
        let pick = |products: &Tensor, places: &Tensor| {
            let picked = products.flatten_from(1)?.index_select(places, 1)?;
            picked.reshape(content.dims())
        };
        let sum = ((content + pick(to, &self.queries)?)? + pick(from, &self.keys)?)?;
        softmax_last_dim(&sum)
    }
}

fn softmax(row: &mut [f32]) {
    let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in row.iter_mut() {
        *value = (*value - top).exp();
        sum += *value;
    }
    let scale = 1.0 / sum;
    row.iter_mut().for_each(|value| *value *= scale);
}

fn whole<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<f32>()?[start..end]),
        None => bail!("attention takes matrices that are in one piece"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_the_reference() {
        let golden = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../fixtures/golden/tiny-gliner/golden.json"
        );
        let golden = std::fs::read(golden).expect("the golden file is there");
        let golden: serde_json::Value = serde_json::from_slice(&golden).expect("it is JSON");
        let positions = Positions {
            span: 256,
            buckets: Some(256),
            positions: 512,
        };
        let expected = golden["buckets"].as_array().expect("a list");
        assert_eq!(expected.len(), 1_401);
        for (distance, expected) in (-700..=700).zip(expected) {
            let found = positions.bucket(distance);
            assert_eq!(expected.as_i64(), Some(found), "at {distance}");
        }
    }

    /// The largest difference between the two implementations for `tokens` tokens.
    fn apart(tokens: usize) -> Result<f32> {
        let positions = Positions {
            span: 8,
            buckets: Some(8),
            positions: 64,
        };
        let reach = positions.reach(tokens);
        let wave = |columns: usize, by: f64| {
            let values = Tensor::arange(0., (3 * tokens * columns) as f32, &Device::Cpu)?;
            ((values * by)?.sin()? * 4.0)?.reshape((3, tokens, columns))
        };
        let content = wave(tokens, 0.7)?;
        let (to, from) = (wave(reach.count, 1.3)?, wave(reach.count, 2.9)?);
        let on_cpu = weights(&reach, &content, &to, &from)?;
        let placed = Reach {
            places: Some(reach.places(&Device::Cpu)?),
            ..reach
        };
        let off = (on_cpu - weights(&placed, &content, &to, &from)?)?;
        off.abs()?.flatten_all()?.max(0)?.to_scalar()
    }

    #[test]
    fn other_devices_weigh_as_the_cpu_does() {
        for tokens in [1, 2, 7, 50] {
            let off = apart(tokens).expect("weights");
            assert!(off < 1e-6, "{tokens} tokens are off by {off:e}");
        }
    }

    #[test]
    fn a_reach_is_as_small_as_the_text() {
        let positions = Positions {
            span: 256,
            buckets: Some(256),
            positions: 512,
        };
        let short = positions.reach(3);
        assert_eq!((short.first, short.count), (254, 5));
        assert_eq!(short.rows, [0, 1, 2, 3, 4]);
        let long = positions.reach(900);
        assert_eq!((long.first, long.count), (0, 512));
        assert_eq!(long.rows.len(), 1_799);
    }
}
