//! Versions of the image format and of the rules, and errors for other formats.

/// Version of the image format; raised whenever an older program could misread it.
pub const FORMAT: u32 = 11;
/// The oldest format that is read. Every format from this one on is kept.
pub const FORMAT_OLDEST: u32 = 8;
/// Version of the rules that turn inputs into a session: a hash of the sources, made by `build.rs`.
/// A journal of another version is applied by [`super::Recovery`].
pub const RULES: u64 = match u64::from_str_radix(env!("WEIR_RULES"), 10) {
    Ok(rules) => rules,
    Err(_) => panic!("build.rs sets WEIR_RULES to a number"),
};

/// Why bytes are not a valid session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Made by a newer program.
    #[error("it has format {found}, and this weir reads up to {FORMAT}: use a newer weir")]
    Newer {
        /// Its format.
        found: u32,
    },
    /// Made by a program from before the first release.
    #[error(
        "it has format {found}, written by a weir built before commit 67689b2, and this one reads \
         formats from {FORMAT_OLDEST}: run `weir memory export` there, or with a weir built from \
         commit d9e48bc, and `weir memory import` here"
    )]
    Older {
        /// Its format.
        found: u32,
    },
    /// Not a session, or damaged.
    #[error(
        "its image is damaged ({reason}): restore it from a copy, or replay its recordings into a \
         new session"
    )]
    Damaged {
        /// The reason.
        reason: String,
    },
    /// The token counter differs from the one the session was counted with.
    #[error(
        "it uses token counter `{expected}`, not `{found}`: open it with the program that created \
         it"
    )]
    OtherCounter {
        /// The counter it was made with.
        expected: String,
        /// The counter offered.
        found: String,
    },
}
