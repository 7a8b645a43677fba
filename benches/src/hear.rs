//! Recognition of recordings: text and time, beside bare whisper.cpp.

pub(crate) mod clips;

use crate::files::entries;
use anyhow::Result;
use std::path::{Path, PathBuf};
use weir_asr::{Channels, FrontEnd, Recognised, Rest, SampleSpan, open_file};
use weir_engine::pipeline::Recognition;

/// Every recording of people in the fixtures.
pub(crate) fn recordings() -> Result<Vec<PathBuf>> {
    let mut files = entries(&weir_fixtures::voices_dir())?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "flac"));
    Ok(files)
}

/// Recognises a whole recording; returns its length in milliseconds.
pub(crate) fn listen(
    hearing: &mut Recognition,
    file: &Path,
    take: &mut dyn FnMut(Recognised),
) -> Result<u64> {
    let mut source = open_file(file)?;
    let mut recogniser = hearing.source(source.spec())?;
    let mut chunk = Vec::new();
    loop {
        let last = source.read(&mut chunk)? == 0;
        match last {
            true => recogniser.finish(),
            false => recogniser.step(&chunk),
        }
        while let Some(heard) = hearing.recognise(&mut recogniser, Rest::Keep) {
            heard?.utterances.into_iter().for_each(&mut *take);
        }
        if last {
            let samples = recogniser.listener().samples_heard();
            return Ok(SampleSpan::new(0, samples).len_ms());
        }
    }
}

/// A whole recording, mixed to one channel at 16 kHz.
pub(crate) fn samples(path: &Path) -> Result<Vec<f32>> {
    let mut source = open_file(path)?;
    let mut front_end = FrontEnd::new(source.spec(), Channels::Mix)?;
    let (mut chunk, mut planes, mut all) = (Vec::new(), Vec::new(), Vec::new());
    while source.read(&mut chunk)? > 0 {
        front_end.step(&chunk, &mut planes);
        all.append(&mut planes[0]);
    }
    front_end.finish(&mut planes);
    all.append(&mut planes[0]);
    Ok(all)
}
