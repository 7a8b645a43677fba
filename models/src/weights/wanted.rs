//! Patterns for the files of a repository that belong to a model.

/// The name of the receipt in a model's folder.
pub(super) const RECEIPT: &str = "weir-receipt.json";
/// The lock file of processes that write into a model's folder.
pub(super) const LOCK: &str = "pull.lock";

/// A pattern: alternatives, of which the first with a match wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    alternatives: Vec<String>,
    is_optional: bool,
}

impl Wanted {
    /// Parses `a/*.json`, `a|b`, `a?`; the error names the problem.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let bare = text.strip_suffix('?').unwrap_or(text);
        let alternatives: Vec<String> = bare.split('|').map(str::to_owned).collect();
        // A star counts as a letter here: it never matches a whole path.
        let sound = |part: &String| is_inside(&part.replace('*', "x"));
        if !alternatives.iter().all(sound) {
            return Err(format!("the pattern {text:?} is not inside its folder"));
        }
        Ok(Self {
            alternatives,
            is_optional: bare.len() < text.len(),
        })
    }

    /// The matching `paths`; `None` if a required file is missing.
    fn choose<'a>(&self, paths: &[&'a str]) -> Option<Vec<&'a str>> {
        let of = |pattern: &String| -> Vec<&'a str> {
            let meant = paths.iter().filter(|path| matches(pattern, path));
            meant.copied().collect()
        };
        let found = self.alternatives.iter().map(of).find(|of| !of.is_empty());
        found.or_else(|| self.is_optional.then(Vec::new))
    }
}

impl std::fmt::Display for Wanted {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.alternatives.join(" or "))
    }
}

/// Result of matching patterns with paths.
pub(super) struct Choice<'a, 'b> {
    /// The matches, each once, in pattern order.
    pub(super) paths: Vec<&'a str>,
    /// Required patterns without a match.
    pub(super) missing: Vec<&'b Wanted>,
}

/// Applies every pattern.
pub(super) fn choose<'a, 'b>(wanted: &'b [Wanted], paths: &[&'a str]) -> Choice<'a, 'b> {
    let mut choice = Choice {
        paths: Vec::new(),
        missing: Vec::new(),
    };
    for pattern in wanted {
        match pattern.choose(paths) {
            None => choice.missing.push(pattern),
            Some(found) => {
                for path in found {
                    if !choice.paths.contains(&path) {
                        choice.paths.push(path);
                    }
                }
            }
        }
    }
    choice
}

/// Whether a `/`-separated path names a file inside a folder on every system, and is not reserved.
pub(super) fn is_inside(path: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part != ".." && part != ".";
    let is_strange = |c: char| c.is_control() || "\\:*?|<>\"".contains(c);
    let ours = path == LOCK || path == RECEIPT || path.ends_with(".part");
    path.len() <= 512 && path.split('/').all(is_part) && !path.contains(is_strange) && !ours
}

/// Whether the parts of the pattern match those of the path.
fn matches(pattern: &str, path: &str) -> bool {
    let (mut of_pattern, mut of_path) = (pattern.split('/'), path.split('/'));
    loop {
        match (of_pattern.next(), of_path.next()) {
            (None, None) => return true,
            (Some(pattern), Some(part)) if matches_part(pattern, part) => {}
            _ => return false,
        }
    }
}

/// Whether the pieces between the stars occur in order in `part`, each as early as possible.
fn matches_part(pattern: &str, part: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == part;
    };
    let Some(mut left) = part.strip_prefix(head) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let tail = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = left.find(piece) else {
            return false;
        };
        left = &left[at + piece.len()..];
    }
    left.ends_with(tail)
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
    fn the_first_alternative_wins_and_what_is_missing_is_named() {
        let parse = |text: &str| Wanted::parse(text).expect("a good pattern");
        let wanted = [
            parse("c.json"),
            parse("a.st|b.bin"),
            parse("extra.json?"),
            parse("*.json"),
        ];
        let choice = choose(&wanted, &["b.bin", "a.st", "c.json", "d.json"]);
        assert_eq!(choice.paths, ["c.json", "a.st", "d.json"]);
        assert!(choice.missing.is_empty());
        let choice = choose(&wanted, &["x", "b.bin", "d.json"]);
        assert_eq!(choice.paths, ["b.bin", "d.json"]);
        assert_eq!(choice.missing, [&wanted[0]]);
        assert_eq!(wanted[1].to_string(), "a.st or b.bin");
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
        assert!(Wanted::parse("../*.json").is_err());
        assert!(Wanted::parse("a||b").is_err());
    }
}
