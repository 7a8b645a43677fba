//! A character who answers: a name, the sources it knows, and how its memories fade.

use crate::limits;
use crate::retention::ForgettingCurve;

/// A persona for questions. What was heard fades for it and strengthens with each access, as in the
/// Characters paper; passages of sources do not fade. It changes nothing in the session.
#[derive(Debug, Clone, PartialEq)]
pub struct Character {
    /// Its name.
    pub name: String,
    /// Who it is, for the head of contexts and for generators; may be empty.
    pub description: String,
    /// Names of the sources it knows; `None` for all.
    pub sources: Option<Vec<String>>,
    /// Stability `S` of a memory before its first access, in hours of session time.
    pub stability_hours: f64,
    /// Factor `b` on the stability at each access.
    pub boost: f64,
}

/// A setting of a character out of range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CharacterError {
    /// The name cannot be one.
    #[error("name: 1 to {max} characters on one line, not {found:?}")]
    Name {
        /// The name.
        found: String,
        /// The bound.
        max: usize,
    },
    /// The description is too long.
    #[error("description: at most {max} bytes, not {bytes}")]
    Description {
        /// Its length.
        bytes: usize,
        /// The bound.
        max: usize,
    },
    /// A number out of range.
    #[error("{key}: {range}, not {found}")]
    Number {
        /// The setting.
        key: &'static str,
        /// The legal range, in words.
        range: String,
        /// The value.
        found: f64,
    },
}

impl Character {
    /// Checks every setting.
    ///
    /// # Errors
    /// [`CharacterError`] names the first out of range, with the range.
    pub fn check(&self) -> Result<(), CharacterError> {
        let (found, max) = (self.name.clone(), limits::SPEAKER_NAME_CHARS_MAX);
        let long = found.chars().count() > max;
        if found.trim().is_empty() || long || found.contains(char::is_control) {
            return Err(CharacterError::Name { found, max });
        }
        let (bytes, max) = (self.description.len(), limits::CHARACTER_BYTES_MAX);
        if bytes > max {
            return Err(CharacterError::Description { bytes, max });
        }
        let (hours, boost) = (self.stability_hours, self.boost);
        let most = limits::STABILITY_HOURS_MAX;
        if !(hours > 0.0 && hours <= most) {
            return Err(CharacterError::Number {
                key: "stability_hours",
                range: format!("above 0 and at most {most}"),
                found: hours,
            });
        }
        let most = limits::STABILITY_BOOST_MAX;
        if !(1.0..=most).contains(&boost) {
            return Err(CharacterError::Number {
                key: "boost",
                range: format!("from 1 to {most}"),
                found: boost,
            });
        }
        Ok(())
    }

    /// Retention `R = exp(-dt / (S b^f))` of a memory, `0.0..=1.0`: `dt` milliseconds after the
    /// last of its `f` accesses, or after it was said.
    #[must_use]
    pub fn retention(&self, since_ms: u64, accesses: u32) -> f32 {
        let curve = ForgettingCurve {
            decay_per_hour: 1.0,
            stability_hours: self.stability_hours,
            boost: self.boost,
        };
        (-curve.passed(since_ms as f64, accesses)).exp() as f32
    }

    /// Whether a memory with this retention is recalled.
    #[must_use]
    pub fn remembers(retention: f32) -> bool {
        retention >= limits::RETENTION_MIN
    }

    /// Whether it knows a source.
    #[must_use]
    pub fn knows(&self, source: &str) -> bool {
        let listed = |sources: &Vec<String>| sources.iter().any(|it| it == source);
        self.sources.as_ref().is_none_or(listed)
    }
}

impl std::fmt::Display for Character {
    /// Its name and description on one line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words: Vec<&str> = self.description.split_whitespace().collect();
        match words.is_empty() {
            true => f.write_str(&self.name),
            false => write!(f, "{}: {}", self.name, words.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn character() -> Character {
        Character {
            name: "Old Ben".into(),
            description: "A fisherman.".into(),
            sources: Some(vec!["charts".into()]),
            stability_hours: 10.0,
            boost: 2.0,
        }
    }

    /// By hand: S = 10 h. After 5 h exp(-0.5) = 0.606531; after two accesses S = 40 h, so after
    /// 20 h the same. Below 0.05 from 10 ln 20 = 29.96 h on.
    #[test]
    fn the_curve_by_hand() {
        let hour = 3_600_000;
        let it = character();
        assert!((it.retention(5 * hour, 0) - 0.606_531).abs() < 1e-6);
        assert!((it.retention(20 * hour, 2) - 0.606_531).abs() < 1e-6);
        assert!(Character::remembers(it.retention(29 * hour, 0)));
        assert!(!Character::remembers(it.retention(30 * hour, 0)));
        assert_eq!((it.knows("charts"), it.knows("novels")), (true, false));
        assert_eq!(it.to_string(), "Old Ben: A fisherman.");
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let told = |change: fn(&mut Character)| {
            let mut it = character();
            change(&mut it);
            it.check().expect_err("out of range").to_string()
        };
        assert_eq!(character().check(), Ok(()));
        assert!(told(|it| it.stability_hours = 0.0).starts_with("stability_hours: above 0"));
        assert!(told(|it| it.stability_hours = f64::NAN).contains("NaN"));
        assert!(told(|it| it.boost = 0.9).starts_with("boost: from 1"));
        assert!(told(|it| it.name = " ".into()).starts_with("name: 1 to 40"));
        assert!(told(|it| it.description = "x".repeat(5_000)).contains("not 5000"));
    }
}
