//! Paths inside a model's folder, and patterns of those that belong to a model.

/// The name of the receipt in a model's folder.
pub(super) const RECEIPT: &str = "weir-receipt.json";
/// The lock file of processes that write into a model's folder.
pub(super) const LOCK: &str = "pull.lock";

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
}

/// Whether the parts of the pattern match those of the path.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let same = pattern.split('/').count() == path.split('/').count();
    same && pattern
        .split('/')
        .zip(path.split('/'))
        .all(|(pattern, part)| matches_part(pattern, part))
}

/// Whether the pieces between the stars occur in order in `part`, each as early as possible.
fn matches_part(pattern: &str, part: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == part;
    };
    let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
    let mut left = part.strip_prefix(head);
    for piece in middle.split('*') {
        left = left
            .and_then(|left| left.split_once(piece))
            .map(|(_, left)| left);
    }
    left.is_some_and(|left| left.ends_with(tail))
}

/// Whether a `/`-separated path names a file inside a folder on every system, and is not reserved.
pub(super) fn is_inside(path: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part != ".." && part != ".";
    let is_strange = |c: char| c.is_control() || "\\:*?|<>\"".contains(c);
    let is_ours = path == LOCK || path == RECEIPT || path.ends_with(".part");
    path.len() <= 512 && path.split('/').all(is_part) && !path.contains(is_strange) && !is_ours
}

/// Whether it has the form of an address of the hub, `owner/name`, and not of a path.
pub(super) fn is_address(text: &str) -> bool {
    text.contains('/') && !text.starts_with(['.', '/', '~']) && !text.contains('\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_within_one_part() {
        for (pattern, path, expected) in [
            ("*.json", "config.json", true),
            ("*.json", "a/config.json", false),
            ("*/config.json", "1_Pooling/config.json", true),
            ("*_Pooling/config.json", "2_Dense/config.json", false),
            ("model-*-of-*.bin", "model-1-of-2.bin", true),
            ("model-*-of-*.bin", "model-1-of.bin", false),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*", "", true),
            ("config.json", "config.jsonx", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn what_leads_outside_or_is_ours_is_no_path() {
        for bad in [
            "../x", "/x", "a//b", "a/..", "", "c:x", "a\\b", "a\nb", "pull.lock",
            "weir-receipt.json", "x.part",
        ] {
            assert!(!is_inside(bad), "{bad:?}");
        }
        assert!(is_inside("1_Pooling/config.json"));
        assert!(!Pattern::new("../*.json").is_inside() && !Pattern::new("a||b").is_inside());
    }
}
