//! Pooling: combines the vectors of a text's tokens into one.

use std::path::Path;

use serde_json::{Map, Value};

use crate::checkpoint::{LoadError, read_json_if_there};

const SUPPORTED: &str = "one of mean, cls, max, mean_sqrt_len_tokens, weightedmean and lasttoken";

/// The modes of sentence-transformers, by their names there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    Mean,
    /// The first token's vector.
    Cls,
    /// The largest value of each component.
    Max,
    /// The sum, divided by the root of the number of tokens.
    MeanSqrtLen,
    /// The mean, the n-th token weighted by n.
    WeightedMean,
    LastToken,
}

impl Pooling {
    /// The mode in `file`, a pooling module's settings; the mean if the file does not exist.
    pub(super) fn read(file: &Path) -> Result<Self, LoadError> {
        let Some(settings) = read_json_if_there::<Map<String, Value>>(file)? else {
            return Ok(Self::Mean);
        };
        let refused = |field, found: String, expected| LoadError::Setting {
            file: file.to_owned(),
            field,
            found,
            expected,
        };
        if settings.get("include_prompt") == Some(&Value::Bool(false)) {
            let expected = "true";
            return Err(refused("include_prompt", "false".to_owned(), expected));
        }
        let modes = modes(&settings);
        match modes.as_slice() {
            [] => Err(refused("pooling_mode", "not given".to_owned(), SUPPORTED)),
            [mode] => {
                Self::named(mode).ok_or_else(|| refused("pooling_mode", mode.clone(), SUPPORTED))
            }
            several => Err(refused("pooling_mode", several.join("+"), SUPPORTED)),
        }
    }

    fn named(mode: &str) -> Option<Self> {
        Some(match mode {
            "mean" | "mean_tokens" => Self::Mean,
            "cls" | "cls_token" => Self::Cls,
            "max" | "max_tokens" => Self::Max,
            "mean_sqrt_len_tokens" => Self::MeanSqrtLen,
            "weightedmean" | "weightedmean_tokens" => Self::WeightedMean,
            "lasttoken" => Self::LastToken,
            _ => return None,
        })
    }

    /// One vector from the `[tokens, size]` of a text with at least one token.
    pub(super) fn pool(self, tokens: &[f32], size: usize) -> Vec<f32> {
        let rows = tokens.chunks_exact(size);
        let count = rows.len() as f32;
        match self {
            Self::Cls => tokens[..size].to_vec(),
            Self::LastToken => tokens[tokens.len() - size..].to_vec(),
            Self::Max => {
                let mut most = vec![f32::NEG_INFINITY; size];
                // NaN must not be skipped.
                let larger = |a: f32, b: f32| if a.is_nan() || a > b { a } else { b };
                for row in rows {
                    most.iter_mut()
                        .zip(row)
                        .for_each(|(most, x)| *most = larger(*most, *x));
                }
                most
            }
            Self::Mean => weighted(rows.map(|row| (1.0, row)), size, count),
            Self::MeanSqrtLen => weighted(rows.map(|row| (1.0, row)), size, count.sqrt()),
            Self::WeightedMean => {
                let weights = (1..).map(|place: u32| place as f32);
                weighted(weights.zip(rows), size, count * (count + 1.0) / 2.0)
            }
        }
    }
}

/// The modes in new settings, one or several names, and in old ones, a flag for each.
fn modes(settings: &Map<String, Value>) -> Vec<String> {
    let mut modes: Vec<String> = settings
        .iter()
        .filter(|(_, value)| **value == Value::Bool(true))
        .filter_map(|(key, _)| key.strip_prefix("pooling_mode_").map(str::to_owned))
        .collect();
    match settings.get("pooling_mode") {
        Some(Value::String(mode)) => modes.push(mode.clone()),
        Some(Value::Array(names)) => {
            modes.extend(names.iter().filter_map(Value::as_str).map(str::to_owned));
        }
        _ => {}
    }
    modes
}

fn weighted<'a>(
    rows: impl Iterator<Item = (f32, &'a [f32])>,
    size: usize,
    divisor: f32,
) -> Vec<f32> {
    let mut sum = vec![0.0; size];
    for (weight, row) in rows {
        sum.iter_mut()
            .zip(row)
            .for_each(|(sum, x)| *sum += weight * x);
    }
    sum.iter_mut().for_each(|x| *x /= divisor);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_pool_follow_their_definitions() {
        let tokens = [1.0, -2.0, 3.0, 0.0, 2.0, -4.0, 6.0, 2.0];
        let cases = [
            (Pooling::Mean, [3.0, -1.0]),
            (Pooling::Cls, [1.0, -2.0]),
            (Pooling::Max, [6.0, 2.0]),
            (Pooling::MeanSqrtLen, [6.0, -2.0]),
            (
                Pooling::WeightedMean,
                [(1.0 + 6.0 + 6.0 + 24.0) / 10.0, -0.6],
            ),
            (Pooling::LastToken, [6.0, 2.0]),
        ];
        for (pooling, expected) in cases {
            assert_eq!(pooling.pool(&tokens, 2), expected, "{pooling:?}");
        }
        let damaged = [f32::NAN, 1.0, 2.0, f32::NAN];
        let most = Pooling::Max.pool(&damaged, 2);
        assert!(most.iter().all(|x| x.is_nan()), "{most:?}");
    }
}
