//! T5's relative position bias: a bias on attention by the distance between two tokens, in buckets
//! that widen (Raffel et al. 2020, section 2.1).

use candle_core::{Device, Result, Tensor};

/// The bias of one stack, shared by all its layers.
#[derive(Debug)]
pub(super) struct Bias {
    /// One value per head for each bucket.
    table: Vec<f32>,
    heads: usize,
    buckets: usize,
    distance_max: usize,
    /// Whether tokens also attend to later ones: in the encoder they do.
    both_ways: bool,
    /// Device of attention and its bias.
    device: Device,
}

impl Bias {
    /// `table` is `[buckets, heads]`, on the device of the attention.
    pub(super) fn new(table: &Tensor, distance_max: usize, both_ways: bool) -> Result<Self> {
        let (buckets, heads) = table.dims2()?;
        Ok(Self {
            table: table.flatten_all()?.to_vec1()?,
            heads,
            buckets,
            distance_max,
            both_ways,
            device: table.device().clone(),
        })
    }

    /// `[heads, tokens, tokens]`: rows are queries, columns are keys.
    pub(super) fn square(&self, tokens: usize) -> Result<Tensor> {
        // Neighbouring rows differ only by a shift, so each distance is looked up once.
        let back = tokens as isize - 1;
        let slots: Vec<usize> = (-back..=back).map(|by| self.slot(by)).collect();
        let mut values = Vec::with_capacity(self.heads * tokens * tokens);
        for head in 0..self.heads {
            for row in 0..tokens {
                let seen = &slots[tokens - 1 - row..][..tokens];
                values.extend(seen.iter().map(|slot| self.table[slot * self.heads + head]));
            }
        }
        Tensor::from_vec(values, (self.heads, tokens, tokens), &self.device)
    }

    /// `[1, heads, 1, tokens]`: the last of `tokens` as query, all of them as keys.
    pub(super) fn last_row(&self, tokens: usize) -> Result<Tensor> {
        let slots: Vec<usize> = (0..tokens)
            .map(|at| self.slot(at as isize - (tokens as isize - 1)))
            .collect();
        let values: Vec<f32> = (0..self.heads)
            .flat_map(|head| {
                let one = move |slot: &usize| self.table[slot * self.heads + head];
                slots.iter().map(one)
            })
            .collect();
        Tensor::from_vec(values, (1, self.heads, 1, tokens), &self.device)
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.table.len() * size_of::<f32>()
    }

    fn slot(&self, by: isize) -> usize {
        bucket(by, self.both_ways, self.buckets, self.distance_max)
    }
}

/// The bucket of a key `by` positions after the query. The first half of the buckets has one
/// distance each, the others grow with its logarithm.
fn bucket(by: isize, both_ways: bool, buckets: usize, distance_max: usize) -> usize {
    let (first, buckets) = match both_ways {
        true => (if by > 0 { buckets / 2 } else { 0 }, buckets / 2),
        false => (0, buckets),
    };
    let distance = if both_ways || by < 0 {
        by.unsigned_abs()
    } else {
        0
    };
    let exact = buckets / 2;
    if distance < exact {
        return first + distance;
    }
    // In f32 and in this order, to round like the reference.
    let ratio = (distance as f32 / exact as f32).ln();
    let whole = (distance_max as f64 / exact as f64).ln() as f32;
    let far = (ratio / whole * (buckets - exact) as f32) as usize;
    first + (exact + far).min(buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_the_reference() {
        let golden = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../fixtures/golden/tiny-t5/golden.json"
        );
        let golden = std::fs::read(golden).expect("the golden file is there");
        let golden: serde_json::Value = serde_json::from_slice(&golden).expect("it is JSON");
        for (side, both_ways) in [("encoder", true), ("decoder", false)] {
            let expected = golden["buckets"][side].as_array().expect("a list");
            assert_eq!(expected.len(), 1_201);
            for (by, expected) in (-600..=600).zip(expected) {
                let found = bucket(by, both_ways, 32, 128);
                assert_eq!(expected.as_u64(), Some(found as u64), "{side} at {by}");
            }
        }
    }

    #[test]
    fn a_row_is_the_last_of_the_square() {
        let table: Vec<f32> = (0..64_u8).map(f32::from).collect();
        let table = Tensor::from_vec(table, (32, 2), &Device::Cpu).expect("64 values");
        let bias = Bias::new(&table, 128, false).expect("a table");
        let square = bias.square(40).expect("a square");
        let row = bias.last_row(40).expect("a row");
        let square = square.narrow(1, 39, 1).expect("its last row");
        let values = |x: Tensor| x.flatten_all()?.to_vec1::<f32>();
        assert_eq!(values(square).ok(), values(row).ok());
    }
}
