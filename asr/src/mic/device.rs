//! Devices through cpal: listing them, opening one, and the driver's callback.
//!
//! The callback writes into a ring and never waits. Invariant: messages of the sound library go to
//! the log, not to the terminal; those that matter are returned as errors.

use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{FromSample, SampleFormat, SizedSample, StreamConfig};

use super::ring::{self, RingWriter};
use super::running::{CHUNK_FRAMES, Failure, Running};
use crate::{AudioError, SourceSpec};

/// Seconds of sound that the ring holds while the reader is busy.
const RING_S: usize = 30;

/// ALSA's device that returns silence as fast as it is read: hours of it in seconds.
const NULL: &str = "null";

/// ALSA's plugins that convert the sound of another device. ALSA lists them beside the devices;
/// they can be opened by name, and are no microphones.
const CONVERTERS: [&str; 6] = [
    "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix",
];

/// An input device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MicrophoneInfo {
    /// Name to open it by.
    pub name: String,
    /// True for the default device.
    pub is_default: bool,
}

/// Lists the input devices, without ALSA's converters.
///
/// # Errors
/// `NoDevice` when the system has none or cannot list them.
pub fn microphones() -> Result<Vec<MicrophoneInfo>, AudioError> {
    quietly(list)
}

fn list() -> Result<Vec<MicrophoneInfo>, AudioError> {
    let host = cpal::default_host();
    let default = host.default_input_device().map(|device| name_of(&device));
    let devices = host.input_devices().map_err(|error| AudioError::NoDevice {
        reason: error.to_string(),
    })?;
    let found: Vec<MicrophoneInfo> = devices
        .map(|device| name_of(&device))
        .filter(|name| is_microphone(name))
        .map(|name| MicrophoneInfo {
            is_default: default.as_ref() == Some(&name),
            name,
        })
        .collect();
    if found.is_empty() {
        let reason = "the system has no device with an input".to_owned();
        return Err(AudioError::NoDevice { reason });
    }
    Ok(found)
}

/// True if a device of this name may be a microphone.
pub(super) fn is_microphone(name: &str) -> bool {
    name != NULL && !CONVERTERS.contains(&name)
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

/// A device after its first opening: its format, and how to open it again.
pub(super) struct Opened {
    pub(super) spec: SourceSpec,
    pub(super) running: Running,
    pub(super) config: StreamConfig,
}

/// Opens a device by name, or the default one, and starts it.
pub(super) fn open(name: Option<&str>) -> Result<Opened, AudioError> {
    quietly(|| {
        let device = find(name)?;
        if name_of(&device) == NULL {
            let reason = "`null` gives endless silence and is not a microphone".to_owned();
            return Err(AudioError::NoDevice { reason });
        }
        let supported = device
            .default_input_config()
            .map_err(|error| no_input(name, &error))?;
        let config = supported.config();
        let spec = SourceSpec {
            name: name_of(&device),
            format: format!("microphone, {}", supported.sample_format()),
            rate_hz: config.sample_rate,
            channels: config.channels,
            frames: None,
        }
        .check()?;
        let running = start(&device, &spec.name, config)?;
        Ok(Opened {
            spec,
            running,
            config,
        })
    })
}

/// Opens a device again with the same rate and channels.
pub(super) fn open_again(
    wanted: Option<&str>,
    name: &str,
    config: StreamConfig,
) -> Result<Running, AudioError> {
    quietly(|| start(&find(wanted)?, name, config))
}

/// Sends ALSA's messages to the log; ALSA otherwise writes to standard error.
#[cfg(target_os = "linux")]
fn quietly<T>(act: impl FnOnce() -> T) -> T {
    let heard = alsa::Output::local_error_handler();
    let done = act();
    if let Ok(heard) = heard {
        let text = heard.borrow().to_string();
        text.lines().for_each(|line| log::debug!("alsa: {line}"));
        // the handler stays; a new buffer replaces the full one
        drop(alsa::Output::local_error_handler());
    }
    done
}

#[cfg(not(target_os = "linux"))]
fn quietly<T>(act: impl FnOnce() -> T) -> T {
    act()
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
    let mut known: Vec<String> = devices.iter().map(name_of).collect();
    let at = known.iter().position(|candidate| candidate == wanted);
    known.retain(|name| is_microphone(name));
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
    Ok(Running::new(Box::new(stream), reader, arrived, failure))
}

/// State of the callbacks.
struct Link {
    writer: RingWriter,
    wake: SyncSender<()>,
    failure: Failure,
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
    // Grows once, to the size of the driver's block.
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
            // A reader that is already awake, or gone, needs no notification.
            if let Err(TrySendError::Full(()) | TrySendError::Disconnected(())) = wake.try_send(())
            {
            }
        },
        move |error| {
            // After an overrun the driver does not count the lost sound; any other error ends the
            // stream.
            if error.kind() != cpal::ErrorKind::Xrun {
                let mut slot = failure.lock().unwrap_or_else(PoisonError::into_inner);
                slot.get_or_insert_with(|| error.to_string());
            }
        },
        None,
    )
}
