//! Cuts the text of a file into excerpts that can be found and cited: by headings, blank lines and
//! sentences. A pure function; every word of the text is in exactly one excerpt.

use super::excerpt::{Excerpt, ExcerptError};
use super::subtitles;
use crate::limits;
use crate::text::{is_whole_sentence, sentences};

/// How the text of a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// Lines of text; blank lines separate paragraphs.
    Plain,
    /// The same with headings, `# …`, and fenced code.
    Markdown,
    /// Cues with times: SubRip or WebVTT. Their numbers, times and tags are no words.
    Subtitles,
}

/// Cuts a text into excerpts of [`limits::PASSAGE_WORDS_MIN`] to [`limits::PASSAGE_WORDS_MAX`]
/// words. None crosses a heading; a section with fewer words is an excerpt of its own. One crosses
/// a blank line only if it would have fewer words otherwise. Longer paragraphs are cut between
/// sentences, or else between lines or words.
///
/// # Errors
/// [`ExcerptError`].
pub fn excerpts(text: &str, kind: TextKind) -> Result<Vec<Excerpt>, ExcerptError> {
    check_words(text)?;
    let found = match kind {
        TextKind::Subtitles => subtitles::excerpts(text)?,
        TextKind::Plain | TextKind::Markdown => packed(text, &pieces(text, kind)),
    };
    match found.is_empty() {
        true => Err(ExcerptError::NoWords),
        false => Ok(found),
    }
}

fn check_words(text: &str) -> Result<(), ExcerptError> {
    let max = limits::PASSAGE_BYTES_MAX;
    if !text.chars().any(char::is_alphanumeric) {
        return Err(ExcerptError::NoWords);
    }
    for (line, number) in text.lines().zip(1..) {
        let longest = line.split_whitespace().map(str::len).max();
        if let Some(bytes) = longest.filter(|bytes| *bytes > max) {
            return Err(ExcerptError::LongWord {
                line: number,
                bytes,
                max,
            });
        }
    }
    Ok(())
}

/// What stands before a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Other words of its paragraph.
    Words,
    /// A blank line.
    Blank,
    /// Nothing: it is a heading itself.
    Heading,
}

/// A part of a line that is not cut: a sentence, or as many of its words as an excerpt has at most.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
    line: u32,
    words: usize,
    before: Before,
    /// Whether a sentence ends here.
    ends: bool,
}

/// All pieces of a text, in order.
fn pieces(text: &str, kind: TextKind) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut before, mut in_code) = (Before::Blank, false);
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            before = Before::Blank;
            continue;
        }
        let fence = ["```", "~~~"]
            .iter()
            .any(|it| line.trim_start().starts_with(it));
        in_code ^= fence && kind == TextKind::Markdown;
        let heading = kind == TextKind::Markdown && !in_code && is_heading(line);
        for (at, part) in parts(line).into_iter().enumerate() {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            pieces.push(Piece {
                start,
                end: start + part.len(),
                line: number,
                words: part.split_whitespace().count(),
                before: match at {
                    0 if heading => Before::Heading,
                    0 => before,
                    _ => Before::Words,
                },
                ends: is_whole_sentence(part),
            });
        }
        before = Before::Words;
    }
    pieces
}

/// `# Heading` to `###### Heading`.
fn is_heading(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    (1..=6).contains(&level) && rest.starts_with([' ', '\t'])
}

/// The sentences of a line, each with all that follows it up to the next; a longer one than an
/// excerpt in several parts.
fn parts(line: &str) -> Vec<&str> {
    let at = |part: &str| part.as_ptr() as usize - line.as_ptr() as usize;
    let starts = sentences(line).into_iter().skip(1).map(at);
    let mut parts = Vec::new();
    let mut from = 0;
    for to in starts.chain([line.len()]) {
        words_cut(line[from..to].trim(), &mut parts);
        from = to;
    }
    parts
}

/// Adds a text in parts that fit an excerpt.
fn words_cut<'a>(text: &'a str, parts: &mut Vec<&'a str>) {
    let (mut start, mut end, mut words) = (0, 0, 0);
    for word in text.split_whitespace() {
        let from = word.as_ptr() as usize - text.as_ptr() as usize;
        let to = from + word.len();
        if words == limits::PASSAGE_WORDS_MAX || to - start > limits::PASSAGE_BYTES_MAX {
            parts.push(&text[start..end]);
            (start, words) = (from, 0);
        }
        end = to;
        words += 1;
    }
    if words > 0 {
        parts.push(&text[start..end]);
    }
}

