//! Runs memories turn by turn on the caller's thread: a session with timed steps, and the engine's
//! own driver.

use crate::method::MethodContext;
use crate::stream::{Item, Stream};
use crate::timing::us;
use anyhow::Result;
use std::sync::Arc;
use std::time::Instant;
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::distil::{Distil, Extractive};
use weir_core::driver::Driver;
use weir_core::session::{EncoderStamp, Input, InputError, Session};
use weir_core::stream::{StreamStart, Utterance};
use weir_core::talk::split;
use weir_models::{CountTokens, Encode};

/// A step of a turn, with its microseconds.
pub(crate) enum Done<'a> {
    /// A part of the turn follows, with the number of this utterance.
    Next(u64, &'a Utterance),
    /// It was encoded.
    Encoded(f64),
    /// It is in the buffer.
    Heard(f64),
    /// A block was distilled; includes the encoder's time.
    Distilled(f64),
    /// A block was mounted, and the budget enforced.
    Mounted(f64),
}

/// A session with a distiller that may lag; the extractive one, unless another is set.
pub(crate) struct TimedDriver {
    pub(crate) session: Session,
    lag_blocks: usize,
    waiting_blocks: usize,
    pub(crate) distiller: Box<dyn Distil>,
}

impl TimedDriver {
    /// An empty session whose distiller lags by this many blocks.
    pub(crate) fn new(
        config: SessionConfig,
        kit: &MethodContext,
        lag_blocks: usize,
    ) -> Result<Self> {
        let stamp = EncoderStamp::of(kit.encoder().as_ref());
        Ok(Self {
            session: Session::new(config, stamp, Arc::clone(&kit.counter))?,
            lag_blocks,
            waiting_blocks: 0,
            distiller: Box::new(Extractive),
        })
    }

    /// Hears a turn, in parts if it is too long for the budget, and mounts completed blocks.
    pub(crate) fn hear(
        &mut self,
        kit: &MethodContext,
        whole: Utterance,
        on: &mut dyn FnMut(Done<'_>),
    ) -> Result<()> {
        let tokens_max = self.session.config().raw_limits().utterance;
        for utterance in split(whole, tokens_max, kit.counter.as_ref()) {
            on(Done::Next(self.session.turns(), &utterance));
            let began = Instant::now();
            let found = kit
                .encode_for_search(&[&utterance.rendered()])?
                .pop()
                .unwrap_or_default();
            on(Done::Encoded(us(began)));
            let took = self.step(kit, &Input::heard(utterance, found), on)?;
            on(Done::Heard(took));
        }
        Ok(())
    }

    /// Applies an input, which takes the given microseconds, and mounts completed blocks. If blocks
    /// wait and there is no room, the oldest is mounted first, as the pipeline does with a lagging
    /// distiller.
    pub(crate) fn step(
        &mut self,
        kit: &MethodContext,
        input: &Input,
        on: &mut dyn FnMut(Done<'_>),
    ) -> Result<f64> {
        let (took, outcome) = loop {
            let began = Instant::now();
            match self.session.apply(input) {
                Err(InputError::PendingFull { .. }) if self.waiting_blocks > 0 => {
                    self.mount(kit, on)?;
                }
                done => break (us(began), done?),
            }
        };
        self.waiting_blocks += outcome.cut.len();
        while self.waiting_blocks > self.lag_blocks {
            self.mount(kit, on)?;
        }
        Ok(took)
    }

    fn mount(&mut self, kit: &MethodContext, on: &mut dyn FnMut(Done<'_>)) -> Result<()> {
        self.waiting_blocks = self.waiting_blocks.saturating_sub(1);
        let Some(block) = self.session.next_block() else {
            return Ok(());
        };
        let began = Instant::now();
        let made = self.distiller.distil(&block, kit)?;
        on(Done::Distilled(us(began)));
        let (input, began) = (Input::Mount(Box::new(made)), Instant::now());
        self.session.apply(&input)?;
        on(Done::Mounted(us(began)));
        Ok(())
    }
}

/// The default settings with a budget and an encoder's thresholds.
pub(crate) fn config(budget_tokens: usize, encoder: &dyn Encode) -> SessionConfig {
    SessionConfig {
        budget_tokens,
        profile: EncoderProfile::for_encoder(&encoder.identity().name),
        ..SessionConfig::default()
    }
}

/// The engine's own memory with the default settings.
pub(crate) fn memory(budget_tokens: usize, kit: &MethodContext) -> Result<Driver> {
    let encoder = Arc::clone(kit.encoder());
    let config = config(budget_tokens, encoder.as_ref());
    Ok(Driver::new(config, encoder, Arc::clone(&kit.counter))?)
}

/// The start of a stream.
pub(crate) fn begin(name: &str, started_at_unix_ms: Option<i64>) -> StreamStart {
    StreamStart::new(name, started_at_unix_ms)
}

/// Hears a turn through the engine's own driver, in parts if it is too long for the budget; calls
/// `note` with the number of each part.
pub(crate) fn hear(
    memory: &mut Driver,
    whole: Utterance,
    counter: &dyn CountTokens,
    mut note: impl FnMut(u64, &Utterance),
) -> Result<()> {
    let tokens_max = memory.session().config().raw_limits().utterance;
    for utterance in split(whole, tokens_max, counter) {
        note(memory.session().turns(), &utterance);
        memory.hear(utterance)?;
    }
    Ok(())
}

/// Hears all turns of a stream that have words, to the end of the last block; asks nothing.
pub(crate) fn hear_stream(memory: &mut Driver, stream: &Stream, kit: &MethodContext) -> Result<()> {
    memory.begin(begin(&stream.name, stream.started_at_unix_ms))?;
    for item in &stream.items {
        match item {
            Item::Turn(turn) if turn.has_words() => {
                let whole = turn.utterance(&stream.name);
                hear(memory, whole, kit.counter.as_ref(), |_, _| {})?;
            }
            Item::Break { started_at_unix_ms } => memory.pause(*started_at_unix_ms)?,
            Item::Turn(_) | Item::Probe(_) => {}
        }
    }
    memory.flush()?;
    Ok(())
}
