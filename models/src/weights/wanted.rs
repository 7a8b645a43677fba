//! Names of models, paths inside a model's folder, and patterns of those that belong to a model.

use glob::{MatchOptions, Pattern as Glob};

/// The name of the receipt in a model's folder.
pub(super) const RECEIPT: &str = "weir-receipt.json";
/// The lock file of processes that write into a model's folder.
pub(super) const LOCK: &str = "pull.lock";
/// Entries of a folder that are looked at.
pub(super) const ENTRIES_MAX: usize = 2000;
/// A star stays within one part of a path.
const WITHIN_PARTS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// A pattern of wanted files, `a/*.json`, `a|b`, `a?`: alternatives, of which the first with a
/// match wins. A `?` at the end marks an optional file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pattern<'a> {
    pub(super) alternatives: &'a str,
    pub(super) is_optional: bool,
}

impl<'a> Pattern<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let alternatives = text.strip_suffix('?').unwrap_or(text);
        Self {
            alternatives,
            is_optional: alternatives.len() < text.len(),
        }
    }

    /// Whether it matches nothing outside a folder. A star counts as a letter: it never matches a
    /// whole path.
    pub(super) fn is_inside(self) -> bool {
        let mut alternatives = self.alternatives.split('|');
        alternatives.all(|pattern| is_inside(&pattern.replace('*', "x")))
    }

    /// Those of `files`, with their paths, that the first alternative with a match matches.
    pub(super) fn choose<'f, F>(self, files: &'f [F], path: &dyn Fn(&F) -> &str) -> Vec<&'f F> {
        let matching = |pattern: &str| -> Vec<&'f F> {
            let Ok(pattern) = Glob::new(pattern) else {
                return Vec::new();
            };
            let files = files.iter();
            let is_it = |file: &&F| pattern.matches_with(path(file), WITHIN_PARTS);
            files.filter(is_it).collect()
        };
        let mut found = self.alternatives.split('|').map(matching);
        found.find(|files| !files.is_empty()).unwrap_or_default()
    }
}

/// Whether a `/`-separated path names a file inside a folder on every system, and is not reserved.
pub(super) fn is_inside(path: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part != ".." && part != ".";
    let is_strange = |c: char| c.is_control() || "\\:*?|<>\"".contains(c);
    let is_ours = path == LOCK || path == RECEIPT || path.ends_with(".part");
    path.len() <= 512 && path.split('/').all(is_part) && !path.contains(is_strange) && !is_ours
}

/// Whether it can be the name of a model: a path that stays inside its folder.
pub(super) fn is_name(name: &str) -> bool {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    (1..=128).contains(&name.len()) && name.chars().all(is_name_char) && !name.starts_with('.')
}

/// Whether it has the form of an address of the hub, `owner/name`, and not of a path.
pub(super) fn is_address(text: &str) -> bool {
    text.contains('/') && !text.starts_with(['.', '/', '~']) && !text.contains('\\')
}

/// Whether it is a hash of so many digits in hexadecimal, lower case.
pub(super) fn is_hash(text: &str, digits: usize) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == digits && text.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_within_one_part_and_the_first_alternative_wins() {
        let paths = [
            "config.json", "1_Pooling/config.json", "m-1-of-2.bin", "m-2-of-2.bin",
        ];
        for (pattern, expected) in [
            ("*.json", &paths[..1]),
            ("*_Pooling/config.json", &paths[1..2]),
            ("2_*/config.json", &[]),
            ("m-*-of-*.bin", &paths[2..]),
            ("none|config.json|m-*", &paths[..1]),
            ("config.jso", &[]),
            ("[", &[]),
        ] {
            let found = Pattern::new(pattern).choose(&paths, &|path| path);
            let found: Vec<&str> = found.into_iter().copied().collect();
            assert_eq!(found, expected, "{pattern}");
        }
    }

    #[test]
    fn what_leads_outside_or_is_ours_is_no_path() {
        for bad in [
            "../x", "/x", "a//b", "a/..", "a/../../b", "", "c:x", "a\\b", "a\nb", "pull.lock",
            "weir-receipt.json", "x.part",
        ] {
            assert!(!is_inside(bad), "{bad:?}");
        }
        assert!(is_inside("1_Pooling/config.json"));
        assert!(!Pattern::new("../*.json").is_inside() && !Pattern::new("a||b").is_inside());
    }
}