/// Packs pieces into excerpts.
fn packed(text: &str, pieces: &[Piece]) -> Vec<Excerpt> {
    let mut excerpts: Vec<&[Piece]> = Vec::new();
    let mut from = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let open = &pieces[from..at];
        if !open.is_empty() && is_cut_before(open, piece) {
            excerpts.push(open);
            from = at;
        }
        while from < at && !fits(&pieces[from..at], piece) {
            let open = &pieces[from..at];
            let (cut, _) = open.split_at(sentence_end(open));
            excerpts.push(cut);
            from += cut.len();
        }
    }
    excerpts.extend(Some(&pieces[from..]).filter(|rest| !rest.is_empty()));
    let excerpts = without_short_tails(pieces, excerpts);
    excerpts.into_iter().map(|it| excerpt(text, it)).collect()
}

/// Whether the structure of the text ends an excerpt here.
fn is_cut_before(open: &[Piece], piece: &Piece) -> bool {
    match piece.before {
        Before::Heading => open.iter().any(|it| !is_title(open, it)),
        Before::Blank => words(open) >= limits::PASSAGE_WORDS_MIN,
        Before::Words => false,
    }
}

/// Whether a piece is on the line of a heading.
fn is_title(open: &[Piece], piece: &Piece) -> bool {
    let mut headings = open.iter().filter(|it| it.before == Before::Heading);
    headings.any(|heading| heading.line == piece.line)
}

fn words(pieces: &[Piece]) -> usize {
    pieces.iter().map(|it| it.words).sum()
}

fn fits(open: &[Piece], piece: &Piece) -> bool {
    let start = open.first().map_or(piece.start, |first| first.start);
    words(open) + piece.words <= limits::PASSAGE_WORDS_MAX
        && piece.end - start <= limits::PASSAGE_BYTES_MAX
}

/// The number of pieces up to the last end of a sentence that leaves an excerpt long enough; all
/// of them if there is none.
fn sentence_end(open: &[Piece]) -> usize {
    let long = |n: &usize| words(&open[..*n]) >= limits::PASSAGE_WORDS_MIN;
    let ends = (1..=open.len()).rev().filter(|n| open[n - 1].ends);
    ends.take_while(long).next().unwrap_or(open.len())
}

/// Joins what is too short with the excerpt before it, where both are of one section and fit.
fn without_short_tails<'a>(all: &'a [Piece], excerpts: Vec<&'a [Piece]>) -> Vec<&'a [Piece]> {
    let mut joined: Vec<&[Piece]> = Vec::new();
    let mut from = 0;
    for excerpt in excerpts {
        let to = from + excerpt.len();
        let fits_before = |last: &&mut &[Piece]| {
            words(excerpt) < limits::PASSAGE_WORDS_MIN
                && excerpt[0].before != Before::Heading
                && excerpt
                    .iter()
                    .try_fold((), |(), it| fits(last, it).then_some(()))
                    .is_some()
                && words(last) + words(excerpt) <= limits::PASSAGE_WORDS_MAX
        };
        match joined.last_mut().filter(fits_before) {
            Some(last) => *last = &all[from - last.len()..to],
            None => joined.push(excerpt),
        }
        from = to;
    }
    joined
}

