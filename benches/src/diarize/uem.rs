//! UEM files: which parts of a recording are evaluated, `RECORDING CHANNEL START END` in seconds.

use super::rttm::microseconds;
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// A part of a recording, in microseconds: start and end.
pub(crate) type Part = (u64, u64);

/// The evaluated parts of each recording in a text. Channels are ignored; lines that begin with
/// `;;` are remarks.
pub(crate) fn parse(text: &str) -> Result<BTreeMap<String, Vec<Part>>> {
    let mut parts: BTreeMap<String, Vec<Part>> = BTreeMap::new();
    for (n, line) in text.lines().enumerate() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.first().is_none_or(|first| first.starts_with(";;")) {
            continue;
        }
        let part = match fields[..] {
            [_, _, start, end] => microseconds(start).zip(microseconds(end)),
            _ => None,
        };
        let part = part.filter(|(start, end)| start < end).with_context(|| {
            let n = n + 1;
            format!("line {n}: expected RECORDING CHANNEL START END in seconds; found `{line}`")
        })?;
        parts.entry(fields[0].to_owned()).or_default().push(part);
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_recording_are_together() -> Result<()> {
        let parts = parse(";; x\na NA 0.000 30.000\nb 1 1 2\n\na 1 40 41.5\n")?;
        assert_eq!(parts["a"], [(0, 30_000_000), (40_000_000, 41_500_000)]);
        assert_eq!(parts["b"], [(1_000_000, 2_000_000)]);
        for line in ["a 1 2", "a 1 2 2", "a 1 x 3"] {
            assert!(parse(line).is_err(), "{line}");
        }
        Ok(())
    }
}
