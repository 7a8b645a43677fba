//! Words on which successive decodes of growing speech agree.
//!
//! LocalAgreement-n (Macháček, Dabre, Bojar 2023, "Turning Whisper into Real-Time Transcription
//! System", section 3.2): a word is committed when n decodes in a row begin with it after the words
//! committed before. Invariant: a committed word is never taken back.

use crate::Word;
use crate::guards::plain;
use std::collections::VecDeque;

/// Decodes that must agree. With two, tiny.en committed 9 to 10 % of its words otherwise than the
/// decode at the pause; with three 4 %, a second later.
const DECODES: usize = 3;

/// The words of one stretch of speech that is decoded again and again while it grows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Agreement {
    committed: Vec<Word>,
    /// The words of the last decodes behind the committed ones, the newest last.
    decodes: VecDeque<Vec<Word>>,
}

impl Agreement {
    /// Words on which the decodes agreed.
    pub(crate) fn committed(&self) -> &[Word] {
        &self.committed
    }

    /// Words of the last decode behind them.
    pub(crate) fn tentative(&self) -> &[Word] {
        self.decodes.back().map_or(&[], Vec::as_slice)
    }

    /// Takes the words of the next decode, which begins where the first one began. Returns the
    /// number of newly committed words.
    pub(crate) fn update(&mut self, decoded: Vec<Word>) -> usize {
        let rest = behind(&self.committed, decoded);
        if self.decodes.len() == DECODES {
            self.decodes.pop_front();
        }
        self.decodes.push_back(rest);
        if self.decodes.len() < DECODES {
            return 0;
        }
        let agreed = self.agreed();
        for (age, words) in self.decodes.iter_mut().rev().enumerate() {
            let words = words.drain(..agreed);
            // the newest decode saw the most sound
            match age {
                0 => self.committed.extend(words),
                _ => drop(words),
            }
        }
        agreed
    }

    /// Length of the beginning that all decodes share.
    fn agreed(&self) -> usize {
        let word = |words: &Vec<Word>, at: usize| words.get(at).map(|word| plain(&word.text));
        let same = |at: &usize| {
            let first = self.decodes.front().and_then(|words| word(words, *at));
            first.is_some() && self.decodes.iter().all(|words| word(words, *at) == first)
        };
        (0..).take_while(same).count()
    }
}

/// The decoded words behind those that correspond to the committed ones: the split with the least
/// edit distance between both, then the one nearest in time, since a later decode may write a
/// committed word otherwise.
fn behind(committed: &[Word], mut decoded: Vec<Word>) -> Vec<Word> {
    let Some(last) = committed.last() else {
        return decoded;
    };
    let wanted: Vec<String> = committed.iter().map(|word| plain(&word.text)).collect();
    // distances[i]: edits between the first i wanted words and the decoded words so far
    let mut distances: Vec<usize> = (0..=wanted.len()).collect();
    let away = |at: usize| {
        let end = at.checked_sub(1).map_or(0, |at| decoded[at].span.end);
        end.abs_diff(last.span.end)
    };
    let mut best = (wanted.len(), away(0), 0);
    for (at, word) in decoded.iter().enumerate() {
        let heard = plain(&word.text);
        let mut diagonal = distances[0];
        distances[0] = at + 1;
        for (i, wanted) in wanted.iter().enumerate() {
            let substituted = diagonal + usize::from(*wanted != heard);
            diagonal = distances[i + 1];
            distances[i + 1] = substituted.min(diagonal + 1).min(distances[i] + 1);
        }
        best = best.min((distances[wanted.len()], away(at + 1), at + 1));
    }
    decoded.split_off(best.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SampleSpan;
    use proptest::prelude::*;

    /// Words of 300 ms each.
    fn words(text: &str) -> Vec<Word> {
        let words = text.split_whitespace().zip(0u64..);
        words
            .map(|(text, at)| Word {
                text: text.to_owned(),
                span: SampleSpan::from_ms(at * 300, at * 300 + 300),
                confidence: 1.0,
            })
            .collect()
    }

    fn text(words: &[Word]) -> String {
        let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ")
    }

    fn after(decodes: &[&str]) -> (String, String) {
        let mut agreement = Agreement::default();
        for decode in decodes {
            agreement.update(words(decode));
        }
        (text(agreement.committed()), text(agreement.tentative()))
    }

    #[test]
    fn three_decodes_commit_what_they_begin_with() {
        let told = |decodes: &[&str]| after(decodes);
        let two = told(&["We meet", "We meet at"]);
        assert_eq!(two, (String::new(), "We meet at".into()));
        let three = ["We meat.", "we meet at", "We meet at eight"];
        assert_eq!(told(&three), ("We".into(), "meet at eight".into()));
        let four = [
            "We meat.", "we meet at", "We meet at eight", "we meet at ate",
        ];
        assert_eq!(told(&four), ("We meet at".into(), "ate".into()));
    }

    /// The last decode saw the most sound, so its writing is taken.
    #[test]
    fn a_full_stop_where_the_sound_ended_is_not_kept() {
        let (committed, tentative) = after(&["I went.", "I went.", "I went to the"]);
        assert_eq!(
            (committed.as_str(), tentative.as_str()),
            ("I went", "to the")
        );
    }

    #[test]
    fn a_committed_word_that_a_later_decode_writes_otherwise_stays() {
        let decodes = [
            "going to see", "going to see", "going to see", "gonna see them",
        ];
        let more = ["gonna see them", "gonna see them all"];
        let (committed, tentative) = after(&[&decodes[..], &more[..]].concat());
        assert_eq!(committed, "going to see them");
        assert_eq!(tentative, "all");
    }

    #[test]
    fn a_decode_that_lost_the_end_takes_nothing_back() {
        let whole = "one two three";
        let (committed, tentative) = after(&[whole, whole, whole, "one two"]);
        assert_eq!((committed.as_str(), tentative.as_str()), (whole, ""));
    }

    proptest! {
        /// Committed words only grow, and a decode that is repeated is committed whole.
        #[test]
        fn committed_words_only_grow(
            decodes in proptest::collection::vec("[a-d]( [a-d]){0,8}", 1..8),
        ) {
            let mut agreement = Agreement::default();
            let mut before = String::new();
            for decode in &decodes {
                let fresh = agreement.update(words(decode));
                let now = text(agreement.committed());
                prop_assert!(now.starts_with(&before), "{before} became {now}");
                let count = now.split_whitespace().count();
                prop_assert_eq!(count - before.split_whitespace().count(), fresh);
                before = now;
            }
            let (last, mut fresh) = (words(&decodes[decodes.len() - 1]), Agreement::default());
            for _ in 0..DECODES {
                fresh.update(last.clone());
            }
            prop_assert_eq!(fresh.committed(), &last[..]);
        }
    }
}
