//! Counts of labels and findings, and what follows from them.

use super::polarity::Polarity;
use serde::Serialize;

/// How often a label (row) was found as a polarity (column).
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Confusion([[usize; 3]; 3]);

impl Confusion {
    pub(crate) fn add(&mut self, label: Polarity, found: Polarity) {
        self.0[label as usize][found as usize] += 1;
    }

    pub(crate) fn count(&self) -> usize {
        self.0.as_flattened().iter().sum()
    }

    /// Counts by label.
    pub(crate) fn rows(&self) -> [[usize; 3]; 3] {
        self.0
    }

    pub(crate) fn accuracy(&self) -> f64 {
        let right: usize = (0..3).map(|at| self.0[at][at]).sum();
        right as f64 / self.count().max(1) as f64
    }

    /// Harmonic mean of precision and recall of one polarity; 0 if it was never right.
    pub(crate) fn f1(&self, at: usize) -> f64 {
        let right = self.0[at][at];
        let labelled: usize = self.0[at].iter().sum();
        let found: usize = self.0.iter().map(|row| row[at]).sum();
        2.0 * right as f64 / (labelled + found).max(1) as f64
    }

    /// Mean F1 of the three polarities.
    pub(crate) fn macro_f1(&self) -> f64 {
        (0..3).map(|at| self.f1(at)).sum::<f64>() / 3.0
    }

    /// Mean F1 of the polarities, each weighted by its labels.
    pub(crate) fn weighted_f1(&self) -> f64 {
        let labels = self.0.map(|row| row.iter().sum::<usize>() as f64);
        let sum: f64 = (0..3).map(|at| labels[at] * self.f1(at)).sum();
        sum / labels.iter().sum::<f64>().max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_over_polarities() {
        let confusion = Confusion([[3, 1, 0], [0, 2, 2], [1, 0, 1]]);
        assert_eq!(confusion.count(), 10);
        assert!((confusion.accuracy() - 0.6).abs() < 1e-12);
        // F1: 6/8, 4/7, 2/5
        let f1 = [0.75, 4.0 / 7.0, 0.4];
        assert!((confusion.macro_f1() - f1.iter().sum::<f64>() / 3.0).abs() < 1e-12);
        let weighted = 0.4 * f1[0] + 0.4 * f1[1] + 0.2 * f1[2];
        assert!((confusion.weighted_f1() - weighted).abs() < 1e-12);
        assert!(Confusion::default().macro_f1().abs() < 1e-12);
    }
}
