//! Which speech model is the best of those that are here.

use super::found::{Located, State};
use super::manifest::Kind;
use super::store::Store;
use crate::whisper;

/// What makes one model better than another, the first difference deciding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Width and layers: what a Whisper knows.
    size: (u32, u32),
    /// Made here of the user's own checkpoint.
    imported: bool,
    /// Knows English only, which it then knows better.
    english: bool,
    /// Less quantised.
    bytes: u64,
}

impl Store {
    /// The speech models on this machine, the best first: the larger Whisper, then the user's own,
    /// then one for English alone, then the less quantised. With `multilingual` only those that
    /// know other languages. Reads the first bytes of each file.
    #[must_use]
    pub fn speech_models(&self, multilingual: bool) -> Vec<Located> {
        let mut ranked: Vec<(Rank, Located)> = Vec::new();
        for status in self.list() {
            let (Kind::Speech, State::Here { path }) = (status.model.kind, status.state) else {
                continue;
            };
            // one that cannot be read is refused with its reason when it is asked for by name
            let Ok(size) = whisper::size(&path) else {
                continue;
            };
            if multilingual && !size.multilingual {
                continue;
            }
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
