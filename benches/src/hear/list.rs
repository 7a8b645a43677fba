//! A list of clips: each line has a file and its text, separated by a tab.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// A recording and its text.
pub(super) struct Clip {
    pub(super) path: PathBuf,
    pub(super) said: String,
}

/// A line's file and text.
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
