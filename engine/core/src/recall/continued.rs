//! Statements that continue in the speaker's next utterance: recognisers and captioners break lines
//! in the middle of a sentence.

use super::candidate::Candidate;
use crate::answer::{Statement, add_citation};
use crate::text::is_whole_sentence;

/// Maximum number of following utterances added to a statement.
const UTTERANCES_MAX: usize = 2;
/// After a pause this long, a new sentence begins, regardless of punctuation.
const PAUSE_MAX_MS: u64 = 2_000;

/// Adds the speaker's next words to a statement that stops in the middle of a sentence. Cost: one
/// pass over all candidates for each utterance added.
pub(super) fn continue_statement<'a>(
    statement: &mut Statement,
    of: &Candidate<'a>,
    all: &[Candidate<'a>],
) {
    let mut last = of;
    for _ in 0..UTTERANCES_MAX {
        if is_whole_sentence(&statement.text) {
            return;
        }
        let Some(next) = next_utterance(last, all) else {
            return;
        };
        let Some(said) = next.said() else { return };
        statement.text = format!("{} {said}", statement.text.trim_end());
        for citation in next.citations(statement.strength) {
            add_citation(&mut statement.citations, &citation);
        }
        last = next;
    }
}

/// The first statement of the next utterance, if the same person speaks and the statement is the
/// last of its own utterance.
fn next_utterance<'c, 'a>(
    last: &Candidate<'a>,
    all: &'c [Candidate<'a>],
) -> Option<&'c Candidate<'a>> {
    let (turn, end) = (last.source.turn()?, last.part()?.end);
    let mut first: Option<(&Candidate<'a>, u32)> = None;
    for other in all {
        let (Some(at), Some(part)) = (other.source.turn(), other.part()) else {
            continue;
        };
        if at == turn && part.start >= end {
            return None;
        }
        if at == turn + 1 && first.is_none_or(|(_, start)| part.start < start) {
            first = Some((other, part.start));
        }
    }
    let (next, start) = first?;
    let (next_said, last_said) = (next.source.place()?, last.source.place()?);
    let pause = next_said.1.start_ms.saturating_sub(last_said.1.end_ms);
    let goes_on = next.speaker() == last.speaker() && pause <= PAUSE_MAX_MS;
    (start == 0 && goes_on && next_said.0 == last_said.0).then_some(next)
}
