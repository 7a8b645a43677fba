//! Selects the best local speech model.

use super::found::{Located, State};
use super::manifest::Kind;
use super::store::Store;
use crate::whisper::{self, Size};

/// Ranking of models; the first difference decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Width and layers: the capacity of a Whisper.
    size: (u32, u32),
    /// Converted from the user's own checkpoint.
    imported: bool,
    /// English only, which makes it better at English.
    english: bool,
    /// Less quantised.
    bytes: u64,
}

impl Store {
    /// The local speech models, best first: by larger Whisper, then the user's own, then English
    /// only, then less quantised. With `multilingual` only those that know other languages. Reads
    /// the header of each file.
    #[must_use]
    pub fn speech_models(&self, multilingual: bool) -> Vec<Located> {
        let mut ranked: Vec<(Rank, Located)> = Vec::new();
        let listed = self.list().into_iter();
        for status in listed.filter(|status| status.model.kind == Kind::Speech) {
            let size = match &status.state {
                State::Embedded => status.model.embedded,
                // an unreadable model gives its error when it is requested by name
                State::Here { path } => whisper::size(path).ok(),
                State::Partial { .. } | State::Absent => None,
            };
            let is_wanted = |size: &Size| size.multilingual || !multilingual;
            let Some(size) = size.filter(is_wanted) else {
                continue;
            };
            let Ok(located) = self.path(&status.model.name) else {
                continue;
            };
            let rank = Rank {
                size: (size.width, size.layers),
                imported: status.model.sources.is_empty(),
                english: !size.multilingual,
                bytes: status.bytes.unwrap_or(0),
            };
            ranked.push((rank, located));
        }
        ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        ranked.into_iter().map(|(_, located)| located).collect()
    }
}
