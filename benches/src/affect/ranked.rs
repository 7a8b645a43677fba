//! Whether strength follows intensity, which no corpus here labels.
//!
//! Plutchik's wheel (1980) names weaker and stronger degrees of one emotion, and GoEmotions has
//! both for three of them. A text labelled with the stronger one should be the stronger one:
//! measured is the chance that it is, for a pair of such texts drawn at random (AUC; ties count
//! half). Also how often a text with a feeling is stronger than a neutral one.

use super::labelled::Text;
use serde::Serialize;

/// Weaker and stronger degree of one emotion.
const DEGREES: [(&str, &str); 3] = [
    ("annoyance", "anger"),
    ("nervousness", "fear"),
    ("approval", "admiration"),
];
const NEUTRAL: &str = "neutral";
/// Emotions that take no side.
const AMBIGUOUS: [&str; 4] = ["confusion", "curiosity", "realization", "surprise"];

/// How well strength tells two groups of texts apart.
#[derive(Debug, Serialize)]
pub(super) struct Ranking {
    pub(super) weaker: &'static str,
    pub(super) stronger: &'static str,
    /// Number of texts of both.
    pub(super) texts: [usize; 2],
    /// 0.5 is chance.
    pub(super) auc: f64,
}

/// The rankings of texts by their strengths; none for a corpus that names no emotion.
pub(super) fn rankings(texts: &[Text], strengths: &[f64]) -> Vec<Ranking> {
    let of = |holds: &dyn Fn(&str) -> bool| -> Vec<f64> {
        let pairs = texts.iter().zip(strengths);
        pairs
            .filter(|(text, _)| text.emotion.as_deref().is_some_and(holds))
            .map(|(_, strength)| *strength)
            .collect()
    };
    let feels = |name: &str| name != NEUTRAL && !AMBIGUOUS.contains(&name);
    let mut found = vec![ranking(
        (NEUTRAL, "a feeling"),
        &of(&|n| n == NEUTRAL),
        &of(&feels),
    )];
    for (weaker, stronger) in DEGREES {
        let (low, high) = (of(&|name| name == weaker), of(&|name| name == stronger));
        found.push(ranking((weaker, stronger), &low, &high));
    }
    found.retain(|ranking| ranking.texts.iter().all(|texts| *texts > 0));
    found
}

fn ranking(names: (&'static str, &'static str), low: &[f64], high: &[f64]) -> Ranking {
    let mut wins = 0.0;
    for a in low {
        for b in high {
            wins += if b > a {
                1.0
            } else {
                0.5 * f64::from(u8::from(b == a))
            };
        }
    }
    Ranking {
        weaker: names.0,
        stronger: names.1,
        texts: [low.len(), high.len()],
        auc: wins / (low.len() * high.len()).max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_counts_half() {
        let auc = |low: &[f64], high: &[f64]| ranking(("a", "b"), low, high).auc;
        assert!((auc(&[1.0, 2.0], &[3.0]) - 1.0).abs() < 1e-12);
        assert!((auc(&[1.0, 2.0], &[2.0, 0.0]) - 0.375).abs() < 1e-12);
    }
}
