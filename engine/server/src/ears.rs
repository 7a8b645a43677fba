//! Sound to words, for clients that want words: a bounded number of recognisers, kept for reuse.

use crate::problem::Problem;
use crate::sessions::{SessionMaker, SpeechWish};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use weir_api::ErrorClass;
use weir_asr::{AudioSource, Recognised, Rest};
use weir_engine::pipeline::Recognition;

/// Recognisers that work at the same time; each keeps one core busy.
const AT_ONCE: usize = 2;
/// Longest sound that is recognised for one request: four hours.
pub(crate) const SOUND_MS_MAX: u64 = 4 * 3_600_000;

/// The recognisers of a server.
pub(crate) struct Ears {
    maker: Arc<SessionMaker>,
    /// With what they were made for; the one used last comes last.
    free: Mutex<Vec<(SpeechWish, Recognition)>>,
    working: Arc<Semaphore>,
}

/// What was recognised of a sound.
#[derive(Debug, Default)]
pub(crate) struct HeardSound {
    /// Sentences in order of time.
    pub(crate) said: Vec<Recognised>,
    /// Length of the sound.
    pub(crate) ms: u64,
    /// Code of its language, if it was found.
    pub(crate) language: Option<&'static str>,
}

impl Ears {
    pub(crate) fn new(maker: Arc<SessionMaker>) -> Self {
        Self {
            maker,
            free: Mutex::default(),
            working: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Waits until a recogniser may work.
    pub(crate) async fn permit(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let permit = Arc::clone(&self.working).acquire_owned().await;
        permit.map_err(Problem::internal)
    }

    /// Recognises a sound; `tell` gets each sentence as soon as it is known, and returns whether
    /// to go on. Blocks.
    pub(crate) fn hear(
        &self,
        mut source: Box<dyn AudioSource>,
        wish: SpeechWish,
        tell: &mut dyn FnMut(&Recognised) -> bool,
    ) -> Result<HeardSound, Problem> {
        let fitting = {
            let mut free = self.free.lock();
            let at = free.iter().position(|(made_for, _)| *made_for == wish);
            at.map(|at| free.remove(at).1)
        };
        let mut model = match fitting {
            Some(model) => model,
            None => self.maker.plain_recognition(&wish)?,
        };
        let heard = recognise(&mut model, source.as_mut(), tell);
        let mut free = self.free.lock();
        free.push((wish, model));
        if free.len() > AT_ONCE {
            free.remove(0);
        }
        heard
    }
}

fn recognise(
    model: &mut Recognition,
    source: &mut dyn AudioSource,
    tell: &mut dyn FnMut(&Recognised) -> bool,
) -> Result<HeardSound, Problem> {
    let mut loop_ = model.source(source.spec()).map_err(Problem::bad)?;
    let (rate, channels) = (source.spec().rate_hz, source.spec().channels);
    let (mut heard, mut samples, mut chunk) = (HeardSound::default(), 0_u64, Vec::new());
    loop {
        let read = source.read(&mut chunk).map_err(Problem::bad)?;
        samples += read as u64;
        heard.ms = samples * 1_000 / (u64::from(rate) * u64::from(channels)).max(1);
        if heard.ms > SOUND_MS_MAX {
            let why = format!(
                "the sound is longer than {} hours",
                SOUND_MS_MAX / 3_600_000
            );
            return Err(Problem::bad(why));
        }
        match read {
            0 => loop_.finish(),
            _ => loop_.step(&chunk),
        }
        while let Some(window) = model.recognise(&mut loop_, Rest::Keep) {
            let window = window.map_err(|it| Problem::of_class(ErrorClass::Model, it))?;
            for said in window.utterances {
                if !tell(&said) {
                    return Ok(heard);
                }
                heard.said.push(said);
            }
        }
        heard.language = loop_.language();
        if read == 0 {
            return Ok(heard);
        }
    }
}
