//! `weir memory tree`: prints memory like meeting minutes. Date, heading, then who said what; each
//! line ends with the name of its node.

use crate::cli::asking::view;
use crate::cli::terminal::{Terminal, Tint, clock, many, plain};
use weir_core::memory::{Kind, MemoryTree, Node, Titles};
use weir_core::talk::{BufferedUtterance, Evidence};
use weir_core::text::{in_words, local_time};
use weir_engine::store::TranscriptReader;
use weir_engine::time::zone_here;
use weir_engine::views::{When, display_text, words_of};

/// Range of the line width on a terminal, in columns.
const WIDTH: std::ops::RangeInclusive<usize> = 60..=120;
/// Indentation of continuation lines, in columns.
const HANG: usize = 2;

/// A tree to print.
pub(crate) struct Minutes<'a> {
    pub(crate) tree: &'a MemoryTree,
    pub(crate) transcript: &'a TranscriptReader,
    /// Whether statements are listed below their events.
    pub(crate) statements: bool,
    /// Whether questions, greetings and short replies are listed too.
    pub(crate) all: bool,
}

/// Memory with more statements is shown as headings alone, unless statements are asked for.
const FEW: usize = 40;

/// Whether all its statements are of one day.
fn is_one_day(when: When<'_>) -> bool {
    when.days().is_none_or(|(first, last)| first == last)
}

/// Format for the heading of a scene: "7 May 2023 to 9 June 2023, kitchen". Session time adds
/// up over recordings, so without a day the time in the recording is shown.
fn heading(when: When<'_>) -> String {
    let recording = when.recording.map(plain);
    let (time, named) = match (when.days(), when.said) {
        (Some((first, last)), _) if first == last => (in_words(first), recording),
        (Some((first, last)), _) => {
            let days = format!("{} to {}", in_words(first), in_words(last));
            (days, recording)
        }
        (None, (Some(first), Some(last))) if recording.is_none() => (
            format!("{} to {}", in_recording(first), in_recording(last)),
            None,
        ),
        (None, said) => {
            let ms = |said: Option<&Evidence>, session_ms| {
                said.map_or(session_ms, |item| item.span.start_ms)
            };
            let first = seconds(ms(said.0, when.session_ms.0));
            let last = seconds(ms(said.1, when.session_ms.1));
            (format!("{first} to {last}"), recording)
        }
    };
    named.map_or_else(|| time.clone(), |named| format!("{time}, {named}"))
}

/// Format for an event: the time, and the day and the recording if its scene has several.
fn of_event(when: When<'_>, scene: When<'_>) -> String {
    let wall = when.wall.0.and_then(|at| local_time(at, &zone_here()));
    let Some(wall) = wall else {
        return match when.said.0 {
            Some(first) if scene.recording.is_none() => in_recording(first),
            Some(first) => seconds(first.span.start_ms),
            None => seconds(when.session_ms.0),
        };
    };
    let mut text = format!("{:02}:{:02}", wall.hour(), wall.minute());
    if !is_one_day(scene) {
        text = format!("{}, {text}", in_words(wall.date()));
    }
    match when.said.0.filter(|_| scene.recording.is_none()) {
        Some(first) => format!("{text}, {}", plain(&first.stream)),
        None => text,
    }
}

/// Name of a recording, and the time in it.
fn in_recording(said: &Evidence) -> String {
    format!("{} {}", plain(&said.stream), seconds(said.span.start_ms))
}

/// Time to the second.
fn seconds(ms: u64) -> String {
    let shown = clock(ms);
    shown.split('.').next().unwrap_or_default().to_owned()
}

