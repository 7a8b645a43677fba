//! The turns of a chat: lines that are edited at a terminal, or read from a pipe.

use crate::cli::hearing::typing::next_line;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::io::{self, BufReader, IsTerminal as _, Stdin};

/// What stands before a line that is typed.
const MARK: &str = "> ";
/// What a line alone asks of the chat itself.
const HELP: [&str; 2] = ["help", "/help"];
const QUIT: [&str; 4] = ["quit", "exit", "/quit", "/exit"];

/// Where turns come from.
pub(crate) enum Turns {
    Typed(Box<DefaultEditor>),
    Read(BufReader<Stdin>),
}

/// What comes next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The user says something.
    Turn(String),
    /// The user asks what can be said.
    Help,
    End,
}

impl Turns {
    /// Lines that can be edited, with those before them, where a person types.
    pub(crate) fn of_input() -> Self {
        let is_dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
        let types = io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb;
        let editor = types.then(DefaultEditor::new).and_then(Result::ok);
        match editor {
            Some(editor) => Self::Typed(Box::new(editor)),
            None => Self::Read(BufReader::new(io::stdin())),
        }
    }

    /// The next turn that is not empty.
    ///
    /// # Errors
    /// The input cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Next> {
        loop {
            let line = match self {
                Self::Read(input) => next_line(input)?,
                Self::Typed(editor) => match editor.readline(MARK) {
                    Ok(line) => {
                        // what was typed before comes back with the arrow keys
                        let _ = editor.add_history_entry(line.as_str());
                        Some(line.trim().to_owned())
                    }
                    Err(ReadlineError::Eof | ReadlineError::Interrupted) => None,
                    Err(error) => return Err(io::Error::other(error)),
                },
            };
            match line {
                None => return Ok(Next::End),
                Some(line) if line.is_empty() => {}
                Some(line) => return Ok(Next::of(line)),
            }
        }
    }
}

impl Next {
    fn of(line: String) -> Self {
        let is = |words: &[&str]| words.iter().any(|it| line.eq_ignore_ascii_case(it));
        match (is(&HELP), is(&QUIT)) {
            (true, _) => Self::Help,
            (_, true) => Self::End,
            _ => Self::Turn(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_of_the_chat_is_no_talk() {
        let of = |line: &str| Next::of(line.to_owned());
        assert_eq!(
            (of("help"), of("Quit"), of("exit")),
            (Next::Help, Next::End, Next::End)
        );
        for talk in ["help me", "I quit my job.", "?"] {
            assert_eq!(of(talk), Next::Turn(talk.to_owned()));
        }
    }
}
