//! Microphones by cpal.
//!
//! The driver's callback writes into a ring and never waits; the reader turns what was lost, and
//! the time while a device is away, into silence of the same length, so that counted samples stay
//! true times. It is the one place of this crate that reads a clock: to pace that silence and to
//! notice a device that fell silent without a word. Invariant: frames handed out never run ahead
//! of the time since the microphone was opened by more than the driver delivered.

mod ring;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{FromSample, SampleFormat, SizedSample, StreamConfig};

use self::ring::{Found, RingReader, RingWriter};
use crate::{AudioError, AudioSource, SourceSpec, SourceWarning};

/// Sound the ring holds while the reader is busy, in seconds.
const RING_S: usize = 30;
/// Most frames handed out at once.
const CHUNK_FRAMES: usize = 4_096;
/// How long one wait for the driver lasts.
const WAIT: Duration = Duration::from_millis(100);
/// Silence of the driver after which the device counts as gone.
const STALL: Duration = Duration::from_secs(3);
/// Time between two attempts to open a lost device.
const RETRY: Duration = Duration::from_millis(500);

/// A device that can be listened to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MicrophoneInfo {
    /// Name to open it by.
    pub name: String,
    /// True for the one that opens without a name.
    pub is_default: bool,
}

/// Lists the devices that can be listened to.
///
/// # Errors
/// `NoDevice` when the system has none or cannot list them.
pub fn microphones() -> Result<Vec<MicrophoneInfo>, AudioError> {
    let host = cpal::default_host();
    let default = host.default_input_device().map(|device| name_of(&device));
    let devices = host.input_devices().map_err(|error| AudioError::NoDevice {
        reason: error.to_string(),
    })?;
    let found: Vec<MicrophoneInfo> = devices
        .map(|device| {
            let name = name_of(&device);
            MicrophoneInfo {
                is_default: default.as_ref() == Some(&name),
                name,
            }
        })
        .collect();
    if found.is_empty() {
        let reason = "the system has no device with an input".to_owned();
        return Err(AudioError::NoDevice { reason });
    }
    Ok(found)
}

fn name_of(device: &cpal::Device) -> String {
    let id = device.id().map(|id| id.to_string());
    let named = device
        .description()
        .map(|description| description.name().to_owned());
    // cpal's ids are "HOST:NAME"; the name alone is what people type.
    match id {
        Ok(id) => id
            .split_once(':')
            .map_or(id.clone(), |(_, name)| name.to_owned()),
        Err(_) => named.unwrap_or_else(|_| "unknown device".to_owned()),
    }
}

/// Ends a microphone's stream from another thread.
#[derive(Debug, Clone)]
pub struct MicrophoneStop {
    stop: Arc<AtomicBool>,
}

impl MicrophoneStop {
    /// Lets the reader take what has arrived and then end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }
}

/// A running device: the stream keeps the callback alive.
struct Running {
    _stream: cpal::Stream,
    ring: RingReader,
    arrived: Receiver<()>,
    failure: Arc<Mutex<Option<String>>>,
    last_sound: Instant,
}

/// When a device went away and how much silence stands for it so far.
struct Away {
    since: Instant,
    silent_frames: u64,
    next_try: Instant,
}

enum State {
    Running(Running),
    Away(Away),
}

/// A microphone as a source.
pub struct Microphone {
    wanted: Option<String>,
    spec: SourceSpec,
    config: StreamConfig,
    state: State,
    stop: Arc<AtomicBool>,
    frames: u64,
    warnings: Vec<SourceWarning>,
}

