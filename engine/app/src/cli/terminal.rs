//! Output: data to standard output, everything else to standard error.
//!
//! Only this module prints. A reader that closes standard output early (`head`) ends the command
//! silently and with success, as usual in a shell. Invariants: a stream that is not a terminal gets
//! no colour and no redrawn lines; a message is one line, whatever it quotes; nothing that is
//! quoted steers the terminal.

use crate::cli::args::{Colour, Global};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::time::{Duration, Instant};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr};

/// Interval of progress lines on output that cannot be redrawn.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// What follows the escape in the codes of [`paint`].
const COLOURS: [&str; 6] = ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m"];

/// Style of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tint {
    /// The most important part of a line.
    Strong,
    /// Less important text.
    Faint,
    /// A problem that does not stop work.
    Warning,
    /// A failure.
    Failure,
    /// A check that passed.
    Good,
}

impl Tint {
    const fn code(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Faint => "2",
            Self::Warning => "33",
            Self::Failure => "31",
            Self::Good => "32",
        }
    }
}

/// How urgent a message to people is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Information.
    Note,
    /// A problem that does not stop work.
    Warning,
    /// A failure.
    Failure,
}

/// A picture that takes the whole terminal: what would be printed is shown in it.
pub(crate) trait Picture {
    /// Shows a message; false if the picture has ended.
    fn tell(&self, tone: Tone, text: &str) -> bool;
    /// Shows that a question is being answered.
    fn asked(&self, question: &str);
    /// Shows an answer while it is written: what it will keep, and the rest.
    fn draft(&self, checked: &str, tentative: &str);
    /// Shows how loud the sound is, and whether the run is ending.
    fn meter(&self, level: &str, is_stopping: bool);
}

/// The two output streams of a command, and its progress line.
pub(crate) struct Terminal {
    out_colour: bool,
    err_colour: bool,
    quiet: bool,
    progress: Progress,
    picture: Option<Box<dyn Picture>>,
    closed: bool,
}

enum Progress {
    Off,
    Bar(ProgressBar),
    Plain { told: Instant },
}

