//! Microphones, and recovery when a device disappears.
//!
//! A driver's callback writes into a ring. The reader replaces lost sound, and the time while a
//! device is away, by silence of the same length, so that sample counts stay true times. This
//! module alone reads a clock in this crate: to pace that silence and to notice a device that stops
//! delivering. Invariant: frames returned never run ahead of the time since the microphone was
//! opened by more than the driver delivered, and no call waits for a driver that hangs.

mod device;
mod ring;
mod running;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

pub use self::device::{MicrophoneInfo, microphones};
use self::ring::Found;
use self::running::{CHUNK_FRAMES, Running};
use crate::{AudioError, AudioSource, SourceSpec, SourceWarning};

/// How long one wait for the driver lasts.
const WAIT: Duration = Duration::from_millis(100);
/// Time without data from the driver after which the device counts as gone.
const STALL: Duration = Duration::from_secs(3);
/// Time limit for opening a device at the start.
const OPEN: Duration = Duration::from_secs(10);
/// Time limit for closing it at the end; after it, closing is left to the system.
const CLOSE: Duration = Duration::from_secs(1);
/// Time between two attempts to open a lost device.
const RETRY: Duration = Duration::from_millis(500);

/// Ends a microphone's stream from another thread.
#[derive(Debug, Clone)]
pub struct MicrophoneStop {
    stop: Arc<AtomicBool>,
}

impl MicrophoneStop {
    /// Lets the reader take the samples that have arrived and then end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }
}

/// Opens a lost device again; may take as long as the system needs.
type Reopen = Arc<dyn Fn() -> Result<Running, AudioError> + Send + Sync>;

/// When a device was lost and how much silence replaces it so far.
struct Away {
    since: Instant,
    since_ms: u64,
    silent_frames: u64,
    next_try: Instant,
    /// Result of the current attempt; there is one at a time.
    attempt: Option<Receiver<Result<Running, AudioError>>>,
}

impl Away {
    fn since(since: Instant, since_ms: u64) -> Self {
        Self {
            since,
            since_ms,
            silent_frames: 0,
            next_try: Instant::now() + RETRY,
            attempt: None,
        }
    }

    /// The device, once it was opened again.
    fn found(&mut self, reopen: &Reopen) -> Option<Running> {
        if self.attempt.is_none() && Instant::now() >= self.next_try {
            let reopen = Arc::clone(reopen);
            self.attempt = Some(apart(move || reopen()));
        }
        let said = match self.attempt.as_ref()?.try_recv() {
            Ok(said) => said.ok(),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) => return None,
        };
        self.attempt = None;
        self.next_try = Instant::now() + RETRY;
        said
    }
}

/// Runs a call that may never return, such as one into the driver of a lost device, on its own
/// thread. Its result comes through the receiver; dropping the receiver abandons the thread.
fn apart<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (tell, told) = sync_channel(1);
    let thread = std::thread::Builder::new().name("microphone".to_owned());
    let spawned = thread.spawn(move || {
        let _ = tell.send(act());
    });
    if let Err(error) = spawned {
        log::warn!("no thread for the microphone: {error}");
    }
    told
}

enum State {
    Running(Running),
    Away(Away),
}

/// A microphone as a source.
pub struct Microphone {
    spec: SourceSpec,
    reopen: Reopen,
    state: State,
    stop: Arc<AtomicBool>,
    frames: u64,
    warnings: Vec<SourceWarning>,
}

impl Microphone {
    /// Opens a device by name, or the default one, and starts to record.
    ///
    /// # Errors
    /// There is no sound card, no device of that name (the error lists the known names), or the
    /// device is busy.
    pub fn open(name: Option<&str>) -> Result<Self, AudioError> {
        let wanted = name.map(str::to_owned);
        let first = wanted.clone();
        let opening = apart(move || device::open(first.as_deref()));
        let device::Opened {
            spec,
            running,
            config,
        } = opening.recv_timeout(OPEN).unwrap_or_else(|_| {
            Err(AudioError::DeviceOpen {
                name: name.unwrap_or("the default device").to_owned(),
                reason: "the system did not answer for 10 s".to_owned(),
            })
        })?;
        let opened = spec.name.clone();
        let reopen = move || device::open_again(wanted.as_deref(), &opened, config);
        Ok(Self::of(spec, running, Arc::new(reopen)))
    }

    fn of(spec: SourceSpec, running: Running, reopen: Reopen) -> Self {
        Self {
            spec,
            reopen,
            state: State::Running(running),
            stop: Arc::new(AtomicBool::new(false)),
            frames: 0,
            warnings: Vec::new(),
        }
    }

    /// A handle that ends the stream.
    #[must_use]
    pub fn stop_handle(&self) -> MicrophoneStop {
        MicrophoneStop {
            stop: Arc::clone(&self.stop),
        }
    }

