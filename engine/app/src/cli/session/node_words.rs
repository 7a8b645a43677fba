//! The displayed words of a node, and of evidence.

use weir_api::Quoted;
use weir_core::memory::{Kind, MemoryTree, Node, Titles};
use weir_core::session::Session;
use weir_core::talk::Evidence;
use weir_core::transcript::Transcript;
use weir_engine::results::evidence;
use weir_engine::store::TranscriptReader;

/// Evidence with its words.
pub(crate) fn quoted(item: &Evidence, session: &Session, transcript: &TranscriptReader) -> Quoted {
    Quoted {
        evidence: evidence(item),
        quote: session.quote(item, Some(transcript)),
    }
}

/// Whether a speaker is the one asked for, in either case of letters.
pub(crate) fn is_speaker(asked: Option<&str>, speaker: &Option<String>) -> bool {
    let speaker = speaker.as_ref().map(|it| it.to_lowercase());
    asked.is_none_or(|it| speaker == Some(it.to_lowercase()))
}

/// The words of a unit: its own, or the transcript's if it is kept as key words.
pub(crate) fn words_of(unit: &Node, transcript: &TranscriptReader) -> Option<String> {
    match unit.is_key() {
        false => Some(unit.text.clone()),
        true => transcript.quote(unit.evidence.first()?),
    }
}

/// The displayed text of a node: a unit with its speaker, verbatim if the transcript has it; the
/// title of an event or a scene.
pub(crate) fn display_text(
    tree: &MemoryTree,
    node: &Node,
    transcript: &TranscriptReader,
) -> String {
    match node.kind {
        Kind::Unit => {
            let said = node.evidence.first().filter(|_| node.is_key());
            let said = said.and_then(|item| transcript.quote(item));
            match (said, &node.speaker) {
                (Some(said), Some(speaker)) => {
                    format!("{speaker}: {}", node.display_text_with(&said))
                }
                (Some(said), None) => node.display_text_with(&said).into_owned(),
                (None, _) if node.is_key() => format!("[key words] {}", node.text),
                (None, _) => node.rendered(),
            }
        }
        Kind::Event | Kind::Scene => {
            Titles::with_words(tree, &|unit| words_of(unit, transcript)).title(node)
        }
    }
}
