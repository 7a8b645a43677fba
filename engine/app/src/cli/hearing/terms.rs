//! Files of names and terms that may be said, for `--terms`.

use crate::cli::small_file;
use anyhow::{Context, bail};
use std::collections::BTreeSet;
use std::path::Path;

/// Most bytes of a file: more than a model reads in any script.
const FILE_BYTES_MAX: u64 = 64 << 10;
/// Most characters of a term.
const TERM_CHARS_MAX: usize = 80;

/// The terms of a file in their order, without repetitions.
pub(crate) fn read(file: &Path) -> anyhow::Result<Vec<String>> {
    let named = || format!("terms file {} (UTF-8, one term a line)", file.display());
    let text = small_file::text(file, FILE_BYTES_MAX).with_context(named)?;
    parse(&text).with_context(named)
}

fn parse(text: &str) -> anyhow::Result<Vec<String>> {
    let (mut terms, mut seen) = (Vec::new(), BTreeSet::new());
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
        let term = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let chars = term.chars().count();
        if chars > TERM_CHARS_MAX {
            bail!("line {number} has {chars} characters; a term has at most {TERM_CHARS_MAX}");
        }
        if !term.is_empty() && seen.insert(term.clone()) {
            terms.push(term);
        }
    }
    Ok(terms)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_term_stands_on_each_line_that_is_not_blank() {
        let terms = parse("\u{feff}Ana  Brandt\r\n\n Tartu \nAna Brandt\n").expect("terms");
        assert_eq!(terms, ["Ana Brandt", "Tartu"]);
        assert_eq!(parse("").expect("none"), Vec::<String>::new());
        let long = format!("Tartu\n{}", "\u{e4}".repeat(81));
        let why = parse(&long).expect_err("too long").to_string();
        assert!(why.contains("line 2 has 81") && why.contains("80"), "{why}");
    }
}
