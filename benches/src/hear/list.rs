//! A list of clips: in each line a file and what is said in it, with a tab between them.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// A recording and what is said in it.
pub(super) struct Clip {
    pub(super) path: PathBuf,
    pub(super) said: String,
}

/// A line's file and what is said in it.
pub(super) fn parted<'a>(list: &Path, number: usize, line: &'a str) -> Result<(&'a str, &'a str)> {
    line.split_once('\t')
        .with_context(|| format!("{}, line {}: no tab in it", list.display(), number + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_a_tab_is_named() {
        let list = Path::new("list.tsv");
        assert_eq!(
            parted(list, 0, "a.wav\tyes").expect("whole"),
            ("a.wav", "yes")
        );
        let error = parted(list, 4, "a.wav yes")
            .expect_err("no tab")
            .to_string();
        assert_eq!(error, "list.tsv, line 5: no tab in it");
    }
}
