//! The turns before a question.

/// Turns before a question that are read.
pub const TURNS_MAX: usize = 6;
/// Words by which a completed question may be longer.
pub const WORDS_ADDED_MAX: usize = 8;

/// A turn before a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn<'a> {
    /// The name of who said it, if known.
    pub speaker: Option<&'a str>,
    /// The words.
    pub text: &'a str,
}

/// The names of who speaks, where they are known.
pub(super) fn speakers<'a>(turns: &[Turn<'a>]) -> Vec<&'a str> {
    turns.iter().filter_map(|turn| turn.speaker).collect()
}