impl Microphone {
    /// Opens a device by name, or the default one, and starts to listen.
    ///
    /// # Errors
    /// No sound card, no such name (the error lists those there are), or a device that is busy.
    pub fn open(name: Option<&str>) -> Result<Self, AudioError> {
        let device = find(name)?;
        let name_there = name_of(&device);
        let supported = device
            .default_input_config()
            .map_err(|error| no_input(name, &error))?;
        let config = supported.config();
        let spec = SourceSpec {
            name: name_there,
            format: format!("microphone, {}", supported.sample_format()),
            rate_hz: config.sample_rate,
            channels: config.channels,
            frames: None,
        }
        .check()?;
        let running = start(&device, &spec.name, config)?;
        Ok(Self {
            wanted: name.map(str::to_owned),
            spec,
            config,
            state: State::Running(running),
            stop: Arc::new(AtomicBool::new(false)),
            frames: 0,
            warnings: Vec::new(),
        })
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

    fn lose(&mut self, reason: String) {
        let (name, at_ms) = (self.spec.name.clone(), self.at_ms());
        self.warnings.push(SourceWarning::DeviceLost {
            name,
            at_ms,
            reason,
        });
        let since = Instant::now();
        self.state = State::Away(Away {
            since,
            silent_frames: 0,
            next_try: since + RETRY,
        });
    }

    fn silence(&mut self, frames: u64, out: &mut Vec<f32>) {
        let samples = frames * u64::from(self.spec.channels);
        out.resize(out.len() + usize::try_from(samples).unwrap_or(0), 0.0);
    }

    /// One attempt to get sound out of a running device; true when `out` has some.
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
                match failure {
                    Some(reason) => self.lose(reason),
                    None => {
                        let _ = running.arrived.recv_timeout(WAIT);
                    }
                }
                false
            }
        }
    }

    /// Waits for a lost device and stands in for it with silence; true when `out` has some.
    fn stand_in(&mut self, out: &mut Vec<f32>) -> bool {
        let State::Away(away) = &mut self.state else {
            return false;
        };
        std::thread::sleep(WAIT);
        let due = away.since.elapsed().as_millis() as u64 * u64::from(self.spec.rate_hz) / 1_000;
        let frames = (due - away.silent_frames).min(u64::from(self.spec.rate_hz));
        away.silent_frames += frames;
        let retry = Instant::now() >= away.next_try;
        if retry {
            away.next_try = Instant::now() + RETRY;
        }
        let silent_frames = away.silent_frames;
        self.silence(frames, out);
        if retry && let Ok(running) = self.open_again() {
            self.state = State::Running(running);
            let (name, at_ms) = (self.spec.name.clone(), self.at_ms());
            self.warnings.push(SourceWarning::Gap {
                name: name.clone(),
                at_ms,
                frames: silent_frames,
                rate_hz: self.spec.rate_hz,
            });
            self.warnings
                .push(SourceWarning::DeviceBack { name, at_ms });
        }
        !out.is_empty()
    }

    /// Opens the device as it was: same rate, same channels.
    fn open_again(&self) -> Result<Running, AudioError> {
        let device = find(self.wanted.as_deref())?;
        start(&device, &self.spec.name, self.config)
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
            // A device that has just gone is said at once, not after the next chunk of sound.
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

fn find(name: Option<&str>) -> Result<cpal::Device, AudioError> {
    let host = cpal::default_host();
    let Some(wanted) = name else {
        return host
            .default_input_device()
            .ok_or_else(|| AudioError::NoDevice {
                reason: "the system has no default input".to_owned(),
            });
    };
    let devices: Vec<cpal::Device> = host
        .input_devices()
        .map_err(|error| AudioError::NoDevice {
            reason: error.to_string(),
        })?
        .collect();
    let known: Vec<String> = devices.iter().map(name_of).collect();
    let at = known.iter().position(|candidate| candidate == wanted);
    match at.and_then(|at| devices.into_iter().nth(at)) {
        Some(device) => Ok(device),
        None => Err(AudioError::UnknownDevice {
            wanted: wanted.to_owned(),
            known: if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            },
        }),
    }
}

fn no_input(name: Option<&str>, error: &cpal::Error) -> AudioError {
    match name {
        None => AudioError::NoDevice {
            reason: error.to_string(),
        },
        Some(name) => AudioError::DeviceOpen {
            name: name.to_owned(),
            reason: error.to_string(),
        },
    }
}

fn start(device: &cpal::Device, name: &str, config: StreamConfig) -> Result<Running, AudioError> {
    let failed = |error: cpal::Error| AudioError::DeviceOpen {
        name: name.to_owned(),
        reason: error.to_string(),
    };
    let format = device
        .default_input_config()
        .map_err(failed)?
        .sample_format();
    let capacity = RING_S * config.sample_rate as usize * usize::from(config.channels);
    let (writer, reader) = ring::ring(capacity);
    let (wake, arrived) = sync_channel(1);
    let failure = Arc::new(Mutex::new(None));
    let link = Link {
        writer,
        wake,
        failure: Arc::clone(&failure),
    };
    let stream = match format {
        SampleFormat::I16 => listen::<i16>(device, config, link),
        SampleFormat::I32 => listen::<i32>(device, config, link),
        SampleFormat::U8 => listen::<u8>(device, config, link),
        SampleFormat::F32 => listen::<f32>(device, config, link),
        other => {
            return Err(AudioError::Unsupported {
                name: name.to_owned(),
                what: format!("a microphone with samples of type {other}"),
                advice: "pick another device".to_owned(),
            });
        }
    }
    .map_err(failed)?;
    stream.play().map_err(failed)?;
    Ok(Running {
        _stream: stream,
        ring: reader,
        arrived,
        failure,
        last_sound: Instant::now(),
    })
}

/// What the callbacks hold.
struct Link {
    writer: RingWriter,
    wake: SyncSender<()>,
    failure: Arc<Mutex<Option<String>>>,
}

fn listen<S>(
    device: &cpal::Device,
    config: StreamConfig,
    link: Link,
) -> Result<cpal::Stream, cpal::Error>
where
    S: SizedSample + Send + 'static,
    f32: FromSample<S>,
{
    let Link {
        mut writer,
        wake,
        failure,
    } = link;
    // Grows to the driver's block once.
    let mut block: Vec<f32> = Vec::with_capacity(CHUNK_FRAMES * usize::from(config.channels));
    device.build_input_stream::<S, _, _>(
        config,
        move |samples, _| {
            block.clear();
            block.extend(
                samples
                    .iter()
                    .map(|s| <f32 as FromSample<S>>::from_sample_(*s)),
            );
            writer.write(&block);
            // A reader that is already woken, or gone, needs no word.
            if let Err(TrySendError::Full(()) | TrySendError::Disconnected(())) = wake.try_send(())
            {
            }
        },
        move |error| {
            // An overrun loses sound the driver does not count; anything else ends the stream.
            if error.kind() != cpal::ErrorKind::Xrun {
                let mut slot = failure.lock().unwrap_or_else(PoisonError::into_inner);
                slot.get_or_insert_with(|| error.to_string());
            }
        },
        None,
    )
}
