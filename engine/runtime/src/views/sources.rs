//! Sources as clients read them.

use weir_api::{self as api, SourceFile};
use weir_core::sources::Source;

/// A source: each file with its number of passages and the last line of them.
#[must_use]
pub fn source(source: &Source) -> api::Source {
    let files = (0..).zip(&source.files).map(|(at, file)| {
        let own = || source.passages.iter().filter(move |it| it.file == at);
        SourceFile {
            file: file.clone(),
            passages: own().count(),
            lines: own().map(|it| it.last_line).max().unwrap_or(0),
        }
    });
    api::Source {
        name: source.name.clone(),
        weight: source.weight,
        files: files.collect(),
        passages: source.passages.len(),
        tokens: source.tokens(),
    }
}
