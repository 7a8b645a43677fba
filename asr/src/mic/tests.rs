//! Tests with a scripted device that disappears and comes back.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::Microphone;
use super::ring::{RingWriter, ring};
use super::running::{Failure, Running};
use crate::{AudioError, AudioSource, SourceSpec, SourceWarning};

const RATE_HZ: u32 = 16_000;

/// The driver's side of a device.
struct Driver {
    writer: RingWriter,
    wake: SyncSender<()>,
    failure: Failure,
}

impl Driver {
    fn deliver(&mut self, frames: usize) {
        self.writer.write(&vec![0.5; frames]);
        let _ = self.wake.try_send(());
    }

    fn unplug(&self) {
        let mut slot = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Some("unplugged".to_owned());
    }
}

fn plugged() -> (Running, Driver) {
    let (writer, reader) = ring(RATE_HZ as usize);
    let (wake, arrived) = sync_channel(1);
    let failure: Failure = Arc::new(Mutex::new(None));
    let driver = Driver {
        writer,
        wake,
        failure: Arc::clone(&failure),
    };
    (Running::new(Box::new(()), reader, arrived, failure), driver)
}

fn spec() -> SourceSpec {
    SourceSpec {
        name: "headset".to_owned(),
        format: "microphone".to_owned(),
        rate_hz: RATE_HZ,
        channels: 1,
        frames: None,
    }
}

/// Reads until this many samples of sound arrived; returns everything read, and the warnings.
fn read(microphone: &mut Microphone, sound: usize, all: &mut Vec<f32>) -> Vec<SourceWarning> {
    let (mut chunk, mut warnings) = (Vec::new(), Vec::new());
    while all.iter().filter(|s| **s != 0.0).count() < sound {
        assert!(microphone.read(&mut chunk).expect("it goes on") > 0);
        all.extend_from_slice(&chunk);
        microphone.take_warnings(&mut warnings);
    }
    warnings
}

#[test]
fn a_device_that_vanishes_is_said_at_once_waited_for_and_heard_again() {
    let (running, mut first) = plugged();
    let (back, mut second) = plugged();
    // the first attempt to open it again fails
    let attempts = Mutex::new(vec![Some(back), None]);
    let reopen = move || {
        let mut attempts = attempts.lock().unwrap_or_else(PoisonError::into_inner);
        attempts.pop().flatten().ok_or(AudioError::NoDevice {
            reason: "not there yet".to_owned(),
        })
    };
    let mut microphone = Microphone::of(spec(), running, Arc::new(reopen));
    let mut all = Vec::new();
    let gone = Instant::now();
    first.deliver(1_600);
    assert_eq!(read(&mut microphone, 1_600, &mut all), []);

    first.unplug();
    let mut chunk = Vec::new();
    let mut warnings = Vec::new();
    assert!(microphone.read(&mut chunk).expect("it goes on") > 0);
    microphone.take_warnings(&mut warnings);
    all.extend_from_slice(&chunk);
    let lost = warnings.first().expect("said before any more sound");
    let SourceWarning::DeviceLost { at_ms, reason, .. } = lost else {
        panic!("{lost:?}");
    };
    assert_eq!((*at_ms, reason.as_str()), (100, "unplugged"));

    second.deliver(800);
    let told = read(&mut microphone, 2_400, &mut all);
    let away_ms = gone.elapsed().as_millis() as u64;
    let [
        SourceWarning::Gap { frames, .. },
        SourceWarning::DeviceBack { at_ms, .. },
    ] = told[..]
    else {
        panic!("{told:?}");
    };
    // silence replaces the time away: two attempts half a second apart, and no more than that
    let silent = all.iter().filter(|s| **s == 0.0).count() as u64;
    assert_eq!(silent, frames);
    assert!(silent >= 15_000, "{silent} samples of silence");
    assert!(
        silent <= away_ms * 16 + 160,
        "{silent} samples for {away_ms} ms"
    );
    assert_eq!(at_ms, (1_600 + silent) / 16);
    assert_eq!(all.len() as u64, 2_400 + silent);
}

/// A driver that never returns, neither from closing its device nor from opening it again.
struct Hung;

impl Drop for Hung {
    fn drop(&mut self) {
        std::thread::sleep(std::time::Duration::from_secs(3_600));
    }
}

#[test]
fn a_driver_that_hangs_keeps_nobody_from_stopping() {
    let (mut running, driver) = plugged();
    running._stream = Box::new(Hung);
    let reopen = || loop {
        std::thread::park();
    };
    let mut microphone = Microphone::of(spec(), running, Arc::new(reopen));
    let stop = microphone.stop_handle();
    driver.unplug();
    let (mut chunk, mut silent) = (Vec::new(), 0);
    // after the first attempt, silence still fills the time
    while silent < 12_000 {
        assert!(microphone.read(&mut chunk).expect("it goes on") > 0);
        silent += chunk.len();
    }
    stop.stop();
    let mut warnings = Vec::new();
    microphone.take_warnings(&mut warnings);
    assert_eq!(microphone.read(&mut chunk).expect("it ends"), 0);
    drop(microphone);

    let (mut running, _driver) = plugged();
    running._stream = Box::new(Hung);
    let waited = Instant::now();
    let closed = std::thread::spawn(move || {
        drop(Microphone::of(
            spec(),
            running,
            Arc::new(|| panic!("not asked for")),
        ));
    });
    closed
        .join()
        .expect("closing ends although the driver does not");
    // this does not check how fast it closes, only that it does not wait for the driver
    assert!(waited.elapsed() < std::time::Duration::from_secs(60));
}

#[test]
fn converters_are_no_microphones() {
    for name in ["null", "samplerate", "speexrate", "upmix"] {
        assert!(!super::device::is_microphone(name), "{name}");
    }
    for name in [
        "default", "pulse", "hw:CARD=PCH,DEV=0", "sysdefault:CARD=USB",
    ] {
        assert!(super::device::is_microphone(name), "{name}");
    }
}
