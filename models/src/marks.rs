//! Marks in a text that comes in pieces: stop words, and where a thought begins and ends.

/// Where the first of `marks` is in `text`, and which it is.
pub(crate) fn first_of<'a>(text: &str, marks: &[&'a str]) -> Option<(usize, &'a str)> {
    let found = marks
        .iter()
        .filter_map(|mark| Some((text.find(mark)?, *mark)));
    found.min_by_key(|(at, _)| *at)
}

/// Where the end of `text` begins that may be the beginning of one of `marks`; its length where
/// none may be.
pub(crate) fn beginning_of(text: &str, marks: &[&str]) -> usize {
    let longest = marks.iter().map(|mark| mark.len()).max().unwrap_or(0);
    let from = text.len().saturating_sub(longest.saturating_sub(1));
    let is_beginning = |at: &usize| {
        let end = text.get(*at..);
        end.is_some_and(|end| marks.iter().any(|mark| mark.starts_with(end)))
    };
    (from..text.len()).find(is_beginning).unwrap_or(text.len())
}
