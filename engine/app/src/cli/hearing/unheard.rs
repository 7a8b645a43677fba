//! Audio in which no words were trusted: counted during a run, reported in one line at the end.

use crate::cli::asking::view;
use crate::cli::terminal::{Terminal, clock, plain};
use weir_engine::pipeline::Unheard;

/// Maximum number of stretches listed; the others are counted.
const NAMED_MAX: usize = 6;

/// Audio that gave no words.
#[derive(Debug, Default)]
pub(crate) struct UnheardLog {
    named: Vec<Unheard>,
    stretches: u64,
    ms: u64,
}

impl UnheardLog {
    /// Adds one stretch; logs it at once in verbose mode.
    pub(crate) fn add(&mut self, unheard: Unheard) {
        log::info!("{}", describe(&unheard));
        self.stretches += 1;
        self.ms += unheard.span.end_ms.saturating_sub(unheard.span.start_ms);
        if self.named.len() < NAMED_MAX {
            self.named.push(unheard);
        }
    }

    /// Prints one line: how much, where and why.
    pub(crate) fn tell(&self, terminal: &mut Terminal) {
        if self.stretches == 0 {
            return;
        }
        let mut parts: Vec<String> = self.named.iter().map(describe).collect();
        match self.stretches - self.named.len() as u64 {
            0 => {}
            more => parts.push(format!("and {more} more")),
        }
        terminal.warn(&format!(
            "no words were taken from {} of audio: {}; --guards off keeps all that the model \
             writes",
            clock(self.ms),
            parts.join("; ")
        ));
    }
}

fn describe(unheard: &Unheard) -> String {
    format!(
        "{} {} ({})",
        plain(&unheard.stream),
        view::span(unheard.span),
        unheard.why.reason()
    )
}
