//! Reads trained numbers by the names of their features.

use std::collections::HashMap;

/// Trained numbers that do not fit the features of this program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("weights do not fit the features: {0}")]
pub struct WrongWeights(pub String);

impl WrongWeights {
    pub(crate) fn in_use(model: &str) -> Self {
        Self(format!("{model} is in use already"))
    }
}

/// The numbers of each name: a line is a name and `N` finite numbers, in any order of the names.
///
/// # Errors
/// [`WrongWeights`] if a name is missing, unknown or there twice, or a line has other numbers.
pub(crate) fn named<const N: usize>(
    text: &str,
    names: &[&str],
) -> Result<Vec<[f32; N]>, WrongWeights> {
    let mut found: HashMap<&str, [f32; N]> = HashMap::new();
    for line in text.lines() {
        let (name, values) = line.split_once(' ').unwrap_or((line, ""));
        if !names.contains(&name) {
            return Err(WrongWeights(format!("no feature is called {name}")));
        }
        let numbers = values.split(' ').map(str::parse);
        let numbers: Result<Vec<f32>, _> = numbers.collect();
        let finite = |row: &[f32; N]| row.iter().all(|number| number.is_finite());
        let row = numbers.ok().and_then(|row| row.try_into().ok());
        let Some(row) = row.filter(finite) else {
            return Err(WrongWeights(format!("{name}: {values} is not {N} numbers")));
        };
        if found.insert(name, row).is_some() {
            return Err(WrongWeights(format!("{name} is there twice")));
        }
    }
    let missing = |name: &str| WrongWeights(format!("{name} is missing"));
    names
        .iter()
        .map(|name| found.get(name).copied().ok_or_else(|| missing(name)))
        .collect()
}
