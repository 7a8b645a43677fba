//! Makes long recordings from short ones, for replaying hours of speech.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use weir_asr::{Channels, FrontEnd, SAMPLE_RATE_HZ, open_file};

/// Pause between two recordings in seconds.
const PAUSE_S: usize = 2;

/// Writes the inputs repeatedly until `minutes` are full.
pub(crate) fn run(inputs: &[PathBuf], minutes: u64, out: &Path) -> Result<()> {
    let format = hound::WavSpec {
        channels: 1,
        sample_rate: SAMPLE_RATE_HZ,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut writer =
        hound::WavWriter::create(out, format).with_context(|| out.display().to_string())?;
    let wanted = minutes * 60 * u64::from(SAMPLE_RATE_HZ);
    let mut written = 0;
    while written < wanted {
        let before = written;
        for input in inputs {
            written += append(input, &mut writer)?;
            for _ in 0..PAUSE_S * SAMPLE_RATE_HZ as usize {
                writer.write_sample(0_i16)?;
            }
            written += (PAUSE_S * SAMPLE_RATE_HZ as usize) as u64;
        }
        anyhow::ensure!(written > before, "the inputs hold no audio");
    }
    writer.finalize()?;
    Ok(())
}

fn append<W: std::io::Write + std::io::Seek>(
    input: &Path,
    writer: &mut hound::WavWriter<W>,
) -> Result<u64> {
    let mut source = open_file(input)?;
    let mut front = FrontEnd::new(source.spec(), Channels::Mix)?;
    let (mut chunk, mut mono) = (Vec::new(), Vec::new());
    let mut written = 0;
    loop {
        chunk.clear();
        let last = source.read(&mut chunk)? == 0;
        if last {
            front.finish(&mut mono);
        } else {
            front.step(&chunk, &mut mono);
        }
        for channel in &mono {
            for &sample in channel {
                writer.write_sample((sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)) as i16)?;
                written += 1;
            }
        }
        if last {
            return Ok(written);
        }
    }
}
