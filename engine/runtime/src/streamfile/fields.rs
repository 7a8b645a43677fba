//! Parses one JSON object of a line field by field, with all checks of the format.
//!
//! Values stay text until they are requested by type. An unknown field, a repeated field and a
//! value of the wrong type each become one [`Problem`] with its position; `note` is allowed
//! everywhere.

use super::error::{Problem, StreamFileError};
use crate::time::zone_named;
use jiff::tz::TimeZone;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::path::Path;
use weir_core::limits;

/// A position in a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The file, for messages.
    pub(super) file: &'a Path,
    /// The line.
    pub(super) line: u64,
    /// The object's own name, such as `utterance`; empty for the line itself.
    pub(super) object: &'a str,
}

impl Place<'_> {
    /// A problem with a field of this object, or with the object when `field` is empty.
    pub(super) fn fault(&self, field: &str, problem: Problem) -> StreamFileError {
        let name = match (self.object, field) {
            (object, "") => object.to_owned(),
            ("", field) => field.to_owned(),
            (object, field) => format!("{object}.{field}"),
        };
        problem.at(self.file, self.line, &name)
    }
}

/// The fields of one object in the order given.
#[derive(Debug)]
struct Pairs(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Walk;
        impl<'de> Visitor<'de> for Walk {
            type Value = Pairs;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        from.deserialize_map(Walk)
    }
}

/// One object, whose fields are read one by one.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    place: Place<'a>,
    pairs: Vec<(String, Box<RawValue>)>,
}

impl<'a> Fields<'a> {
    /// Parses an object.
    pub(super) fn parse(place: Place<'a>, json: &str) -> Result<Self, StreamFileError> {
        let Pairs(pairs) = serde_json::from_str(json).map_err(|wrong| {
            let what = wrong.to_string();
            place.fault("", Problem::NotJson { what })
        })?;
        let mut names = HashSet::new();
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !names.insert(name)) {
            return Err(place.fault(name, Problem::Twice));
        }
        Ok(Self { place, pairs })
    }

    /// Refuses every field but `known` and `note`.
    pub(super) fn only(self, known: &[&str]) -> Result<Self, StreamFileError> {
        match self.names().iter().find(|name| !known.contains(name)) {
            None => Ok(self),
            Some(name) => {
                let known = known.join(", ");
                Err(self.place.fault(name, Problem::Unknown { known }))
            }
        }
    }

    /// Position of the object.
    pub(super) fn place(&self) -> Place<'a> {
        self.place
    }

    /// The names of all fields but `note`.
    pub(super) fn names(&self) -> Vec<&str> {
        let names = self.pairs.iter().map(|(name, _)| name.as_str());
        names.filter(|name| *name != "note").collect()
    }

    /// The text of a field's value; `None` when it is absent.
    pub(super) fn raw(&self, name: &str) -> Option<&str> {
        let (_, value) = self.pairs.iter().find(|(known, _)| known == name)?;
        Some(value.get())
    }

    /// A field of some type; `None` if it is absent or null.
    pub(super) fn maybe<T: DeserializeOwned>(
        &self,
        name: &str,
        needed: &str,
    ) -> Result<Option<T>, StreamFileError> {
        let Some(raw) = self.raw(name) else {
            return Ok(None);
        };
        serde_json::from_str(raw).map_err(|_| self.wrong_kind(name, needed))
    }

    /// A required field; it must not be null.
    pub(super) fn must<T: DeserializeOwned>(
        &self,
        name: &str,
        needed: &str,
    ) -> Result<T, StreamFileError> {
        self.maybe(name, needed)?.ok_or_else(|| {
            let needed = needed.to_owned();
            self.place.fault(name, Problem::Missing { needed })
        })
    }

    /// A name, id or question: text that is not blank, in one line and not too long.
    pub(super) fn label(&self, name: &str, bytes_max: usize) -> Result<String, StreamFileError> {
        let needed = format!("text of 1 to {bytes_max} bytes without control characters");
        let text: String = self.must(name, &needed)?;
        if text.trim().is_empty() || text.len() > bytes_max || text.chars().any(char::is_control) {
            return Err(self.wrong_kind(name, &needed));
        }
        Ok(text)
    }

    /// A label that may be absent or null.
    pub(super) fn maybe_label(&self, name: &str) -> Result<Option<String>, StreamFileError> {
        match self.raw(name) {
            None | Some("null") => Ok(None),
            Some(_) => self.label(name, limits::STREAM_LABEL_BYTES_MAX).map(Some),
        }
    }

    /// A stream time in milliseconds that may be absent or null.
    pub(super) fn maybe_ms(&self, name: &str) -> Result<Option<u64>, StreamFileError> {
        let needed = ms_needed();
        match self.maybe::<u64>(name, &needed)? {
            Some(ms) if ms > limits::STREAM_MS_MAX => Err(self.wrong_kind(name, &needed)),
            ms => Ok(ms),
        }
    }

    /// A stream time in milliseconds that must be there.
    pub(super) fn ms(&self, name: &str) -> Result<u64, StreamFileError> {
        self.maybe_ms(name)?.ok_or_else(|| {
            let needed = ms_needed();
            self.place.fault(name, Problem::Missing { needed })
        })
    }

    /// A wall time in Unix milliseconds; `None` when it is absent or null.
    pub(super) fn maybe_wall(&self, name: &str) -> Result<Option<i64>, StreamFileError> {
        let needed = "a time as RFC 3339 has it, such as 2025-03-01T10:00:00Z, or null";
        let Some(text) = self.maybe::<String>(name, needed)? else {
            return Ok(None);
        };
        match text.parse::<jiff::Timestamp>() {
            Ok(time) => Ok(Some(time.as_millisecond())),
            Err(_) => Err(self.wrong_kind(name, needed)),
        }
    }

    /// A time zone; `None` when it is absent or null.
    pub(super) fn maybe_zone(&self, name: &str) -> Result<Option<TimeZone>, StreamFileError> {
        let needed = "the IANA name of a time zone, such as Europe/Berlin, or null";
        let Some(zone) = self.maybe::<String>(name, needed)? else {
            return Ok(None);
        };
        let zone = zone_named(&zone).map_err(|_| self.wrong_kind(name, needed))?;
        Ok(Some(zone))
    }

    /// An error for a value of the wrong type.
    pub(super) fn wrong_kind(&self, name: &str, needed: &str) -> StreamFileError {
        let found = shortened(self.raw(name).unwrap_or_default());
        let needed = needed.to_owned();
        self.place.fault(name, Problem::Kind { found, needed })
    }
}

fn ms_needed() -> String {
    format!(
        "a whole number of milliseconds from 0 to {}",
        limits::STREAM_MS_MAX
    )
}

/// A value shortened for a message.
fn shortened(value: &str) -> String {
    const SHOWN_CHARS: usize = 60;
    match value.char_indices().nth(SHOWN_CHARS) {
        Some((at, _)) => format!("{}...", &value[..at]),
        None => value.to_owned(),
    }
}
