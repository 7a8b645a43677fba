//! The lines that are typed while sound is heard: in a picture, or on standard input.

use crate::cli::args::ListenArgs;
use crate::cli::hearing::stdin::StoppableStdin;
use crate::cli::hearing::typing::read_lines;
#[cfg(feature = "screen")]
use crate::cli::screen::listening::Shown;
use crate::cli::terminal::Terminal;
use anyhow::Context;
use crossbeam_channel::Receiver;
use weir_engine::pipeline::{SessionHandle, Stop, Worker};

/// Maximum number of queued typed lines.
const LINES_MAX: usize = 8;

/// Where typed lines come from.
pub(crate) struct Keyboard {
    pub(crate) lines: Receiver<String>,
    typing: Option<Worker<()>>,
    #[cfg(feature = "screen")]
    shown: Option<Shown>,
}

impl Keyboard {
    /// Typed lines: those of a picture, if one can be shown; else of standard input, if that is not
    /// the audio.
    #[cfg_attr(
        not(feature = "screen"),
        expect(unused_variables, reason = "no picture")
    )]
    pub(crate) fn of(
        args: &ListenArgs,
        stop: &Stop,
        session: &SessionHandle,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Self> {
        let (sender, lines) = crossbeam_channel::bounded(LINES_MAX);
        #[cfg(feature = "screen")]
        if !args.plain && !args.json && terminal.can_show() {
            let dir = args.memory.session.as_deref();
            let title = dir.map_or_else(|| "weir".to_owned(), |dir| dir.display().to_string());
            let (stop, sender) = (stop.clone(), sender.clone());
            match Shown::start(&title, session, stop, sender, terminal) {
                Ok(shown) => {
                    return Ok(Self {
                        lines,
                        typing: None,
                        shown: Some(shown),
                    });
                }
                Err(why) => terminal.note(&format!("no picture on this terminal: {why}")),
            }
        }
        let mut keyboard = Self {
            lines,
            typing: None,
            #[cfg(feature = "screen")]
            shown: None,
        };
        if args.stdin {
            // a receiver that never receives anything
            keyboard.lines = crossbeam_channel::never();
            return Ok(keyboard);
        }
        let stop = stop.clone();
        let worker = Worker::spawn("typing", move || {
            read_lines(StoppableStdin::new(stop.clone()), &stop, &sender);
            Ok(())
        });
        keyboard.typing = Some(worker.context("cannot read typed questions")?);
        Ok(keyboard)
    }

    /// Reads no more lines.
    #[cfg_attr(
        not(feature = "screen"),
        expect(unused_variables, reason = "no picture")
    )]
    pub(crate) fn end(self, terminal: &mut Terminal) -> anyhow::Result<()> {
        drop(self.lines);
        #[cfg(feature = "screen")]
        if let Some(shown) = self.shown {
            shown.end(terminal);
        }
        Ok(self.typing.map(Worker::join).transpose().map(drop)?)
    }
}
