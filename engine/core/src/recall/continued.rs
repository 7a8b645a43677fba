//! Statements that go on into the speaker's next utterance: recognisers, and people who write
//! captions, break lines in the middle of a sentence.

use super::candidate::Candidate;
use crate::answer::{Statement, add_citation};
use crate::text::is_whole_sentence;

/// Utterances that a statement may go on into.
const UTTERANCES_MAX: usize = 2;
/// Pause after which a new sentence begins, whatever the punctuation.
const PAUSE_MAX_MS: u64 = 2_000;

/// Adds the words with which its speaker goes on to a statement that stops in the middle of a
/// sentence. Cost: one pass over everything found for each utterance that is added.
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

/// The first statement of the utterance that follows, where the same person goes on speaking and
/// nothing of the own utterance is left.
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