    fn at_ms(&self) -> u64 {
        self.frames * 1_000 / u64::from(self.spec.rate_hz)
    }

    /// `last_sound` is when the silence that replaces the device began.
    fn lose(&mut self, reason: String, last_sound: Instant) {
        let (name, at_ms) = (self.spec.name.clone(), self.at_ms());
        self.warnings.push(SourceWarning::DeviceLost {
            name,
            at_ms,
            reason,
        });
        let lost = std::mem::replace(&mut self.state, State::Away(Away::since(last_sound, at_ms)));
        drop(apart(move || drop(lost)));
    }

    fn silence(&mut self, frames: u64, out: &mut Vec<f32>) {
        let samples = frames * u64::from(self.spec.channels);
        out.resize(out.len() + usize::try_from(samples).unwrap_or(0), 0.0);
    }

    /// One attempt to read from a running device; true when `out` has samples.
    fn take(&mut self, out: &mut Vec<f32>) -> bool {
        let channels = u64::from(self.spec.channels);
        let State::Running(running) = &mut self.state else {
            return false;
        };
        match running.ring.read(CHUNK_FRAMES * channels as usize, out) {
            Found::Samples(_) => {
                running.last_sound = Instant::now();
                true
            }
            Found::Gap(samples) => {
                let frames = samples / channels;
                self.warnings.push(SourceWarning::Gap {
                    name: self.spec.name.clone(),
                    at_ms: self.at_ms(),
                    frames,
                    rate_hz: self.spec.rate_hz,
                });
                self.silence(frames, out);
                true
            }
            Found::Nothing => {
                let failure = running
                    .failure
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .take()
                    .or_else(|| {
                        let silent = running.last_sound.elapsed() >= STALL;
                        silent.then(|| "no sound came from it for 3 s".to_owned())
                    });
                let last_sound = running.last_sound;
                match failure {
                    Some(reason) => self.lose(reason, last_sound),
                    None => {
                        let _ = running.arrived.recv_timeout(WAIT);
                    }
                }
                false
            }
        }
    }

    /// Waits for a lost device and fills `out` with silence; true when `out` has samples.
    fn stand_in(&mut self, out: &mut Vec<f32>) -> bool {
        let State::Away(away) = &mut self.state else {
            return false;
        };
        std::thread::sleep(WAIT);
        let due = away.since.elapsed().as_millis() as u64 * u64::from(self.spec.rate_hz) / 1_000;
        let frames = (due - away.silent_frames).min(u64::from(self.spec.rate_hz));
        away.silent_frames += frames;
        let found = away.found(&self.reopen);
        let (silent_frames, since_ms) = (away.silent_frames, away.since_ms);
        self.silence(frames, out);
        if let Some(mut running) = found {
            running.last_sound = Instant::now();
            self.state = State::Running(running);
            let name = self.spec.name.clone();
            let at_ms = since_ms + silent_frames * 1_000 / u64::from(self.spec.rate_hz);
            self.warnings.push(SourceWarning::Gap {
                name: name.clone(),
                at_ms: since_ms,
                frames: silent_frames,
                rate_hz: self.spec.rate_hz,
            });
            self.warnings
                .push(SourceWarning::DeviceBack { name, at_ms });
        }
        !out.is_empty()
    }
}

impl Drop for Microphone {
    /// The driver of a lost device may never return from closing it; the wait is limited.
    fn drop(&mut self) {
        let away = State::Away(Away::since(Instant::now(), self.at_ms()));
        let last = std::mem::replace(&mut self.state, away);
        if apart(move || drop(last)).recv_timeout(CLOSE).is_err() {
            log::warn!("{}: the driver does not let go of it", self.spec.name);
        }
    }
}

impl AudioSource for Microphone {
    fn spec(&self) -> &SourceSpec {
        &self.spec
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        out.clear();
        loop {
            let stopped = self.stop.load(Ordering::Acquire);
            let got = match self.state {
                State::Running(_) => self.take(out),
                State::Away(_) => !stopped && self.stand_in(out),
            };
            if got {
                self.frames += (out.len() / usize::from(self.spec.channels)) as u64;
                return Ok(out.len());
            }
            if stopped {
                return Ok(0);
            }
            // The loss of a device is reported at once, not after the next chunk of sound.
            if !self.warnings.is_empty() {
                let frames = u64::from(self.spec.rate_hz / 100).max(1);
                self.silence(frames, out);
                if let State::Away(away) = &mut self.state {
                    away.silent_frames += frames;
                }
                self.frames += frames;
                return Ok(out.len());
            }
        }
    }

    fn take_warnings(&mut self, out: &mut Vec<SourceWarning>) {
        out.append(&mut self.warnings);
    }
}
