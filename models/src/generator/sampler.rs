//! Chooses the next token from logits.

use super::trie::Mask;
use crate::Sampling;

/// Chooses tokens; the same seed gives the same choices.
#[derive(Debug)]
pub(super) struct Sampler {
    sampling: Sampling,
    state: u64,
}

impl Sampler {
    /// Refuses invalid settings.
    pub(super) fn new(sampling: Sampling) -> Result<Self, String> {
        let mut state = 0;
        if let Sampling::Random {
            temperature,
            top_p,
            seed,
            ..
        } = sampling
        {
            if !(temperature > 0.0 && temperature.is_finite()) {
                return Err(format!("a temperature of {temperature}; it is above 0"));
            }
            if !(0.0..=1.0).contains(&top_p) {
                return Err(format!("a top_p of {top_p}; it is 0 to 1"));
            }
            state = seed;
        }
        Ok(Self { sampling, state })
    }

    /// Chooses among the tokens of `mask`, or all without a mask; `None` if every logit is NaN.
    ///
    /// Random choice: logits are divided by the temperature, the most probable `top_k` are kept, of
    /// these the most probable with a total of `top_p`, and one of them is drawn.
    pub(super) fn choose(&mut self, logits: &[f32], mask: Option<&Mask>) -> Option<u32> {
        let allowed = (0_u32..).zip(logits).filter(|(id, logit)| {
            // Some models forbid a token with a logit of minus infinity.
            **logit > f32::NEG_INFINITY && mask.is_none_or(|mask| mask.has(*id))
        });
        let allowed = allowed.map(|(id, &logit)| (id, logit));
        match self.sampling {
            Sampling::Greedy => {
                let better = |best: (u32, f32), next: (u32, f32)| {
                    if next.1 > best.1 { next } else { best }
                };
                allowed.reduce(better).map(|(id, _)| id)
            }
            Sampling::Random {
                temperature,
                top_k,
                top_p,
                ..
            } => {
                let mut kept: Vec<(u32, f32)> = allowed.collect();
                let likelier =
                    |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
                if top_k > 0 && top_k < kept.len() {
                    kept.select_nth_unstable_by(top_k - 1, likelier);
                    kept.truncate(top_k);
                }
                kept.sort_unstable_by(likelier);
                self.draw(&mut kept, temperature, f64::from(top_p))
            }
        }
    }

    fn draw(&mut self, kept: &mut Vec<(u32, f32)>, temperature: f32, top_p: f64) -> Option<u32> {
        let most = kept.first()?.1;
        let odds = |logit: f32| f64::from((logit - most) / temperature).exp();
        let total: f64 = kept.iter().map(|(_, logit)| odds(*logit)).sum();
        let mut sum = 0.0;
        let enough = kept.iter().position(|(_, logit)| {
            sum += odds(*logit) / total;
            sum >= top_p
        });
        kept.truncate(enough.map_or(kept.len(), |at| at + 1));
        let total: f64 = kept.iter().map(|(_, logit)| odds(*logit)).sum();
        let mut mark = self.chance() * total;
        for (id, logit) in &*kept {
            mark -= odds(*logit);
            if mark < 0.0 {
                return Some(*id);
            }
        }
        kept.last().map(|(id, _)| *id)
    }

    /// From 0 to below 1 (Steele, Lea and Flood 2014, SplitMix64).
    fn chance(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
        (x >> 11) as f64 / (1_u64 << 53) as f64
    }
}
