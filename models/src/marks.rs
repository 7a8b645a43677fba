//! Finds marks in streamed text: stop words, and the start and end of reasoning.

/// Position of the first of `marks` in `text`, and which one it is.
pub(crate) fn first_of<'a>(text: &str, marks: &[&'a str]) -> Option<(usize, &'a str)> {
    let found = marks
        .iter()
        .filter_map(|mark| Some((text.find(mark)?, *mark)));
    found.min_by_key(|(at, _)| *at)
}

/// Start of the longest end of `text` that may be the beginning of one of `marks`; the length of
/// `text` if there is none.
pub(crate) fn beginning_of(text: &str, marks: &[&str]) -> usize {
    let longest = marks.iter().map(|mark| mark.len()).max().unwrap_or(0);
    let from = text.len().saturating_sub(longest.saturating_sub(1));
    let is_beginning = |at: &usize| {
        let end = text.get(*at..);
        end.is_some_and(|end| marks.iter().any(|mark| mark.starts_with(end)))
    };
    (from..text.len()).find(is_beginning).unwrap_or(text.len())
}