impl Terminal {
    /// Creates the streams from the flags and the kind of terminal.
    pub(crate) fn new(global: &Global) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colour = |terminal: bool| match global.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => terminal && !plain,
        };
        Self {
            out_colour: colour(io::stdout().is_terminal()),
            err_colour: colour(io::stderr().is_terminal()),
            quiet: global.quiet,
            progress: Progress::Off,
            picture: None,
            closed: false,
        }
    }

    /// Whether to print only answers, warnings and errors.
    pub(crate) fn quiet(&self) -> bool {
        self.quiet
    }

    /// Whether standard output has colours.
    #[cfg(feature = "screen")]
    pub(crate) fn has_colours(&self) -> bool {
        self.out_colour
    }

    /// Whether the terminal can show a picture: it can be redrawn, and it is not a dumb one.
    #[cfg(feature = "screen")]
    pub(crate) fn can_show(&self) -> bool {
        let is_dumb = std::env::var("TERM").map_or(cfg!(unix), |term| term == "dumb");
        self.redraws() && io::stdout().is_terminal() && !is_dumb
    }

    /// Shows everything in a picture, until it gets `None`.
    #[cfg(feature = "screen")]
    pub(crate) fn set_picture(&mut self, picture: Option<Box<dyn Picture>>) {
        self.picture = picture;
    }

    /// The picture that is shown, if any.
    pub(crate) fn picture(&self) -> Option<&dyn Picture> {
        self.picture.as_deref()
    }

    /// Text for standard output, styled if colour is on.
    pub(crate) fn tint(&self, tint: Tint, text: &str) -> String {
        paint(self.out_colour && self.picture.is_none(), tint, text)
    }

    /// Prints lines of data. What would steer the terminal is replaced by spaces, except line ends
    /// and our own colours.
    pub(crate) fn data(&mut self, lines: &str) -> io::Result<()> {
        self.put(&safe(lines, false))
    }

    /// Prints a value as a line of JSON. What would steer the terminal is escaped.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let line = serde_json::to_string(value)?;
        self.put(&safe(&line, true))
    }

    fn put(&mut self, line: &str) -> io::Result<()> {
        let is_shown = |picture: &dyn Picture| picture.tell(Tone::Note, line);
        if self.closed || self.picture().is_some_and(is_shown) {
            return Ok(());
        }
        let written = self.aside(|| {
            let mut out = io::stdout().lock();
            writeln!(out, "{line}").and_then(|()| out.flush())
        });
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            other => other,
        }
    }

    /// Prints one line that is not data; nothing when quiet.
    pub(crate) fn note(&mut self, line: &str) {
        if !self.quiet {
            self.tell(Tone::Note, &plain(line));
        }
    }

    /// Prints a warning: a problem that does not stop work.
    pub(crate) fn warn(&mut self, what: &str) {
        self.tell(Tone::Warning, &plain(what));
    }

    /// Prints a failure.
    pub(crate) fn fail(&mut self, what: &str) {
        self.tell(Tone::Failure, &plain(what));
    }

    /// Prints to standard error. A failed write is ignored: there is nowhere left to report it.
    fn tell(&mut self, tone: Tone, line: &str) {
        if self.picture().is_some_and(|it| it.tell(tone, line)) {
            return;
        }
        let head = match tone {
            Tone::Note => String::new(),
            Tone::Warning => paint(self.err_colour, Tint::Warning, "weir: warning:") + " ",
            Tone::Failure => paint(self.err_colour, Tint::Failure, "weir: error:") + " ",
        };
        self.aside(|| {
            let _ = writeln!(io::stderr().lock(), "{head}{line}");
        });
    }

    fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.progress {
            Progress::Bar(bar) => bar.suspend(write),
            _ => write(),
        }
    }

    /// Starts progress over `total` units of work, or over an unknown number.
    pub(crate) fn progress(&mut self, total: Option<u64>) {
        self.progress = if self.quiet {
            Progress::Off
        } else if self.redraws() {
            Progress::Bar(bar(total))
        } else {
            Progress::Plain {
                told: Instant::now(),
            }
        };
    }

    /// Whether progress lines are redrawn in place.
    pub(crate) fn redraws(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Starts the two lines of a live run: what is being said, and the state.
    pub(crate) fn live_progress(&mut self, total: Option<u64>) {
        self.progress(total);
        let template = match total {
            Some(_) => "{prefix}\n{percent:>3}% {wide_msg}",
            None => "{prefix}\n{wide_msg}",
        };
        if let Progress::Bar(bar) = &self.progress
            && let Ok(style) = ProgressStyle::with_template(template)
        {
            bar.set_style(style);
        }
    }

    /// Starts the line that shows an answer while it is written, for whoever reads the answer on
    /// this terminal.
    pub(crate) fn begin_answer(&mut self) {
        if self.redraws() && io::stdout().is_terminal() {
            self.progress(None);
        }
        if let Progress::Bar(bar) = &self.progress
            && let Ok(style) = ProgressStyle::with_template("{prefix}")
        {
            bar.set_style(style);
        }
    }

    /// Replaces the line of live text, where one is drawn: its end, as wide as the terminal.
    pub(crate) fn live(&mut self, committed: &str, tentative: &str) {
        if let Some(picture) = self.picture() {
            return picture.draft(committed, tentative);
        }
        if let Progress::Bar(bar) = &self.progress {
            let columns = columns().saturating_sub(1);
            let (committed, tentative) = tail(committed, tentative, columns);
            let space = if committed.is_empty() || tentative.is_empty() {
                ""
            } else {
                " "
            };
            let tentative = paint(self.err_colour, Tint::Faint, &tentative);
            bar.set_prefix(format!("{committed}{space}{tentative}"));
        }
    }

    /// Shows the progress; `text` is called only if it will be shown.
    pub(crate) fn advance(&mut self, done: u64, text: impl FnOnce() -> String) {
        let plain = match &mut self.progress {
            Progress::Off => return,
            Progress::Bar(bar) => {
                bar.set_position(done);
                bar.set_message(text());
                return;
            }
            Progress::Plain { told } if told.elapsed() >= PLAIN_EVERY => {
                *told = Instant::now();
                text()
            }
            Progress::Plain { .. } => return,
        };
        self.tell(Tone::Note, &plain);
    }

    /// Removes the progress line.
    pub(crate) fn progress_done(&mut self) {
        if let Progress::Bar(bar) = &self.progress {
            bar.finish_and_clear();
        }
        self.progress = Progress::Off;
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    let template = match total {
        Some(_) => "{bar:24} {percent:>3}% {wide_msg}",
        None => "{spinner} {wide_msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// The end of two texts, with a space between them, that fits into so many columns. An ellipsis
/// stands for what is left out.
fn tail(committed: &str, tentative: &str, columns: usize) -> (String, String) {
    let width = |text: &str| UnicodeWidthStr::width(text);
    if width(committed) + 1 + width(tentative) <= columns {
        return (committed.to_owned(), tentative.to_owned());
    }
    let tentative = ending(tentative, columns);
    let left = columns.saturating_sub(width(&tentative) + 1);
    (ending(committed, left), tentative)
}

/// The end of a text that fits into so many columns.
fn ending(text: &str, columns: usize) -> String {
    if UnicodeWidthStr::width(text) <= columns {
        return text.to_owned();
    }
    let mut room = columns.saturating_sub(1);
    let mut from = text.len();
    for (at, c) in text.char_indices().rev() {
        let Some(left) = room.checked_sub(c.width().unwrap_or(0)) else {
            break;
        };
        (room, from) = (left, at);
    }
    match columns {
        0 => String::new(),
        _ => format!("…{}", &text[from..]),
    }
}

/// Columns of the terminal behind standard error; 80 if it does not say.
fn columns() -> usize {
    let columns = rustix::termios::tcgetwinsize(io::stderr()).map_or(0, |size| size.ws_col);
    if columns == 0 {
        80
    } else {
        usize::from(columns)
    }
}

fn paint(coloured: bool, tint: Tint, text: &str) -> String {
    if coloured {
        format!("\u{1b}[{}m{text}\u{1b}[0m", tint.code())
    } else {
        text.to_owned()
    }
}

/// Formats a time: `1:02:03.4`, without hours if there are none.
pub(crate) fn clock(ms: u64) -> String {
    let tenths = ms / 100 % 10;
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}.{tenths}")
    } else {
        format!("{minutes:02}:{seconds:02}.{tenths}")
    }
}

/// Formats a size in powers of 1000.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// Makes external text safe for a terminal: replaces control characters (including escapes) and
/// characters that change the text direction by spaces.
pub(crate) fn plain(text: &str) -> String {
    let safe = |c: char| if is_unsafe(c) { ' ' } else { c };
    text.chars().map(safe).collect()
}

pub(crate) fn is_unsafe(c: char) -> bool {
    let directs = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    c.is_control() || directs
}

/// Data made safe for a terminal.
fn safe(text: &str, is_json: bool) -> Cow<'_, str> {
    let is_ours = |c: char| matches!(c, '\n' | '\t');
    if !text.contains(|c| is_unsafe(c) && !is_ours(c)) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::new();
    for (at, c) in text.char_indices() {
        let is_colour = || COLOURS.iter().any(|code| text[at + 1..].starts_with(code));
        match c {
            c if !is_unsafe(c) || is_ours(c) => safe.push(c),
            '\u{1b}' if !is_json && is_colour() => safe.push(c),
            // such characters stand in strings only
            c if is_json => safe.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => safe.push(' '),
        }
    }
    Cow::Owned(safe)
}

