//! A setting outside its range: the one error that all constructors here share.
//!
//! Ranges are checked once, when a stage is built; the stages themselves trust their settings.

/// A setting has a value outside its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting} is {value}; it must be {expected}")]
pub struct SettingError {
    /// Name of the setting.
    pub setting: &'static str,
    /// The value given.
    pub value: String,
    /// Legal range, in words.
    pub expected: &'static str,
}

impl SettingError {
    /// `Ok` when the setting is in its range, else the error that names it.
    pub(crate) fn unless(
        legal: bool,
        setting: &'static str,
        value: &impl ToString,
        expected: &'static str,
    ) -> Result<(), Self> {
        if legal {
            Ok(())
        } else {
            Err(Self {
                setting,
                value: value.to_string(),
                expected,
            })
        }
    }
}