fn excerpt(text: &str, pieces: &[Piece]) -> Excerpt {
    let (first, last) = (pieces[0], pieces[pieces.len() - 1]);
    Excerpt {
        text: text[first.start..last.end].to_owned(),
        first_line: first.line,
        last_line: last.line,
        span: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str, kind: TextKind) -> Vec<(u32, u32, usize)> {
        let found = excerpts(text, kind).expect("it has words");
        let words = |it: &Excerpt| it.text.split_whitespace().count();
        found
            .iter()
            .map(|it| (it.first_line, it.last_line, words(it)))
            .collect()
    }

    fn many(word: &str, count: usize) -> String {
        vec![word; count].join(" ")
    }

    /// Title and first section are one excerpt, since the title alone says nothing; the short
    /// second section is apart; in the third, the paragraphs of 20 and 25 words are joined, and the
    /// one of 40 is apart.
    #[test]
    fn sections_and_paragraphs_by_hand() {
        let (a, b, c) = (many("a", 20), many("b", 25), many("c", 40));
        let text = format!(
            "# Title\n\n## One\nwifi: 4711\n\n## Two\nshort\n\n## Three\n{a}\n\n{b}\n\n{c}\n"
        );
        let found = lines(&text, TextKind::Markdown);
        assert_eq!(found, [(1, 4, 6), (6, 7, 3), (9, 12, 47), (14, 14, 40)]);
        // without headings, only blank lines cut
        assert_eq!(lines(&text, TextKind::Plain), [(1, 10, 31), (12, 14, 65)]);
    }

    #[test]
    fn a_heading_in_code_is_none() {
        let text = "# Build\n\n```sh\n# not a heading\nmake\n```\n";
        assert_eq!(lines(text, TextKind::Markdown).len(), 1);
    }

    /// 5 sentences of 30 words: the first excerpt ends where the fourth does, 120 words; the rest
    /// is long enough to stand alone.
    #[test]
    fn long_paragraphs_are_cut_between_sentences() {
        let sentence = format!("The {} end.", many("x", 28));
        let text = vec![sentence; 5].join("\n");
        assert_eq!(lines(&text, TextKind::Plain), [(1, 4, 120), (5, 5, 30)]);
        let one_line = text.replace('\n', " ");
        assert_eq!(lines(&one_line, TextKind::Plain), [(1, 1, 120), (1, 1, 30)]);
    }

    #[test]
    fn texts_without_words_and_with_giant_words_are_refused() {
        assert_eq!(
            excerpts(" \n--- \n", TextKind::Plain),
            Err(ExcerptError::NoWords)
        );
        let giant = format!("fine\n{}", "x".repeat(limits::PASSAGE_BYTES_MAX + 1));
        let wrong = excerpts(&giant, TextKind::Markdown).expect_err("it is too long");
        assert!(
            matches!(wrong, ExcerptError::LongWord { line: 2, .. }),
            "{wrong}"
        );
    }

    fn text() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            "[a-z]{1,9}",
            "[A-Z][a-z]{1,5}[.!?]",
            Just("# Heading".to_owned()),
            Just("```".to_owned()),
            Just("---".to_owned()),
            Just("é[一]".to_owned()),
            Just("x".repeat(900)),
        ];
        let gap = prop_oneof![
            12 => Just(" "), 2 => Just("\n"), 1 => Just("\n\n"), 1 => Just("\r\n\t\n"),
        ];
        proptest::collection::vec((word, gap), 1..400).prop_map(|all| {
            all.iter()
                .map(|(word, gap)| format!("{word}{gap}"))
                .collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Every word is in exactly one excerpt, in order, and stands on the lines that it names.
        #[test]
        fn every_word_is_in_one_excerpt_on_its_lines(text in text(), markdown in any::<bool>()) {
            let kind = if markdown { TextKind::Markdown } else { TextKind::Plain };
            let Ok(found) = excerpts(&text, kind) else {
                prop_assert!(!text.chars().any(char::is_alphanumeric));
                return Ok(());
            };
            let together: Vec<&str> =
                found.iter().flat_map(|it| it.text.split_whitespace()).collect();
            prop_assert_eq!(together, text.split_whitespace().collect::<Vec<_>>());
            let lines: Vec<&str> = text.lines().collect();
            for it in &found {
                let own = &lines[it.first_line as usize - 1..it.last_line as usize];
                prop_assert!(own.join("\n").contains(&it.text.replace("\r\n", "\n")));
                prop_assert!(it.text.split_whitespace().count() <= limits::PASSAGE_WORDS_MAX);
                prop_assert!(it.text.len() <= limits::PASSAGE_BYTES_MAX);
                let headings = it.text.lines().filter(|line| line.starts_with("# "));
                let only = it.text.lines().all(|line| line.starts_with("# "));
                let fenced = text.contains("```");
                prop_assert!(!markdown || fenced || headings.count() <= 1 || only
                    || it.text.starts_with("# "), "{:?}", it.text);
            }
        }
    }
}
