//! The picture of `weir listen`.

use super::drive::{Screen, Sight, restore};
use super::state::{Effect, Input, Link, State};
use crate::cli::hearing::interrupt::stop_or_end;
use crate::cli::terminal::Terminal;
use crossbeam_channel::Sender;
use weir_engine::pipeline::{SessionHandle, Stop, Watch, Worker};

/// A run that is shown.
pub(crate) struct Shown {
    screen: Screen,
    following: Worker<()>,
}

impl Shown {
    /// Shows a session that this process has open; typed lines go to `lines`.
    ///
    /// # Errors
    /// The terminal cannot be taken.
    pub(crate) fn start(
        title: &str,
        session: &SessionHandle,
        stop: Stop,
        lines: Sender<String>,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Self> {
        let state = State::new(title, Link::Here);
        let screen = Screen::start(state, terminal, move |effect| {
            match effect {
                Effect::Typed(line) => lines.try_send(line).map_err(|_| {
                    "what was typed before is still being read; press Enter again".to_owned()
                })?,
                Effect::Stop => stop_or_end(&stop),
            }
            Ok(())
        })?;
        let (watch, sight) = (session.watch(), screen.sight());
        let following = Worker::spawn("follow", move || {
            follow(watch, &sight);
            Ok(())
        })
        .inspect_err(|_| restore())?;
        Ok(Self { screen, following })
    }

    /// Ends the picture of a session that was closed.
    pub(crate) fn end(self, terminal: &mut Terminal) {
        self.screen.end(terminal);
        drop(self.following);
    }
}

/// Shows what happens until the session is closed.
fn follow(mut watch: Watch, sight: &Sight) {
    while let Ok(reply) = watch.next_reply() {
        let shown = reply.is_none_or(|it| sight.show(Input::Reply(Box::new(it))));
        if !shown {
            return;
        }
    }
}
