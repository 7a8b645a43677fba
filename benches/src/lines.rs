//! Parses the lines of a context in any method's format: words, speaker and day.
//!
//! Headings (`## Short-term Memory:`, `**Trip > Packing** (3 amu(s)):`) and day lines (`[8 May
//! 2023]`) are not statements. List marks and clock times before a line are removed.

use weir_core::text::clauses;

/// Most characters and words of a speaker's name.
const NAME_CHARS_MAX: usize = 40;
const NAME_WORDS_MAX: usize = 4;

/// A statement of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Its day, as written in the context.
    pub(crate) day: Option<&'a str>,
    /// Speaker.
    pub(crate) speaker: Option<&'a str>,
    /// Words.
    pub(crate) words: &'a str,
    /// Speaker and words, as in the context.
    pub(crate) text: &'a str,
}

impl Line<'_> {
    /// The single statements of the line, each with the speaker before it, as the memory and its
    /// encoder read them. Many lines share statements, so they are compared one by one.
    pub(crate) fn statements(&self) -> Vec<String> {
        let statements = clauses(self.words).into_iter();
        let said = statements.filter(|words| words.contains(char::is_alphanumeric));
        said.map(|words| match self.speaker {
            Some(speaker) => format!("{speaker}: {words}"),
            None => words.to_owned(),
        })
        .collect()
    }
}

/// The statements of a context, in order.
pub(crate) fn read(context: &str) -> impl Iterator<Item = Line<'_>> {
    let mut above = None;
    context.lines().filter_map(move |line| {
        let line = line.trim();
        if is_heading(line) {
            above = None;
            return None;
        }
        let line = unmarked(line);
        let (day, line) = match bracketed(line).or_else(|| dated(line)) {
            Some((day, "")) if !is_clock(day) => {
                above = Some(day);
                return None;
            }
            Some((day, rest)) if !is_clock(day) => (Some(day), rest),
            Some((_, rest)) => (above, rest),
            None => (above, line),
        };
        let text = without_clock(line);
        let (speaker, words) = spoken(text);
        let line = Line {
            day,
            speaker,
            words,
            text,
        };
        words.contains(char::is_alphanumeric).then_some(line)
    })
}

fn is_heading(line: &str) -> bool {
    let after = line.trim_start_matches('#');
    let hashes = after.len() < line.len() && (after.is_empty() || after.starts_with(' '));
    hashes || (line.starts_with("**") && line.ends_with(':'))
}

fn unmarked(line: &str) -> &str {
    ["- ", "* ", "• "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .unwrap_or(line)
        .trim_start()
}

/// The text in brackets before a line, if it contains a digit, and the rest.
fn bracketed(line: &str) -> Option<(&str, &str)> {
    let (day, rest) = line.strip_prefix('[')?.split_once(']')?;
    let is_day = day.contains(|c: char| c.is_ascii_digit()) && day.len() <= NAME_CHARS_MAX;
    is_day.then_some((day, rest.trim_start()))
}

/// A day before a line, as in `8 May 2023, 13:56 Anna: yes`, and the rest.
fn dated(line: &str) -> Option<(&str, &str)> {
    let mut blanks = line.match_indices(' ').map(|(at, _)| at);
    let ends = [blanks.next()?, blanks.next()?, blanks.next()?];
    let (day, rest) = line.split_at(ends[2]);
    let day = day.trim_end_matches(',');
    let month = day.get(ends[0] + 1..ends[1])?;
    let year = day.get(ends[1] + 1..)?;
    let is_day = is_digits(&day[..ends[0]])
        && ends[0] <= 2
        && month.chars().all(char::is_alphabetic)
        && year.len() == 4
        && is_digits(year);
    is_day.then_some((day, rest.trim_start()))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// `13:05`
fn is_clock(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(hours, minutes)| is_digits(hours) && is_digits(minutes))
}

fn without_clock(line: &str) -> &str {
    match line.split_once(' ') {
        Some((clock, rest)) if is_clock(clock) => rest.trim_start(),
        _ => line,
    }
}

fn spoken(text: &str) -> (Option<&str>, &str) {
    let Some((name, words)) = text.split_once(": ") else {
        return (None, text);
    };
    let is_name = !name.is_empty()
        && name.len() <= NAME_CHARS_MAX
        && name.split(' ').count() <= NAME_WORDS_MAX
        && !name.contains(['.', ',', '!', '?', ';', '"', '[', '(', ':']);
    if is_name {
        (Some(name), words.trim_start())
    } else {
        (None, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_days_marks_and_clocks_are_no_words() {
        let context = "## Short-term Memory:\n0:07 Anna: We leave.\n\n## Long-term Memory:\n\
            [8 May 2023]\n13:05 Bob: At 8: no.\n- Anna Maria: I sold it\n\
            **Trip > Packing** (2 amu(s)):\n- they packed\n[9 May 2023] Bob: Yes\nBob: Hm, no\n\
            8 May 2023, 13:56 Bob: So\n9 lives a cat has\n[12:34] Bob: Ah\n---\n\
            #tags are words\nAnna: [shares a cat]\n";
        let lines: Vec<_> = read(context)
            .map(|line| (line.day, line.speaker, line.words))
            .collect();
        let day = Some("8 May 2023");
        assert_eq!(
            lines,
            [
                (None, Some("Anna"), "We leave."),
                (day, Some("Bob"), "At 8: no."),
                (day, Some("Anna Maria"), "I sold it"),
                (None, None, "they packed"),
                (Some("9 May 2023"), Some("Bob"), "Yes"),
                (None, Some("Bob"), "Hm, no"),
                (day, Some("Bob"), "So"),
                (None, None, "9 lives a cat has"),
                (None, Some("Bob"), "Ah"),
                (None, None, "#tags are words"),
                (None, Some("Anna"), "[shares a cat]"),
            ]
        );
    }

    #[test]
    fn what_has_a_colon_is_not_always_said_by_somebody() {
        let spoken = |text| read(text).next().expect("a line").speaker;
        assert_eq!(spoken("Well, then: we go"), None);
        assert_eq!(spoken("there are five things to do: go"), None);
        assert_eq!(spoken("Dr No: go"), Some("Dr No"));
        assert_eq!(
            read("12:30 Anna: go").next().expect("a line").text,
            "Anna: go"
        );
    }
}
