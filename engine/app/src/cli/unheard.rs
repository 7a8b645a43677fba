//! Sound in which no words were trusted: counted as it comes, told in one line at the end.

use super::terminal::{Terminal, clock, plain};
use super::view;
use weir_asr::Refusal;
use weir_engine::pipeline::Unheard;

/// Stretches that are named; the others are counted.
const NAMED_MAX: usize = 6;

/// What was not taken for words.
#[derive(Debug, Default)]
pub(super) struct UnheardLog {
    named: Vec<Unheard>,
    stretches: u64,
    ms: u64,
    /// Some of it made a model repeat itself.
    repeated: bool,
}

impl UnheardLog {
    /// Takes one stretch; told at once where the user wants to see more.
    pub(super) fn add(&mut self, unheard: Unheard) {
        log::info!("{}", told(&unheard));
        self.stretches += 1;
        self.ms += unheard.span.end_ms.saturating_sub(unheard.span.start_ms);
        self.repeated |= unheard.why == Refusal::Repetition;
        if self.named.len() < NAMED_MAX {
            self.named.push(unheard);
        }
    }

    /// One line: how much, where and why.
    pub(super) fn tell(&self, terminal: &mut Terminal) {
        if self.stretches == 0 {
            return;
        }
        let mut parts: Vec<String> = self.named.iter().map(told).collect();
        match self.stretches - self.named.len() as u64 {
            0 => {}
            more => parts.push(format!("and {more} more")),
        }
        terminal.warn(&format!(
            "no words were taken from {} of sound: {}; --guards off takes whatever the model \
             writes",
            clock(self.ms),
            parts.join("; ")
        ));
        if self.repeated {
            terminal.warn(
                "a model repeats itself where people speak a language it does not know: for others \
                 than English `weir models pull base`, then --asr-model base",
            );
        }
    }
}

fn told(unheard: &Unheard) -> String {
    format!(
        "{} {} ({})",
        plain(&unheard.stream),
        view::span(unheard.span),
        unheard.why.reason()
    )
}