impl Minutes<'_> {
    /// Prints all scenes.
    pub(crate) fn print(&self, terminal: &mut Terminal) -> anyhow::Result<()> {
        let width = width();
        let of_kind = |kind| self.tree.of_kind(kind).count();
        let folded = !(self.statements || self.all) && of_kind(Kind::Unit) > FEW;
        for (nth, scene) in self.tree.scenes().enumerate() {
            if nth > 0 {
                terminal.data("")?;
            }
            let when = When::of(self.tree, scene);
            let title = plain(&self.title(scene));
            let events = match scene.children.len() {
                0..=2 => String::new(),
                count => format!(" ({count} events)"),
            };
            let line = format!("{}: {title}{events}", heading(when));
            self.line(&line, 0, Some(scene), width, terminal)?;
            // the line of a scene says what its only event would say again
            let alone = scene.children.len() == 1;
            for event in self.tree.children(scene.id).filter(|_| !(folded && alone)) {
                let at = of_event(When::of(self.tree, event), when);
                let line = match alone {
                    true => at,
                    false => format!("{at}: {}", plain(&self.title(event))),
                };
                self.line(&line, 1, Some(event), width, terminal)?;
                if !folded {
                    self.units(event, width, terminal)?;
                }
            }
        }
        if folded {
            let held = many(of_kind(Kind::Unit) as u64, "statement");
            let hint = "--statements lists them, --all questions and greetings too";
            let line = format!("{held} below these headings: {hint}");
            terminal.data("")?;
            self.line(&line, 0, None, width, terminal)?;
        }
        Ok(())
    }

    /// Prints what was heard and is in no block yet.
    pub(crate) fn print_unsorted(
        &self,
        heard: &[&BufferedUtterance],
        terminal: &mut Terminal,
    ) -> anyhow::Result<()> {
        if heard.is_empty() {
            return Ok(());
        }
        if !self.tree.is_empty() {
            terminal.data("")?;
        }
        let line = format!("not yet sorted: {}", many(heard.len() as u64, "utterance"));
        terminal.data(&terminal.tint(Tint::Strong, &line))?;
        let mut recording = None;
        for BufferedUtterance { utterance, .. } in heard {
            if recording.replace(&utterance.stream) != Some(&utterance.stream) {
                let named = terminal.tint(Tint::Faint, &plain(&utterance.stream));
                terminal.data(&format!("  {named}"))?;
            }
            terminal.data(&format!("    {}", view::utterance(utterance, terminal)))?;
        }
        Ok(())
    }

    fn title(&self, node: &Node) -> String {
        let words = |unit: &Node| words_of(unit, self.transcript);
        Titles::with_words(self.tree, &words).title(node)
    }

    fn units(
        &self,
        event: &Node,
        width: Option<usize>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<()> {
        let mut left_out = 0;
        for unit in self.tree.children(event.id) {
            if !self.all && is_small_talk(self.tree, unit, self.transcript) {
                left_out += 1;
                continue;
            }
            let mut line = plain(&display_text(self.tree, unit, self.transcript));
            for (is, mark) in [(unit.pinned, " (pinned)"), (unit.edited, " (edited)")] {
                if is {
                    line.push_str(mark);
                }
            }
            self.line(&line, 2, Some(unit), width, terminal)?;
        }
        if left_out > 0 {
            let line = format!("+ {left_out} more: questions, greetings and short replies");
            self.line(&line, 2, None, width, terminal)?;
        }
        Ok(())
    }

    fn line(
        &self,
        text: &str,
        depth: usize,
        node: Option<&Node>,
        width: Option<usize>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<()> {
        let name = node.map(|node| node.id.to_string());
        let room = width.map(|width| width.saturating_sub(2 * depth));
        let lines = wrap(text, name.as_deref(), room);
        let strong = node.is_some_and(|node| node.kind != Kind::Unit);
        for (nth, line) in lines.iter().enumerate() {
            let indent = " ".repeat(2 * depth + if nth > 0 { HANG } else { 0 });
            let (words, name) = match name.as_deref().filter(|_| nth + 1 == lines.len()) {
                Some(name) => (line.strip_suffix(name).unwrap_or(line), name),
                None => (line.as_str(), ""),
            };
            let words = match (strong, node.is_none()) {
                (true, _) => terminal.tint(Tint::Strong, words),
                (_, true) => terminal.tint(Tint::Faint, words),
                _ => words.to_owned(),
            };
            let name = match name {
                "" => String::new(),
                name => terminal.tint(Tint::Faint, name),
            };
            terminal.data(&format!("{indent}{words}{name}"))?;
        }
        Ok(())
    }
}

/// Whether minutes omit a unit.
pub(crate) fn is_small_talk(tree: &MemoryTree, unit: &Node, transcript: &TranscriptReader) -> bool {
    let words = words_of(unit, transcript);
    words.is_some_and(|words| Titles::of(tree).is_small_talk(unit, &words))
}

/// Wraps text to lines of at most `room` columns, two fewer from the second on, with a name at the
/// end.
fn wrap(text: &str, name: Option<&str>, room: Option<usize>) -> Vec<String> {
    let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    words.extend(name.map(|name| format!(" {name}")));
    let mut lines: Vec<String> = vec![String::new()];
    for word in words {
        let used = lines.last().map_or(0, |line| line.chars().count());
        let room = room.map(|room| room.saturating_sub(if lines.len() > 1 { HANG } else { 0 }));
        let full = room.is_some_and(|room| used + 1 + word.chars().count() > room);
        match lines.last_mut() {
            Some(line) if used == 0 => line.push_str(&word),
            Some(line) if !full => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word.trim_start().to_owned()),
        }
    }
    lines
}

/// Columns of the terminal on standard output, or `COLUMNS` if set; none for a pipe or a file,
/// whose lines are not wrapped.
fn width() -> Option<usize> {
    let set = std::env::var("COLUMNS").ok();
    let set = set.and_then(|columns| columns.parse().ok());
    let columns = set.or_else(|| {
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
        Some(usize::from(size.ws_col))
    });
    columns.map(|columns: usize| columns.clamp(*WIDTH.start(), *WIDTH.end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_wrapped_with_its_name_at_the_end() {
        let text = "Ann: The keys hang behind the stove.";
        assert_eq!(wrap(text, Some("n1.0"), None), [format!("{text}  n1.0")]);
        let lines = wrap(text, Some("n1.0"), Some(20));
        assert_eq!(
            lines,
            ["Ann: The keys hang", "behind the stove.", "n1.0"],
            "{lines:?}"
        );
    }

    #[test]
    fn a_heading_says_from_when_to_when() {
        let day = 86_400_000;
        let when = |first, last| When {
            wall: (Some(first), Some(last)),
            session_ms: (0, 61_000),
            said: (None, None),
            recording: Some("desk"),
        };
        assert_eq!(heading(when(0, 5)), "1 January 1970, desk");
        let two = "1 January 1970 to 2 January 1970, desk";
        assert_eq!(heading(when(0, day)), two);
        let late = when(day + 3_600_000, day);
        assert_eq!(of_event(late, when(0, day)), "2 January 1970, 01:00");
        assert_eq!(of_event(when(3_600_000, 0), when(0, 0)), "01:00");
        let unknown = When {
            wall: (None, None),
            session_ms: (4_200, 61_000),
            said: (None, None),
            recording: None,
        };
        assert_eq!(heading(unknown), "00:04 to 01:01");
        assert_eq!(of_event(unknown, unknown), "00:04");
    }
}
