//! Filters a streamed reply: removes reasoning and stops at the first stop word.
#![cfg_attr(
    not(all(feature = "candle", feature = "endpoint")),
    allow(dead_code, reason = "each kind of generator uses its part")
)]

use crate::marks::{beginning_of, first_of};

const OPENED: &str = "<think>";
const CLOSED: &str = "</think>";

/// Takes the text of a reply in pieces and returns the part that can be passed on.
#[derive(Debug, Default)]
pub(crate) struct ThinkFilter {
    stops: Vec<String>,
    /// Text that may be the beginning of a mark.
    unread: String,
    /// Text that may be the beginning of a stop word.
    unsaid: String,
    thinks: bool,
    has_begun: bool,
    stopped: bool,
    /// Whether nothing is passed on before the end, so that text can still be discarded.
    is_held: bool,
    has_taken_back: bool,
}

impl ThinkFilter {
    /// A reply that ends before the first of `stops`.
    pub(crate) fn new(stops: &[String]) -> Self {
        let stops = stops.iter().filter(|stop| !stop.is_empty());
        Self {
            stops: stops.cloned().collect(),
            ..Self::default()
        }
    }

    /// The same if the prompt ends with an opening tag of reasoning, which the reply continues.
    pub(crate) fn in_thought(stops: &[String]) -> Self {
        Self {
            thinks: true,
            ..Self::new(stops)
        }
    }

    /// Whether a prompt ends with an opening tag of reasoning.
    pub(crate) fn is_begun_by(prompt: &str) -> bool {
        prompt.trim_end().ends_with(OPENED)
    }

    /// The same for a reply that is passed on only at its end. Text before an unmatched `</think>`
    /// is discarded.
    pub(crate) fn held(stops: &[String]) -> Self {
        Self {
            is_held: true,
            ..Self::new(stops)
        }
    }

    /// Whether all text before the last piece turned out to be reasoning; resets when read.
    pub(crate) fn takes_back(&mut self) -> bool {
        std::mem::take(&mut self.has_taken_back)
    }

    /// Whether a stop word came.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Processes `piece` and returns the text to pass on.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        self.unread.push_str(piece);
        let mut out = String::new();
        loop {
            let marks: &[&str] = if self.thinks {
                &[CLOSED]
            } else {
                &[OPENED, CLOSED]
            };
            let Some((at, mark)) = first_of(&self.unread, marks) else {
                let kept = beginning_of(&self.unread, marks);
                let read: String = self.unread.drain(..kept).collect();
                if !self.thinks {
                    out.push_str(&self.say(&read));
                }
                return out;
            };
            let read: String = self.unread.drain(..at + mark.len()).collect();
            if !self.thinks {
                out.push_str(&self.say(&read[..at]));
            }
            if self.is_held && !self.thinks && mark == CLOSED {
                // the template opened the reasoning, so the reply began inside it
                out.clear();
                self.unsaid.clear();
                (self.has_begun, self.stopped, self.has_taken_back) = (false, false, true);
            }
            self.thinks = mark == OPENED;
        }
    }

    /// Returns the text held back as a possible start of a mark.
    pub(crate) fn end(&mut self) -> String {
        let unread = std::mem::take(&mut self.unread);
        let mut out = match self.thinks {
            true => String::new(),
            false => self.say(&unread),
        };
        out.push_str(&std::mem::take(&mut self.unsaid));
        out
    }

    /// Text outside reasoning: up to a stop word, without leading white space.
    fn say(&mut self, text: &str) -> String {
        if self.stopped {
            return String::new();
        }
        let text = if self.has_begun {
            text
        } else {
            text.trim_start()
        };
        self.has_begun |= !text.is_empty();
        self.unsaid.push_str(text);
        let stops: Vec<&str> = self.stops.iter().map(String::as_str).collect();
        if let Some((at, _)) = first_of(&self.unsaid, &stops) {
            self.stopped = true;
            let said = self.unsaid[..at].to_owned();
            self.unsaid.clear();
            return said;
        }
        let kept = beginning_of(&self.unsaid, &stops);
        self.unsaid.drain(..kept).collect()
    }
}

