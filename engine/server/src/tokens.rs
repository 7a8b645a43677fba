//! Tokens: random, stored as hashes, with scopes.
//!
//! A token is 32 random bytes, so a plain SHA-256 of it cannot be searched for; a slow hash, made
//! for passwords, would only cost time at every request.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::io;
use std::path::{Path, PathBuf};
use weir_engine::private;

/// Name of the file in the data folder.
const FILE: &str = "tokens.json";
/// Most tokens of a server.
const TOKENS_MAX: usize = 1_000;
/// What every token begins with, so that scanners of leaked secrets know it.
const PREFIX: &str = "weir_";

/// What a token allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Asking, recalling and looking.
    Read,
    /// Hearing and changing; what is first heard makes its session.
    Write,
    /// Creating sessions with budgets, importing and deleting them.
    Admin,
}

/// A token as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Stored {
    name: String,
    sha256: String,
    scopes: Vec<Scope>,
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// Its name.
    pub name: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
}

/// A token that was made just now. Its secret is shown once and not stored.
pub struct NewToken {
    /// The secret that a client sends.
    pub secret: String,
}

/// Why tokens cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file.
    #[error("cannot read or write {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The file is not a list of tokens.
    #[error("{} is not a list of tokens: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The name is taken.
    #[error("a token named `{name}` exists already; remove it first, or take another name")]
    Taken {
        /// The name.
        name: String,
    },
    /// No such token.
    #[error("no token is named `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A name that is none.
    #[error("`{name}` cannot name a token: 1 to 64 printable characters")]
    Name {
        /// The name.
        name: String,
    },
    /// There are too many.
    #[error("{TOKENS_MAX} tokens exist already; remove some first")]
    Full,
    /// The system gave no random bytes.
    #[error("the system gave no random bytes: {0}")]
    Random(String),
}

/// The tokens of a data folder.
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    path: PathBuf,
    all: Vec<Stored>,
}

impl Tokens {
    /// Reads the tokens of a data folder; none if it has no file of them.
    ///
    /// # Errors
    /// [`TokenError::Io`], [`TokenError::Damaged`].
    pub fn read(data: &Path) -> Result<Self, TokenError> {
        let path = data.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let all = Vec::new();
                return Ok(Self { path, all });
            }
            Err(source) => return Err(TokenError::Io { path, source }),
        };
        match serde_json::from_str(&text) {
            Ok(all) => Ok(Self { path, all }),
            Err(error) => {
                let why = error.to_string();
                Err(TokenError::Damaged { path, why })
            }
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All tokens, without their secrets.
    pub fn list(&self) -> impl Iterator<Item = TokenInfo> + '_ {
        self.all.iter().map(|it| TokenInfo {
            name: it.name.clone(),
            scopes: it.scopes.clone(),
        })
    }

    /// Makes a token and stores its hash.
    ///
    /// # Errors
    /// [`TokenError`]; then nothing is stored.
    pub fn add(&mut self, name: &str, scopes: &[Scope]) -> Result<NewToken, TokenError> {
        let name = name.trim().to_owned();
        if name.is_empty() || name.chars().count() > 64 || name.chars().any(char::is_control) {
            return Err(TokenError::Name { name });
        }
        if self.all.iter().any(|it| it.name == name) {
            return Err(TokenError::Taken { name });
        }
        if self.all.len() >= TOKENS_MAX {
            return Err(TokenError::Full);
        }
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| TokenError::Random(error.to_string()))?;
        let secret = format!("{PREFIX}{}", hex(&bytes));
        let (mut all, mut scopes) = (self.all.clone(), scopes.to_vec());
        scopes.sort_unstable();
        scopes.dedup();
        all.push(Stored {
            name,
            sha256: hash(&secret),
            scopes,
        });
        self.store(all)?;
        Ok(NewToken { secret })
    }

    /// Removes a token.
    ///
    /// # Errors
    /// [`TokenError::Unknown`], [`TokenError::Io`].
    pub fn remove(&mut self, name: &str) -> Result<(), TokenError> {
        let mut all = self.all.clone();
        all.retain(|it| it.name != name);
        if all.len() == self.all.len() {
            let name = name.to_owned();
            return Err(TokenError::Unknown { name });
        }
        self.store(all)
    }

    /// What a secret allows; `None` for one that no token has.
    #[must_use]
    pub fn scopes(&self, secret: &str) -> Option<&[Scope]> {
        // hashes of guesses tell nothing about the hash compared with, so the time may differ
        let hash = hash(secret);
        let found = self.all.iter().find(|it| it.sha256 == hash);
        found.map(|it| it.scopes.as_slice())
    }

    fn store(&mut self, all: Vec<Stored>) -> Result<(), TokenError> {
        let path = &self.path;
        let failed = |source| TokenError::Io {
            path: path.clone(),
            source,
        };
        let text = serde_json::to_string_pretty(&all).map_err(|it| failed(it.into()))?;
        private::replace(path, &[text.as_bytes()]).map_err(failed)?;
        self.all = all;
        Ok(())
    }
}

fn hash(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_by_its_secret_alone_and_the_file_does_not_hold_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut tokens = Tokens::read(dir.path()).expect("there is no file");
        assert!(tokens.is_empty());
        let made = tokens.add("phone", &[Scope::Write, Scope::Read, Scope::Read]);
        let secret = made.expect("it is new").secret;
        let read = Tokens::read(dir.path()).expect("it was written");
        assert_eq!(read.scopes(&secret), Some(&[Scope::Read, Scope::Write][..]));
        assert_eq!(read.scopes("weir_00"), None);
        assert_eq!(read.scopes(""), None);
        let file = std::fs::read_to_string(dir.path().join(FILE)).expect("it exists");
        assert!(!file.contains(&secret[PREFIX.len()..]), "{file}");
    }

    #[test]
    fn names_are_unique_and_a_removed_token_allows_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        let mut tokens = Tokens::read(dir.path()).expect("there is no file");
        let secret = tokens
            .add("phone", &[Scope::Read])
            .expect("it is new")
            .secret;
        let again = tokens.add(" phone ", &[Scope::Admin]);
        assert!(matches!(again, Err(TokenError::Taken { .. })));
        for name in ["", " ", "a\nb", &"x".repeat(65)] {
            let refused = tokens.add(name, &[Scope::Read]);
            assert!(matches!(refused, Err(TokenError::Name { .. })), "{name}");
        }
        tokens.remove("phone").expect("it is there");
        assert_eq!(tokens.scopes(&secret), None);
        assert!(matches!(
            tokens.remove("phone"),
            Err(TokenError::Unknown { .. })
        ));
    }

    #[test]
    fn a_damaged_file_is_named() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join(FILE), "[{").expect("it can be written");
        let error = Tokens::read(dir.path())
            .expect_err("it is damaged")
            .to_string();
        assert!(
            error.contains("tokens.json is not a list of tokens"),
            "{error}"
        );
    }
}
