//! Filters a streamed reply: removes reasoning and leading white space.
#![cfg_attr(
    not(all(feature = "writers", feature = "endpoint")),
    allow(dead_code, reason = "each kind of generator uses its part")
)]

const OPENED: &str = "<think>";
const CLOSED: &str = "</think>";

/// Takes the text of a reply in pieces and returns the part that can be passed on.
#[derive(Debug, Default)]
pub(crate) struct ThinkFilter {
    /// Text that may be the beginning of a mark.
    unread: String,
    thinks: bool,
    has_begun: bool,
    /// Whether nothing is passed on before the end, so that text can still be discarded.
    is_held: bool,
    has_taken_back: bool,
}

impl ThinkFilter {
    /// Of a reply that continues the reasoning with which its prompt ends.
    pub(crate) fn in_thought() -> Self {
        Self {
            thinks: true,
            ..Self::default()
        }
    }

    /// Whether a prompt ends with an opening tag of reasoning.
    pub(crate) fn is_begun_by(prompt: &str) -> bool {
        prompt.trim_end().ends_with(OPENED)
    }

    /// Of a reply that is passed on only at its end. Text before an unmatched `</think>` is
    /// discarded.
    pub(crate) fn held() -> Self {
        Self {
            is_held: true,
            ..Self::default()
        }
    }

    /// Whether all text before the last piece turned out to be reasoning; resets when read.
    pub(crate) fn takes_back(&mut self) -> bool {
        std::mem::take(&mut self.has_taken_back)
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
                let read: String = self
                    .unread
                    .drain(..beginning_of(&self.unread, marks))
                    .collect();
                self.say(&read, &mut out);
                return out;
            };
            let read: String = self.unread.drain(..at + mark.len()).collect();
            self.say(&read[..at], &mut out);
            if self.is_held && !self.thinks && mark == CLOSED {
                // the template opened the reasoning, so the reply began inside it
                out.clear();
                (self.has_begun, self.has_taken_back) = (false, true);
            }
            self.thinks = mark == OPENED;
        }
    }

    /// Returns the text held back as a possible start of a mark.
    pub(crate) fn end(&mut self) -> String {
        let (unread, mut out) = (std::mem::take(&mut self.unread), String::new());
        self.say(&unread, &mut out);
        out
    }

    /// Adds text outside reasoning, without leading white space.
    fn say(&mut self, text: &str, out: &mut String) {
        if self.thinks {
            return;
        }
        let text = if self.has_begun {
            text
        } else {
            text.trim_start()
        };
        self.has_begun |= !text.is_empty();
        out.push_str(text);
    }
}

/// Position of the first of `marks` in `text`, and which one it is.
fn first_of<'a>(text: &str, marks: &[&'a str]) -> Option<(usize, &'a str)> {
    let found = marks
        .iter()
        .filter_map(|mark| Some((text.find(mark)?, *mark)));
    found.min_by_key(|(at, _)| *at)
}

/// Start of the longest end of `text` that may be the beginning of one of `marks`; the length of
/// `text` if there is none.
fn beginning_of(text: &str, marks: &[&str]) -> usize {
    let from = text.len().saturating_sub(CLOSED.len() - 1);
    let is_beginning = |at: &usize| {
        let end = text.get(*at..);
        end.is_some_and(|end| marks.iter().any(|mark| mark.starts_with(end)))
    };
    (from..text.len()).find(is_beginning).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(pieces: &[&str]) -> String {
        let mut spoken = ThinkFilter::default();
        let mut out: String = pieces.iter().map(|piece| spoken.push(piece)).collect();
        out.push_str(&spoken.end());
        out
    }

    #[test]
    fn thoughts_are_left_out() {
        for (text, expected) in [
            ("plain", "plain"),
            ("\n\n lead", "lead"),
            ("<think>a\nb</think>\n\nBob.", "Bob."),
            ("Hi <think>x</think>you", "Hi you"),
            ("<think>never closed", ""),
            ("a < b <thin", "a < b <thin"),
            ("<think></think>é STO", "é STO"),
        ] {
            assert_eq!(said(&[text]), expected, "{text:?}");
            let mut buffer = [0; 4];
            let letters = text.chars().map(|c| c.encode_utf8(&mut buffer).to_owned());
            let letters: Vec<String> = letters.collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(said(&letters), expected, "{text:?} by letters");
        }
    }

    #[test]
    fn a_reply_to_a_prompt_that_opened_a_thought_begins_in_it() {
        assert!(ThinkFilter::is_begun_by("assistant\n<think>\n"));
        assert!(!ThinkFilter::is_begun_by(
            "assistant\n<think>\n\n</think>\n\n"
        ));
        let mut spoken = ThinkFilter::in_thought();
        assert_eq!(spoken.push("Who?</th"), "");
        assert_eq!(spoken.push("ink>\n\nBob.") + &spoken.end(), "Bob.");
    }

    #[test]
    fn nothing_is_held_back_that_cannot_be_a_mark() {
        let mut spoken = ThinkFilter::default();
        assert_eq!(spoken.push("ab<"), "ab");
        assert_eq!(spoken.push("c<"), "<c");
        assert_eq!(spoken.push("/"), "");
        assert_eq!(spoken.push("p>"), "</p>");
    }

    #[test]
    fn a_thought_that_the_template_opened_is_taken_back_where_nothing_was_given_on() {
        let mut spoken = ThinkFilter::held();
        assert_eq!(spoken.push("{ hm</thi"), "{ hm");
        assert!(!spoken.takes_back());
        assert_eq!(spoken.push("nkink</think>\n{}"), "{}");
        assert!(spoken.takes_back() && !spoken.takes_back());
        assert_eq!(spoken.push("<think>x</think>"), "");
        assert!(!spoken.takes_back());
    }

    proptest! {
        #[test]
        fn portions_do_not_matter(text in "[<>/think é]{0,40}", at in 0usize..40) {
            let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
            let (one, two) = text.split_at(at.unwrap_or(0));
            prop_assert_eq!(said(&[&text]), said(&[one, two]));
            let thought = format!("<think>{}</think>T", text.replace('>', "T"));
            prop_assert_eq!(said(&[&thought]), "T");
        }
    }
}