/// A number of things: `1 turn`, `2 turns`.
pub(crate) fn many(count: u64, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_from_outside_cannot_steer_the_terminal() {
        let text = "a\u{1b}[31mb\u{202e}c\nd";
        assert_eq!(plain(text), "a [31mb c d");
        assert_eq!(plain("a\u{200f}b\u{61c}c"), "a b c");
        let line = paint(true, Tint::Good, "a\u{9b}2Jb\u{1b}]0;title\u{7}c");
        assert_eq!(safe(&line, false), "\u{1b}[32ma 2Jb ]0;title c\u{1b}[0m");
        let json = serde_json::json!({"said": "a\u{9b}b\u{202e}c\u{1b}[0m"}).to_string();
        let told = safe(&json, true);
        assert!(told.is_ascii() && told.contains("\\u009b"), "{told}");
        let read: serde_json::Value = serde_json::from_str(&told).expect("still JSON");
        assert_eq!(read.to_string(), json);
    }

    #[test]
    fn times_and_sizes_read_well() {
        assert_eq!(many(1, "turn"), "1 turn");
        assert_eq!(many(0, "turn"), "0 turns");
        assert_eq!(clock(0), "00:00.0");
        assert_eq!(clock(61_250), "01:01.2");
        assert_eq!(clock(3_661_900), "1:01:01.9");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1_500), "1.5 kB");
        assert_eq!(size(90_900_000), "90.9 MB");
    }

    #[test]
    fn live_text_shows_its_end_in_few_columns() {
        let cut = |committed: &str, tentative: &str, columns| {
            let (committed, tentative) = tail(committed, tentative, columns);
            format!("{committed}|{tentative}")
        };
        assert_eq!(cut("we meet", "at eight", 80), "we meet|at eight");
        assert_eq!(cut("we meet there", "at eight", 14), "…here|at eight");
        assert_eq!(cut("we meet", "at eight in town", 8), "|…in town");
        assert_eq!(cut("", "会議は八時", 6), "|…八時");
        assert_eq!(cut("we", "meet", 0), "|");
    }

    #[test]
    fn colour_only_where_asked_for() {
        assert_eq!(paint(false, Tint::Strong, "x"), "x");
        assert_eq!(paint(true, Tint::Strong, "x"), "\u{1b}[1mx\u{1b}[0m");
    }
}
