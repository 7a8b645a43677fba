//! Reads typed lines and sends them on, until the input ends or a stop request; and what a line
//! that begins with a slash asks for.
//!
//! The receiver may be slow. A line that waits for it waits until it is taken or the receiver is
//! gone.

use crate::cli::session::change::target;
use crossbeam_channel::Sender;
use std::io::{self, BufRead, BufReader, Read};
use weir_core::limits;
use weir_core::session::{SpeakerChange, Target};
use weir_core::stream::speaker_label;
use weir_engine::pipeline::{Change, Stop};

/// Sends each line until the input ends, `stop` is set or the receiver is gone; a line longer than
/// the limit of a question is truncated.
pub(crate) fn read_lines(input: impl Read, stop: &Stop, lines: &Sender<String>) {
    let mut input = BufReader::new(input);
    // buffered lines are sent even after the input itself has stopped
    while !stop.is_set() {
        match next_line(&mut input) {
            Ok(None) => return,
            Ok(Some(text)) => {
                if !text.is_empty() && lines.send(text).is_err() {
                    return;
                }
            }
            Err(error) => {
                log::warn!("cannot read typed lines: {error}");
                return;
            }
        }
    }
}

/// The next line, trimmed and of at most [`limits::QUESTION_BYTES_MAX`]; `None` at the end.
pub(crate) fn next_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let most = limits::QUESTION_BYTES_MAX as u64;
    let read = input.take(most).read_until(b'\n', &mut line)?;
    let text = || String::from_utf8_lossy(&line).trim().to_owned();
    Ok((read > 0).then(text))
}

/// What a typed command asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Typed {
    /// A change.
    Change(Change),
    /// To erase a node, a belief or a fact.
    Forget(Target),
    /// To erase what says this.
    ForgetAbout(String),
}

/// The typed commands, for messages.
pub(crate) const COMMANDS: &str = "/name 1 Ana, /merge 2 Ana, /pin n7.0, /unpin n7.0, /edit \
                                   n7.0 NEW WORDS, /forget n7.0, /forget WORDS";

/// What a typed command asks for; a speaker is a number, a name of one word, or `Speaker 1`.
pub(crate) fn typed_command(command: &str) -> Option<Typed> {
    let (verb, rest) = command.trim().split_once(' ')?;
    let rest = rest.trim();
    let change = match verb {
        "name" | "merge" => Change::Speaker(speaker_change(verb, rest)?),
        "pin" | "unpin" => Change::Pin {
            nodes: vec![rest.parse().ok()?],
            pinned: verb == "pin",
        },
        "edit" => {
            let (node, text) = rest.split_once(' ')?;
            Change::Edit {
                node: node.parse().ok()?,
                text: text.trim().to_owned(),
                was: None,
            }
        }
        "forget" if rest.is_empty() => return None,
        "forget" => {
            return Some(match target(rest) {
                Ok(target) => Typed::Forget(target),
                Err(_) => Typed::ForgetAbout(rest.to_owned()),
            });
        }
        _ => return None,
    };
    Some(Typed::Change(change))
}

fn speaker_change(verb: &str, rest: &str) -> Option<SpeakerChange> {
    let rest = rest
        .strip_prefix("Speaker ")
        .or_else(|| rest.strip_prefix("speaker "))
        .unwrap_or(rest);
    let (speaker, other) = rest.split_once(' ')?;
    let labelled = |it: &str| it.parse().map_or_else(|_| it.to_owned(), speaker_label);
    let (speaker, other) = (labelled(speaker), other.trim());
    Some(match verb {
        "merge" => SpeakerChange::Merge {
            speaker,
            into: labelled(other),
        },
        _ => SpeakerChange::Name {
            speaker,
            name: other.to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::{Receiver, bounded};
    use std::time::Duration;

    /// Reads in its own thread; the returned receiver is notified when it ends.
    fn reading(input: impl Read + Send + 'static, stop: &Stop) -> (Receiver<String>, Receiver<()>) {
        let (sender, lines) = bounded(2);
        let (ending, ended) = bounded(1);
        let stop = stop.clone();
        std::thread::spawn(move || {
            read_lines(input, &stop, &sender);
            let _ = ending.send(());
        });
        (lines, ended)
    }

    fn soon(ended: &Receiver<()>) {
        let within = Duration::from_secs(20);
        ended.recv_timeout(within).expect("the reader ends");
    }

    #[test]
    fn lines_come_in_order_until_the_input_ends() {
        let (lines, ended) = reading(&b"one\n\n two \nthree"[..], &Stop::default());
        assert_eq!(lines.iter().collect::<Vec<_>>(), ["one", "two", "three"]);
        soon(&ended);
    }

    #[test]
    fn a_reader_ends_when_it_is_asked_to_and_when_its_lines_go_nowhere() {
        let stop = Stop::default();
        let (lines, ended) = reading(io::repeat(b'\n'), &stop);
        stop.set();
        soon(&ended);
        drop(lines);
        let (full, ended) = reading(Endless, &Stop::default());
        while full.len() < 2 {
            std::thread::yield_now();
        }
        drop(full);
        soon(&ended);
    }

    /// Endless input, like `yes`.
    struct Endless;

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            for (at, byte) in buffer.iter_mut().enumerate() {
                *byte = if at % 2 == 0 { b'y' } else { b'\n' };
            }
            Ok(buffer.len())
        }
    }

    #[test]
    fn typed_commands_are_understood_and_nonsense_is_not() {
        let named = |speaker: &str, name: &str| {
            Some(Typed::Change(Change::Speaker(SpeakerChange::Name {
                speaker: speaker.into(),
                name: name.into(),
            })))
        };
        assert_eq!(typed_command("name 1 Ana"), named("Speaker 1", "Ana"));
        assert_eq!(
            typed_command("name Speaker 2  Ana Maria "),
            named("Speaker 2", "Ana Maria")
        );
        assert_eq!(typed_command("name Ana Anna"), named("Ana", "Anna"));
        let merged = Change::Speaker(SpeakerChange::Merge {
            speaker: "Speaker 3".into(),
            into: "Speaker 1".into(),
        });
        assert_eq!(typed_command("merge 3 1"), Some(Typed::Change(merged)));
        let pinned = Change::Pin {
            nodes: vec!["n7.0".parse().expect("a node")],
            pinned: true,
        };
        assert_eq!(typed_command("pin n7.0"), Some(Typed::Change(pinned)));
        let about = Typed::ForgetAbout("the wifi password".into());
        assert_eq!(typed_command("forget the wifi password"), Some(about));
        for nonsense in [
            "", "name", "name 1", "rename 1 Ana", "pin", "pin it", "edit n7.0", "forget",
        ] {
            assert_eq!(typed_command(nonsense), None, "{nonsense}");
        }
    }
}
