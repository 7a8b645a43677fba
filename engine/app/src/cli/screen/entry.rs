//! The line in which a question is typed.

use super::text::{clean, width};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::VecDeque;
use weir_core::limits;

/// Typed lines that can be called back.
const BEFORE_MAX: usize = 32;

/// The typed text, the place in it, and the lines before.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    text: String,
    /// Byte of the cursor, at a character.
    at: usize,
    before: VecDeque<String>,
    /// Which of them is shown, counted from the last.
    back: Option<usize>,
}

impl Entry {
    /// Whether nothing is typed.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Adds text at the cursor; what is too long for a question is left out.
    pub(crate) fn insert(&mut self, typed: &str) {
        for c in clean(typed).chars() {
            if self.text.len() + c.len_utf8() <= limits::QUESTION_BYTES_MAX {
                self.text.insert(self.at, c);
                self.at += c.len_utf8();
            }
        }
    }

    /// Empties the line.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.at = 0;
        self.back = None;
    }

    /// Takes the typed line, if it says anything.
    pub(crate) fn take(&mut self) -> Option<String> {
        let line = self.text.trim().to_owned();
        self.clear();
        if line.is_empty() {
            return None;
        }
        if self.before.back() != Some(&line) {
            self.before.push_back(line.clone());
        }
        if self.before.len() > BEFORE_MAX {
            self.before.pop_front();
        }
        Some(line)
    }

    /// Takes a key; false for one that is none of the line's.
    pub(crate) fn key(&mut self, key: KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, control) {
            (KeyCode::Char('a'), true) | (KeyCode::Home, _) => self.at = 0,
            (KeyCode::Char('e'), true) => self.at = self.text.len(),
            (KeyCode::Char('u'), true) => {
                self.text.drain(..self.at);
                self.at = 0;
            }
            (KeyCode::Char('w'), true) => {
                let word = self.text[..self.at].trim_end().rfind(' ');
                let from = word.map_or(0, |space| space + 1);
                self.text.drain(from..self.at);
                self.at = from;
            }
            (KeyCode::Char('p'), true) => self.call(self.back.map_or(0, |it| it + 1)),
            (KeyCode::Char('n'), true) => match self.back {
                Some(back @ 1..) => self.call(back - 1),
                _ => self.clear(),
            },
            (KeyCode::Char(c), false) => self.insert(c.encode_utf8(&mut [0; 4])),
            (KeyCode::Backspace, _) => {
                if let Some(c) = self.text[..self.at].chars().next_back() {
                    self.at -= c.len_utf8();
                    self.text.remove(self.at);
                }
            }
            (KeyCode::Delete, _) if self.at < self.text.len() => {
                self.text.remove(self.at);
            }
            (KeyCode::Left, _) => {
                let c = self.text[..self.at].chars().next_back();
                self.at -= c.map_or(0, char::len_utf8);
            }
            (KeyCode::Right, _) => {
                let c = self.text[self.at..].chars().next();
                self.at += c.map_or(0, char::len_utf8);
            }
            _ => return false,
        }
        true
    }

    /// Shows a line from before.
    fn call(&mut self, back: usize) {
        let nth = self.before.len().checked_sub(back + 1);
        if let Some(line) = nth.and_then(|nth| self.before.get(nth)) {
            (self.text, self.back) = (line.clone(), Some(back));
            self.at = self.text.len();
        }
    }

    /// What of the line is seen in so many columns, and the column of the cursor.
    pub(crate) fn seen(&self, columns: usize) -> (&str, usize) {
        let mut from = 0;
        // the cursor needs a column too
        while width(&self.text[from..self.at]) + 1 > columns {
            let Some(c) = self.text[from..self.at].chars().next() else {
                break;
            };
            from += c.len_utf8();
        }
        (&self.text[from..], width(&self.text[from..self.at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(entry: &mut Entry, code: KeyCode, modifiers: KeyModifiers) {
        entry.key(KeyEvent::new(code, modifiers));
    }

    #[test]
    fn a_line_is_edited_taken_and_called_back() {
        let mut entry = Entry::default();
        entry.insert("Who feeds\tthe\u{1b} cat");
        assert_eq!(entry.seen(80), ("Who feeds the  cat", 18));
        pressed(&mut entry, KeyCode::Char('w'), KeyModifiers::CONTROL);
        entry.insert("öl?");
        pressed(&mut entry, KeyCode::Left, KeyModifiers::NONE);
        pressed(&mut entry, KeyCode::Backspace, KeyModifiers::NONE);
        assert_eq!(entry.take().as_deref(), Some("Who feeds the  ö?"));
        assert_eq!(entry.take(), None);
        pressed(&mut entry, KeyCode::Char('p'), KeyModifiers::CONTROL);
        assert_eq!(entry.seen(6), ("e  ö?", 5));
        entry.insert(&"x".repeat(2 * limits::QUESTION_BYTES_MAX));
        assert!(entry.text.len() <= limits::QUESTION_BYTES_MAX);
    }
}
