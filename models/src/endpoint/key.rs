//! A server's key: read from the environment and sent only in one header.

use std::fmt;

use super::EndpointError;

/// A key; empty if there is none.
#[derive(Clone, Default)]
pub(super) struct Key(String);

impl Key {
    /// The key in an environment variable.
    pub(super) fn from_env(variable: &str) -> Result<Self, EndpointError> {
        let unusable = || EndpointError::KeyUnusable {
            variable: variable.to_owned(),
        };
        match std::env::var_os(variable) {
            None => Ok(Self::default()),
            Some(found) => Self::new(found.to_str().ok_or_else(unusable)?).ok_or_else(unusable),
        }
    }

    /// The given key without surrounding spaces; `None` if it is not valid in a header.
    pub(super) fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    pub(super) fn is_set(&self) -> bool {
        !self.0.is_empty()
    }

    /// The header that carries it.
    pub(super) fn header(&self) -> Option<String> {
        self.is_set().then(|| format!("Bearer {}", self.0))
    }

    /// A text with the key removed.
    pub(super) fn redacted(&self, text: &str) -> String {
        match self.is_set() {
            true => text.replace(&self.0, "[key]"),
            false => text.to_owned(),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_set() { "[key]" } else { "[no key]" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_in_its_header_only() {
        let key = Key::new(" s3cret\n").expect("a key");
        assert_eq!(key.header().as_deref(), Some("Bearer s3cret"));
        assert_eq!(format!("{key:?}"), "[key]");
        assert_eq!(key.redacted("no s3cret here"), "no [key] here");
        let none = Key::from_env("WEIR_TEST_NO_SUCH_KEY").expect("none");
        assert_eq!(
            (none.header(), none.redacted("as is")),
            (None, "as is".to_owned())
        );
        assert!(Key::new("two\nlines").is_none() && Key::new("schlüssel").is_none());
    }
}
