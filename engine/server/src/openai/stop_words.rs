//! Texts that end a reply: the reply is what stands before the first of them.

/// Looks for texts in a reply that comes in pieces.
pub(super) struct StopWords {
    words: Vec<String>,
    /// The reply so far.
    text: String,
    /// Bytes of it that were passed on.
    passed: usize,
    /// Whether one of the texts was found; the reply ends before it.
    found: bool,
}

impl StopWords {
    pub(super) fn new(words: Vec<String>) -> Self {
        Self {
            words,
            text: String::new(),
            passed: 0,
            found: false,
        }
    }

    /// Takes a piece; returns what can be passed on, since no text that ends the reply can begin in
    /// it, and whether the reply goes on.
    pub(super) fn take(&mut self, piece: &str) -> (&str, bool) {
        self.text.push_str(piece);
        // none begins in what was passed on
        let (from, new) = (self.passed, &self.text[self.passed..]);
        let at = self.words.iter().filter_map(|it| new.find(it.as_str()));
        let end = match at.min().map(|at| from + at) {
            Some(at) => {
                self.found = true;
                self.text.truncate(at);
                at
            }
            None => self.text.len() - self.begun(),
        };
        self.passed = end;
        (&self.text[from..end], !self.found)
    }

    /// The end of the reply that was held back, and all of it.
    pub(super) fn finish(self) -> (String, String) {
        (self.text[self.passed..].to_owned(), self.text)
    }

    /// Bytes at the end of the reply that may be the beginning of a text.
    fn begun(&self) -> usize {
        let begun = |word: &String| {
            let ends = word.char_indices().map(|(at, _)| at).rev();
            let mut ends = ends.filter(|at| self.text.ends_with(&word[..*at]));
            ends.next().unwrap_or(0)
        };
        self.words.iter().map(begun).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is passed on of these pieces, and the whole reply.
    fn passed(words: &[&str], pieces: &[&str]) -> (String, String) {
        let mut stop = StopWords::new(words.iter().map(|it| (*it).to_owned()).collect());
        let mut told = String::new();
        for piece in pieces {
            let (more, goes_on) = stop.take(piece);
            told.push_str(more);
            if !goes_on {
                break;
            }
        }
        let (rest, whole) = stop.finish();
        (told + &rest, whole)
    }

    #[test]
    fn a_reply_ends_before_the_first_text_however_it_comes() {
        let text = "One. Two. END Three. STOP";
        for size in 1..text.len() {
            let pieces: Vec<&str> = text
                .as_bytes()
                .chunks(size)
                .map(|it| std::str::from_utf8(it).expect("ASCII"))
                .collect();
            let (told, whole) = passed(&["STOP", "END"], &pieces);
            assert_eq!(
                (told.as_str(), whole.as_str()),
                ("One. Two. ", "One. Two. ")
            );
            let (told, whole) = passed(&["ENDE"], &pieces);
            assert_eq!((told.as_str(), whole.as_str()), (text, text));
        }
        assert_eq!(passed(&[], &["a", "b"]).0, "ab");
        assert_eq!(passed(&["é!"], &["caf", "é", "s"]).0, "cafés");
    }
}