/// A whole reply without reasoning. If a template opened the reasoning, the reply begins inside it.
pub(crate) fn without_thought(text: &str) -> &str {
    match first_of(text, &[OPENED, CLOSED]) {
        Some((at, CLOSED)) => &text[at + CLOSED.len()..],
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(stops: &[&str], pieces: &[&str]) -> (String, bool) {
        let stops: Vec<String> = stops.iter().map(|stop| (*stop).to_owned()).collect();
        let mut spoken = ThinkFilter::new(&stops);
        let mut out: String = pieces.iter().map(|piece| spoken.push(piece)).collect();
        out.push_str(&spoken.end());
        (out, spoken.is_stopped())
    }

    #[test]
    fn thoughts_and_what_follows_a_stop_word_are_left_out() {
        for (text, expected) in [
            ("plain", "plain"),
            ("\n\n lead", "lead"),
            ("<think>a\nb</think>\n\nBob.", "Bob."),
            ("Hi <think>x</think>you", "Hi you"),
            ("<think>never closed", ""),
            ("a < b <thin", "a < b <thin"),
            ("<think></think>é STO", "é STO"),
            ("one STOP two", "one "),
            ("<think>STOP</think>said EN", "said EN"),
            ("said END of STOP", "said "),
        ] {
            let whole = said(&["STOP", "END"], &[text]).0;
            assert_eq!(whole, expected, "{text:?}");
            let mut buffer = [0; 4];
            let letters: Vec<String> = text
                .chars()
                .map(|c| c.encode_utf8(&mut buffer).to_owned())
                .collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(
                said(&["STOP", "END"], &letters).0,
                expected,
                "{text:?} by letters"
            );
        }
        assert!(said(&["STOP"], &["a ST", "OP b"]).1);
        assert!(!said(&["STOP", ""], &["a ST", "UP b"]).1);
    }

    #[test]
    fn a_thought_that_the_template_opened_is_left_out_of_a_whole_reply() {
        assert_eq!(without_thought("hm</think>\nBob"), "\nBob");
        assert_eq!(
            without_thought("<think>hm</think>Bob"),
            "<think>hm</think>Bob"
        );
        assert_eq!(without_thought("Bob"), "Bob");
    }

    #[test]
    fn a_reply_to_a_prompt_that_opened_a_thought_begins_in_it() {
        assert!(ThinkFilter::is_begun_by("assistant\n<think>\n"));
        assert!(!ThinkFilter::is_begun_by(
            "assistant\n<think>\n\n</think>\n\n"
        ));
        let mut spoken = ThinkFilter::in_thought(&["STOP".to_owned()]);
        assert_eq!(spoken.push("Who? STOP</th"), "");
        assert_eq!(spoken.push("ink>\n\nBob.") + &spoken.end(), "Bob.");
        assert!(!spoken.is_stopped());
    }

    #[test]
    fn nothing_is_held_back_that_cannot_be_a_mark() {
        let mut spoken = ThinkFilter::new(&["###".to_owned()]);
        assert_eq!(spoken.push("ab#"), "ab");
        assert_eq!(spoken.push("c<"), "#c");
        assert_eq!(spoken.push("/"), "");
        assert_eq!(spoken.push("p>"), "</p>");
    }

    #[test]
    fn a_thought_that_the_template_opened_is_taken_back_where_nothing_was_given_on() {
        let mut spoken = ThinkFilter::held(&["STOP".to_owned()]);
        assert_eq!(spoken.push("{ hm</thi"), "{ hm");
        assert!(!spoken.takes_back());
        assert_eq!(spoken.push("STOPink</think>\n{}"), "{}");
        assert!(spoken.takes_back() && !spoken.takes_back() && !spoken.is_stopped());
        assert_eq!(spoken.push("<think>x</think>"), "");
        assert!(!spoken.takes_back());
    }

    proptest! {
        #[test]
        fn portions_do_not_matter(text in "[<>/thinkSTOP é]{0,40}", at in 0usize..40) {
            let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
            let (one, two) = text.split_at(at.unwrap_or(0));
            let marked = format!("<think>{text}</think>{text}");
            prop_assert_eq!(said(&["STO", "P"], &[&text]), said(&["STO", "P"], &[one, two]));
            prop_assert_eq!(said(&["T"], &[&marked]).0.contains('T'), false);
        }
    }
}
