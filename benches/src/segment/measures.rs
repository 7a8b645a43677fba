//! Agreement of found and true boundaries: Pk (Beeferman et al. 1999) and WindowDiff (Pevzner and
//! Hearst 2002), as nltk computes them; lower is better.
//!
//! A segmentation states for each turn whether a segment begins there. A window of `k` turns slides
//! over both: Pk is the share of windows in which only one has a boundary, WindowDiff the share in
//! which their numbers of boundaries differ.

/// Half the mean true segment length, rounded, at least 2: the `k` of both measures.
pub(crate) fn window_turns(truth: &[bool]) -> usize {
    let segments = 1 + truth.iter().filter(|begins| **begins).count();
    ((truth.len() as f64 / (2 * segments) as f64).round() as usize).max(2)
}

/// Pk of `found` against `truth`.
pub(crate) fn pk(truth: &[bool], found: &[bool], k: usize) -> f64 {
    share(truth, found, k, |t, f| (t > 0) != (f > 0))
}

/// WindowDiff of `found` against `truth`.
pub(crate) fn window_diff(truth: &[bool], found: &[bool], k: usize) -> f64 {
    share(truth, found, k, |t, f| t != f)
}

fn share(truth: &[bool], found: &[bool], k: usize, differ: fn(usize, usize) -> bool) -> f64 {
    assert_eq!(truth.len(), found.len(), "both are of the same turns");
    let count = |window: &[bool]| window.iter().filter(|begins| **begins).count();
    let windows = truth.windows(k).zip(found.windows(k));
    let all = windows.len();
    let wrong = windows.filter(|(t, f)| differ(count(t), count(f))).count();
    wrong as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Case {
        truth: String,
        found: String,
        k: usize,
        pk: f64,
        window_diff: f64,
    }

    fn flags(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == '1').collect()
    }

    #[test]
    fn values_are_those_of_nltk() {
        let path = weir_fixtures::golden_dir().join("segmentation.json");
        let cases: Vec<Case> = crate::files::json(&path, "cases").expect("the golden file");
        assert!(cases.len() > 10);
        for case in cases {
            let (truth, found) = (flags(&case.truth), flags(&case.found));
            assert!((pk(&truth, &found, case.k) - case.pk).abs() < 1e-12);
            assert!((window_diff(&truth, &found, case.k) - case.window_diff).abs() < 1e-12);
        }
    }

    #[test]
    fn the_window_is_half_a_mean_segment() {
        assert_eq!(window_turns(&flags("000000000000")), 6);
        assert_eq!(window_turns(&flags("000000100000")), 3);
        assert_eq!(window_turns(&flags("0101")), 2);
    }
}
