//! Checks of what an error tells.

/// Asserts that an error's message has all these parts.
#[track_caller]
pub(crate) fn assert_has(error: &dyn std::fmt::Display, parts: &[&str]) {
    let message = error.to_string();
    let missing = parts.iter().find(|part| !message.contains(**part));
    assert_eq!(missing, None, "{message}");
}
