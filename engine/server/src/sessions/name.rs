//! Names of sessions. Each is also the name of a folder, so that nothing in it leads elsewhere.

use std::fmt;
use std::str::FromStr;

/// Most characters of a name.
const LEN_MAX: usize = 64;

/// Name of a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SessionName(String);

impl FromStr for SessionName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        match begins && name.len() <= LEN_MAX && name.chars().all(allowed) {
            true => Ok(Self(name.to_owned())),
            false => Err(format!(
                "`{}` cannot name a session: 1 to {LEN_MAX} letters a-z, digits, `.`, `_` and `-`, \
                 a letter or a digit first",
                name.chars()
                    .take(LEN_MAX)
                    .collect::<String>()
                    .escape_debug()
            )),
        }
    }
}

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<std::path::Path> for SessionName {
    fn as_ref(&self) -> &std::path::Path {
        self.0.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::SessionName;

    #[test]
    fn a_name_leads_nowhere_else() {
        for name in ["a", "team-1", "2026.11.26", "A_b"] {
            assert!(name.parse::<SessionName>().is_ok(), "{name}");
        }
        let long = "x".repeat(65);
        for name in [
            "", ".", "..", ".a", "-a", "a/b", "a\\b", "a b", "ä", "a\0", &long, "a%2e",
        ] {
            assert!(name.parse::<SessionName>().is_err(), "{name:?}");
        }
    }
}
